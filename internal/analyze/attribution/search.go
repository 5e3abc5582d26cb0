package attribution

import (
	"math"
	"slices"

	"github.com/realiops/realiops/internal/analyze/stats"
)

// Thresholds on twice the logarithm of a likelihood ratio, by which one explanation is given up for another.
const (
	// beaten replaces a quantity by another: 2 ln 50.
	beaten = 8.0
	// beatenAcross replaces a quantity by one of another side: 2 ln 600.
	beatenAcross = 13.0
	// extended replaces a sum by one with one more term, of which there are many: 2 ln 600.
	extended = 13.0
	// mostGainOfSums is the gain of sums above which a single quantity is not named.
	mostGainOfSums = 7.0
	// rivalled leaves side and names open if another sum of as many terms comes this near: 2 ln 20. There are hundreds
	// of sums.
	rivalled = 6.0
	// straighter is the gain by which a sum must beat all curves of fewer quantities, of which there are as many.
	straighter = 6.0
	// priced is the gain that each further term needs to count as equally good.
	priced = 7.0
)

// A longer sum must predict left-out loads better by this factor, and well enough.
const (
	better         = 0.8
	mostError      = 1.2
	mostErrorOfSum = 1.1 // of two or more terms: there are so many sums that some come near anything
)

// mostDeviance is the largest ratio of a quantity's variance around the loads to the variance of noise.
const mostDeviance = 6

// search is the result of comparing all sums.
type search struct {
	sizes      [][]model
	dispersion float64
	chosen     model
	gainOfSums float64 // gain of the best longer sum over the best single quantity
}

func (s search) gain(long, short model) float64 {
	return (short.deviance - long.deviance) / s.dispersion
}

// search starts from the best single quantity and takes a longer sum if it is much better, also on left-out loads.
func (t *table) search(excluded func(model) bool) search {
	s := search{sizes: t.sums}
	last := map[bool]int{true: 1}
	slices.SortStableFunc(s.sizes[0], func(a, b model) int { // excluded quantities last
		return last[excluded(a)] - last[excluded(b)]
	})
	s.dispersion = t.dispersion(s.sizes)
	s.chosen = s.sizes[0][0]
	for _, longer := range s.sizes[1:] {
		if len(longer) == 0 {
			continue
		}
		s.gainOfSums = max(s.gainOfSums, s.gain(longer[0], s.sizes[0][0])-3*float64(len(longer[0].columns)-2))
		t.leaveOut(&s.chosen)
		t.leaveOut(&longer[0])
		if s.gain(longer[0], s.chosen) > extended && longer[0].predictionError < better*s.chosen.predictionError {
			s.chosen = longer[0]
		}
	}
	return s
}

// odd is a sum that explains all loads but one.
type odd struct {
	model
	load int // row of the table
}

// mostOdd is the factor by which a load may miss a sum and still be an exception. A load that misses by more, in each
// repetition, does work that the sum lacks.
const mostOdd = 10

// oddLoad returns the sum of models' size that best explains all loads but one. It has the freedom of a further term
// that matters in one load only, and is the alternative to it.
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

// fewestForModels is the number of loads needed to fit sums.
const fewestForModels = 4

// estimateNoise estimates the metric's noise by the scatter of repetitions around their best explanation, and computes
// the table's sums with it.
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

// sizes returns the sums of one, two and three terms, as far as there are enough loads.
func (t *table) sizes() (all [][]model) {
	for size := 1; size <= stats.Most && (size == 1 || size+2 <= len(t.y)); size++ {
		all = append(all, t.all(size))
	}
	return all
}

// dispersion returns by what factor the best sum misses more than noise explains. Gains are divided by it.
func (t *table) dispersion(sizes [][]model) float64 {
	least := math.Inf(1)
	for k, models := range sizes {
		if len(models) > 0 {
			least = min(least, t.misfit(models[0])/float64(len(t.y)-k-1))
		}
	}
	return max(1, least)
}
