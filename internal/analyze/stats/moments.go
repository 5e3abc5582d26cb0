package stats

import (
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mathext"
)

// These moments and distributions are written out to match gonum's stat and distuv to the last bit: those packages
// import all of linear algebra, which takes 5 s of CPU time to compile.

// moments holds the means of pairs of numbers, and the sums of squares and products about them.
type moments struct{ n, x, y, xx, yy, xy float64 }

// momentsOf corrects the means for rounding (Chan, Golub and LeVeque 1983, formula 1.7).
func momentsOf(x, y []float64) moments {
	n := float64(len(x))
	m := moments{n: n, x: floats.Sum(x) / n, y: floats.Sum(y) / n}
	restX, restY := 0.0, 0.0
	for i := range x {
		dx, dy := x[i]-m.x, y[i]-m.y
		m.xx += dx * dx
		m.yy += dy * dy
		m.xy += dx * dy
		restX += dx
		restY += dy
	}
	m.xx -= restX * restX / n
	m.yy -= restY * restY / n
	m.xy -= restX * restY / n
	return m
}

func meanVariance(x []float64) (mean, variance float64) {
	m := momentsOf(x, x)
	return m.x, m.xx / (m.n - 1)
}

// line returns the least-squares line through the pairs.
func (m moments) line() (from, slope float64) {
	slope = m.xy / (m.n - 1) / (m.xx / (m.n - 1))
	return m.y - slope*m.x, slope
}

func (m moments) correlation() float64 { return m.xy / math.Sqrt(m.xx*m.yy) }

// studentBeyond returns the probability that Student's t is at least this far from zero.
func studentBeyond(t, freedom float64) float64 {
	return mathext.RegIncBeta(freedom/2, 0.5, freedom/(t*t+freedom))
}

// studentReach returns the distance from zero that Student's t does not exceed with probability p, two-sided.
func studentReach(p, freedom float64) float64 {
	t := mathext.InvRegIncBeta(freedom/2, 0.5, 2*(1-p))
	return math.Sqrt(freedom * (1 - t) / t)
}

func chiSquaredBelow(x, freedom float64) float64 { return mathext.GammaIncReg(freedom/2, x/2) }

func fBelow(x, above, below float64) float64 {
	return mathext.RegIncBeta(above/2, below/2, above*x/(above*x+below))
}
