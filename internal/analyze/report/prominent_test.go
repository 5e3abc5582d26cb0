package report_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/realiops/realiops/internal/analyze/attribution"
	"github.com/realiops/realiops/internal/analyze/report"
	"github.com/realiops/realiops/internal/analyze/tally"
	"github.com/realiops/realiops/internal/metric"
	"github.com/realiops/realiops/internal/runfile"
	"github.com/realiops/realiops/internal/test/runfiletest"
)

// TestFirstScreenIsShort: of many metrics, the first screen has those that people take for I/O, and the details have
// all.
func TestFirstScreenIsShort(t *testing.T) {
	records := demo()
	verdicts := verdictsByHand()
	for i := range 60 {
		m := runfile.Metric{Name: fmt.Sprintf("pgstat.other/m%d", i), Unit: "operations", Type: runfile.Counter}
		records = append(records, m)
		verdicts.Metrics = append(verdicts.Metrics, attribution.Verdict{
			Metric: m, Kind: attribution.Physical, Counts: metric.WALWrites, PerUnit: &attribution.Estimate{
				Value: 1, Lo: 1, Hi: 1, Level: 0.95, N: 2},
		})
	}
	for _, r := range records {
		if reading, ok := r.(runfile.Reading); ok && reading.Probe == "pgstat" {
			for i := range 60 {
				reading.Values[fmt.Sprintf("pgstat.other/m%d", i)] = reading.Values["pgstat.wal/wal_write"]
			}
		}
	}
	run, err := tally.FromRun(runfiletest.Sequence(records))
	if err != nil {
		t.Fatal(err)
	}
	r := report.New(run, verdicts)
	text := textOf(t, r, 80)
	details := detailsOf(t, r, 80)
	// 60, the deadlocks, and the rows
	if strings.Contains(text, "pgstat.other/m7") || !strings.Contains(text, "62 more metrics") ||
		!strings.Contains(text, "writes - flushes") {
		t.Errorf("the first screen:\n%s", text)
	}
	if n := strings.Count(details, "\npgstat.other/m7 "); n < 2 {
		t.Errorf("other/m7 is in %d tables of the details, want the verdicts and the spreads", n)
	}
	if strings.Contains(details, "\npgstat.other/m7, operations") {
		t.Error("the details hold other/m7 against every load")
	}
}
