package stats

import (
	"math"
	"sync"

	"gonum.org/v1/gonum/mathext"
)

// Group is the mean of one group and the variance of that mean.
type Group struct {
	Mean, Var float64
	Common    float64 // variance of an error that shifts all groups alike, and so does not show between them
}

// Groups are means of groups whose variances were estimated together with Freedom degrees of freedom; 0 means known
// variances.
type Groups struct {
	Of      []Group
	Freedom int
}

// Interval is an estimate with the bounds of the requested probability.
type Interval struct{ Value, Lo, Hi float64 }

// Between returns the standard deviation between groups beyond the variance of their means, in the one-way random
// effects model: mean_i = m + b_i + e_i, with b_i of variance t2 and e_i of variance Var_i.
//
// The value is that of Mandel and Paule. The bounds are the Q profile (Viechtbauer 2007): all t2 at which Q(t2) = sum
// of (mean_i - m)^2 / (t2 + Var_i) is no surprise. For groups of one size and known variances this is the exact
// interval. Since the variances are estimates, Q is compared with F instead of chi-squared, with the denominator
// degrees of freedom of the sum t2 + Var (Satterthwaite). So it is exact at t2 = 0 and for large t2. Groups that are
// closer than their variances predict are so by luck, and count as if at the expected distance: for the upper bound Q
// is at least what Var alone would give. So the upper bound also shows how large a difference could have been seen.
//
// Fewer than two groups give an interval from zero to infinity.
func (g Groups) Between(level float64) Interval {
	if n := len(g.Of); n < 2 {
		return Interval{math.NaN(), 0, math.Inf(1)}
	}
	tail := (1 - level) / 2
	least, most := g.quantile(tail), g.quantile(1-tail)
	return Interval{
		Value: math.Sqrt(g.between()),
		// Where t2 exceeds the variances of the means, freedom grows, and so a high probability may rise on the way.
		Lo: math.Sqrt(zeroOf(func(t2 float64) float64 { return g.beyond(most, g.q(t2), t2) }, false)),
		Hi: math.Sqrt(zeroOf(func(t2 float64) float64 {
			return g.beyond(least, max(g.q(t2), g.expected(t2)), t2)
		}, true)),
	}
}

// quantile is a quantile of Q: for the freedom that the variances have at t2 = 0, and for known variances.
type quantile struct{ p, few, many float64 }

var quantiles sync.Map // by [3]float64 of probability, groups and freedom

func (g Groups) quantile(p float64) quantile {
	n, freedom := float64(len(g.Of)-1), g.freedomAt(0)
	of := [3]float64{p, n, freedom}
	if known, asked := quantiles.Load(of); asked {
		return known.(quantile)
	}
	many := 2 * mathext.GammaIncRegInv(n/2, p)
	q := quantile{p, many, many}
	if freedom <= manyFreedom {
		part := mathext.InvRegIncBeta(n/2, freedom/2, p)
		q.few = freedom * part / (1 - part)
	}
	quantiles.Store(of, q)
	return q
}

// beyond returns by what logarithm, or log-odds, Q is beyond its quantile. The quantile for the freedom at t2 lies
// between the two that are known, and only a Q between these takes the slow distribution.
func (g Groups) beyond(at quantile, q, t2 float64) float64 {
	switch {
	case q > max(at.few, at.many):
		return math.Log(q / max(at.few, at.many))
	case q < min(at.few, at.many):
		return math.Log(q / min(at.few, at.many))
	}
	return odds(g.below(q, t2)) - odds(at.p)
}

// between returns the variance between groups of Mandel and Paule.
func (g Groups) between() float64 {
	return zeroOf(func(t2 float64) float64 { return math.Log(g.q(t2) / float64(len(g.Of)-1)) }, true)
}

// odds returns the log-odds of a probability, which are straighter over orders of magnitude of a variance.
func odds(p float64) float64 { return math.Log(p / (1 - p)) }

// q returns the sum of squares of the group means around their mean, in units of their variance.
func (g Groups) q(t2 float64) (sum float64) {
	mean, _ := g.weighted(t2)
	for _, e := range g.Of {
		if d := e.Mean - mean; d != 0 {
			sum += d * d / (t2 + e.Var)
		}
	}
	return sum
}

// expected returns the mean of Q if groups differ only by the variance of their means.
func (g Groups) expected(t2 float64) float64 {
	sum, n := 0.0, float64(len(g.Of))
	for _, e := range g.Of {
		if e.Var > 0 {
			sum += e.Var / (t2 + e.Var) * (n - 1) / n
		}
	}
	return sum
}

// weighted returns the mean of the groups, weighted by inverse variance, and the sum of the weights.
func (g Groups) weighted(t2 float64) (mean, weights float64) {
	for _, e := range g.Of {
		w := 1 / max(t2+e.Var, smallest)
		mean += w * e.Mean
		weights += w
	}
	return mean / weights, weights
}

// below returns the probability of a Q up to q.
func (g Groups) below(q, t2 float64) float64 {
	if math.IsInf(q, 1) || math.IsNaN(q) {
		return 1
	}
	n := float64(len(g.Of) - 1)
	freedom := g.freedomAt(t2)
	if freedom > manyFreedom {
		return chiSquaredBelow(q, n)
	}
	return fBelow(q/n, n, freedom)
}

// manyFreedom is as good as known variances.
const manyFreedom = 1e4

func (g Groups) freedomAt(t2 float64) float64 {
	if g.Freedom == 0 {
		return math.Inf(1)
	}
	mean := 0.0
	for _, e := range g.Of {
		mean += e.Var / float64(len(g.Of))
	}
	if mean == 0 {
		return math.Inf(1)
	}
	ratio := (t2 + mean) / mean
	return float64(g.Freedom) * ratio * ratio
}

// Mean returns the mean over groups with the interval of Hartung and Knapp: weights as for Between, the variance from
// the groups' deviations, Student's t with one degree of freedom less than groups. It covers differences between
// groups, and their common error is added. A single group has no interval.
func (g Groups) Mean(level float64) Interval {
	n := len(g.Of)
	if n == 0 {
		return Interval{math.NaN(), math.Inf(-1), math.Inf(1)}
	}
	between := 0.0
	if n > 1 {
		between = g.between()
	}
	mean, weights := g.weighted(between)
	if n == 1 {
		return Interval{mean, math.Inf(-1), math.Inf(1)}
	}
	scatter, common := 0.0, 0.0 // common is the weighted sum of the groups' common standard deviations
	for _, e := range g.Of {
		d, variance := e.Mean-mean, max(between+e.Var, smallest)
		scatter += d * d / variance
		common += math.Sqrt(e.Common) / variance
	}
	scatter, common = scatter/float64(n-1)/weights, common/weights
	half := Student(level, float64(n-1)) * math.Sqrt(scatter+common*common)
	return Interval{mean, mean - half, mean + half}
}

// Student returns the half-width of an interval of this level, in standard errors.
func Student(level, freedom float64) float64 {
	of := struct{ level, freedom float64 }{level, freedom}
	if known, asked := students.Load(of); asked {
		return known.(float64)
	}
	reach := studentReach(1-(1-level)/2, freedom)
	if freedom == math.Trunc(freedom) && freedom < mostKept {
		students.Store(of, reach)
	}
	return reach
}

// students caches the results for whole degrees of freedom, of which there are few: each takes a search and is used
// often.
var students sync.Map

const mostKept = 1000

// Normal is like Student for a known standard error.
func Normal(level float64) float64 { return mathext.NormalQuantile(1 - (1-level)/2) }
