package score

import (
	"math"
	"strings"
	"testing"

	"github.com/realiops/realiops/internal/analyze/attribution"
	"github.com/realiops/realiops/internal/analyze/counts"
	"github.com/realiops/realiops/internal/metric"
	"github.com/realiops/realiops/internal/test/worlds"
)

// cases returns worlds judged by a method that knows the truth.
func cases(t *testing.T, design worlds.Design, n uint64, knows func(worlds.Meter) attribution.Verdict) (all []Case) {
	t.Helper()
	for seed := range n {
		world := worlds.New(seed, design, 40)
		method := func(run *counts.Run) (said attribution.Verdicts) {
			for _, m := range world.Meters {
				v := knows(m)
				v.Metric, _ = run.Counter(m.Name)
				said.Metrics = append(said.Metrics, v)
			}
			return said
		}
		judged, err := Judged(method, world, t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, judged...)
	}
	return all
}

// oracle returns the truth, and CannotTell for two loads.
func oracle(m worlds.Meter) attribution.Verdict {
	sides := m.Rule.Sides(0)
	kind := attribution.CannotTell
	switch {
	case sides[counts.Logical] && len(sides) > 1:
		kind = attribution.Mixed
	case sides[counts.Logical]:
		kind = attribution.Logical
	case sides[counts.Requested] && sides[counts.Physical]:
		kind = attribution.NotLogical
	case sides[counts.Requested]:
		kind = attribution.Requested
	case sides[counts.Physical]:
		kind = attribution.Physical
	case m.Rule.Sort == worlds.Silent:
		kind = attribution.Silent
	}
	v := attribution.Verdict{Kind: kind}
	if m.Rule.Sort == worlds.Single {
		term := m.Rule.Terms[0]
		v.Counts, v.PerUnit = term.Quantity, &attribution.Estimate{Value: term.PerUnit, Lo: term.PerUnit,
			Hi: term.PerUnit}
	}
	if m.Rule.Sort == worlds.Mixture {
		v.Mixture = &attribution.Mixture{}
		for _, term := range m.Rule.Terms {
			v.Mixture.Terms = append(v.Mixture.Terms, attribution.Term{Quantity: term.Quantity, Side: term.Side,
				Share: term.Share})
		}
	}
	return v
}

func cannotTell(worlds.Meter) attribution.Verdict {
	return attribution.Verdict{Kind: attribution.CannotTell}
}

// liar names the rows, whatever the meter counts.
func liar(worlds.Meter) attribution.Verdict {
	return attribution.Verdict{Kind: attribution.Logical, Counts: metric.RowsWritten, PerUnit: &attribution.Estimate{
		Value: 1, Lo: 1, Hi: 1}}
}

// targets returns the figures of both designs that have a target.
func targets(full, twoLoads []Case) []Figure {
	return where(append(FullTable(full), TwoLoadsTable(twoLoads)...), Figure.Targeted)
}

func TestTheTruthScoresFully(t *testing.T) {
	figures := targets(cases(t, worlds.Full, 10, oracle), cases(t, worlds.TwoLoads, 3, cannotTell))
	for _, f := range figures {
		switch share := f.Share(); {
		case strings.Contains(f.What, "interval"): // the oracle's has no width, and always holds
		case f.Of == 0 || !f.Passes() || f.AtLeast > 0 && share != 1 || f.AtLeast == 0 && share != 0:
			t.Errorf("the truth reaches %d of %d: %s", f.Hits, f.Of, f.What)
		}
	}
}

func TestLyingIsFound(t *testing.T) {
	full := cases(t, worlds.Full, 10, liar)
	for _, f := range targets(full, cases(t, worlds.TwoLoads, 3, liar)) {
		if !f.Misses() && !strings.HasPrefix(f.What, "two loads: the true quantity") { // it excludes nothing
			t.Errorf("%s passes a liar: %d of %d", f.What, f.Hits, f.Of)
		}
	}
}

func TestSilenceIsNoAnswer(t *testing.T) {
	missed := 0
	for _, f := range targets(cases(t, worlds.Full, 5, cannotTell), cases(t, worlds.TwoLoads, 3, cannotTell)) {
		if f.Misses() {
			missed++
		}
	}
	if missed != 5 { // side, quantity twice, terms, intervals
		t.Errorf("who never says anything misses %d figures, want 5", missed)
	}
}

// TestWilson compares with the table in Brown, Cai and DasGupta, Interval estimation for a binomial proportion (2001),
// whose formula for 0 of n gives 0 to z²/(n+z²), and checks symmetry.
func TestWilson(t *testing.T) {
	check := func(hits, of int, wantLow, wantHigh float64) {
		t.Helper()
		low, high := Figure{Hits: hits, Of: of}.Interval()
		if math.Abs(low-wantLow) > 1e-4 || math.Abs(high-wantHigh) > 1e-4 {
			t.Errorf("%d of %d: %.4f to %.4f, want %.4f to %.4f", hits, of, low, high, wantLow, wantHigh)
		}
	}
	const z2 = 1.959964 * 1.959964
	check(0, 100, 0, z2/(100+z2))
	check(100, 100, 100/(100+z2), 1)
	check(50, 100, 0.4038, 0.5962)
	check(0, 0, 0, 1)
}

func TestATargetIsMissedBeyondChanceOnly(t *testing.T) {
	check := func(f Figure, passes, misses bool) {
		t.Helper()
		if f.Passes() != passes || f.Misses() != misses {
			t.Errorf("%+v: passes %v, misses %v", f, f.Passes(), f.Misses())
		}
	}
	check(Figure{Hits: 97, Of: 100, AtLeast: 0.97, AtMost: 1}, true, false)
	check(Figure{Hits: 95, Of: 100, AtLeast: 0.97, AtMost: 1}, false, false)
	check(Figure{Hits: 80, Of: 100, AtLeast: 0.97, AtMost: 1}, false, true)
	check(Figure{Hits: 0, Of: 100, AtMost: 0}, true, false)
	check(Figure{Hits: 0, Of: 5, AtMost: 0}, true, false)
	check(Figure{Hits: 1, Of: 100, AtMost: 0}, false, true)
	check(Figure{Hits: 100, Of: 100, AtLeast: 0.93, AtMost: 0.97}, false, false)
	check(Figure{Hits: 1000, Of: 1000, AtLeast: 0.93, AtMost: 0.97}, false, true)
	check(Figure{Of: 0, AtLeast: 0.97, AtMost: 1}, false, true)
	check(Figure{Of: 0, AtMost: 1}, true, false)
}
