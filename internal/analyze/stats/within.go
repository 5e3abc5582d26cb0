package stats

import "math"

// Value is a reading with the part of its variance that is known beforehand: the counter's resolution and the
// background.
type Value struct {
	X, Var float64
}

// Within returns the variance of values within their groups beyond the known part, and its degrees of freedom: the s2
// at which the sum of (x - group mean)^2 / (s2 + known) equals its expectation, the degrees of freedom (the method of
// moments, as Mandel and Paule use it). It is at least zero; without a group of two values it is zero with no degrees
// of freedom.
func Within(groups [][]Value) (variance float64, freedom int) {
	for _, g := range groups {
		freedom += max(0, len(g)-1)
	}
	if freedom == 0 {
		return 0, 0
	}
	off := make([]Value, 0, freedom+len(groups)) // squares
	for _, g := range groups {
		mean := meanOf(g)
		for _, v := range g {
			if d := v.X - mean; d != 0 {
				off = append(off, Value{X: d * d, Var: v.Var})
			}
		}
	}
	excess := func(s2 float64) float64 {
		sum := 0.0
		for _, square := range off {
			sum += square.X / (s2 + square.Var)
		}
		return math.Log(sum / float64(freedom))
	}
	return zeroOf(excess, true), freedom
}

func meanOf(g []Value) float64 {
	sum := 0.0
	for _, v := range g {
		sum += v.X
	}
	return sum / float64(len(g))
}

// zeroOf finds where a falling function of a variance crosses zero; zero if it is not positive at zero, and infinity if
// it stays positive. Unless even is set, the function may rise here and there.
//
// The answer is where a bisection ends, on a grid that does not depend on the method. Bisection alone calls f some
// twenty times. For an even function, secants narrow the crossing down first, and f is called only where they leave a
// grid point open: half as often if it is nearly straight over orders of magnitude.
func zeroOf(f func(float64) float64, even bool) float64 {
	c := crossing{f: f, high: 1e-6, above: f(0)}
	if !(c.above > 0) {
		return 0
	}
	for c.below = f(c.high); c.below > 0; c.below = f(c.high) {
		c.low, c.above, c.high = c.high, c.below, c.high*16
		if math.IsInf(c.high, 1) || c.high > largestVariance {
			return math.Inf(1)
		}
	}
	low, high := c.low, c.high
	if even {
		c.narrow()
	}
	for range bisections {
		middle := math.Sqrt(max(low, smallest) * high) // halfway in orders of magnitude
		if c.isBehind(middle) {
			low = middle
		} else {
			high = middle
		}
		if high-low <= precision*high {
			break
		}
	}
	return high
}

// crossing lies between two points with known values of the function.
type crossing struct {
	f                       func(float64) float64
	low, high, above, below float64
}

// narrow moves the points together by secants over orders of magnitude, until a bisection would end. An end that stays
// twice counts half the next time (Illinois). Once one end is at the crossing, the other is searched just behind it.
func (c *crossing) narrow() {
	const most, near = 10, precision / 16
	above, below, last := c.above, c.below, 0.0
	for range most {
		from, to := math.Log(max(c.low, smallest)), math.Log(c.high)
		if !(to-from > 2*near) {
			return
		}
		at := from + (to-from)/2
		if part := above / (above - below); part > 0 && part < 1 {
			at = min(max(from+(to-from)*part, from+near), to-near)
		}
		if c.isBehind(math.Exp(at)) {
			above = c.above
			if last > 0 {
				below /= 2
			}
			last = 1
		} else {
			below = c.below
			if last < 0 {
				above /= 2
			}
			last = -1
		}
	}
}

// isBehind reports whether the crossing is behind a point.
func (c *crossing) isBehind(at float64) bool {
	switch {
	case at <= c.low:
		return true
	case at >= c.high:
		return false
	}
	value := c.f(at)
	if value > 0 {
		c.low, c.above = at, value
	} else {
		c.high, c.below = at, value
	}
	return value > 0
}

// Limits for variances of logarithms: a factor of e^1000 is no finding.
const (
	largestVariance = 1e6
	precision       = 1e-4
	bisections      = 60
	smallest        = 1e-18
)
