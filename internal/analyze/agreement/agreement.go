// Package agreement compares a metric with the document that defines it: does it equal the documented quantity under
// every load that moves it?
//
// That is weaker than a verdict and stands beside it. A verdict is proven by loads alone, among everything that a
// metric may count. A document names one explanation, and a single load refutes it. Neither changes the other.
package agreement

import (
	"math"
	"slices"

	"github.com/realiops/realiops/internal/analyze/counts"
	"github.com/realiops/realiops/internal/analyze/stats"
	"github.com/realiops/realiops/internal/metric"
)

// Says is the result of comparing a run with a document.
type Says string

// Whether a run agrees with a document.
const (
	Agrees      Says = "agrees"      // under every load that moves the metric enough
	Contradicts Says = "contradicts" // under at least one load
	NotTested   Says = "not_tested"
)

// Agreement compares a metric with its document.
type Agreement struct {
	Says     Says            `json:"says"`
	Document string          `json:"document"` // whose document, for people
	Quantity metric.Quantity `json:"quantity"` // that the document names
	Some     bool            `json:"some"`     // it counts some of these: at most one for each
	// Ratio is the metric's ratio to the quantity over the tested loads; nil if none was tested.
	Ratio *Ratio `json:"ratio"`
	Loads int    `json:"loads"` // number tested
	// Refuted is the load that contradicts the document most; nil if none does.
	Refuted *Refuted `json:"refuted"`
	Why     string   `json:"why,omitempty"` // why nothing was tested
}

// Ratio is a mean over loads with its interval. With one load the interval is that load's own.
type Ratio struct {
	Value float64 `json:"value"`
	Lo    float64 `json:"lo"`
	Hi    float64 `json:"hi"`
	Level float64 `json:"level"`
}

// Refuted is a load under which a metric is not what its document says.
type Refuted struct {
	Load  string   `json:"load"`
	Ratio *float64 `json:"ratio"` // nil: there was none of the quantity
}

const (
	// tolerance is the factor by which a ratio may differ from one and still agree.
	tolerance = 1.15
	// surely is the number of standard deviations that rules out chance.
	surely = 4.0
	// leastMoved is the number of a counter's steps that noise beside a load cannot reach.
	leastMoved = 100
	// leastShare is the share of the busiest load's rate below which a load does nearly nothing: other activity, or the
	// probe itself, may be all that is seen there.
	leastShare = 0.001
	level      = 0.95
)

// Of compares a metric of a run with its document; nil if no document names a quantity of the run.
func Of(run *counts.Run, m counts.Metric) *Agreement {
	says, known := metric.All().Says(m.Name, run.Header.Target.Flavor, metric.VersionNum(run.Header.Target.Version))
	if !known || m.Derived != "" {
		return nil
	}
	a := &Agreement{Says: NotTested, Document: says.Document, Quantity: says.Quantity, Some: says.Some}
	seen, _ := run.Over(m.Name)
	q, known := quantity(seen, a.Quantity)
	switch {
	case !known:
		a.Why = "this run does not count them"
	case run.Observed != nil && a.Quantity == metric.RowsWritten:
		a.Why = "an observation cannot tell inserted rows from updated rows"
	case slices.ContainsFunc(m.From, func(name string) bool { return slices.Contains(q.From, name) }):
		a.Why = "no other counter has them"
	default:
		a.test(seen, m, q)
	}
	return a
}

func quantity(run *counts.Run, name metric.Quantity) (counts.Quantity, bool) {
	all := run.Quantities()
	i := slices.IndexFunc(all, func(q counts.Quantity) bool { return q.Name == name })
	if i < 0 {
		return counts.Quantity{}, false
	}
	return all[i], true
}

// test compares the two under the loads that do something.
func (a *Agreement) test(run *counts.Run, m counts.Metric, q counts.Quantity) {
	var agreeing []pair
	farthest, counted, busiest := 0.0, 0, 0.0
	quietest := math.Inf(1) // the metric's rate, per second
	for _, load := range run.Loads {
		if whole, each := pairs(run, load, m, q); len(each) > 0 && !load.Idle() {
			counted++
			busiest = max(busiest, whole.rate())
			quietest = min(quietest, whole.shown.amount/max(1, whole.seconds))
		}
	}
	background := 0.0 // what of that rate may be no load's
	if run.Idle.Repetitions == 0 && run.Observed == nil {
		background = tolerance * quietest
	}
	for _, load := range run.Loads {
		whole, each := pairs(run, load, m, q)
		steps := max(whole.shown.amount/metric.Step(m.Unit), whole.did.amount/metric.Step(q.Unit))
		if load.Idle() || len(each) == 0 || steps < leastMoved || whole.rate() < leastShare*busiest {
			continue
		}
		contradicts := func(p pair) bool { return p.contradicts(a.Some, background*max(1, p.seconds)) }
		switch off := whole.off(); {
		case contradicts(whole) && !slices.ContainsFunc(each, func(p pair) bool { return !contradicts(p) }):
			a.Loads++
			if a.Refuted == nil || off > farthest {
				a.Refuted, farthest = &Refuted{Load: load.Name, Ratio: whole.ratio()}, off
			}
		case whole.agrees(a.Some):
			a.Loads++
			agreeing = append(agreeing, whole)
		}
	}
	switch {
	case a.Refuted != nil:
		a.Says = Contradicts
	case len(agreeing) > 0:
		a.Says = Agrees
	case counted == 0:
		a.Why = "this run does not count both under one load"
	default:
		a.Why = "no load moved it enough"
	}
	a.Ratio = mean(agreeing)
}

