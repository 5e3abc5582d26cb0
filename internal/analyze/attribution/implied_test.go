package attribution_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/realiops/realiops/internal/analyze/attribution"
	"github.com/realiops/realiops/internal/analyze/drivers"
	"github.com/realiops/realiops/internal/runfile"
	"github.com/realiops/realiops/internal/series"
)

// unread is the shipped run with a metric more, on a server that tells nothing of its log, its pages and its device, put under
// load by so many clients.
func unread(t *testing.T, flavor string, clients int, count counted) *drivers.Run {
	t.Helper()
	run := with(t, count)
	run.Header.Target.Flavor = flavor
	for _, planned := range attribution.Advisable() {
		for k, arm := range run.Arms {
			if arm.Name == planned.Name {
				run.Arms[k].Arm = planned
				run.Arms[k].Clients = clients
			}
		}
	}
	for _, arm := range run.Arms {
		for _, r := range arm.Replicates {
			for metric := range r.Counts {
				if metric != made && !strings.HasPrefix(metric, "pgstat.lsn/") {
					r.Counts[metric] = drivers.Count{Missing: &series.Missing{Reason: "unsupported"}}
				}
			}
		}
	}
	return run
}

// TestAnUnrecordedQuantityStaysOpen: with one or two clients, or on a server of which nothing tells how it writes its log,
// commits and syncs of the log may be one number. What counts either is not said to count commits, nor to be logical.
func TestAnUnrecordedQuantityStaysOpen(t *testing.T) {
	for _, flavor := range []string{"aurora", "postgres"} {
		for _, clients := range []int{1, 2} {
			v := judged(t, unread(t, flavor, clients, of(drivers.Commits, 0.991)))
			if v.Counts != "" || v.Kind != attribution.Undetermined || !slices.Contains(v.Between, drivers.WALSyncs) {
				t.Errorf("%s, %d clients: %s %q between %v", flavor, clients, v.Kind, v.Counts, v.Between)
			}
		}
	}
}

// TestPhysicsExcludes: a thousand rows in a transaction are not a thousand syncs of the log, on any server with a log like
// PostgreSQL's.
func TestPhysicsExcludes(t *testing.T) {
	v := judged(t, unread(t, "postgres", 8, of(drivers.Rows, 1)))
	for _, driver := range []string{drivers.WALSyncs, drivers.WALWrites, drivers.DeviceFlushes} {
		if slices.Contains(v.Between, driver) {
			t.Errorf("rows may be %s: %v", driver, v.Between)
		}
	}
	if v.Kind != attribution.Logical {
		t.Errorf("%s %q between %v: %s", v.Kind, v.Counts, v.Between, v.Why)
	}
}

// TestAdvisedLoadsAreThoseOfThePlan, and one that was run is not advised again.
func TestAdvisedLoadsAreThoseOfThePlan(t *testing.T) {
	var planned []runfile.Arm
	for _, a := range fromFile(t, "../../../testdata/runs/local-pg17.jsonl.zst").Header.Plan.Arms {
		if !a.Idle() {
			a.Clients = 0
			planned = append(planned, a)
		}
	}
	if diff := cmp.Diff(planned, attribution.Advisable()); diff != "" {
		t.Error(diff)
	}
	for what, change := range map[string]func(*drivers.Arm){
		"as planned":                func(*drivers.Arm) {},
		"with fewer rows at a time": func(a *drivers.Arm) { a.RowsPerTx = (a.RowsPerTx + 1) / 2 },
		"with a repetition that failed": func(a *drivers.Arm) {
			a.LeftOut = append(a.LeftOut, drivers.LeftOut{Replicate: 3, Why: "the clients lost their sessions"})
			a.Replicates = a.Replicates[:2]
		},
	} {
		run := unread(t, "postgres", 1, of(drivers.Commits, 1))
		run.Header.Plan.Replicates = 3
		for i := range run.Arms {
			change(&run.Arms[i])
		}
		if v := judged(t, run); v.SettleWith != nil {
			t.Errorf("all was run %s, and %+v is advised", what, v.SettleWith)
		}
	}
}
