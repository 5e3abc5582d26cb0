package attribution

import (
	"fmt"
	"math"
	"slices"

	"github.com/realiops/realiops/internal/analyze/attribution/bounds"
	"github.com/realiops/realiops/internal/analyze/counts"
	"github.com/realiops/realiops/internal/analyze/number"
	"github.com/realiops/realiops/internal/analyze/stats"
	"github.com/realiops/realiops/internal/metric"
	"github.com/realiops/realiops/internal/runfile"
)

// decide names the one quantity that is left, several, or a mixture.
func (tr *trial) decide(v *Verdict) {
	t := tr.table(tr.rivals)
	if len(t.y) < fewestForModels || len(t.places) == 0 {
		tr.decideBySpread(v)
		return
	}
	t.estimateNoise(tr.rivals)
	s := t.search(func(m model) bool { return tr.rivals[t.places[m.columns[0]]].Status == Excluded })
	if len(s.chosen.columns) > 1 && !s.keepsConsistent(t, tr.rivals) {
		tr.mix(v, t, s)
	} else {
		tr.single(v, t, s)
		if tr.rivals[t.places[s.chosen.columns[0]]].Status != Consistent {
			tr.besideSum(v, t, s)
		}
	}
	controlled := tr.run.Observed == nil
	if v.Kind != CannotTell && controlled && t.byRepetition(s.chosen).changes(tr.options.Tolerance) {
		kind := v.Kind
		if kind == Mixed { // its terms may be the change alone, which came in the middle of some loads
			kind = CannotTell
		}
		*v = Verdict{Metric: v.Metric, Derived: v.Derived, Kind: kind,
			Why: "Its value for the same work changes during the run"}
	}
}

// keepsConsistent returns to one quantity if it makes up nearly all of the sum and keeps its ratio to the metric within
// the tolerance under all loads. A sum that fits better is then no reason to say less.
func (s *search) keepsConsistent(t *table, rivals []held) bool {
	for k, c := range s.chosen.columns {
		i := slices.IndexFunc(s.sizes[0], func(m model) bool { return m.columns[0] == c })
		if t.share(s.chosen, k) > 1-weighty && rivals[t.places[c]].Status == Consistent && i >= 0 {
			s.chosen = s.sizes[0][i]
			return true
		}
	}
	return false
}

// single names the quantity that is left, if the spread test leaves it and no sum does much better.
func (tr *trial) single(v *Verdict, t *table, s search) {
	best := s.chosen
	winner := &tr.rivals[t.places[best.columns[0]]]
	if winner.Status == Excluded {
		v.Why = nothingExplainsIt
		return
	}
	var left []held
	for _, m := range s.sizes[0] {
		switch h := &tr.rivals[t.places[m.columns[0]]]; {
		case h.Status == Excluded:
		case s.gain(best, m) < beaten, h.Side != winner.Side && s.gain(best, m) < beatenAcross,
			!isNotable(tr.columns[h.place]),                     // one more or less of a handful of events is chance
			h.Status == Consistent && winner.Status == Possible: // a possible quantity does not beat a consistent one
			left = append(left, *h)
		default:
			h.Status, h.Beaten = Excluded, winner.Quantity
		}
	}
	if !winner.bounded(mostSpread) {
		tr.between(v, left)
		side := Verdict{Metric: v.Metric, Kind: CannotTell}
		if v.Kind == CannotTell && slices.ContainsFunc(left, func(h held) bool { return h.boundedAmong(left, mostSpreadOfSide) }) {
			tr.roughly(&side, t, s, left)
		}
		if side.Kind != CannotTell {
			v.Kind, v.Between = side.Kind, nil
			v.Why += "; no close alternative contradicts the verdict"
		}
		return
	}
	if s.gainOfSums > mostGainOfSums || t.misfit(best) > mostDeviance*float64(len(t.y)-1) {
		tr.roughly(v, t, s, left)
		return
	}
	tr.name(v, left)
}

// besideSum leaves the side open if a sum of two quantities of another side fits about as well: statements and commits
// may add up to the number of WAL fsyncs.
func (tr *trial) besideSum(v *Verdict, t *table, s search) {
	if v.Kind == CannotTell || len(s.sizes) < 2 {
		return
	}
	for _, m := range s.sizes[1] {
		if s.gain(s.chosen, m) > rivalled {
			return
		}
		one, other := tr.quantities[t.places[m.columns[0]]], tr.quantities[t.places[m.columns[1]]]
		if one.Side == other.Side && v.Kind.Or(Kind(one.Side)) == CannotTell {
			between := append(v.named(), one.Name, other.Name)
			*v = Verdict{Metric: v.Metric, Derived: v.Derived, Kind: CannotTell, Between: between,
				Why: "A sum of " + conjoined(between[len(between)-2:]) + " explains it as well"}
			return
		}
	}
}

