package report_test

import (
	"strings"
	"testing"

	"github.com/realiops/realiops/internal/analyze/attribution"
	"github.com/realiops/realiops/internal/analyze/drivers"
	"github.com/realiops/realiops/internal/analyze/report"
	"github.com/realiops/realiops/internal/runfile"
)

// TestModelledIsSaid: what rests on a model of the log says so wherever it is named, and the work is not told by it.
func TestModelledIsSaid(t *testing.T) {
	run := runFrom(t, "../../../testdata/runs/local-pg17.jsonl.zst")
	const meter = "cloudwatch/WriteIOPS"
	for _, a := range run.Arms {
		for i := range a.Replicates {
			r := &a.Replicates[i]
			r.Counts[meter], r.Log = r.Counts["pgstat.wal/wal_records"], nil
			delete(r.Counts, "pgstat.wal/wal_records")
		}
	}
	run.Counters = append(run.Counters, runfile.Metric{Name: meter, Unit: "operations", Type: runfile.Counter})
	view := report.New(run, attribution.Judge(run, attribution.Options{}))
	text := unwrapped(textOf(t, view, 80))
	for _, want := range []string{
		"it counts modelled WAL records, which is logical work and no storage I/O",
		"CloudWatch WriteIOPS LOGICAL modelled WAL records 1.000",
		"WAL records were not counted (this run did not read pgstat.wal/wal_records) but modelled from the work of the clients",
		"The model may be off by 15 % in copy",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the report does not say %q:\n%s", want, text)
		}
	}
	for _, a := range view.Arms {
		if figure := a.Of(drivers.WALRecords); figure.Known() {
			t.Errorf("in %s, %g log records a second are told that nobody counted", a.Name, figure.Value)
		}
	}
}
