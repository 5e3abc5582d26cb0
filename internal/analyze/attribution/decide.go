package attribution

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/realiops/realiops/internal/analyze/drivers"
	"github.com/realiops/realiops/internal/analyze/stats"
	"github.com/realiops/realiops/internal/runfile"
)

// Of two explanations one is given up when the other makes what was seen so much more likely; these are twice the
// logarithms of how much.
const (
	// beaten gives up a driver for another: 2 ln 50.
	beaten = 8.0
	// extended gives up a sum for one with a term more, of which there are many to choose from: 2 ln 600.
	extended = 13.0
	// doubted leaves a single driver without a name.
	doubted = 7.0
	// rivalled leaves a sum for open that another sum of as many terms comes this near to.
	rivalled = 4.0
)

// A sum with more terms has to be better in arms that it was not fitted to, by this factor, and good enough.
const (
	better  = 0.8
	mostOff = 1.2
)

// weighty is the share from which on a term decides about the side.
const weighty = 0.1

// decide names the one driver that is left, or those that are, or a mixture.
func (j *judge) decide(v *Verdict, y column, rivals []held) {
	t := j.table(y, rivals)
	if len(t.y) < fewestForModels || len(t.places) == 0 {
		j.decideBySpread(v, y, rivals)
		return
	}
	j.settleNoise(t, y, rivals)
	s := t.search(func(m model) bool { return rivals[t.places[m.columns[0]]].Status == Excluded })
	if s.size > 1 {
		j.mix(v, t, y, s)
		return
	}
	j.single(v, y, t, rivals, s)
}

// search is what came of comparing all sums.
type search struct {
	sizes      [][]model
	dispersion float64
	chosen     model
	size       int
	doubt      float64 // by how much a sum of two or three beats the best single driver
}

func (s search) gain(long, short model) float64 { return (short.misfit - long.misfit) / s.dispersion }

// search goes from the best single driver to longer sums as long as each is much better than the one before, and also in
// arms that it was not fitted to.
func (t *table) search(excluded func(model) bool) search {
	s := search{sizes: t.sizes()}
	slices.SortStableFunc(s.sizes[0], func(a, b model) int { // what the spread test leaves comes first
		switch is, other := excluded(a), excluded(b); {
		case is == other:
			return 0
		case is:
			return 1
		}
		return -1
	})
	s.dispersion = t.dispersion(s.sizes)
	s.chosen, s.size = s.sizes[0][0], 1
	for _, longer := range s.sizes[1:] {
		if len(longer) == 0 {
			continue
		}
		s.doubt = max(s.doubt, s.gain(longer[0], s.sizes[0][0])-3*float64(len(longer[0].columns)-2))
		t.leaveOut(&s.chosen)
		t.leaveOut(&longer[0])
		if s.gain(longer[0], s.chosen) > extended && longer[0].off < better*s.chosen.off {
			s.chosen, s.size = longer[0], len(longer[0].columns)
		}
	}
	return s
}

// odd is a sum that explains all arms but one.
type odd struct {
	model
	arm int // row of the table
}

// oddArm finds the sum of a size, with as much freedom as one with a term more, that explains all arms but one: the
// honest alternative to a further term that matters in one arm only.
func (t *table) oddArm(models []model) (best odd) {
	best.misfit = math.Inf(1)
	for _, m := range models {
		for arm := range t.y {
			o := odd{m, arm}
			if len(m.columns) > 1 {
				fit := t.omitting(arm).NonNegative(m.columns...)
				o.of = slices.Clone(fit.Of[:len(m.columns)])
			}
			if o.misfit = t.misfitBut(arm, m.columns, o.of); o.misfit < best.misfit {
				best = o
			}
		}
	}
	return best
}

// fewestForModels leaves arms to judge a sum by.
const fewestForModels = 4

// settleNoise finds the noise of the metric: what its replicates scatter by around what explains them best.
func (j *judge) settleNoise(t *table, y column, rivals []held) {
	least := math.Inf(1)
	for _, h := range rivals {
		if slices.Contains(t.places, h.place) {
			least = min(least, h.within)
		}
	}
	t.prepare(least)
	for _, models := range t.sizes() {
		if len(models) > 0 {
			least = min(least, j.within(t, y, models[0]))
		}
	}
	t.prepare(least)
}

