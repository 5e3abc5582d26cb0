package worlds

import (
	"math"
	"slices"

	"github.com/realiops/realiops/internal/analyze/counts"
	"github.com/realiops/realiops/internal/metric"
)

// Sort is the sort of a meter's rule.
type Sort string

// The sorts of rule.
const (
	Single    Sort = "single"    // one quantity by a factor
	Mixture   Sort = "mixture"   // two quantities, each by a factor
	Silent    Sort = "silent"    // load does not move it
	Unrelated Sort = "unrelated" // it moves, but no quantity causes it
)

// Term is one quantity of a rule.
type Term struct {
	Quantity metric.Quantity
	Side     counts.Side
	PerUnit  float64 // the meter's amount per unit of it
	Share    float64 // of the meter, averaged over the loads
}

// Rule is the rule by which a meter counts.
type Rule struct {
	Sort  Sort
	Terms []Term // of Single and Mixture
}

// Sides returns the sides of the terms with at least the given share.
func (r Rule) Sides(share float64) map[counts.Side]bool {
	sides := map[counts.Side]bool{}
	for _, t := range r.Terms {
		if t.Share >= share {
			sides[t.Side] = true
		}
	}
	return sides
}

// The share of each sort; the rest is unrelated.
const (
	singles  = 0.45
	mixtures = 0.30
	silents  = 0.10
)

// Bounds of a factor, which is one in a share of meters: real ones often count one to one.
const (
	leastFactor = 0.01
	mostFactor  = 100
	oneToOne    = 0.15
	// leastCount is the least amount of a meter in the load that moves it least, so that steps of one add no noise; a
	// meter that counts one to one has the actual amount.
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

// factor draws a meter's amount per unit of something, given its smallest amount in a load.
func (d *dice) factor(smallest float64) float64 {
	least := max(leastFactor, leastCount/smallest)
	return d.between(least, max(mostFactor, 100*least))
}

// mixture draws a sum of two quantities with about equal weight in the median load.
func (d *dice) mixture(done []amounts, one, other counts.Quantity) Rule {
	ratio := typical(done, one.Name) / typical(done, other.Name) * d.lognormal(1)
	sum := func(a amounts) float64 { return a[one.Name] + ratio*a[other.Name] }
	factor := d.factor(smallest(done, sum))
	r := Rule{Sort: Mixture, Terms: []Term{{one.Name, one.Side, factor, 0}, {other.Name, other.Side, factor * ratio, 0}}}
	r.Terms[0].Share = r.share(done, r.Terms[0])
	r.Terms[1].Share = 1 - r.Terms[0].Share
	return r
}

// share returns the share of a term in its rule, averaged over the loads in which the rule is not zero.
func (r Rule) share(done []amounts, t Term) float64 {
	share, n := 0.0, 0.0
	for _, a := range done {
		if shown := r.of(a); shown > 0 {
			share, n = share+t.PerUnit*a[t.Quantity]/shown, n+1
		}
	}
	return share / n
}

// smallest returns the smallest amount in a load that has any.
func smallest(done []amounts, of func(amounts) float64) float64 {
	least := math.Inf(1)
	for _, a := range done {
		if amount := of(a); amount > 0 {
			least = min(least, amount)
		}
	}
	return least
}

// least returns the smallest amount of a rule in a load. If all loads write, it is zero for work that some of them
// lack.
func (w World) least(r Rule) float64 {
	done := loaded(w.repetitions)
	if !w.Reads() && slices.ContainsFunc(done, func(a amounts) bool { return r.of(a) == 0 }) {
		return 0
	}
	return smallest(done, r.of)
}

// typical returns the geometric mean over the loads that have any.
func typical(done []amounts, quantity metric.Quantity) float64 {
	sum, n := 0.0, 0.0
	for _, a := range done {
		if a[quantity] > 0 {
			sum, n = sum+math.Log(a[quantity]), n+1
		}
	}
	return math.Exp(sum / n)
}
