package stats

import (
	"math"
	"slices"
)

// Divisor returns the greatest common divisor of the amounts, and the number of distinct amounts used. It ignores zeros
// and amounts beyond any counter. If floating point shows no divisor, it returns a millionth of the largest amount, and
// 0. Without amounts it is infinite.
func Divisor(amounts []float64) (divisor float64, of int) {
	const (
		leastDivisor = 1e-13 // of the largest amount: a smaller divisor is rounding error
		shows        = 10    // times leastDivisor
		trusted      = 1e-6
		mostCounted  = 1e20 // more than a 64-bit counter holds
	)
	var all []float64
	for _, n := range amounts {
		if n = math.Abs(n); n > 0 && n <= mostCounted {
			all = append(all, n)
		}
	}
	if len(all) == 0 {
		return math.Inf(1), 0
	}
	slices.Sort(all)
	all = slices.Compact(all)
	most := all[len(all)-1]
	for _, n := range all {
		if divisor > leastDivisor*most && isMultiple(n, divisor) { // most are, and a remainder is slow
			continue
		}
		for n > leastDivisor*most {
			divisor, n = n, math.Mod(divisor, n)
		}
	}
	if divisor < shows*leastDivisor*most {
		return trusted * most, 0
	}
	return divisor, len(all)
}

// isMultiple reports whether n is a multiple of of, to the last bit.
func isMultiple(n, of float64) bool {
	times := math.Trunc(n / of)
	return math.FMA(times, of, -n) == 0
}
