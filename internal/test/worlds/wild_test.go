package worlds

import (
	"math"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/realiops/realiops/internal/analyze/counts"
	"github.com/realiops/realiops/internal/analyze/tally"
	"github.com/realiops/realiops/internal/metric"
	"github.com/realiops/realiops/internal/runfile"
)

func readWild(t *testing.T, w World) *counts.Run {
	t.Helper()
	run, err := tally.FromRun(func(yield func(runfile.Record, error) bool) {
		for _, r := range w.Records() {
			if !yield(r, nil) {
				return
			}
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	return run
}

func TestASeedIsAWildWorld(t *testing.T) {
	if diff := cmp.Diff(NewWild(1, 5).Records(), NewWild(1, 5).Records()); diff != "" {
		t.Error(diff)
	}
}

// TestMeasuredServerIsInRange: the measured cost of a row is within the range that servers draw.
func TestMeasuredServerIsInRange(t *testing.T) {
	real, err := tally.FromFile("../../../testdata/runs/loads-pg17.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	drawn := map[string][]float64{}
	for seed := range uint64(1500) {
		d := newDice(seed)
		s := d.server()
		for _, a := range d.loads(Wild, s)[1:] {
			now, later := s.does(a, d.variation(), 1e4, 1e4/s.commits(a, d.variation()))
			now.add(later)
			for _, quantity := range counts.OfInserts() {
				drawn[a.Name+string(quantity.Name)] = append(drawn[a.Name+string(quantity.Name)], now[quantity.Name]/now[metric.RowsWritten])
			}
		}
	}
	for _, load := range real.Loads {
		for _, d := range counts.OfInserts() {
			if load.Idle() || load.Name == "async" {
				continue // its WAL is written by time and not by row
			}
			values := drawn[load.Name+string(d.Name)]
			slices.Sort(values)
			if got := perRow(t, load, d); got < 0.95*values[0] || got > 1.05*values[len(values)-1] {
				t.Errorf("%s in %s: %g a row measured, %g to %g drawn", d.Name, load.Name, got, values[0],
					values[len(values)-1])
			}
		}
	}
}

// TestLagsAndStepsAreSeen where they are, and nowhere else.
func TestLagsAndStepsAreSeen(t *testing.T) {
	seen, all := map[Trouble]int{}, map[Trouble]int{}
	for seed := uint64(300); seed < 340; seed++ {
		w := NewWild(seed, 20)
		run := readWild(t, w)
		for _, m := range w.Meters {
			if m.Rule.Sort != Single && m.Rule.Sort != Mixture || !w.Recorded(m.Rule.quantity()) {
				continue
			}
			_, view := run.Over(m.Name)
			lag := view.Lag.Seconds()
			all[m.Trouble]++
			switch {
			case m.Trouble == Lagging && math.Abs(lag-m.lag) <= 0.75, m.Trouble == Stepping &&
				view.Stepped == time.Minute:
				seen[m.Trouble]++
			case m.Trouble == Lagging && lag == 0, m.Trouble == Stepping && view.Stepped == 0:
			case view.Lag > 0 || view.Stepped > 0:
				t.Errorf("world %d %s, %q, lag %.2f: %+v was seen", seed, m.Name, m.Trouble, m.lag, view)
			}
		}
	}
	for _, trouble := range []Trouble{Lagging, Stepping} {
		if seen[trouble]*10 < 7*all[trouble] || all[trouble] < 20 {
			t.Errorf("%s: seen in %d of %d", trouble, seen[trouble], all[trouble])
		}
	}
}

// TestPeriodsKeepTheirRatio: an exact meter in periods keeps its ratio to what it counts, whether the
// closing checkpoint is inside its periods or not.
func TestPeriodsKeepTheirRatio(t *testing.T) {
	compared := 0
	for seed := uint64(400); seed < 480 && compared < 300; seed++ {
		w := NewWild(seed, 20)
		w.blurred = 0
		run := readWild(t, w)
		for _, m := range w.Meters {
			if m.Trouble != InPeriods || m.Noise > 0 || m.Rule.Sort != Single || !w.Recorded(m.Rule.quantity()) {
				continue
			}
			d, _ := counts.Named(m.Rule.quantity())
			over, view := run.Over(m.Name)
			if !view.Periods {
				t.Errorf("world %d %s: %+v", seed, m.Name, view)
			}
			for _, a := range over.Loads {
				for _, r := range a.Repetitions {
					shown, missing := r.Count(m.Name)
					did, err := d.Count(a, r)
					if a.Idle() || missing != nil || err != nil || did < 1000 {
						continue
					}
					compared++
					// The part of a second that a slice delays, and readings two seconds apart in loads of minutes.
					if got := shown / did / m.Rule.Terms[0].PerUnit; got < 0.85 || got > 1.35 {
						t.Errorf("world %d %s in %s %d: %.3f of the %s there", seed, m.Name, a.Name,
							r.Number, got, d.Name)
					}
				}
			}
		}
	}
	if compared < 100 {
		t.Errorf("only %d were compared", compared)
	}
}