// sizes are the sums of one term, of two and of three, as far as there are arms enough.
func (t *table) sizes() [][]model {
	var all [][]model
	for size := 1; size <= stats.Most && (size == 1 || size+2 <= len(t.y)); size++ {
		all = append(all, t.all(size))
	}
	return all
}

// dispersion is by how much the best sum misses more than noise explains: differences of likelihood are no better than
// that.
func (t *table) dispersion(sizes [][]model) float64 {
	least := math.Inf(1)
	for k, models := range sizes {
		if len(models) > 0 {
			least = min(least, models[0].misfit/float64(len(t.y)-k-1))
		}
	}
	return max(1, least)
}

// single names the driver that is left, if the spread test leaves it and no sum does much better.
func (j *judge) single(v *Verdict, y column, t *table, rivals []held, s search) {
	best := s.chosen
	winner := &rivals[t.places[best.columns[0]]]
	if winner.Status == Excluded {
		v.Why = noDriver
		return
	}
	var left []held
	for _, m := range s.sizes[0] {
		h := &rivals[t.places[m.columns[0]]]
		switch {
		case h.Status == Excluded:
		case s.gain(best, m) < beaten:
			left = append(left, *h)
		default:
			h.Status, h.Beaten = Excluded, winner.Driver
		}
	}
	if !j.bounded(*winner) {
		j.between(v, left)
		return
	}
	if s.doubt > doubted || best.misfit > mostMisfit*float64(len(t.y)-1) {
		j.roughly(v, t, best, left)
		return
	}
	j.name(v, y, left, rivals)
}

// name states the one driver that is left, or those between which the run cannot tell.
func (j *judge) name(v *Verdict, y column, left, rivals []held) {
	for _, h := range rivals {
		open := h.Status == Unknown || h.Status == Possible && j.columns[h.place].drowned()
		if open && len(left) > 0 && !slices.ContainsFunc(left, func(l held) bool { return !j.unparted(l.Driver, h.Driver) }) {
			left = append(left, h)
		}
	}
	slices.SortStableFunc(left, func(a, b held) int { return a.place - b.place })
	switch {
	case len(left) == 0:
		v.Why = noDriver
	case len(left) == 1 && j.bounded(left[0]):
		v.Kind, v.Counts, v.PerUnit = Kind(left[0].Side), left[0].Driver, left[0].Ratio
		v.Exact = exact(y, j.columns[left[0].place])
	default:
		j.between(v, left)
	}
}

// between says that several drivers are left, and settles the side where that can be told.
func (j *judge) between(v *Verdict, left []held) {
	for _, h := range left {
		v.Between = append(v.Between, h.Driver)
	}
	v.SettleWith = j.settle(v.Between)
	side, oneSide := sideOf(left)
	unbounded := func(h held) bool { return h.Status != Unknown && !j.bounded(h) }
	if oneSide && !slices.ContainsFunc(left, unbounded) {
		v.Kind = Kind(side)
		return
	}
	if ones := slices.DeleteFunc(slices.Clone(left), func(h held) bool { return !j.oneToOne(v.Metric, h) }); len(ones) > 0 {
		if side, same := sideOf(ones); same {
			j.decideSide(v, left, side)
			return
		}
	}
	v.Why = "This run cannot tell between " + strings.Join(v.Between, ", ")
	if len(left) == 1 {
		v.Why = "Nothing contradicts " + left[0].Driver + ", but the run is too short or too unsteady to confirm it"
	}
}

// decideSide goes by a ratio of one in every arm, which a count of a driver has by definition and a coincidence seldom.
func (j *judge) decideSide(v *Verdict, left []held, side drivers.Side) {
	v.Kind, v.Between = Kind(side), nil
	recorded := false
	for _, h := range left {
		if h.Side == side {
			v.Between = append(v.Between, h.Driver)
		}
	}
	for i, d := range j.drivers {
		recorded = recorded || d.Side != side && j.columns[i].whole() == nil
	}
	v.SettleWith = j.settle(v.Between)
	text := "The side rests on a ratio of one in every arm"
	if !recorded {
		text += "; no driver of the other side was recorded"
	}
	v.Warnings = append(v.Warnings, Warning{"one-to-one", text})
}

