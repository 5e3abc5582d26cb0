package burst

import "math"

const (
	percent = 1 // of credits: a smaller change is no fall
	full    = 100
	// fraction is the largest balance that may be a fraction of one instead of a percentage.
	fraction = 1
)

// Fell returns how far a balance in percent fell, and over how many periods, while demand was no more than the limit
// earns. Periods are consecutive; NaN means unknown.
func (l Limit) Fell(balance, asked []float64) (by float64, periods int) {
	highest, since := math.NaN(), 0
	from, to := 0.0, 0 // the deepest fall of the stretch
	for i, v := range balance {
		if math.IsNaN(v) || !(asked[i] <= l.Base) {
			by, periods = by+from, periods+to
			highest, from, to = math.NaN(), 0, 0
			continue
		}
		if !(v <= highest) {
			highest, since = v, i
		}
		if fall := highest - v; fall >= percent && fall > from {
			from, to = fall, i-since
		}
	}
	return by + from, periods + to
}

// Percent returns a source's balance in percent, NaN if impossible, and describes oddities: a balance is from 0 to 100,
// and one that stays at 1 or below while the limit earns is a fraction.
func (l Limit) Percent(shown, asked []float64) (balance []float64, odd string) {
	earns, known, highest := 0, 0, 0.0
	for i, v := range shown {
		if v < 0 || v > full+percent {
			v, odd = math.NaN(), "it shows a balance below 0 or above 100%, so it is ignored"
		}
		balance = append(balance, min(v, full))
		if math.IsNaN(v) || math.IsNaN(asked[i]) {
			continue
		}
		known, highest = known+1, max(highest, v)
		if asked[i] < l.Base*earning {
			earns++
		}
	}
	if highest == 0 || highest > fraction || 2*earns < known {
		return balance, odd
	}
	for i := range balance {
		balance[i] *= full
	}
	return balance, "its balance never exceeds 1, so it is read as a fraction"
}

// earning is the share of a limit's rate below which its bucket surely fills.
const earning = 0.9
