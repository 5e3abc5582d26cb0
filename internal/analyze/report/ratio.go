package report

import (
	"cmp"
	"math"

	"github.com/realiops/realiops/internal/analyze/counts"
	"github.com/realiops/realiops/internal/analyze/report/figure"
	"github.com/realiops/realiops/internal/metric"
	"github.com/realiops/realiops/internal/series"
)

type counting func(counts.Load, counts.Repetition) (float64, error)

// amount is the count of one repetition, or the reason why there is none.
type amount struct {
	value float64
	err   error
}

func (a amount) get() (float64, error) { return a.value, a.err }

// amounts returns the count of each repetition of a load, each followed by its variants.
func amounts(count counting, a counts.Load) (all []amount) {
	of := func(value float64, err error) amount { return amount{value, err} }
	for _, r := range a.Repetitions {
		all = append(all, of(count(a, r)))
		for _, v := range r.Variants {
			all = append(all, of(count(a, v)))
		}
	}
	return all
}

// divisor is a quantity in a load, to divide by.
type divisor struct {
	name metric.Quantity
	each []amount
	why  *series.Missing // why it cannot be divided by; nil: it can
}

func newDivisor(a counts.Load, q counts.Quantity) divisor {
	of := over(a, func(r counts.Repetition) (float64, error) { return q.Count(a, r) })
	return divisor{q.Name, amounts(q.Count, a), notToDivideBy(of, q.Name)}
}

// ratio returns the amount counted per unit of a quantity, in a load.
func ratio(count counting, a counts.Load, reference counts.Quantity) Figure {
	a = beforeEnds(a)
	counted := amounts(count, a)
	return newDivisor(a, reference).ratio(counted, a, overEach(a, func(n int, _ counts.Repetition) (float64, error) {
		return counted[n].get()
	}))
}

// ratio returns the sum of the counts over the repetitions, divided by the sum of the divisor, with the lowest and the
// highest repetition. It is missing if either is lost in the background.
func (d divisor) ratio(each []amount, a counts.Load, counted Figure) Figure {
	if d.why != nil {
		return Figure{Missing: d.why}
	}
	if counted.Lost() {
		return Figure{Missing: counts.Lost("it")}
	}
	var sumCounted, sumOf float64
	n := 0
	for _, r := range a.Repetitions {
		if each[n].err == nil && d.each[n].err == nil {
			sumCounted, sumOf = sumCounted+each[n].value, sumOf+d.each[n].value
		}
		n += 1 + len(r.Variants)
	}
	f := overEach(a, func(n int, _ counts.Repetition) (float64, error) {
		return each[n].value / d.each[n].value, cmp.Or(d.each[n].err, each[n].err)
	})
	if whole := sumCounted / sumOf; f.Known() && !math.IsNaN(whole) {
		f.Value = min(max(whole, f.Lowest), f.Highest)
	}
	return f
}

const (
	// mostDoubt is the largest relative deviation between repetitions at which a count still serves as a divisor.
	mostDoubt = 0.5
)

// notToDivideBy returns why a count cannot be divided by, or nil.
func notToDivideBy(f Figure, name metric.Quantity) *series.Missing {
	switch {
	case !f.Known():
		return f.Missing
	case f.Highest <= figure.Resolution:
		return counts.NoneOf(name)
	case f.Lowest <= figure.Resolution || (f.Highest-f.Lowest)/2 > mostDoubt*f.Value:
		return counts.Lost(name.Many())
	default:
		return nil
	}
}
