package attribution

import (
	"fmt"
	"math"
	"slices"

	"github.com/realiops/realiops/internal/analyze/counts"
	"github.com/realiops/realiops/internal/analyze/stats"
	"github.com/realiops/realiops/internal/metric"
)

// roughly states a sum of one term: a quantity that comes near but is not certain to be all of the metric.
func (tr *trial) roughly(v *Verdict, t *table, s search, left []held) {
	best := s.chosen
	t.leaveOut(&best)
	left = append(left, tr.unread(tr.y, tr.rivals)...)
	another := func(h held) bool { return h.Side != left[0].Side }
	switch {
	case math.Exp(best.predictionError) > mostError:
		v.Why = nothingExplainsIt
		return
	case slices.ContainsFunc(left, another):
		tr.leaveOpen(v, left)
		return
	case tr.curved(t, best):
		v.Why = doesNotFollow
		return
	}
	kind, open := Kind(left[0].Side), false
	for _, m := range s.near(best) {
		if len(m.columns) == 1 {
			continue
		}
		kind = kind.Or(v.kindOf(tr.mixture(t, m).Terms))
		open = open || !slices.Contains(m.columns, best.columns[0])
	}
	if open || kind != Kind(left[0].Side) {
		v.Kind, v.Why = kind, equallyWell+sameSide(kind)
		return
	}
	v.Kind = kind
	v.Mixture = tr.mixture(t, best)
	for _, h := range left {
		if name := h.Quantity; name != v.Mixture.Terms[0].Quantity {
			v.Mixture.Terms[0].Or = append(v.Mixture.Terms[0].Or, name)
		}
	}
}

// fewestBeyondTerms is the number of loads that a sum needs beyond the number of its terms.
const fewestBeyondTerms = 3

// mix states a sum, unless another one is about as good.
func (tr *trial) mix(v *Verdict, t *table, s search) {
	best := s.chosen
	if n := len(t.y); n < len(best.columns)+fewestBeyondTerms {
		v.Why = fmt.Sprintf("A sum of quantities explains it, but with %d loads some sum always comes close", n)
		return
	}
	if math.Exp(t.beyondNoise(best)) > mostErrorOfSum || math.Exp(best.predictionError) > mostErrorAlike {
		v.Why = fmt.Sprintf("The best sum of quantities has a prediction error of a factor of %.2f for a load left "+
			"out of the fit", math.Exp(best.predictionError))
		return
	}
	if t.misfit(best) > mostDeviance*float64(len(t.y)-len(best.columns)) {
		v.Why = "The best sum of quantities misses the loads by more than noise " +
			"explains" + tr.unknown() // something else contributes
		return
	}
	mixture := tr.mixture(t, best)
	itsKind, sure, why := v.kindOf(mixture.Terms), true, equallyWell
	kind := itsKind
	switch {
	case tr.curved(t, best):
		v.Why = doesNotFollow
		return
	case (t.bent(len(best.columns))-best.deviance)/s.dispersion < straighter:
		v.Why = "A sum of quantities explains it, but so does a curve of fewer quantities: a root, a cap, merging " +
			"that grows with load, or a steady rate beside them"
		return
	}
	if o := t.oddLoad(s.sizes[len(best.columns)-2]); s.gain(o.model, best) > -rivalled {
		why, sure = fmt.Sprintf("Either it also counts something else, or %s is an "+
			"exception", tr.loads[t.loads[o.load]].Name), false
		if kind = kind.Or(v.kindOf(tr.mixture(t, o.model).Terms)); kind == CannotTell || kind == Mixed && t.nearlyOne(tr.rivals) {
			v.Why = why
			return
		}
	}
	for _, m := range s.near(best) {
		if kind = kind.Or(v.kindOf(tr.mixture(t, m).Terms)); kind == CannotTell {
			v.Why = equallyWell
			return
		}
		tr.alternatives(mixture, t, best, m)
	}
	sure = sure && !slices.ContainsFunc(mixture.Terms, func(t Term) bool { return len(t.Or) > mostAlternatives })
	for _, h := range tr.unread(tr.y, tr.rivals) {
		if kind = kind.Or(Kind(h.Side)); kind == CannotTell {
			v.Why = fmt.Sprintf("A sum of quantities explains it, but %s, which this run did not count, may be all "+
				"of it", h.Quantity.Many())
			return
		}
		sure = false
	}
	if one := tr.besideOne(kind, t, tr.rivals); one != "" {
		v.Why = fmt.Sprintf("A sum of quantities explains it, but %s may be all of it", one.Many())
		return
	}
	if kind == Mixed && !mixture.surelyBoth() {
		v.Why = "A sum of logical and other work explains it, but one part may be zero"
		return
	}
	v.Kind = kind
	if !sure || kind != itsKind {
		v.Why = why + sameSide(kind)
		return
	}
	v.Mixture = mixture
	tr.unreadTerms(mixture, t, best)
}

