package counts

import (
	"math"
	"slices"
)

const (
	leastDivisor = 1e-13 // of the largest count: below it a divisor is an error of floating point
	trusted      = 1e-6  // of the largest count, to which one without steps is trusted
	mostChanges  = 1000  // of a counter that are looked at
)

// Step is the largest number that all counts of a metric are multiples of, and how many differ that it rests on: none where they are multiples of
// nothing that would show. What is said of a metric by its step is the same in every unit.
func (r *Run) Step(m Metric) (divisor float64, of int) {
	var all []float64
	add := func(n float64) { all = append(all, n) }
	for _, load := range r.Loads {
		for _, repetition := range load.Repetitions {
			read := 0
			if len(m.From) == 1 {
				for change, err := range r.Changes(m.From[0], repetition.Begin, repetition.End) {
					if read++; err == nil {
						add(change.Amount)
					}
				}
			}
			if n, known := m.Raw(repetition); read == 0 && known {
				add(n)
			}
			if len(all) > mostChanges {
				return stepOf(all)
			}
		}
	}
	return stepOf(all)
}

// stepOf is the largest number that all amounts are multiples of, and how many differ.
func stepOf(amounts []float64) (divisor float64, of int) {
	const mostCounted = 1e20 // more than a counter of 64 bits holds
	var all []float64
	for _, n := range amounts {
		if n != 0 && math.Abs(n) <= mostCounted {
			all = append(all, math.Abs(n))
		}
	}
	if len(all) == 0 {
		return math.Inf(1), 0
	}
	slices.Sort(all)
	all = slices.Compact(all)
	most := all[len(all)-1]
	least := leastDivisor * most
	for _, n := range all {
		for n > least {
			divisor, n = n, math.Mod(divisor, n)
		}
	}
	const shows = 10
	if divisor < shows*least {
		return trusted * most, 0
	}
	return divisor, len(all)
}
