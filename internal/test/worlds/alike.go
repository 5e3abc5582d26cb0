package worlds

import (
	"math"
	"slices"

	"github.com/realiops/realiops/internal/metric"
)

// tolerance is the factor up to which ratios count as equal, as specified for the standard deviation between loads.
const tolerance = 1.10

// Alike reports whether no method could tell a meter from a count of the quantity. Their true ratio varies within the
// tolerance, or by less than a test at a level of 1% that knew the noise would find nine times out of ten.
func (w World) Alike(m Meter, quantity metric.Quantity) bool {
	apart := w.apart(m, Rule{Terms: []Term{{Quantity: quantity, PerUnit: 1}}})
	return apart.tolerable() || !apart.found(usually)
}

// Parted reports whether no method may take the meter for a count of the quantity: their ratio varies by more than the
// tolerance, and a test that knew the noise would miss it less than once in a thousand times. Few meters are between
// Parted and Alike; even the best method takes one for a single quantity now and then.
func (w World) Parted(m Meter, quantity metric.Quantity) bool {
	apart := w.apart(m, Rule{Terms: []Term{{Quantity: quantity, PerUnit: 1}}})
	return !apart.tolerable() && apart.found(always)
}

// How often a test finds a difference, as quantiles of the normal distribution at 0.90 and 0.999.
const (
	usually = 1.282
	always  = 3.090
)

// Exchangeable reports whether no method could tell if a meter of several terms counts a quantity in place of one of
// them: the two are alike, or some factor for the quantity changes the sum negligibly.
func (w World) Exchangeable(m Meter, term Term, quantity metric.Quantity) bool {
	alone := m
	alone.Rule = Rule{Sort: Single, Terms: []Term{term}}
	if w.apart(alone, Rule{Terms: []Term{{Quantity: quantity, PerUnit: 1}}}).tolerable() {
		return true
	}
	done := loaded(w.repetitions)
	ofTerm, ofQuantity := typical(done, term.Quantity), typical(done, quantity)
	own, rest := w.seen(m, m.Rule), m.Rule
	perUnit := 0.0
	rest.Terms = slices.DeleteFunc(slices.Clone(rest.Terms), func(t Term) bool {
		if t.Quantity == term.Quantity {
			perUnit += t.PerUnit * ofTerm / ofQuantity
		}
		return t.Quantity == term.Quantity
	})
	others, one := w.seen(m, rest), w.seen(m, Rule{Terms: []Term{{Quantity: quantity, PerUnit: 1}}})
	for step := -steps; step <= steps; step++ {
		factor := math.Pow(2, 2*float64(step)/steps) // from a quarter to four times the ratio of the two
		if !w.between(m, own, added(others, one, perUnit*factor)).found(usually) {
			return true
		}
	}
	return false
}

// added returns amounts with others times a factor.
func added(to, others [][]seen, factor float64) [][]seen {
	all := make([][]seen, len(to))
	for i := range to {
		all[i] = make([]seen, len(to[i]))
		for k, other := range others[i] {
			all[i][k] = seen{to[i][k].shown + factor*other.shown, to[i][k].hidden + factor*other.hidden}
		}
	}
	return all
}

// steps is the number of factors tried to either side: an error of one costs less than a percent.
const steps = 100

// distance is the distance between a meter and another rule.
type distance struct {
	loads         int
	deviation     float64 // between loads, of the logarithm of their ratio
	noncentrality float64 // of the sum of squares between loads, in units of the noise
}

func (d distance) tolerable() bool { return d.deviation <= math.Log(tolerance) }

func (d distance) found(power float64) bool { return found(d.noncentrality, float64(d.loads-1), power) }

func (w World) apart(m Meter, rule Rule) distance {
	return w.between(m, w.seen(m, m.Rule), w.seen(m, rule))
}

func (w World) between(m Meter, own, other [][]seen) distance {
	loads := w.ratios(m, own, other)
	var logs []float64
	mean, weights := 0.0, 0.0
	for _, a := range loads {
		logs = append(logs, a.log)
		mean += a.weight * a.log
		weights += a.weight
	}
	_, variance := moments(logs)
	d := distance{loads: len(loads), deviation: math.Sqrt(variance)}
	for _, a := range loads {
		d.noncentrality += a.weight * (a.log - mean/weights) * (a.log - mean/weights)
	}
	return d
}

// ratio is the logarithm of the ratio of two rules in a load, and the weight of its mean under noise.
type ratio struct{ log, weight float64 }

// seen is a meter's amount in a repetition, and how much of it the background may hide.
type seen struct{ shown, hidden float64 }

// seen returns the amounts of a meter with the rule, for each load and each repetition in which this meter was read.
func (w World) seen(m Meter, rule Rule) (all [][]seen) {
	hiding := w.Reads()
	for _, load := range w.plan.Loads {
		var of []seen
		for i := range w.repetitions {
			r := &w.repetitions[i]
			if m.missing[i] || r.idle() || r.load.Name != load.Name {
				continue
			}
			s := seen{shown: rule.of(r.done)}
			if hiding {
				s.hidden = rule.hides(r)
			}
			of = append(of, s)
		}
		all = append(all, of)
	}
	return all
}

// ratios returns the ratios in the loads in which the meter was read.
func (w World) ratios(m Meter, own, other [][]seen) (all []ratio) {
	var logs []float64
	for i := range own {
		logs = logs[:0]
		known := 0.0
		for k, a := range own[i] {
			b := other[i][k]
			if a.shown > a.hidden || b.shown > b.hidden {
				shown, instead := max(least, a.hidden, a.shown), max(least, b.hidden, b.shown)
				logs = append(logs, math.Log(shown/instead))
				known = max(known, a.hidden*a.hidden/(shown*shown)+b.hidden*b.hidden/(instead*instead))
			}
		}
		if len(logs) > 0 {
			mean, variance := moments(logs)
			variance += m.Noise*m.Noise + 2*w.blurred*w.blurred + known
			all = append(all, ratio{mean, float64(len(logs)) / max(variance, 1e-12)})
		}
	}
	return all
}

// hides returns how much of a rule the background may hide in a repetition. It is relevant only if some loads read and
// others write.
func (r Rule) hides(in *work) float64 {
	const times = 2
	hidden := r.of(in.besides)
	for _, t := range r.Terms {
		hidden += t.PerUnit
	}
	return times * hidden
}

// least stands for zero.
const least = 1e-9

func moments(values []float64) (mean, variance float64) {
	for _, v := range values {
		mean += v / float64(len(values))
	}
	for _, v := range values {
		variance += (v - mean) * (v - mean) / max(1, float64(len(values)-1))
	}
	return mean, variance
}

// found reports whether a chi-squared test finds, at the level of 1%, a difference of the given noncentrality with the
// given power. It approximates both distributions by normal ones: the critical value by the cube of Wilson and
// Hilferty, the power by mean and variance.
func found(noncentrality, freedom, power float64) bool {
	const level = 2.326 // the normal distribution's quantile at 0.99
	if freedom < 1 {
		return false
	}
	cube := 1 - 2/(9*freedom) + level*math.Sqrt(2/(9*freedom))
	critical := freedom * cube * cube * cube
	return freedom+noncentrality-power*math.Sqrt(2*(freedom+2*noncentrality)) >= critical
}
