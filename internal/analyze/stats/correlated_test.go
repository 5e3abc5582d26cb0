package stats

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestCorrelatedByHand: 1, 1, -1, -1 repeated eight times: of the products of neighbours 16 are 1 and 15 are -1, so r
// is 1/32, and corrected (32/32 + 1) / (32 - 4) = 1/14. One group takes one degree of freedom.
func TestCorrelatedByHand(t *testing.T) {
	var off []float64
	for range 8 {
		off = append(off, 1, 1, -1, -1)
	}
	r := 1.0 / 14
	near(t, "variance", Correlated(off, 1), 32.0/31/32*((1+r)/(1-r)-1), 1e-12)
}

// TestCorrelatedCorrectsVariance simulates a first-order autoregression: with the addition, the variance
// of the mean is about right; without correlation little is added.
func TestCorrelatedCorrectsVariance(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 7))
	for _, r := range []float64{0, 0.5, 0.7} {
		const plays, n = 4000, 48
		var of, means, told float64
		for range plays {
			values, v := make([]float64, n), random.NormFloat64()
			mean := 0.0
			for i := range values {
				v = r*v + math.Sqrt(1-r*r)*random.NormFloat64()
				values[i] = v
				mean += v / n
			}
			squares := 0.0
			for i := range values {
				values[i] -= mean
				squares += values[i] * values[i]
			}
			of, means = of+1, means+mean*mean
			told += squares/(n-1)/n + Correlated(values, 1)
		}
		if ratio := told / means; ratio < 0.8 || ratio > 1.6 {
			t.Errorf("correlation %g: %.2f of the variance that the mean has", r, ratio)
		}
	}
}

func TestCorrelatedOfTooFew(t *testing.T) {
	for _, off := range [][]float64{nil, {1, -1, 1}, {0, 0, 0, 0, 0, 0, 0, 0, 0}} {
		if got := Correlated(off, 1); got != 0 {
			t.Errorf("%v: %g", off, got)
		}
	}
}
