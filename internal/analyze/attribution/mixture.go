package attribution

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/realiops/realiops/internal/analyze/drivers"
	"github.com/realiops/realiops/internal/analyze/stats"
)

// weighty is the share from which on a term decides about the side.
const weighty = 0.1

// roughly says which driver comes near where none is all of it, beyond doubt: a sum of that one term.
func (j *judge) roughly(v *Verdict, t *table, best model, left []held) {
	t.leaveOut(&best)
	another := func(h held) bool { return h.Side != left[0].Side }
	if math.Exp(best.off) > mostOff || slices.ContainsFunc(left, another) {
		v.Why = noDriver
		return
	}
	v.Kind = Kind(left[0].Side)
	v.Mixture = j.mixture(t, best)
	for _, h := range left {
		if name := h.Driver; name != v.Mixture.Terms[0].Driver {
			v.Mixture.Terms[0].Or = append(v.Mixture.Terms[0].Or, name)
		}
	}
}

// mix states a sum, if no other sum of as many terms is about as good.
func (j *judge) mix(v *Verdict, t *table, y column, s search) {
	best := s.chosen
	if math.Exp(best.off) > mostOff {
		v.Why = fmt.Sprintf("The best sum of drivers is off by a factor of %.2g under a load that it was not fitted to", math.Exp(best.off))
		return
	}
	if why := j.unfit(t, best); why != "" {
		v.Why = why
		return
	}
	if o := t.oddArm(s.sizes[s.size-2]); s.gain(o.model, best) > -rivalled {
		v.Why = fmt.Sprintf("Either one more driver has a part in it, or %s is odd", j.arms[t.arms[o.arm]].Name)
		return
	}
	if !j.follows(t, y, best) {
		v.Why = "Where one load did more or less work at times, it does not follow"
		return
	}
	mixture := j.mixture(t, best)
	kind, sure := kindOf(mixture.Terms), true
	unseenBy := unseenIn(t, best)
	for _, m := range s.sizes[s.size-1][1:] {
		if s.gain(best, m) > rivalled {
			break
		}
		if kindOf(j.mixture(t, m).Terms) != kind {
			v.Why = "Sums of different drivers explain it equally well"
			return
		}
		if sure = sure && unseenBy(m); sure {
			j.alternatives(mixture, t, best, m)
		}
	}
	if !sure && s.size == stats.Most {
		v.Why = "Sums of different drivers explain it equally well"
		return
	}
	v.Kind = kind
	if sure {
		v.Mixture = mixture
		return
	}
	v.Why = "Sums of different drivers explain it equally well, all on this side"
}

// unseenIn tells of another sum whether a run of this sort could part it from the best one: it is fitted to what the best
// one would show without any noise.
func unseenIn(t *table, best model) func(model) bool {
	clear := *t
	clear.y = make([]float64, len(t.y))
	for i := range t.y {
		clear.y[i] = t.predict(best.columns, best.of, i)
	}
	clear.weigh()
	return func(other model) bool {
		m, ok := clear.fit(other.columns...)
		return ok && m.misfit < unseen
	}
}

// unseen is a difference, in squares of noise, that even a test which knew the noise would miss more often than not.
const unseen = 12

// mostMisfitUnknown is the same where a driver was not recorded that the metric may count.
const mostMisfitUnknown = 2.5

// unfit says of a sum that misses the loads by more than noise explains that it is not what the metric counts, however near
// it comes: something else has a part in it, be it a driver that the run does not have.
func (j *judge) unfit(t *table, m model) string {
	var unknown []string
	for i, d := range j.drivers {
		if j.columns[i].whole() != nil {
			unknown = append(unknown, d.Name)
		}
	}
	misfit := m.misfit / float64(len(t.y)-len(m.columns))
	switch {
	case len(unknown) > 0 && misfit > mostMisfitUnknown:
		return "The best sum of drivers misses the loads by more than noise explains, and the run does not have " + strings.Join(unknown, ", ")
	case misfit > mostMisfit:
		return "The best sum of drivers misses the loads by more than noise explains"
	}
	return ""
}

