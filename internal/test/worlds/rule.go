package worlds

import (
	"math"
	"slices"

	"github.com/realiops/realiops/internal/analyze/counts"
)

// Sort is what sort of rule a meter counts by.
type Sort string

// The sorts of rule.
const (
	Single    Sort = "single"    // one quantity by a factor
	Mixture   Sort = "mixture"   // two quantities, each by a factor
	Silent    Sort = "silent"    // load does not move it
	Unrelated Sort = "unrelated" // it moves, and no quantity has to do with it
)

// Term is one quantity of a rule.
type Term struct {
	Quantity string
	Side     counts.Side
	PerUnit  float64 // what the meter shows for one of it
	Share    float64 // of what the meter shows, on average over the loads
}

// Rule is what a meter counts.
type Rule struct {
	Sort  Sort
	Terms []Term // of Single and Mixture
}

// Sides returns those that the rule counts on, by terms of at least so much share.
func (r Rule) Sides(share float64) map[counts.Side]bool {
	sides := map[counts.Side]bool{}
	for _, t := range r.Terms {
		if t.Share >= share {
			sides[t.Side] = true
		}
	}
	return sides
}

// How often each sort is drawn; the rest is unrelated.
const (
	singles  = 0.45
	mixtures = 0.30
	silents  = 0.10
)

// Bounds of a factor, which is one in every so many meters: real ones often count one by one.
const (
	leastFactor = 0.01
	mostFactor  = 100
	oneToOne    = 0.15
	// leastCount is what a meter shows at least in the load that moves it least, so that its steps of one are no noise
	// of their own; a meter that counts one to one shows what there is.
	leastCount = 100
)

// rule draws a rule for a world whose loads did this work.
func (d *dice) rule(done []amounts, all []counts.Quantity) Rule {
	switch roll := d.Float64(); {
	case roll < singles:
		quantity, factor := pick(d, all), 1.0
		if !d.chance(oneToOne) {
			factor = d.factor(smallest(done, func(a amounts) float64 { return a[quantity.Name] }))
		}
		return Rule{Sort: Single, Terms: []Term{{quantity.Name, quantity.Side, factor, 1}}}
	case roll < singles+mixtures:
		order := d.Perm(len(all))
		return d.mixture(done, all[order[0]], all[order[1]])
	case roll < singles+mixtures+silents:
		return Rule{Sort: Silent}
	default:
		return Rule{Sort: Unrelated}
	}
}

// factor draws what a meter shows for one of something of which the load that has least of it has so much.
func (d *dice) factor(smallest float64) float64 {
	least := max(leastFactor, leastCount/smallest)
	return d.between(least, max(mostFactor, 100*least))
}

// mixture draws a sum of two quantities that weigh about the same in the middle of the loads.
func (d *dice) mixture(done []amounts, one, other counts.Quantity) Rule {
	ratio := typical(done, one.Name) / typical(done, other.Name) * d.lognormal(1)
	sum := func(a amounts) float64 { return a[one.Name] + ratio*a[other.Name] }
	factor := d.factor(smallest(done, sum))
	r := Rule{Sort: Mixture, Terms: []Term{{one.Name, one.Side, factor, 0}, {other.Name, other.Side, factor * ratio, 0}}}
	r.Terms[0].Share = r.share(done, r.Terms[0])
	r.Terms[1].Share = 1 - r.Terms[0].Share
	return r
}

// share returns the part of a rule that a term is, on average over the loads in which the rule shows anything.
func (r Rule) share(done []amounts, t Term) float64 {
	share, n := 0.0, 0.0
	for _, a := range done {
		if shown := r.of(a); shown > 0 {
			share, n = share+t.PerUnit*a[t.Quantity]/shown, n+1
		}
	}
	return share / n
}

// smallest returns the least that there is in a load that has any.
func smallest(done []amounts, of func(amounts) float64) float64 {
	least := math.Inf(1)
	for _, a := range done {
		if amount := of(a); amount > 0 {
			least = min(least, amount)
		}
	}
	return least
}

// least returns the least that a rule shows in a load. Where all loads write, that is nothing of what some of them do
// not do.
func (w World) least(r Rule) float64 {
	done := loaded(w.repetitions)
	if !w.Reads() && slices.ContainsFunc(done, func(a amounts) bool { return r.of(a) == 0 }) {
		return 0
	}
	return smallest(done, r.of)
}

// typical returns the geometric mean over the loads that have any.
func typical(done []amounts, quantity string) float64 {
	sum, n := 0.0, 0.0
	for _, a := range done {
		if a[quantity] > 0 {
			sum, n = sum+math.Log(a[quantity]), n+1
		}
	}
	return math.Exp(sum / n)
}
