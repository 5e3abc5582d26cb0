package attribution

import (
	"math"
	"slices"

	"github.com/realiops/realiops/internal/analyze/counts"
	"github.com/realiops/realiops/internal/analyze/stats"
)

// search is the result of comparing all sums.
type search struct {
	sizes      [][]model
	dispersion float64
	chosen     model
	size       int
	gainOfSums float64 // by how much a sum of two or three beats the best single quantity
}

func (s search) gain(long, short model) float64 {
	return (short.deviance - long.deviance) / s.dispersion
}

// search goes from the best single quantity to longer sums as long as each is much better than the one before, and also
// in loads that it was not fitted to.
func (t *table) search(excluded func(model) bool) search {
	s := search{sizes: t.sums}
	last := map[bool]int{true: 1}
	slices.SortStableFunc(s.sizes[0], func(a, b model) int { // what the spread test leaves comes first
		return last[excluded(a)] - last[excluded(b)]
	})
	s.dispersion = t.dispersion(s.sizes)
	s.chosen, s.size = s.sizes[0][0], 1
	for _, longer := range s.sizes[1:] {
		if len(longer) == 0 {
			continue
		}
		s.gainOfSums = max(s.gainOfSums,
			s.gain(longer[0], s.sizes[0][0])-3*float64(len(longer[0].columns)-2)-t.furtherChoice(
				len(longer[0].columns)))
		t.leaveOut(&s.chosen)
		t.leaveOut(&longer[0])
		if s.gain(longer[0], s.chosen) > extended && longer[0].predictionError < better*s.chosen.predictionError {
			s.chosen, s.size = longer[0], len(longer[0].columns)
		}
	}
	return s
}

// furtherChoice returns what the best of all sums gains by chance where there are more to choose from than the
// quantities of loads that only insert make: twice the logarithm of how many times as many.
func (t *table) furtherChoice(terms int) (gain float64) {
	for k := range terms {
		gain += 2 * math.Log(float64(len(t.columns)-k)/float64(len(counts.OfInserts())-k))
	}
	return max(0, gain)
}

// odd is a sum that explains all loads but one.
type odd struct {
	model
	load int // row of the table
}

// mostOdd is the factor by which a load may miss a sum and be an exception. One that is further off, in each of its repetitions, does work that the sum
// does not have.
const mostOdd = 10

// oddLoad finds the sum of a size, with as much freedom as one with a term more, that explains all loads but one: the
// honest alternative to a further term that matters in one load only.
func (t *table) oddLoad(models []model) (best odd) {
	best.deviance = math.Inf(1)
	for _, m := range models {
		for load := range t.y {
			o := odd{m, load}
			if len(m.columns) > 1 {
				fit := t.omitting(load).NonNegative(m.columns...)
				o.of = slices.Clone(fit.Of[:len(m.columns)])
			}
			off := t.logs[load] - math.Log(t.predict(m.columns, o.of, load))
			if o.deviance = t.devianceBut(load, m.columns, o.of); o.deviance < best.deviance && math.Abs(off) < math.Log(mostOdd) {
				best = o
			}
		}
	}
	return best
}

// fewestForModels leaves loads to judge a sum by.
const fewestForModels = 4

// estimateNoise finds the noise of the metric: what its repetitions scatter by around what explains them best. It leaves the sums
// with that noise in the table, for one to choose from.
func (t *table) estimateNoise(rivals []held) {
	least, freedom := leastWithin(slices.DeleteFunc(slices.Clone(rivals), func(h held) bool {
		return !slices.Contains(t.places, h.place)
	}))
	t.prepare(least)
	noise := least
	t.sums = t.sizes()
	for _, models := range t.sums {
		if len(models) > 0 {
			if around, of := t.within(models[0]); 2*of >= freedom {
				least = min(least, around)
			}
		}
	}
	if least != noise {
		t.prepare(least)
		t.sums = t.sizes()
	}
}

// sizes returns the sums of one term, of two and of three, as far as there are loads enough.
func (t *table) sizes() (all [][]model) {
	for size := 1; size <= stats.Most && (size == 1 || size+2 <= len(t.y)); size++ {
		all = append(all, t.all(size))
	}
	return all
}

// dispersion returns by how much the best sum misses more than noise explains: differences of likelihood are no better
// than that.
func (t *table) dispersion(sizes [][]model) float64 {
	least := math.Inf(1)
	for k, models := range sizes {
		if len(models) > 0 {
			least = min(least, t.misfit(models[0])/float64(len(t.y)-k-1))
		}
	}
	return max(1, least)
}
