package stats_test

import (
	"math"
	"testing"

	"github.com/realiops/realiops/internal/analyze/stats"
)

// TestDivisor: 12, 18 and 30 are multiples of 6, in any unit; the square roots of 2 to 7 have no divisor.
func TestDivisor(t *testing.T) {
	for _, unit := range []float64{1, 1000, 1. / 8192} {
		if d, of := stats.Divisor([]float64{0, 18 * unit, -12 * unit, 30 * unit, 18 * unit, math.NaN(),
			math.Inf(1)}); d != 6*unit || of != 3 {
			t.Errorf("%g: %g of %d", unit, d, of)
		}
	}
	if d, of := stats.Divisor([]float64{math.Sqrt2, math.Sqrt(3), math.Sqrt(5), math.Sqrt(6), math.Sqrt(7)}); d !=
		1e-6*math.Sqrt(7) || of != 0 {
		t.Errorf("of roots: %g of %d", d, of)
	}
	if d, of := stats.Divisor([]float64{0}); !math.IsInf(d, 1) || of != 0 {
		t.Errorf("of nothing: %g of %d", d, of)
	}
}
