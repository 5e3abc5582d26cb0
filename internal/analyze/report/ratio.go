package report

import (
	"fmt"
	"math"

	"github.com/realiops/realiops/internal/analyze/counts"
	"github.com/realiops/realiops/internal/analyze/report/figure"
	"github.com/realiops/realiops/internal/analyze/report/words"
	"github.com/realiops/realiops/internal/series"
)

type counting func(counts.Load, counts.Repetition) (float64, error)

// divisor is a quantity, as a load has it, to divide by.
type divisor struct {
	counts.Quantity
	why *series.Missing // that it cannot be divided by; nil: it can
}

func newDivisor(a counts.Load, q counts.Quantity) divisor {
	of := over(a, func(r counts.Repetition) (float64, error) { return q.Count(a, r) })
	return divisor{q, notToDivideBy(of, q.Name)}
}

// ratio returns how many there are of what is counted for one of a quantity, in a load.
func ratio(count counting, a counts.Load, reference counts.Quantity) Figure {
	return newDivisor(a, reference).ratio(count, a, over(a, func(r counts.Repetition) (float64, error) {
		return count(a, r)
	}))
}

// ratio returns the sum of what is counted over the repetitions of the load by the sum of the divisor, with the lowest
// and the highest repetition beside it. It is missing where either is lost in the background.
func (d divisor) ratio(count counting, a counts.Load, counted Figure) Figure {
	if d.why != nil {
		return Figure{Missing: d.why}
	}
	if counted.Lost() {
		return Figure{Missing: lost("it")}
	}
	var sumCounted, sumOf float64
	for _, r := range a.Repetitions {
		if value, base, err := both(count, d.Count, a, r); err == nil {
			sumCounted, sumOf = sumCounted+value, sumOf+base
		}
	}
	f := over(a, func(r counts.Repetition) (float64, error) {
		value, base, err := both(count, d.Count, a, r)
		return value / base, err
	})
	if whole := sumCounted / sumOf; f.Known() && !math.IsNaN(whole) {
		f.Value = min(max(whole, f.Lowest), f.Highest)
	}
	return f
}

func both(count, reference counting, a counts.Load, r counts.Repetition) (value, base float64, err error) {
	if base, err = reference(a, r); err != nil {
		return 0, 0, err
	}
	value, err = count(a, r)
	return value, base, err
}

const (
	// mostDoubt is the largest deviation between repetitions of a count, as a part of it, at which it still serves
	// as a divisor.
	mostDoubt = 0.5
)

// Reasons for a ratio that is not there.
const (
	nothing   series.Reason = "nothing"   // that it would be a ratio to
	uncertain series.Reason = "uncertain" // not to be told from the background
)

// notToDivideBy says why a count cannot be divided by, or nil where it can.
func notToDivideBy(f Figure, name string) *series.Missing {
	switch {
	case !f.Known():
		return f.Missing
	case f.Highest <= figure.Resolution:
		return &series.Missing{Reason: nothing, Detail: "there were no " + words.Many(name)}
	case f.Lowest <= figure.Resolution || (f.Highest-f.Lowest)/2 > mostDoubt*f.Value:
		return lost(words.Many(name))
	default:
		return nil
	}
}

func lost(name string) *series.Missing {
	return &series.Missing{Reason: uncertain, Detail: fmt.Sprintf("%s cannot be told from the background", name)}
}
