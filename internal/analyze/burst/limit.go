package burst

import (
	"errors"
	"fmt"
	"math"
)

// Dimension is the quantity that a limit bounds.
type Dimension int

// The dimensions of a demand.
const (
	Operations Dimension = iota // as the provider counts them
	Bytes                       // as the provider counts them: on a hard disk, a small request counts as a whole unit
	Data                        // actual bytes, not limited
)

// Demand is the work requested from storage in one second.
type Demand [3]float64

// Limit is a cap on one dimension, with or without a bucket of credits. One credit is one operation, or one byte.
type Limit struct {
	Name     string
	Of       Dimension
	Base     float64 // per second, sustained; what the bucket earns
	Burst    float64 // per second, while the bucket is not empty; at least Base
	Capacity float64 // credits; 0: no bucket, only Base
	Balance  float64 // credits at the start, at most Capacity
}

// Full returns the limit with a full bucket.
func (l Limit) Full() Limit {
	l.Balance = l.Capacity
	return l
}

// Filled returns the limit with its bucket at a percentage, as BurstBalance shows it.
func (l Limit) Filled(percent float64) Limit {
	l.Balance = l.Capacity * percent / 100
	return l
}

// Refills returns the seconds without demand that refill the bucket.
func (l Limit) Refills() float64 {
	if l.Capacity == 0 {
		return 0
	}
	return (l.Capacity - l.Balance) / l.Base
}

var errNotANumber = errors.New("limits must be at least 0")

func (l Limit) check() error {
	for _, v := range []float64{l.Base, l.Burst, l.Capacity, l.Balance} {
		if math.IsNaN(v) || v < 0 {
			return fmt.Errorf("%s: %w", l.Name, errNotANumber)
		}
	}
	if l.Balance > l.Capacity {
		return fmt.Errorf("%s: the balance %g exceeds the bucket's %g", l.Name, l.Balance, l.Capacity)
	}
	return nil
}

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
