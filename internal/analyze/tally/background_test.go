package tally_test

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/realiops/realiops/internal/runfile"
)

// TestClosingCostsEachRepetition: x grows by 2 a second always, by 1,000 for the load, and by 30 in the last second
// of each repetition, for its checkpoint. An idle repetition of 11 s and a load of 21 s both have that cost once.
func TestClosingCostsEachRepetition(t *testing.T) {
	const ours, closing, perSecond = 1000, 30, 2
	records := []runfile.Record{
		runfile.Run{Schema: runfile.Schema, Start: midnight, Plan: runfile.Plan{
			Loads: []runfile.Load{{Name: "idle"}, {Name: "busy", Method: "copy"}}, Repetitions: 1, LoadSeconds: 10,
		}},
		runfile.Metric{Name: "p/x", Unit: "operations", Type: runfile.Counter},
		event(1, "idle", runfile.Begin), event(12.5, "idle", runfile.End),
		event(14, "busy", runfile.Settle), event(14, "busy", runfile.Begin),
		runfile.Work{From: sec(14), To: sec(34), Load: "busy", Repetition: 1, Transactions: 5, Rows: 500},
		event(35.5, "busy", runfile.End),
	}
	for s := 0.0; s < 40; s++ {
		x := perSecond*s + ours*min(max(0, s-14)/20, 1)
		for _, closed := range []float64{12, 35} {
			if s >= closed {
				x += closing
			}
		}
		records = append(records, runfile.Reading{At: sec(s), Probe: "p", Values: map[string]float64{"p/x": x}})
	}
	run := fromRecords(t, records...)
	near := func(what string, got, want float64) {
		t.Helper()
		if math.Abs(got-want) > 1e-9*want {
			t.Errorf("%s is %g, want %g", what, got, want)
		}
	}
	near("the background", run.Idle.PerSecond["p/x"], perSecond)
	near("the end of a repetition", run.Idle.Closing["p/x"], closing)
	busy, _ := run.Load("busy")
	near("the load", busy.Repetitions[0].Counts["p/x"].Amount, ours)
	idle, _ := run.Load("idle")
	quiet := idle.Repetitions[0].BeforeEnd()
	near("the rate without load", quiet.Counts["p/x"].Amount/quiet.Seconds, perSecond)
	if again := quiet.Counts; !cmp.Equal(again, idle.Repetitions[0].BeforeEnd().Counts) {
		t.Errorf("the rate without load came to %v first", again)
	}
}
