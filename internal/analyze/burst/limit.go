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
