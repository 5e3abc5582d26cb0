package attribution_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/realiops/realiops/internal/analyze/attribution"
	"github.com/realiops/realiops/internal/analyze/counts"
	"github.com/realiops/realiops/internal/metric"
	"github.com/realiops/realiops/internal/runfile"
	"github.com/realiops/realiops/internal/series"
)

// unread returns the shipped run plus a metric, on a server that shows nothing of its WAL, pages and device, under the
// given number of clients.
func unread(t *testing.T, flavor string, clients int, count counted) *counts.Run {
	t.Helper()
	run := with(t, count)
	run.Header.Target.Flavor = flavor
	for _, planned := range attribution.Advisable() {
		for k, load := range run.Loads {
			if load.Name == planned.Name {
				run.Loads[k].Load = planned
				run.Loads[k].Clients = clients
			}
		}
	}
	for _, load := range run.Loads {
		for _, r := range load.Repetitions {
			for metric := range r.Counts {
				if metric != made && !strings.HasPrefix(metric, "pgstat.lsn/") {
					r.Counts[metric] = counts.Count{Missing: &series.Missing{Reason: "unsupported"}}
				}
			}
		}
	}
	return run
}

// TestUnrecordedQuantityStaysOpen: with one or two clients, or on a server with an unknown WAL, commits and WAL
// fsyncs may be equal in number. A metric that counts either is then not called logical.
func TestUnrecordedQuantityStaysOpen(t *testing.T) {
	for _, flavor := range []string{"aurora", "postgres"} {
		for _, clients := range []int{1, 2} {
			v := judged(t, unread(t, flavor, clients, of(metric.Commits, 0.991)))
			if v.Counts != "" || v.Kind != attribution.CannotTell || !slices.Contains(v.Between, metric.WALSyncs) {
				t.Errorf("%s, %d clients: %s %q between %v", flavor, clients, v.Kind, v.Counts, v.Between)
			}
		}
	}
}

// TestPhysicsExcludes: a thousand rows in a transaction are not a thousand WAL fsyncs on any server with a WAL like
// PostgreSQL's.
func TestPhysicsExcludes(t *testing.T) {
	v := judged(t, unread(t, "postgres", 8, of(metric.RowsWritten, 1)))
	for _, quantity := range []metric.Quantity{metric.WALSyncs, metric.WALWrites, metric.DeviceFlushes} {
		if slices.Contains(v.Between, quantity) {
			t.Errorf("rows may be %s: %v", quantity, v.Between)
		}
	}
	if v.Kind != attribution.Logical {
		t.Errorf("%s %q between %v: %s", v.Kind, v.Counts, v.Between, v.Why)
	}
}

// TestAdvisedLoadsAreInPlan also checks that a load that was run is not advised again.
func TestAdvisedLoadsAreInPlan(t *testing.T) {
	var planned []runfile.Load
	for _, a := range fromFile(t, "../../../testdata/runs/local-pg17.jsonl.zst").Header.Plan.Loads {
		if !a.Idle() {
			a.Clients = 0
			planned = append(planned, a)
		}
	}
	if diff := cmp.Diff(planned, attribution.Advisable()); diff != "" {
		t.Error(diff)
	}
	for what, change := range map[string]func(*counts.Load){
		"as planned":                func(*counts.Load) {},
		"with fewer rows at a time": func(a *counts.Load) { a.RowsPerTx = (a.RowsPerTx + 1) / 2 },
		"with a repetition that failed": func(a *counts.Load) {
			a.LeftOut = append(a.LeftOut, counts.LeftOut{Repetition: 3, Why: "the clients lost their sessions"})
			a.Repetitions = a.Repetitions[:2]
		},
	} {
		run := unread(t, "postgres", 1, of(metric.Commits, 1))
		run.Header.Plan.Repetitions = 3
		for i := range run.Loads {
			change(&run.Loads[i])
		}
		if v := judged(t, run); v.SettleWith != nil {
			t.Errorf("all was run %s, and %+v is advised", what, v.SettleWith)
		}
	}
}
