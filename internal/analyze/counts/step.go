package counts

import "github.com/realiops/realiops/internal/analyze/stats"

const mostChanges = 1000 // of a counter that are looked at, leaving out where it stood still

// Step returns the largest number that all counts of a metric are multiples of, and how many differ that it rests on:
// none where they are multiples of nothing that would show. What is said of a metric by its step is the same in every
// unit.
func (r *Run) Step(m Metric) (divisor float64, of int) {
	var all []float64
	for _, load := range r.Loads {
		for _, repetition := range load.Repetitions {
			read := 0
			if len(m.From) == 1 {
				for change, err := range r.Series(m.From[0]).Changes(repetition.Begin, repetition.End) {
					if read++; err == nil && change.Amount != 0 {
						all = append(all, change.Amount)
					}
				}
			}
			if n, known := m.Raw(repetition); read == 0 && known {
				all = append(all, n)
			}
			if len(all) > mostChanges {
				return stats.Divisor(all)
			}
		}
	}
	return stats.Divisor(all)
}
