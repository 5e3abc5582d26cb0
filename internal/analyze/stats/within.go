package stats

import "math"

// Value is a reading with the part of its variance that is known beforehand: what its counter cannot resolve, what the
// background leaves in doubt.
type Value struct {
	X   float64
	Var float64
}

// Within returns the variance that values have within their groups beyond what is known of each, and the degrees of
// freedom that it rests on: the s2 at which the sum of (x - group mean)^2 / (s2 + known) is what chance gives, its
// degrees of freedom (the method of moments, as Mandel and Paule use it). It is never below zero; without a group of
// two values it is zero on no degrees of freedom.
func Within(groups [][]Value) (variance float64, freedom int) {
	for _, g := range groups {
		freedom += max(0, len(g)-1)
	}
	if freedom == 0 {
		return 0, 0
	}
	excess := func(s2 float64) float64 {
		sum := 0.0
		for _, g := range groups {
			mean := meanOf(g)
			for _, v := range g {
				if d := v.X - mean; d != 0 {
					sum += d * d / (s2 + v.Var)
				}
			}
		}
		return sum - float64(freedom)
	}
	return zeroOf(excess), freedom
}

func meanOf(g []Value) float64 {
	sum := 0.0
	for _, v := range g {
		sum += v.X
	}
	return sum / float64(len(g))
}

// zeroOf finds where a falling function of a variance crosses zero; where it is not above zero to begin with, zero, and
// where it never comes down, infinity.
func zeroOf(f func(float64) float64) float64 {
	if !(f(0) > 0) {
		return 0
	}
	low, high := 0.0, 1e-6
	for f(high) > 0 {
		low, high = high, high*16
		if math.IsInf(high, 1) || high > largestVariance {
			return math.Inf(1)
		}
	}
	for range bisections {
		middle := math.Sqrt(max(low, smallest) * high) // halfway in orders of magnitude
		if f(middle) > 0 {
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

// Of logarithms: a factor of e^1000 is no finding.
const (
	largestVariance = 1e6
	precision       = 1e-4
	bisections      = 60
	smallest        = 1e-18
)