// alternatives notes which drivers another sum has instead of the best one's.
func (j *judge) alternatives(mixture *Mixture, t *table, best, other model) {
	for k, c := range best.columns {
		if slices.Contains(other.columns, c) {
			continue
		}
		for _, d := range other.columns {
			term, name := &mixture.Terms[k], j.drivers[t.places[d]].Name
			if !slices.Contains(best.columns, d) && !slices.Contains(term.Or, name) {
				term.Or = append(term.Or, name)
			}
		}
	}
}

// follows tells whether the metric moves with a sum also from replicate to replicate of the same arm. Where it does not,
// although the work differs and noise would not hide it, the arms agree by accident.
func (j *judge) follows(t *table, y column, m model) bool {
	var xx, xy, yy, freedom float64
	for i, a := range t.arms {
		var lx, ly []float64
		for _, r := range t.use[i] {
			predicted := 0.0
			for k, c := range m.columns {
				predicted += m.of[k] * j.columns[t.places[c]][a][r].value
			}
			lx, ly = append(lx, math.Log(predicted)), append(ly, math.Log(y[a][r].value))
		}
		mx, my := average(lx), average(ly)
		for r := range lx {
			xx, xy, yy = xx+(lx[r]-mx)*(lx[r]-mx), xy+(lx[r]-mx)*(ly[r]-my), yy+(ly[r]-my)*(ly[r]-my)
		}
		freedom += float64(len(lx) - 1)
	}
	if freedom < 4 || xx == 0 {
		return true
	}
	slope := xy / xx
	error := math.Sqrt(max(0, yy-slope*xy) / (freedom - 1) / xx)
	return slope+stats.Student(0.99, freedom-1)*error > 0.5
}

func average(values []float64) float64 {
	sum := 0.0
	for _, v := range values {
		sum += v
	}
	return sum / float64(len(values))
}

// kindOf is the side of the terms that weigh; those that do not are named and decide nothing.
func kindOf(terms []Term) Kind {
	sides := map[drivers.Side]bool{}
	for _, t := range terms {
		if t.Share >= weighty {
			sides[t.Side] = true
		}
	}
	switch {
	case len(sides) > 1:
		return Mixed
	case sides[drivers.Physical]:
		return Physical
	default:
		return Logical
	}
}

func (j *judge) mixture(t *table, m model) *Mixture {
	t.leaveOut(&m)
	mix := &Mixture{Off: math.Exp(m.off)}
	errors := t.errors(m, j.options.Level)
	for k, column := range m.columns {
		d := j.drivers[t.places[column]]
		errors[k] = math.Hypot(errors[k], twice*m.of[k]*j.modelError(t.places[column]))
		mix.Terms = append(mix.Terms, Term{
			Driver: d.Name, Side: d.Side, Share: t.share(m, k),
			PerUnit: Estimate{
				Value: m.of[k], Lo: max(0, m.of[k]-errors[k]), Hi: m.of[k] + errors[k], Level: j.options.Level, N: len(t.y),
			},
		})
	}
	return mix
}

// twice the standard deviation is how far an error reaches that is no matter of chance.
const twice = 2

// modelError is the standard deviation of a driver's logarithm by its model, in the arm where it is least: there the
// coefficient is found.
func (j *judge) modelError(place int) float64 {
	least := math.Inf(1)
	for _, arm := range j.columns[place] {
		for _, c := range arm {
			if c.missing == nil {
				least = min(least, math.Sqrt(c.modelled()))
			}
		}
	}
	if math.IsInf(least, 1) {
		return 0
	}
	return least
}

// errors are how far the intervals of a sum's coefficients reach, by how far the arms lie off it.
func (t *table) errors(m model, level float64) [stats.Most]float64 {
	errors := t.whole.Errors(m.columns...)
	freedom := float64(len(t.y) - len(m.columns))
	if freedom < 1 {
		return [stats.Most]float64{math.Inf(1), math.Inf(1), math.Inf(1)}
	}
	squares := 0.0
	for i, left := range m.left {
		squares += left * left / t.noise[i]
	}
	for k := range errors {
		errors[k] *= stats.Student(level, freedom) * math.Sqrt(squares/freedom)
	}
	return errors
}