type count struct{ amount, deviation float64 }

// pair holds the amounts of a metric and its quantity.
type pair struct {
	shown, did count
	seconds    float64
}

// rate returns the higher rate of the two, per second. Both have one unit if a document says that they are equal.
func (p pair) rate() float64 { return max(p.shown.amount, p.did.amount) / max(1, p.seconds) }

// pairs returns the pairs of each repetition that has both, and their sum.
func pairs(run *counts.Run, load counts.Load, m counts.Metric, q counts.Quantity) (whole pair, each []pair) {
	for _, r := range load.Repetitions {
		if q.Name == metric.RowsWritten && r.Work.Updated+r.Work.Deleted > 0 {
			continue // PostgreSQL counts inserted, updated and deleted rows separately
		}
		shown, missing := m.Count(load, r)
		did, err := q.Count(load, r)
		if missing != nil || err != nil {
			continue
		}
		p := pair{
			count{shown, deviation(run, r, m.From, m.Unit)},
			count{did, math.Hypot(deviation(run, r, q.From, q.Unit), q.StandardError(load, r))},
			r.Seconds,
		}
		whole.seconds += r.Seconds
		each = append(each, p)
		// The error of a model, and of a mean background, is common to all repetitions: deviations are added.
		whole.shown.amount, whole.shown.deviation = whole.shown.amount+shown, whole.shown.deviation+p.shown.deviation
		whole.did.amount, whole.did.deviation = whole.did.amount+did, whole.did.deviation+p.did.deviation
	}
	return whole, each
}

// deviation returns the uncertainty of a count due to the background, the source and the counters' steps.
func deviation(run *counts.Run, r counts.Repetition, from []string, unit string) float64 {
	variance := metric.Step(unit) * metric.Step(unit) / 4
	for _, name := range from {
		c := r.Counts[name]
		varies, known := run.Idle.Deviation[name]
		if !known { // single counts vary by their square root
			varies = math.Sqrt(math.Abs(run.Idle.PerSecond[name]) / max(1, c.Seconds))
		}
		variance += varies*varies*c.Seconds*c.Seconds + c.Error*c.Error
	}
	return math.Sqrt(variance)
}

// contradicts reports whether the metric surely exceeds the quantity or, unless it counts some of it, is surely less.
// Up to the given amount of the metric may be background, if no idle load measured that.
func (p pair) contradicts(some bool, background float64) bool {
	more := p.shown.amount-background-surely*p.shown.deviation > tolerance*(p.did.amount+surely*p.did.deviation)
	less := p.shown.amount+surely*p.shown.deviation < (p.did.amount-surely*p.did.deviation)/tolerance
	return more || less && !some
}

// agrees reports whether the metric equals the quantity within the tolerance, and is known well enough that another
// ratio would show.
func (p pair) agrees(some bool) bool {
	if p.did.amount <= surely*p.did.deviation || p.shown.amount <= surely*p.shown.deviation {
		return false
	}
	if some {
		return p.shown.amount+p.shown.deviation <= tolerance*p.did.amount
	}
	return p.off() <= math.Log(tolerance) && p.relative() <= math.Log(tolerance)/2
}

// relative returns the standard deviation of the logarithm of the ratio.
func (p pair) relative() float64 {
	return math.Hypot(p.shown.deviation/p.shown.amount, p.did.deviation/p.did.amount)
}

// off returns the absolute logarithm of the ratio.
func (p pair) off() float64 {
	if p.shown.amount <= 0 || p.did.amount <= 0 {
		return math.Inf(1)
	}
	return math.Abs(math.Log(p.shown.amount / p.did.amount))
}

func (p pair) ratio() *float64 {
	if p.did.amount <= p.did.deviation {
		return nil
	}
	return new(max(0, p.shown.amount) / p.did.amount)
}

// mean returns the mean ratio over loads, with an interval from their deviations. A single load has the uncertainty of
// its counts.
func mean(loads []pair) *Ratio {
	if len(loads) == 0 {
		return nil
	}
	n, sum, squares := float64(len(loads)), 0.0, 0.0
	for _, p := range loads {
		sum += p.shown.amount / p.did.amount
	}
	r := &Ratio{Value: sum / n, Level: level}
	for _, p := range loads {
		off := p.shown.amount/p.did.amount - r.Value
		squares += off * off
	}
	half := surely / 2 * loads[0].relative() * r.Value
	if n > 1 {
		half = stats.Student(level, n-1) * math.Sqrt(squares/(n-1)/n)
	}
	r.Lo, r.Hi = max(0, r.Value-half), r.Value+half
	return r
}
