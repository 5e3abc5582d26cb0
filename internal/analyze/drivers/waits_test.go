package drivers_test

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/realiops/realiops/internal/analyze/drivers"
	"github.com/realiops/realiops/internal/runfile"
)

// TestWaits: means over the minutes inside the arm's replicates. What is not among the most waited for in a minute is
// taken for nobody there.
func TestWaits(t *testing.T) {
	noon := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	minute := func(n int) time.Time { return noon.Add(time.Duration(n) * time.Minute) }
	load := func(n int, event string, sessions float64) runfile.Record {
		p := runfile.Period{From: minute(n), To: minute(n + 1), Probe: "insights", Metric: "insights/db.load", Statistic: "Average", Value: sessions}
		if event != "" {
			p.Dimensions = map[string]string{"db.wait_event.name": event, "db.wait_event.type": "IO"}
		}
		return p
	}
	records := []runfile.Record{
		runfile.Run{Schema: runfile.Schema, Plan: runfile.Plan{Arms: []runfile.Arm{{Name: "a", Method: "copy"}, {Name: "b", Method: "copy"}}}},
		runfile.Metric{Name: "insights/db.load", Unit: "sessions", Type: runfile.Gauge},
		runfile.ArmEvent{At: minute(1), Arm: "a", Replicate: 1, Event: runfile.Begin},
		runfile.Load{From: minute(1), To: minute(3), Arm: "a", Replicate: 1, Rows: 1, Transactions: 1},
		runfile.ArmEvent{At: minute(3), Arm: "a", Replicate: 1, Event: runfile.End},
		load(0, "", 100), load(1, "", 8), load(2, "", 6), load(3, "", 100), // before, in and after
		load(1, "CPU", 1), load(2, "CPU", 2), load(1, "IO:XactSync", 7), load(2, "IO:XactSync", 3), load(2, "Lock:tuple", 1),
	}
	run, err := drivers.FromRun(func(yield func(runfile.Record, error) bool) {
		for r := range slices.Values(records) {
			if !yield(r, nil) {
				return
			}
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	want := []drivers.Wait{{Event: "", Sessions: 7}, {Event: "IO:XactSync", Sessions: 5}, {Event: "CPU", Sessions: 1.5}, {Event: "Lock:tuple", Sessions: 0.5}}
	if diff := cmp.Diff(want, run.Arms[0].Waits, cmpopts.EquateApprox(1e-12, 0)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if len(run.Notes) > 0 || run.Arms[1].Waits != nil {
		t.Error(run.Notes, run.Arms[1].Waits)
	}
}
