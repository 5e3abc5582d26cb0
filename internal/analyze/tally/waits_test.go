package tally_test

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/realiops/realiops/internal/analyze/counts"
	"github.com/realiops/realiops/internal/analyze/tally"
	"github.com/realiops/realiops/internal/runfile"
)

// TestWaits: means over the minutes inside the load's repetitions. An event that is not in a minute's top list counts
// as zero there.
func TestWaits(t *testing.T) {
	noon := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	minute := func(n int) time.Time { return noon.Add(time.Duration(n) * time.Minute) }
	load := func(n int, event string, sessions float64) runfile.Record {
		p := runfile.Period{From: minute(n), To: minute(n + 1), Probe: "insights", Metric: "insights/db.load",
			Statistic: "Average", Value: sessions}
		if event != "" {
			p.Dimensions = map[string]string{"db.wait_event.name": event, "db.wait_event.type": "IO"}
		}
		return p
	}
	records := []runfile.Record{
		runfile.Run{Schema: runfile.Schema,
			Plan: runfile.Plan{Loads: []runfile.Load{{Name: "a", Method: "copy"}, {Name: "b", Method: "copy"}}}},
		runfile.Metric{Name: "insights/db.load", Unit: "sessions", Type: runfile.Gauge},
		runfile.LoadEvent{At: minute(1), Load: "a", Repetition: 1, Event: runfile.Begin},
		runfile.Work{From: minute(1), To: minute(3), Load: "a", Repetition: 1, Rows: 1, Transactions: 1},
		runfile.LoadEvent{At: minute(3), Load: "a", Repetition: 1, Event: runfile.End},
		load(0, "", 100), load(1, "", 8), load(2, "", 6), load(3, "", 100), // before, in and after
		load(1, "CPU", 1), load(2, "CPU", 2), load(1, "IO:XactSync", 7), load(2, "IO:XactSync", 3),
		load(2, "Lock:tuple", 1),
	}
	run, err := tally.FromRun(func(yield func(runfile.Record, error) bool) {
		for r := range slices.Values(records) {
			if !yield(r, nil) {
				return
			}
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	want := []counts.Wait{{Event: "", Sessions: 7}, {Event: "IO:XactSync", Sessions: 5}, {Event: "CPU", Sessions: 1.5},
		{Event: "Lock:tuple", Sessions: 0.5}}
	if diff := cmp.Diff(want, run.Loads[0].Waits, cmpopts.EquateApprox(1e-12, 0)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if len(run.Notes) > 0 || run.Loads[1].Waits != nil {
		t.Error(run.Notes, run.Loads[1].Waits)
	}
}
