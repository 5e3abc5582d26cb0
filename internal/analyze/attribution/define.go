package attribution

import (
	"math"
	"slices"

	"github.com/realiops/realiops/internal/analyze/drivers"
	"github.com/realiops/realiops/internal/runfile"
)

// source finds the quantity that is computed from a metric. Its side is then no question; what is asked is which of the
// other quantities bring it about.
func (j *judge) source(m drivers.Metric) (drivers.Quantity, bool) {
	i := slices.IndexFunc(j.drivers, func(d drivers.Quantity) bool { return m.Defines(d) })
	if i < 0 {
		i = slices.IndexFunc(j.drivers, func(d drivers.Quantity) bool { return intersect(m.From, d.From) })
	}
	if i < 0 {
		return drivers.Quantity{}, false
	}
	return j.drivers[i], true
}

// define explains a metric that is itself a quantity, or a part of one, by the others: by the shortest sum that comes within
// the tolerance in arms that it was not fitted to, else by the best one that is good enough. Where there is none, it is
// what its name says and nothing more.
func (j *judge) define(v *Verdict, m drivers.Metric, own drivers.Quantity, y column, rivals []held) {
	v.Kind = Kind(own.Side)
	alike := slices.DeleteFunc(slices.Clone(rivals), func(h held) bool { return h.Side != own.Side })
	var t *table
	for _, among := range [][]held{alike, rivals} { // what is done on its own side comes first
		if t = j.table(y, among); j.unchosen() || len(t.y) < fewestForModels || len(t.places) == 0 {
			continue
		}
		j.settleNoise(t, y, among)
		if best := t.shortest(math.Log(j.options.Tolerance)); math.Exp(best.off) <= mostOff {
			j.explain(v, t, best, rivals)
			v.Warnings = append(v.Warnings, Warning{"itself", capital(many(own.Name)) + " are computed from it, so that it was explained by what else was counted"})
			return
		}
	}
	if m.PartOf(own) {
		v.Between = []string{own.Name}
	}
	if m.Defines(own) {
		v.Counts, v.Exact = own.Name, true
		v.PerUnit = &Estimate{Value: 1, Lo: 1, Hi: 1, Level: j.options.Level, N: len(t.y)}
	}
	v.Warnings = append(v.Warnings, Warning{"itself", capital(many(own.Name)) + " are computed from it, and nothing else explains it"})
}

// explain states a sum, or the one quantity that is all of it.
func (j *judge) explain(v *Verdict, t *table, best model, rivals []held) {
	if winner := rivals[t.places[best.columns[0]]]; len(best.columns) == 1 && winner.Status != Excluded && j.bounded(winner) {
		v.Counts, v.PerUnit = winner.Driver, winner.Ratio
		return
	}
	v.Mixture = j.mixture(t, best)
}

// shortest is the best sum of one term if that comes near enough, else of two, and so on: the best of all if none does,
// but with more terms only where they better it by much.
func (t *table) shortest(near float64) (best model) {
	best.off = math.Inf(1)
	for size, models := range t.sizes() {
		for i := range models {
			t.leaveOut(&models[i])
		}
		next := slices.MinFunc(append(models, model{off: math.Inf(1)}), func(a, b model) int {
			if a.off < b.off {
				return -1
			}
			return 1
		})
		if size == 0 || next.off < better*best.off {
			best = next
		}
		if best.off <= near {
			break
		}
	}
	return best
}

// unchosen tells whether nobody set up the loads to tell quantities apart: those of an observation, and of applications. What goes
// with a metric there need not bring it about.
func (j *judge) unchosen() bool {
	return j.run.Observed != nil || slices.ContainsFunc(j.arms, func(a drivers.Arm) bool { return a.Method == runfile.Observed })
}
