package stats

import (
	"math"
	"sync"

	"gonum.org/v1/gonum/mathext"
)

// Group is the mean of one group and the variance of that mean.
type Group struct {
	Mean   float64
	Var    float64
	Common float64 // variance of an error that is the same way off in all groups, and so does not show between them
}

// Groups are means of groups whose variances were estimated together on Freedom degrees of freedom. Zero stands for
// variances that are known.
type Groups struct {
	Of      []Group
	Freedom int
}

// Interval is an estimate and the bounds that hold the true value with the probability asked for.
type Interval struct{ Value, Lo, Hi float64 }

// Between returns the standard deviation between groups beyond the variance of their means, in the one-way random
// effects model: mean_i = m + b_i + e_i, with b_i of variance t2 and e_i of variance Var_i.
//
// The value is that of Mandel and Paule. The bounds are the Q profile (Viechtbauer 2007): all t2 at which
// Q(t2) = sum of (mean_i - m)^2 / (t2 + Var_i) is no surprise. For groups of one size and known variances this is the
// exact interval; the variances being estimates, Q is held against F instead of chi-squared, with as many degrees of
// freedom below as the sum t2 + Var has (Satterthwaite), so that it is exact at t2 = 0 and where t2 outgrows them.
// Groups that lie nearer to each other than their variances let expect do so by luck, and show no more than groups at
// the expected distance: for the upper end Q counts for no less than it would be if nothing but Var were between them.
// So the upper end tells also how large a difference had to be to be seen at all.
//
// Fewer than two groups give an interval from zero to infinity.
func (g Groups) Between(level float64) Interval {
	n := len(g.Of)
	if n < 2 {
		return Interval{math.NaN(), 0, math.Inf(1)}
	}
	tail := (1 - level) / 2
	odd := odds(tail)
	return Interval{
		Value: math.Sqrt(g.between()),
		// Where the variance outgrows those of the means, freedom does, and so a high probability may rise on the way.
		Lo: math.Sqrt(zeroOf(func(t2 float64) float64 { return g.below(g.q(t2), t2) - (1 - tail) }, false)),
		Hi: math.Sqrt(zeroOf(func(t2 float64) float64 {
			return odds(g.below(max(g.q(t2), g.expected(t2)), t2)) - odd
		}, true)),
	}
}

// between returns the variance between groups of Mandel and Paule.
func (g Groups) between() float64 {
	return zeroOf(func(t2 float64) float64 { return math.Log(g.q(t2) / float64(len(g.Of)-1)) }, true)
}

// odds returns the logarithm of those of a probability: over orders of magnitude of a variance it is straighter.
func odds(p float64) float64 { return math.Log(p / (1 - p)) }

// q returns the sum of squares of the groups' means around theirs, in units of their variance.
func (g Groups) q(t2 float64) float64 {
	mean, _ := g.weighted(t2)
	sum := 0.0
	for _, e := range g.Of {
		if d := e.Mean - mean; d != 0 {
			sum += d * d / (t2 + e.Var)
		}
	}
	return sum
}

// expected returns what Q is on average when the groups differ by nothing but the variance of their means.
func (g Groups) expected(t2 float64) float64 {
	sum, n := 0.0, float64(len(g.Of))
	for _, e := range g.Of {
		if e.Var > 0 {
			sum += e.Var / (t2 + e.Var) * (n - 1) / n
		}
	}
	return sum
}

// weighted returns the mean of the groups, each with the inverse of its variance for weight, and the sum of the
// weights.
func (g Groups) weighted(t2 float64) (mean, weights float64) {
	for _, e := range g.Of {
		w := 1 / max(t2+e.Var, smallest)
		mean += w * e.Mean
		weights += w
	}
	return mean / weights, weights
}

// below returns the probability of a Q no larger than this.
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

// manyFreedom are as good as known variances.
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
// how far the groups lie from it, Student's t with one degree of freedom less than there are groups. It covers also
// what differs between groups, and what they have in common is added to it. A single group has no interval.
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
	scatter, common := 0.0, 0.0 // common is the weighted sum of the standard deviations that groups have in common
	for _, e := range g.Of {
		d, variance := e.Mean-mean, max(between+e.Var, smallest)
		scatter += d * d / variance
		common += math.Sqrt(e.Common) / variance
	}
	scatter, common = scatter/float64(n-1)/weights, common/weights
	half := Student(level, float64(n-1)) * math.Sqrt(scatter+common*common)
	return Interval{mean, mean - half, mean + half}
}

// Student returns how many standard errors an interval of this level reaches to either side.
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

// students keeps the reaches that are asked for again and again, each of which takes a search: those of whole degrees
// of freedom, of which there are few.
var students sync.Map

const mostKept = 1000

// Normal returns the same where the error is known and not estimated.
func Normal(level float64) float64 { return mathext.NormalQuantile(1 - (1-level)/2) }