// name states the one quantity that is left, or those that the run cannot tell apart.
func (tr *trial) name(v *Verdict, left []held) {
	if len(left) > 0 {
		for _, h := range tr.unread(tr.y, tr.rivals) {
			if !slices.ContainsFunc(left, func(l held) bool { return l.place == h.place }) {
				left = append(left, h)
			}
		}
	}
	left = tr.differ(left)
	slices.SortStableFunc(left, func(a, b held) int { return a.place - b.place })
	switch {
	case len(left) == 0:
		v.Why = nothingExplainsIt
	case !slices.ContainsFunc(left, held.recorded):
		tr.leaveOpen(v, left)
	case len(left) == 1 && left[0].bounded(mostSpread):
		v.Kind, v.Counts, v.PerUnit = Kind(left[0].Side), left[0].Quantity, left[0].Ratio
		v.Exact = !left[0].Modelled && exact(tr.y, tr.columns[left[0].place])
	case tr.documented(v, left):
	default:
		tr.between(v, left)
	}
}

// documented resolves a tie within one side by PostgreSQL's documentation of its own counter, and keeps the others as
// Tied. If it counts some of a quantity by that, it must be equal to it here. A provider's documentation decides
// nothing: it is being tested.
func (tr *trial) documented(v *Verdict, left []held) bool {
	i := slices.IndexFunc(left, func(h held) bool {
		return h.Quantity == metric.All().Documented(v.Metric.Name) ||
			h.Quantity == tr.part(v.Metric.Name) && tr.isOne(h.Ratio)
	})
	if _, oneSide := sideOf(left); !oneSide || i < 0 || !left[i].bounded(mostSpread) {
		return false
	}
	v.Kind, v.Counts, v.PerUnit, v.Exact = Kind(left[i].Side), left[i].Quantity, left[i].Ratio, exact(tr.y, tr.columns[left[i].place])
	for k, h := range left {
		if k != i {
			v.Tied = append(v.Tied, h.Quantity)
		}
	}
	return true
}

// between states that several quantities are left, and decides the side if possible.
func (tr *trial) between(v *Verdict, left []held) {
	kind := Kind(left[0].Side)
	for _, h := range left {
		v.Between, kind = append(v.Between, h.Quantity), kind.Or(Kind(h.Side))
	}
	v.SettleWith = tr.settle(v.Between)
	side, oneSide := sideOf(left)
	unbounded := func(h held) bool { return h.recorded() && !h.boundedAmong(left, mostSpread) }
	consistent := func(h held) bool { return h.Status == Consistent && h.boundedAmong(left, mostSpread) }
	if oneSide && (!slices.ContainsFunc(left, unbounded) || slices.ContainsFunc(left, consistent)) {
		v.Kind = Kind(side)
		return
	}
	if ones := slices.DeleteFunc(slices.Clone(left), func(h held) bool { return !tr.oneToOne(v.Metric, h) }); len(ones) > 0 {
		if side, same := sideOf(ones); same && !tr.mayEqualOther(left, side) && !fitsBetter(left, side) {
			tr.decideSide(v, left, side)
			return
		}
	}
	if kind == NotLogical && !slices.ContainsFunc(left, unbounded) {
		v.Kind = kind
		return
	}
	v.Why = "This run cannot tell between " + conjoined(v.Between)
	if len(left) == 1 {
		v.Why = unconfirmed(left[0].Quantity)
	}
}

func unconfirmed(q metric.Quantity) string {
	return "Nothing contradicts " + q.Many() + ", but the run is too short or too unsteady to confirm it"
}

// mayEqualOther reports whether a quantity of the other side may fit too. An unrecorded one must allow a ratio of one:
// with a single client each commit is a WAL fsync. A recorded one may have a small multiple.
func (tr *trial) mayEqualOther(left []held, side counts.Side) bool {
	return slices.ContainsFunc(left, func(h held) bool {
		if h.recorded() {
			return h.Side != side && slices.ContainsFunc([]float64{1, 2, 3, 4}, func(times float64) bool {
				return !slices.ContainsFunc(h.groups.Of, func(g stats.Group) bool {
					return math.Abs(g.Mean-math.Log(times)) > math.Log(tr.options.Tolerance)+twice*math.Sqrt(g.Var)
				})
			})
		}
		ratios := tr.ratios(tr.y, h.Quantity, 1)
		return h.Side != side && h.Status == Unknown && ratios != bounds.Anything() && ratios.Has(1)
	})
}

