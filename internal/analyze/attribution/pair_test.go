package attribution_test

import (
	"math"
	"testing"

	"github.com/realiops/realiops/internal/analyze/attribution"
	"github.com/realiops/realiops/internal/analyze/counts"
	"github.com/realiops/realiops/internal/runfile"
)

// TestPairs compares a counter of the shipped run with made-up copies of it.
func TestPairs(t *testing.T) {
	const one, other = "pgstat.wal/wal_records", "made/again"
	check := func(name string, want attribution.Sameness, ratio float64,
		of func(load int, r counts.Repetition) float64) {
		t.Helper()
		run := fromFile(t, shippedRun)
		for a := range run.Loads {
			for _, r := range run.Loads[a].Repetitions {
				c := r.Counts[one]
				factor := of(a, r)
				if r.Counts[other] = (counts.Count{Amount: c.Amount / factor, Raw: c.Raw / factor,
					Seconds: c.Seconds}); factor == 0 {
					delete(r.Counts, other)
				}
			}
		}
		run.Counters = append(run.Counters, runfile.Metric{Name: other, Unit: "operations", Type: runfile.Counter})
		all := attribution.Compare(run, [][2]string{{one, other}, {one, "not/there"}}, attribution.Options{})
		if len(all) != 1 || all[0].Sameness != want || all[0].Metric != one || all[0].Other != other {
			t.Fatalf("%s: %+v", name, all)
		}
		switch e := all[0].Ratio; {
		case math.IsNaN(ratio):
			if e != nil || all[0].Missing == nil {
				t.Errorf("%s: ratio %+v, missing %v", name, e, all[0].Missing)
			}
		case !(e.Lo <= ratio && ratio <= e.Hi):
			t.Errorf("%s: %+v does not hold %g", name, *e, ratio)
		}
	}
	jitter := func(r counts.Repetition) float64 { return 1 + 0.005*math.Sin(float64(r.Begin.Unix())) }
	check("the same", attribution.Same, 1, func(_ int, r counts.Repetition) float64 { return jitter(r) })
	check("in other units", attribution.Proportional, 1000, func(_ int, r counts.Repetition) float64 {
		return 1000 * jitter(r)
	})
	check("another number", attribution.Different, 1, func(a int, r counts.Repetition) float64 {
		return math.Exp(float64(a%3) - 1)
	})
	check("in one load", attribution.Unsettled, 1, func(a int, r counts.Repetition) float64 {
		return map[bool]float64{true: 1}[a == 3]
	})
	check("never", attribution.Unsettled, math.NaN(), func(int, counts.Repetition) float64 { return 0 })
	check("off in one load", attribution.Different, 1, func(a int, r counts.Repetition) float64 {
		return map[bool]float64{false: 1, true: 1.7}[a == 3] * jitter(r)
	})
}
