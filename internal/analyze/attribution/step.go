package attribution

import (
	"math"
	"slices"

	"github.com/realiops/realiops/internal/analyze/counts"
)

const (
	leastStep   = 1e-13 // of the largest count: below it a divisor is an error of floating point
	fewestSteps = 3     // differing counts that a step is told from
	digits      = 1e-6  // of the largest count, to which one without steps is trusted
	mostChanges = 1000  // of a counter that are looked at
	natural     = 16    // up to which a divisor of all counts may come of what is counted, as of two index entries for each row
)

// stepOf is by how much a metric moves at least. Bytes and seconds are what they are; of all else it is the largest number that the metric's
// counts are multiples of, so that the unit of a source changes nothing. Of few counts that number may be large by chance.
func (e *evidence) stepOf(m counts.Metric) float64 {
	unit := step(m.Unit)
	if unit != 1 {
		return unit
	}
	divisor, of := e.divisor(m)
	if of > 0 && of < fewestSteps || math.IsInf(divisor, 1) {
		return min(divisor, unit)
	}
	return divisor
}

// countsBy is what one of something is in a metric that counts one by one, whatever its unit; 1 where it has no steps that show.
func (e *evidence) countsBy(m counts.Metric) float64 {
	if divisor, of := e.divisor(m); of >= fewestSteps && (divisor < 1 || divisor > natural) {
		return divisor
	}
	return 1
}

// divisor is the largest number that all counts of a metric are multiples of, and how many differ that it rests on: none where
// they are multiples of nothing that would show.
func (e *evidence) divisor(m counts.Metric) (divisor float64, of int) {
	all := e.changes(m)
	if len(all) == 0 {
		return math.Inf(1), 0
	}
	slices.Sort(all)
	all = slices.Compact(all)
	least := leastStep * all[len(all)-1]
	for _, n := range all {
		for n > least {
			divisor, n = n, math.Mod(divisor, n)
		}
	}
	const shows = 10
	if divisor < shows*least {
		return digits * all[len(all)-1], 0
	}
	return divisor, len(all)
}

// changes are what a metric grew by from reading to reading, or in repetitions where it is not read so.
func (e *evidence) changes(m counts.Metric) (all []float64) {
	add := func(n float64) {
		if n != 0 && math.Abs(n) <= mostCounted {
			all = append(all, math.Abs(n))
		}
	}
	for _, load := range e.run.Loads {
		for _, r := range load.Repetitions {
			read := 0
			if len(m.From) == 1 {
				for change, err := range e.run.Changes(m.From[0], r.Begin, r.End) {
					if read++; err == nil {
						add(change.Amount)
					}
				}
			}
			if n, known := m.Raw(r); read == 0 && known {
				add(n)
			}
			if len(all) > mostChanges {
				return all
			}
		}
	}
	return all
}