// fitsBetter reports whether under two loads a quantity of another side keeps its ratio better than all of this side.
func fitsBetter(left []held, side counts.Side) bool {
	best := map[bool]float64{true: math.Inf(1), false: math.Inf(1)} // spread, by whether it is on this side
	for _, h := range left {
		if h.Spread != nil && len(h.loads) < fewestLoads {
			best[h.Side == side] = min(best[h.Side == side], h.Spread.Value)
		}
	}
	return best[false] < best[true]
}

// decideSide decides by a ratio of one in every load, which a count has by definition and a coincidence seldom.
func (tr *trial) decideSide(v *Verdict, left []held, side counts.Side) {
	left = slices.DeleteFunc(slices.Clone(left), func(h held) bool { return h.Side != side })
	v.Kind, v.Between, v.SettleWith = Kind(side), nil, nil
	switch {
	case tr.documented(v, left):
	case len(left) == 1:
		v.Why = unconfirmed(left[0].Quantity)
	default:
		for _, h := range left {
			v.Between = append(v.Between, h.Quantity)
		}
		v.SettleWith = tr.settle(v.Between)
	}
	low, high := math.Inf(1), math.Inf(-1) // logarithms
	for _, h := range left {
		for _, g := range h.groups.Of {
			low, high = min(low, g.Mean), max(high, g.Mean)
		}
	}
	ratio := number.Ratio(math.Exp(low))
	if to := number.Ratio(math.Exp(high)); to != ratio {
		ratio += " to " + to
	}
	recorded := false
	for i, d := range tr.quantities {
		recorded = recorded || d.Side != side && tr.columns[i].whole() == nil
	}
	text := "The verdict rests on a ratio of " + ratio + " under every load that shows it"
	if !recorded {
		text += "; this run counted no other kind of quantity"
	}
	v.Warnings = append(v.Warnings, Warning{"one-to-one", text})
}

func sideOf(left []held) (side counts.Side, same bool) {
	for _, h := range left {
		if h.Side != left[0].Side {
			return "", false
		}
	}
	return left[0].Side, true
}

// oneToOne reports whether the metric equals the quantity in several loads, and in most that did some of it. Operations
// that equal a number of bytes are a coincidence. Two loads, which tell less than three, must come nearer to one.
func (j *judge) oneToOne(m runfile.Metric, h held) bool {
	const bytes = "bytes"
	most := j.options.Tolerance
	if len(h.loads) < fewestLoads {
		most = besidesLoad
	}
	off := func(g stats.Group) bool {
		return math.Abs(g.Mean) > math.Log(most) || twice*math.Sqrt(g.Var) > math.Log(mostSpread)
	}
	return len(h.loads) >= 2 && 2*len(h.loads) >= h.done && !slices.ContainsFunc(h.groups.Of, off) &&
		(m.Unit == bytes) == (j.quantities[h.place].Unit == bytes)
}

// decideBySpread uses the spread test alone, for runs with too few loads for sums.
func (tr *trial) decideBySpread(v *Verdict) {
	var left []held
	loads := 0
	for _, h := range tr.rivals {
		if (h.Status == Consistent || h.Status == Possible) && !zeroWhereShown(tr.y, tr.columns[h.place], tr.blank) {
			left = append(left, h)
		}
		loads = max(loads, len(h.loads))
	}
	switch {
	case len(left) == 0:
		v.Why = "No quantity keeps a constant ratio to it under all loads, and too little was counted to try sums"
	case loads == 1:
		for _, h := range left {
			v.Between = append(v.Between, h.Quantity)
		}
		v.SettleWith = tr.settle(v.Between)
		h := left[0]
		v.Why = fmt.Sprintf("It was counted under only one load, %s: %s "+
			"there", tr.loads[h.loads[0]].Name, perUnit(h.Ratio.Value, h.Quantity))
	default:
		tr.name(v, left)
	}
}

// leaveOpen names everything that the metric may count, if one of the counted quantities nearly fits and they are on
// different sides. This includes quantities that were counted in some loads only, or not at all.
func (tr *trial) leaveOpen(v *Verdict, left []held) {
	var open []held
	for _, h := range tr.rivals {
		known := func(l held) bool { return l.place == h.place }
		if h.Status == Consistent || h.Status == Possible || slices.ContainsFunc(left, known) {
			open = append(open, h)
		}
	}
	for _, h := range tr.differ(open) {
		v.Between = append(v.Between, h.Quantity)
	}
	v.Why, v.SettleWith = "This run cannot tell between "+conjoined(v.Between), tr.settle(v.Between)
}
