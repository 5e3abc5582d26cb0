package attribution

import (
	"math"
	"slices"

	"github.com/realiops/realiops/internal/analyze/counts"
	"github.com/realiops/realiops/internal/metric"
	"github.com/realiops/realiops/internal/runfile"
)

// source returns the quantity that is computed from the metric, which fixes the metric's side. What remains open is
// which of the other quantities cause it.
func (e *evidence) source(m counts.Metric) (counts.Quantity, bool) {
	i := slices.IndexFunc(e.quantities, func(d counts.Quantity) bool { return m.Defines(d) })
	if i < 0 {
		i = slices.IndexFunc(e.quantities, func(d counts.Quantity) bool { return intersect(m.From, d.From) })
	}
	if i < 0 {
		return counts.Quantity{}, false
	}
	return e.quantities[i], true
}

// define explains a metric that is itself a quantity, or part of one, by the other quantities: by the shortest sum that
// predicts left-out loads within the tolerance, else by the best one that is good enough. If there is none, the metric
// counts what its name says. A counter that PostgreSQL documents needs no explanation.
func (tr *trial) define(v *Verdict, own counts.Quantity) {
	v.Kind = Kind(own.Side)
	logical := func(side counts.Side) bool { return side == counts.Logical }
	alike := slices.DeleteFunc(slices.Clone(tr.rivals), func(h held) bool { return logical(h.Side) != logical(own.Side) })
	if tr.metric.Defines(own) && own.Name == metric.All().Documented(tr.metric.Name) {
		tr.tie(v, own, alike)
		return
	}
	if t, best := tr.explanation(alike); math.Exp(best.predictionError) <= mostErrorAlike {
		tr.explain(v, t, best)
	} else if t, best = tr.explanation(tr.rivals); math.Exp(best.predictionError) <= mostError {
		tr.explain(v, t, best)
	}
	if v.Counts != "" || v.Mixture != nil {
		v.Warnings = append(v.Warnings, Warning{"itself", capital(own.Name.Many()) + " are computed from it, so it was compared with the other quantities"})
		return
	}
	if tr.metric.PartOf(own) {
		v.Between = []metric.Quantity{own.Name}
	}
	if tr.metric.Defines(own) {
		tr.isItself(v, own)
	}
	v.Warnings = append(v.Warnings, Warning{"itself", capital(own.Name.Many()) + " are computed from it, and nothing else explains it"})
}

// mostErrorAlike is the largest prediction error at which quantities of its own side explain a metric that is itself a
// quantity.
const mostErrorAlike = 1.3

// explanation returns the shortest sum of the given quantities that explains the metric. Its prediction error is
// infinite if there is too little evidence.
func (tr *trial) explanation(among []held) (*table, model) {
	t := tr.table(among)
	// The loads of an observation or of applications were not set up to tell quantities apart, so correlation with a
	// metric there need not be its cause.
	unchosen := tr.run.Observed != nil || slices.ContainsFunc(tr.loads, func(a counts.Load) bool { return a.Method == runfile.Observed })
	if unchosen || len(t.y) < fewestForModels || len(t.places) == 0 {
		return t, model{predictionError: math.Inf(1)}
	}
	t.estimateNoise(among)
	open := func(m model) bool {
		return len(m.columns) > 1 || slices.ContainsFunc(among, func(h held) bool { return h.place == t.places[m.columns[0]] && h.Status != Excluded })
	}
	return t, t.shortest(math.Log(tr.options.Tolerance), open)
}

// missedByWeight returns the mean logarithm by which a model misses left-out loads. Loads whose count is mostly
// background weigh little.
func (t *table) missedByWeight(m model, near float64) float64 {
	sum, weights := 0.0, 0.0
	for i := range t.y {
		if !t.guesses(m, i) {
			w := near * near / (near*near + t.noise[i])
			sum, weights = sum+w*t.missed(m, i), weights+w
		}
	}
	return sum / weights
}

// isItself states that the metric counts the quantity that is computed from it.
func (tr *trial) isItself(v *Verdict, own counts.Quantity) {
	counted := slices.DeleteFunc(slices.Clone(tr.y), func(load []cell) bool { return !isCounted(load) })
	v.Counts, v.Exact = own.Name, true
	v.PerUnit = &Estimate{Value: 1, Lo: 1, Hi: 1, Level: tr.options.Level, N: len(counted)}
}

// tie states that the metric counts the quantity that is computed from it, and names another one that goes with it in
// all loads.
func (tr *trial) tie(v *Verdict, own counts.Quantity, alike []held) {
	tr.isItself(v, own)
	v.Warnings = append(v.Warnings, Warning{"itself", capital(own.Name.Many()) + " are computed from it"})
	t, best := tr.explanation(alike)
	if math.Exp(best.predictionError) > tr.options.Tolerance || len(best.columns) != 1 {
		return
	}
	if other := tr.rivals[t.places[best.columns[0]]]; other.Side == own.Side && other.Status != Excluded && other.bounded(mostSpread) {
		v.Tied = []metric.Quantity{other.Quantity}
	}
}

// explain states a sum, or a single quantity if that is all of it.
func (tr *trial) explain(v *Verdict, t *table, best model) {
	if winner := tr.rivals[t.places[best.columns[0]]]; len(best.columns) == 1 && winner.Status != Excluded && winner.bounded(mostSpread) {
		v.Counts, v.PerUnit = winner.Quantity, winner.Ratio
		return
	}
	v.Mixture = tr.mixture(t, best)
}

// shortest returns the best sum of one term if it comes near enough, else of two, and so on. If none does, it returns
// the best of all, where more terms must improve it by much. Quantities excluded by their spread are used only if none
// is open.
func (t *table) shortest(near float64, open func(model) bool) (best model) {
	best.predictionError = math.Inf(1)
	for size, models := range t.sums {
		if slices.ContainsFunc(models, open) {
			models = slices.DeleteFunc(models, func(m model) bool { return !open(m) })
		}
		for i := range models {
			models[i].predictionError = t.missedByWeight(models[i], near)
		}
		next := slices.MinFunc(append(models, model{predictionError: math.Inf(1)}), func(a, b model) int {
			if a.predictionError < b.predictionError {
				return -1
			}
			return 1
		})
		if size == 0 || next.predictionError < better*best.predictionError {
			best = next
		}
		if best.predictionError <= near {
			break
		}
	}
	return best
}