func sideOf(left []held) (side drivers.Side, same bool) {
	for _, h := range left {
		if h.Side != left[0].Side {
			return "", false
		}
	}
	return left[0].Side, true
}

// oneToOne tells whether the metric is the driver one to one in each of several arms, within the tolerance. Operations that
// are as many as bytes are a coincidence.
func (j *judge) oneToOne(m runfile.Metric, h held) bool {
	const bytes = "bytes"
	if len(h.arms) < 2 || (m.Unit == bytes) != (j.drivers[h.place].Unit == bytes) {
		return false
	}
	for _, g := range h.groups.Of {
		if math.Abs(g.Mean) > math.Log(j.options.Tolerance) {
			return false
		}
	}
	return true
}

// noDriver says that nothing explains a metric.
const noDriver = "No driver keeps the same ratio to it in all arms, and no sum of up to three predicts an arm that it was not fitted to"

// mostMisfit is how much more than noise explains a driver may miss the arms by, as a ratio of variances.
const mostMisfit = 6

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
		v.Why = fmt.Sprintf("The best sum of drivers is off by a factor of %.2g in an arm that it was not fitted to", math.Exp(best.off))
		return
	}
	if why := j.unfit(t, best); why != "" {
		v.Why = why
		return
	}
	if o := t.oddArm(s.sizes[s.size-2]); s.gain(o.model, best) > -rivalled {
		v.Why = fmt.Sprintf("Either one more driver has a part in it, or the arm %s is odd", j.arms[t.arms[o.arm]].Name)
		return
	}
	if !j.follows(t, y, best) {
		v.Why = "Where the replicates of an arm differ in their work, it does not follow"
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

// unfit says of a sum that misses the arms by more than noise explains that it is not what the metric counts, however near
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
		return "The best sum of drivers misses the arms by more than noise explains, and the run does not have " + strings.Join(unknown, ", ")
	case misfit > mostMisfit:
		return "The best sum of drivers misses the arms by more than noise explains"
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
		mix.Terms = append(mix.Terms, Term{
			Driver: d.Name, Side: d.Side, Share: t.share(m, k),
			PerUnit: Estimate{
				Value: m.of[k], Lo: max(0, m.of[k]-errors[k]), Hi: m.of[k] + errors[k], Level: j.options.Level, N: len(t.y),
			},
		})
	}
	return mix
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

// decideBySpread goes by the spread test alone, where there are too few arms for more.
func (j *judge) decideBySpread(v *Verdict, y column, rivals []held) {
	var left []held
	arms := 0
	for _, h := range rivals {
		if h.Status == Consistent || h.Status == Possible {
			left = append(left, h)
		}
		arms = max(arms, len(h.arms))
	}
	if arms == 1 && len(left) > 0 {
		j.inOneArm(v, left)
		return
	}
	if len(left) == 0 {
		v.Why = "No driver keeps the same ratio to it in all arms, and there are too few arms to look for a sum of several"
		return
	}
	j.name(v, y, left, rivals)
}

// inOneArm says what little a single arm tells.
func (j *judge) inOneArm(v *Verdict, left []held) {
	h := left[0]
	for _, other := range left {
		v.Between = append(v.Between, other.Driver)
	}
	v.SettleWith = j.settle(v.Between)
	v.Why = fmt.Sprintf("It is known in one arm only, %s: %s there", j.arms[h.arms[0]].Name, perUnit(h.Ratio.Value, h.Driver))
}

// perUnit says a ratio so that it can be pictured.
func perUnit(ratio float64, driver string) string {
	if ratio > 0 && ratio < 0.5 {
		return fmt.Sprintf("one for about %.3g of %s", 1/ratio, driver)
	}
	return fmt.Sprintf("%.3g for one of %s", ratio, driver)
}
