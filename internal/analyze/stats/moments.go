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

// Correlated returns the excess variance of the mean of readings over independent ones, as a first-order
// autoregression: n readings with a correlation r of neighbours are worth n(1-r)/(1+r). off are the readings in order
// of time, less the means of their groups, which take turns. The estimate of r is corrected for its bias of -(1+4r)/n
// (Kendall 1954) and is at least zero.
func Correlated(off []float64, groups int) float64 {
	const fewest = 8
	n, freedom := float64(len(off)), float64(len(off)-groups)
	if len(off) < fewest || freedom < 1 {
		return 0
	}
	var squares, products float64
	for i, v := range off {
		squares += v * v
		if i > 0 {
			products += v * off[i-1]
		}
	}
	if squares == 0 {
		return 0
	}
	const most = 0.9
	r := min(most, (products/squares*n+1)/(n-4))
	if r <= 0 {
		return 0
	}
	return squares / freedom / n * ((1+r)/(1-r) - 1)
}

// Point is a pair of values.
type Point struct{ X, Y float64 }

// fewestToSlope is the number of degrees of freedom needed for a slope.
const fewestToSlope = 4

// SlopeWithin returns the common slope of points within their groups, and the half-width of its interval; ok is false
// if there are too few.
func SlopeWithin(groups [][]Point, level float64) (slope, half float64, ok bool) {
	var xx, xy, yy, freedom float64
	for _, group := range groups {
		mean := centre(group)
		for _, p := range group {
			x, y := p.X-mean.X, p.Y-mean.Y
			xx, xy, yy = xx+x*x, xy+x*y, yy+y*y
		}
		freedom += float64(len(group) - 1)
	}
	if freedom < fewestToSlope || xx == 0 {
		return 0, 0, false
	}
	slope = xy / xx
	variance := max(0, yy-slope*xy) / (freedom - 1) / xx
	return slope, Student(level, freedom-1) * math.Sqrt(variance), true
}

func centre(points []Point) (mean Point) {
	for _, p := range points {
		mean.X, mean.Y = mean.X+p.X, mean.Y+p.Y
	}
	n := float64(len(points))
	return Point{mean.X / n, mean.Y / n}
}

// Mean returns the mean of values; NaN if there are none.
func Mean(values []float64) float64 {
	sum := 0.0
	for _, v := range values {
		sum += v
	}
	return sum / float64(len(values))
}
