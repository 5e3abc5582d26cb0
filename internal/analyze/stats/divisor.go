package stats

import (
	"math"
	"slices"
)

// Divisor returns the largest number that all amounts are multiples of, but for those that are 0 or that no counter
// holds, and how many of these differ. Where they are multiples of nothing that floating point would show, it is a
// millionth of the largest, on none. Without amounts it is infinite.
func Divisor(amounts []float64) (divisor float64, of int) {
	const (
		leastDivisor = 1e-13 // of the largest amount: below it a divisor is an error of floating point
		shows        = 10    // times that
		trusted      = 1e-6
		mostCounted  = 1e20 // more than a counter of 64 bits holds
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
		if divisor > leastDivisor*most && isMultiple(n, divisor) { // most are, and a remainder takes long
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

// isMultiple reports whether n is one, to the last bit.
func isMultiple(n, of float64) bool {
	times := math.Trunc(n / of)
	return math.FMA(times, of, -n) == 0
}
