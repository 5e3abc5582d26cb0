package cli

import (
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/realiops/realiops/internal/analyze/report"
	"github.com/realiops/realiops/internal/test/prometheustest"
)

// TestHistoryWithoutFlushes: where a kernel counts no flushes, as before Linux 5.5, the size is for all requests, and says what that leaves
// open.
func TestHistoryWithoutFlushes(t *testing.T) {
	t.Parallel()
	planted, _, last := prometheustest.Observation(t, observed)
	older := slices.DeleteFunc(slices.Clone(planted), func(s prometheustest.Series) bool { return strings.HasPrefix(s.Name, "node_disk_flush") })
	sized := func(series []prometheustest.Series) (text string, size report.Size) {
		path := filepath.Join(t.TempDir(), "through.jsonl")
		runs(t, exitDone, "history", "--prometheus", prometheustest.Start(t, series...), "--until", last.Add(time.Second).Format(time.RFC3339), "--for", "1h", "-o", path)
		out, _ := runs(t, exitDone, "size", path)
		return strings.Join(strings.Fields(out), " "), sizedOf(t, path)
	}
	_, with := sized(planted)
	text, without := sized(older)
	cents(t, "requests, of which nobody knows how many are flushes", without.Sized.Rate.Requests, with.Sized.Rate.Requests+with.Sized.Rate.Flushes)
	if with.Sized.Rate.Flushes == 0 || !strings.Contains(text, "Flushes: its source counts none") {
		t.Errorf("what it leaves open is not said: %s", text)
	}
}

// TestHistoryAmongManyExporters: one server of a store that has many exporters is picked by --server alone, whichever exporter tells of it.
func TestHistoryAmongManyExporters(t *testing.T) {
	t.Parallel()
	planted := handedOn("idle", plantedIdle())
	for i := range 4 {
		planted = append(planted, serverOn(fmt.Sprintf("db%d", i), "", 0, 6*time.Hour, time.Minute, 100*float64(i+1), 0)...)
	}
	url := prometheustest.Start(t, planted...)
	read := func(server string, more ...string) report.Size {
		path := filepath.Join(t.TempDir(), "one.jsonl")
		runs(t, exitDone, append([]string{"history", "--prometheus", url, "--until", fleetBegin.Add(6 * time.Hour).Format(time.RFC3339), "--for", "6h", "-o", path, "--server", server}, more...)...)
		return sizedOf(t, path, "--gib", "100")
	}
	cents(t, "an instance of RDS", read(`dimension_DBInstanceIdentifier="idle"`, "--flavor", "rds").Needs[0].Mean.Requests, 100)
	cents(t, "the server db2", math.Round(read(`instance="db2:9187"`).Sized.Rate.Requests), 300)
	_, said := runs(t, exitUsage, "history", "--prometheus", url, "--until", fleetBegin.Add(6*time.Hour).Format(time.RFC3339), "--for", "6h", "--server", `instance="nobody"`)
	if !strings.Contains(said, "no metric of PostgreSQL") || !strings.Contains(said, "disks of 4 machines") {
		t.Error(said)
	}
}
