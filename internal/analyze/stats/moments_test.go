package stats

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
)

// TestSameAsGonum: moments and distributions are gonum's to the last bit.
func TestSameAsGonum(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	same := func(what string, got, want float64) {
		t.Helper()
		if got != want {
			t.Errorf("%s is %v, and gonum has %v", what, got, want)
		}
	}
	for n := 2; n < 200; n++ {
		x, y := make([]float64, n), make([]float64, n)
		for i := range x {
			x[i] = math.Pow10(n%13) + random.NormFloat64() // rounding affects the largest ones' mean
			y[i] = x[i] + random.ExpFloat64()
		}
		mean, variance := meanVariance(x)
		wantMean, wantVariance := stat.MeanVariance(x, nil)
		same("the mean", mean, wantMean)
		same("the variance", variance, wantVariance)
		from, slope := momentsOf(x, y).line()
		wantFrom, wantSlope := stat.LinearRegression(x, y, nil, false)
		same("where the line begins", from, wantFrom)
		same("its slope", slope, wantSlope)
		same("the correlation", momentsOf(x, y).correlation(), stat.Correlation(x, y, nil))

		freedom, at, p := 1+20*random.Float64(), 10*random.Float64(), 0.5+random.Float64()/2
		student := distuv.StudentsT{Sigma: 1, Nu: freedom}
		same("Student's t beyond", studentBeyond(at, freedom), 2*student.CDF(-at))
		same("Student's t within", studentReach(p, freedom), student.Quantile(p))
		same("chi-squared", chiSquaredBelow(at, freedom), distuv.ChiSquared{K: freedom}.CDF(at))
		same("F", fBelow(at, float64(n), freedom), distuv.F{D1: float64(n), D2: freedom}.CDF(at))
		same("normal", Normal(2*p-1), distuv.UnitNormal.Quantile(1-(1-(2*p-1))/2))
	}
	same("Student's t beyond 0", studentBeyond(0, 3), 1)
	same("Student's t within none", studentReach(0.5, 3), 0)
}