// unknown names the quantities that the run did not count, which the sum may lack.
func (e *evidence) unknown() string {
	var names []metric.Quantity
	for i, d := range e.quantities {
		if e.columns[i].whole() != nil {
			names = append(names, d.Name)
		}
	}
	if names == nil {
		return ""
	}
	return ", and the run did not count " + conjoined(names)
}

// surelyBoth reports whether the mixture surely has both a logical and another part.
func (m *Mixture) surelyBoth() bool {
	certain := map[bool]bool{}
	for _, t := range m.Terms {
		certain[t.Side == counts.Logical] = certain[t.Side == counts.Logical] || t.Share >= weighty && t.PerUnit.Lo > 0
	}
	return certain[true] && certain[false]
}

// nearlyOne reports whether a quantity that is not logical keeps its ratio roughly in all loads but one. That storage
// does more or less per unit in one load is as likely as additional logical work.
func (t *table) nearlyOne(rivals []held) bool {
	return slices.ContainsFunc(t.sums[0], func(m model) bool {
		var logs []float64
		for i, y := range t.y {
			logs = append(logs, math.Log(y/t.columns[m.columns[0]][i]))
		}
		slices.Sort(logs)
		n := len(logs) - 1
		return rivals[t.places[m.columns[0]]].Side != counts.Logical && min(logs[n]-logs[1], logs[n-1]-logs[0]) < math.Log(driven)
	})
}

// besideOne returns a single quantity of another side that may, by its spread, be all of what the sum explains; empty
// if none.
func (j *judge) besideOne(kind Kind, t *table, rivals []held) metric.Quantity {
	for _, m := range t.sums[0] {
		h := rivals[t.places[m.columns[0]]]
		left := h.Status == Possible && h.bounded(mostSpread) && h.Spread.Value < j.options.Tolerance
		if (h.Status == Consistent || left) && kind.Or(Kind(h.Side)) == CannotTell {
			return h.Quantity
		}
	}
	return ""
}

// sameSide says what explanations with different names have in common.
func sameSide(kind Kind) string {
	switch kind {
	case CannotTell:
		return ""
	case Mixed:
		return ", each with a logical part and another"
	case NotLogical:
		return ", none with logical work"
	}
	return ", all with this verdict"
}

const doesNotFollow = "It does not follow when a load gets faster or slower"

const equallyWell = "Sums of different quantities explain it equally well"

// near returns all other sums that rival best.
func (s search) near(best model) (all []model) {
	for _, models := range s.sizes {
		for _, m := range models {
			if !s.rivals(m, best) {
				break
			}
			if !slices.Equal(m.columns, best.columns) {
				all = append(all, m)
			}
		}
	}
	return all
}

// rivals reports whether m comes near best. A longer sum must be better by the price of its further terms, since there
// are many more to choose from.
func (s search) rivals(m, best model) bool {
	return s.gain(best, m)+priced*float64(len(m.columns)-len(best.columns)) <= rivalled
}

