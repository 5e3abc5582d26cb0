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
	Bytes                       // as the provider counts them: a hard disk takes a small request for a whole unit
	Data                        // bytes that there are; nothing limits them
)

// Demand is the work asked of storage in one second.
type Demand [3]float64

// Limit is a cap on one dimension, with a bucket of credits or without. One credit is one operation, or one byte.
type Limit struct {
	Name     string
	Of       Dimension
	Base     float64 // a second, for good; what the bucket earns
	Burst    float64 // a second, while the bucket holds something; not below Base
	Capacity float64 // credits; 0: no bucket, Base holds always
	Balance  float64 // credits at the start, at most Capacity
}

// Full returns the limit with its bucket filled to the brim.
func (l Limit) Full() Limit {
	l.Balance = l.Capacity
	return l
}

// Filled returns the limit with its bucket at a percentage, as BurstBalance shows it.
func (l Limit) Filled(percent float64) Limit {
	l.Balance = l.Capacity * percent / 100
	return l
}

// Refills returns how many seconds without any demand fill the bucket again.
func (l Limit) Refills() float64 {
	if l.Capacity == 0 {
		return 0
	}
	return (l.Capacity - l.Balance) / l.Base
}

var errNotANumber = errors.New("a limit must be made of numbers from 0 up")

func (l Limit) check() error {
	for _, v := range []float64{l.Base, l.Burst, l.Capacity, l.Balance} {
		if math.IsNaN(v) || v < 0 {
			return fmt.Errorf("%s: %w", l.Name, errNotANumber)
		}
	}
	if l.Balance > l.Capacity {
		return fmt.Errorf("%s: a balance of %g is more than the bucket of %g holds", l.Name, l.Balance, l.Capacity)
	}
	return nil
}
