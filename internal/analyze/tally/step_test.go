package tally_test

import (
	"testing"

	"github.com/realiops/realiops/internal/analyze/counts"
	"github.com/realiops/realiops/internal/runfile"
)

// TestStepOfSlowCounter: a counter that moves in units of 60, every twenty minutes, has a step of 60.
func TestStepOfSlowCounter(t *testing.T) {
	records := []runfile.Record{
		runfile.Run{Schema: runfile.Schema, Plan: runfile.Plan{
			Loads: []runfile.Load{{Name: "idle"}, {Name: "busy", Method: "copy"}}, Repetitions: 1}},
		runfile.Metric{Name: "p/x", Unit: "operations", Type: runfile.Counter},
	}
	read := func(second int, value float64) {
		records = append(records, runfile.Reading{At: sec(float64(second)), Probe: "p",
			Values: map[string]float64{"p/x": value}})
	}
	records = append(records, event(0.5, "idle", runfile.Begin))
	for second := range 1200 {
		read(second, 0)
	}
	records = append(records, event(1200, "idle", runfile.End), event(1201, "busy", runfile.Begin))
	for i, value := range []float64{0, 120, 300, 900} {
		read(1202+i, value)
	}
	records = append(records,
		runfile.Work{From: sec(1201), To: sec(1206), Load: "busy", Repetition: 1, Transactions: 1, Rows: 1},
		event(1206, "busy", runfile.End), runfile.Ended{At: sec(1207), Status: runfile.Complete})
	run := fromRecords(t, records...)
	if step, of := run.Step(counts.Metric{From: []string{"p/x"}}); step != 60 || of != 3 {
		t.Errorf("%g, told by %d counts", step, of)
	}
}