// unreadTerms names beside each term the quantities that the run did not record and that may stand in its place.
func (tr *trial) unreadTerms(mixture *Mixture, t *table, m model) {
	for k := range mixture.Terms {
		rest := make(column, len(tr.y))
		for i, a := range t.loads {
			part := m.of[k] * t.columns[m.columns[k]][i] / t.predict(m.columns, m.of, i)
			if part < heavily {
				continue
			}
			for _, c := range tr.y[a] {
				c.value, c.log = c.value*part, math.Log(c.value*part)
				rest[a] = append(rest[a], c)
			}
		}
		for _, h := range tr.unread(rest, tr.rivals) {
			mixture.Terms[k].Or = append(mixture.Terms[k].Or, h.Quantity)
		}
	}
}

// heavily is the share of a term in a load from which on that load tells about the term.
const heavily = 0.5

// mostAlternatives is the number of alternatives up to which a term is still named.
const mostAlternatives = 3

// alternatives adds to each term of best the quantities that other has in its place.
func (j *judge) alternatives(mixture *Mixture, t *table, best, other model) {
	for k, c := range best.columns {
		if slices.Contains(other.columns, c) {
			continue
		}
		for _, d := range other.columns {
			term, name := &mixture.Terms[k], j.quantities[t.places[d]].Name
			if !slices.Contains(best.columns, d) && !slices.Contains(term.Or, name) {
				term.Or = append(term.Or, name)
			}
		}
	}
}

// kindOf returns the kind of a sum by its terms of at least a tenth. Requested and physical terms make a physical
// metric if it counts storage itself. Elsewhere they make it not logical: a cache may answer some of them.
func (v *Verdict) kindOf(terms []Term) Kind {
	sides := map[counts.Side]bool{}
	for _, t := range terms {
		if t.Share >= weighty {
			sides[t.Side] = true
		}
	}
	switch {
	case sides[counts.Logical] && len(sides) > 1:
		return Mixed
	case sides[counts.Requested] && sides[counts.Physical] && metric.OfStorage(v.Metric.Name), sides[counts.Physical] && !sides[counts.Requested]:
		return Physical
	case sides[counts.Requested] && sides[counts.Physical]:
		return NotLogical
	case sides[counts.Requested]:
		return Requested
	default:
		return Logical
	}
}

func (j *judge) mixture(t *table, m model) *Mixture {
	t.leaveOut(&m)
	mix := &Mixture{Off: math.Exp(m.predictionError)}
	errors := t.errors(m, j.options.Level)
	for k, column := range m.columns {
		d := j.quantities[t.places[column]]
		errors[k] = math.Hypot(errors[k], twice*m.of[k]*j.modelError(t.places[column]))
		mix.Terms = append(mix.Terms, Term{
			Quantity: d.Name, Side: d.Side, Share: t.share(m, k),
			PerUnit: Estimate{
				Value: m.of[k], Lo: max(0, m.of[k]-errors[k]), Hi: m.of[k] + errors[k], Level: j.options.Level, N: len(t.y),
			},
		})
	}
	return mix
}

// modelError returns the least standard deviation, over the loads, of a modelled quantity's logarithm. The coefficient
// is found where it is least.
func (e *evidence) modelError(place int) float64 {
	least := math.Inf(1)
	for _, load := range e.columns[place] {
		for _, c := range load {
			if c.missing == nil {
				least = min(least, math.Sqrt(c.modelled()))
			}
		}
	}
	return least
}

// errors returns the half-widths of the coefficients' intervals, from the residuals of the loads.
func (t *table) errors(m model, level float64) [stats.Most]float64 {
	errors := t.whole.Errors(m.columns...)
	freedom := float64(len(t.y) - len(m.columns)) // two at least: see sizes
	squares := 0.0
	for i, left := range m.residuals {
		squares += left * left / t.noise[i]
	}
	for k := range errors {
		errors[k] *= stats.Student(level, freedom) * math.Sqrt(squares/freedom)
	}
	return errors
}

const nothingExplainsIt = "No quantity keeps a constant ratio to it under all loads, and no sum of up to three " +
	"quantities predicts a load left out of the fit"
