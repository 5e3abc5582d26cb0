package attribution

import (
	"math"

	"github.com/realiops/realiops/internal/analyze/stats"
)

// mixtures is the search for a sum of drivers that gives a metric in all arms.
type mixtures struct {
	y       []float64 // by arm
	weights []float64
	columns [][]float64 // by driver that may be in it
	places  []int       // of those among the drivers
	whole   stats.System
	without []stats.System // each of one arm
}

// candidate is one choice of drivers.
type candidate struct {
	columns []int
	fit     stats.Sum
	off     float64 // root mean square of the logarithm by which an arm left out is missed
}

// fewestForMixture leaves more arms than terms to judge it by.
const fewestForMixture = stats.Most + 2

func (j *judge) mix(v *Verdict, y column, rivals []held) {
	m := j.mixtures(y, rivals)
	best, found := m.search()
	if !found || best.off > math.Log(mostOff) {
		v.Why = "No driver keeps the same ratio to it in all arms, and no sum of up to three predicts an arm that it was not fitted to"
		return
	}
	v.Mixture = j.mixture(m, best)
	v.Kind = kindOf(v.Mixture.Terms)
	if len(v.Mixture.Terms) == 1 {
		v.Kind = Kind(v.Mixture.Terms[0].Side)
	}
}

// mostOff is how far a mixture may be off in an arm that it was not fitted to.
const mostOff = 1.2

func kindOf(terms []Term) Kind {
	for _, t := range terms {
		if t.Side != terms[0].Side {
			return Mixed
		}
	}
	return Kind(terms[0].Side)
}

func (j *judge) mixtures(y column, rivals []held) *mixtures {
	m := &mixtures{}
	var use []int
	for a := range y {
		if value, n := mean(y[a]); n > 0 {
			use = append(use, a)
			m.y, m.weights = append(m.y, value), append(m.weights, 1/(value*value))
		}
	}
	for _, h := range rivals {
		if h.Status == Itself || len(h.arms) < len(use) {
			continue
		}
		var c []float64
		for _, a := range use {
			value, _ := mean(j.columns[h.place][a])
			c = append(c, value)
		}
		m.columns, m.places = append(m.columns, c), append(m.places, h.place)
	}
	m.whole = stats.NewSystem(m.columns, m.y, m.weights)
	for i := range m.y {
		weights := append([]float64(nil), m.weights...)
		weights[i] = 0
		m.without = append(m.without, stats.NewSystem(m.columns, m.y, weights))
	}
	return m
}

// search looks through all sums of up to three drivers, and takes a longer one only where it is much better.
func (m *mixtures) search() (best candidate, found bool) {
	if len(m.y) < fewestForMixture {
		return best, false
	}
	for size := 1; size <= stats.Most; size++ {
		longer, ok := m.bestOf(size)
		if ok && (!found || longer.off < 0.75*best.off) {
			best, found = longer, true
		}
	}
	return best, found
}

func (m *mixtures) bestOf(size int) (best candidate, found bool) {
	var choice [stats.Most]int
	var walk func(from, k int)
	walk = func(from, k int) {
		if k == size {
			if c, ok := m.try(choice[:size]); ok && (!found || c.off < best.off) {
				best, found = c, true
			}
			return
		}
		for i := from; i < len(m.columns); i++ {
			choice[k] = i
			walk(i+1, k+1)
		}
	}
	walk(0, 0)
	return best, found
}

func (m *mixtures) try(columns []int) (candidate, bool) {
	c := candidate{columns: append([]int(nil), columns...), fit: m.whole.NonNegative(columns...)}
	for k := range columns {
		if !(c.fit.Of[k] > 0) {
			return c, false // a shorter sum
		}
	}
	sum := 0.0
	for i, left := range m.without {
		fit := left.NonNegative(columns...)
		predicted := 0.0
		for k, column := range columns {
			predicted += fit.Of[k] * m.columns[column][i]
		}
		l := math.Log(m.y[i]) - math.Log(max(predicted, 1e-3*m.y[i]))
		sum += l * l
	}
	c.off = math.Sqrt(sum / float64(len(m.y)))
	return c, true
}

func (j *judge) mixture(m *mixtures, c candidate) *Mixture {
	mix := &Mixture{Off: math.Exp(c.off)}
	for k, column := range c.columns {
		d := j.drivers[m.places[column]]
		t := Term{Driver: d.Name, Side: d.Side, PerUnit: Estimate{Value: c.fit.Of[k], Level: j.options.Level, N: len(m.y)}}
		for i := range m.y {
			t.Share += c.fit.Of[k] * m.columns[column][i] / m.y[i] / float64(len(m.y))
		}
		mix.Terms = append(mix.Terms, t)
	}
	return mix
}
