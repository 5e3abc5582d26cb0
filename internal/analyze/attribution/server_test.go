package attribution_test

import (
	"strings"
	"testing"

	"github.com/realiops/realiops/internal/analyze/attribution"
	"github.com/realiops/realiops/internal/analyze/tally"
	"github.com/realiops/realiops/internal/runfile"
	"github.com/realiops/realiops/internal/test/runfiletest"
)

// TestOtherProgramsChangeNoVerdict: if requests were traced to files, device and WAL get the same verdicts with and
// without another program. Otherwise the device does not.
func TestOtherProgramsChangeNoVerdict(t *testing.T) {
	t.Parallel()
	alone := runfiletest.Records(t, "../../../testdata/runs/local-pg17.jsonl.zst")
	judged := func(records []runfile.Record) map[string]attribution.Verdict {
		run, err := tally.FromRun(runfiletest.Sequence(records))
		if err != nil {
			t.Fatal(err)
		}
		all := map[string]attribution.Verdict{}
		for _, v := range attribution.Judge(run, attribution.Options{}).Metrics {
			all[v.Metric.Name] = v
		}
		return all
	}
	same := func(a, b attribution.Verdict) bool {
		return a.Kind == b.Kind && a.Counts == b.Counts && (a.Mixture == nil) == (b.Mixture == nil)
	}
	want := judged(alone)
	beside := runfiletest.BesideOtherProgram(alone, 2000)
	got := judged(beside)
	unfollowed := judged(lessRequests(beside))
	lost := 0
	for name, w := range want {
		if !strings.HasPrefix(name, "block/") && !strings.HasPrefix(name, "pgstat.wal/") {
			continue
		}
		if device := name == "block/requests" || name == "block/flushes" || name == "block/write_bytes" ||
			name == "block/writes"; device && !same(unfollowed[name], w) {
			lost++
		} else if !device && strings.HasPrefix(name, "block/") {
			continue // not told apart: times, merges, discards
		}
		if g := got[name]; !same(g, w) {
			t.Errorf("%s: %s %s %v, and alone %s %s %v", name, g.Kind, g.Counts, g.Mixture, w.Kind, w.Counts, w.Mixture)
		}
		if g := got[name]; strings.HasPrefix(name, "block/") &&
			(w.PerUnit != nil && g.PerUnit.Value != w.PerUnit.Value) {
			t.Errorf("%s: %g for one, and alone %g", name, g.PerUnit.Value, w.PerUnit.Value)
		}
	}
	if lost < 2 {
		t.Errorf("the other program disturbs only %d of the device's metrics where requests are not followed", lost)
	}
}

// lessRequests returns the run without the tracing of requests to files.
func lessRequests(records []runfile.Record) (all []runfile.Record) {
	for _, record := range records {
		if reading, is := record.(runfile.Reading); !is || reading.Probe != "request" {
			all = append(all, record)
		}
	}
	return all
}
