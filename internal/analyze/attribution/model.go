package attribution

import (
	"cmp"
	"math"
	"slices"

	"github.com/realiops/realiops/internal/analyze/stats"
)

// model is a sum of quantities with coefficients, as an explanation of a metric.
type model struct {
	columns         []int     // of the table
	of              []float64 // coefficients
	residuals       []float64 // by load: the logarithm of metric / model
	deviance        float64   // how surprising these are, in squares of what noise explains
	predictionError float64   // mean of the logarithm by which a load left out is missed; NaN: not computed
}

// table is a metric and all quantities that can explain it, as means of loads over the repetitions that have them all.
type table struct {
	evidence *evidence
	metric   column

	y, logs []float64 // and the logarithm of each
	columns [][]float64
	full    [][]float64 // the columns in whole repetitions, of which periods or steps may leave out the checkpoint that closes them
	places  []int       // of the columns among the quantities
	loads   []int       // of the rows
	use     [][]int     // the repetitions of each row
	guessed [][]int     // by column: the rows in which nobody counted it; see guess
	known   [][]float64 // variance of the logarithm of each column in each row, as far as it is known beforehand
	own     []float64   // the same of y
	noise   []float64   // and with the noise that repetitions show, and the allowance
	weights []float64
	sums    [][]model // by the number of their terms; see estimateNoise
	whole   stats.System
	without []stats.System // each of one load
}

// allowance is the error of a counter between loads for reasons of its own, as a standard deviation of its
// logarithm: no real one is perfect, and a smaller difference is not worth a name.
const allowance = 0.007

// table gathers what there is of the metric where the quantities in question are known too.
func (tr *trial) table(rivals []held) *table {
	t := &table{evidence: tr.evidence, metric: tr.y}
	var among []held
	for _, h := range rivals {
		if h.Status != Itself && h.Status != Unknown && !h.impossible && !h.lost && (tr.coversAll(h.place) || tr.mayGuess(h)) && !plentyForNothing(tr.y, tr.columns[h.place], tr.blank) {
			t.places, among = append(t.places, h.place), append(among, h)
		}
	}
	n := len(t.places)
	t.columns, t.full, t.known, t.guessed = make([][]float64, n), make([][]float64, n), make([][]float64, n), make([][]int, n)
	for a := range tr.y {
		if !tr.blank[a] {
			tr.addRow(t, a, among)
		}
	}
	return t
}

// mayGuess reports whether a quantity keeps one ratio to the metric under so many loads that those under which nobody counted it need not take
// it out of the comparison: under more than half of those that show the metric. Of one that is modelled it is known that it is there.
func (tr *trial) mayGuess(h held) bool {
	shown := 0
	for a := range tr.y {
		if !tr.blank[a] && isCounted(tr.y[a]) {
			shown++
		}
	}
	enough := len(h.loads) >= fewestForModels && 2*len(h.loads) > shown
	return enough && (h.Status == Consistent || h.Status == Possible && h.Modelled) && h.bounded(mostSpread)
}

// What is known of a guess, as the variance of its logarithm: next to nothing within its bounds, and all of it at one of them.
const (
	withinBounds = 1
	atBound      = allowance * allowance
)

// guess returns how much of a quantity a load brought about in which nobody counted it: as much as goes best with the metric, within the bounds of
// what the load implies. Under loads that only read WAL records are modelled by nobody, and there are few of them, or one for each page touched.
func (e *evidence) guess(y float64, h held, a int, use []int) (x, variance float64) {
	of := e.implied(h.Quantity, a, use)
	x = y / h.Ratio.Value
	switch {
	case x < of.Lo:
		return of.Lo, atBound
	case x > of.Hi:
		return max(of.Hi, 1), atBound
	}
	return x, withinBounds
}

// lost reports whether a quantity is lost in its own background in most loads in which the metric shows something: then it
// would explain anything. That loads which only write read next to nothing, and the other way round, is known of them, and not lost.
func (e *evidence) lost(c column, blank []bool) bool {
	loads, below, others := 0, 0, e.ofOthers(c)
	for a, cells := range c {
		if blank[a] || others[a] || !isCounted(cells) {
			continue
		}
		certain := func(c cell) bool { return c.missing == nil && c.relative() <= mostUncertain*mostUncertain }
		if loads++; !slices.ContainsFunc(cells, certain) {
			below++
		}
	}
	return 2*below > loads && loads-below < fewestForModels
}

// mostUncertain is the part of a count that is uncertain from which on the count tells little.
const mostUncertain = 0.2

// coversAll reports whether a quantity is known wherever the metric shows something, in each load at least once.
func (tr *trial) coversAll(place int) bool {
	for a := range tr.y {
		both := func(r int) bool { return tr.columns[place][a][r].missing == nil }
		if use := countedIn(tr.y[a]); !tr.blank[a] && len(use) > 0 && !slices.ContainsFunc(use, both) {
			return false
		}
	}
	return true
}

func (tr *trial) addRow(t *table, a int, among []held) {
	var use []int
	for r := range tr.y[a] {
		blind := func(place int) bool { return tr.columns[place][a][r].missing != nil && isCounted(tr.columns[place][a]) }
		if tr.y[a][r].missing == nil && !slices.ContainsFunc(t.places, blind) {
			use = append(use, r)
		}
	}
	if len(use) == 0 {
		return
	}
	n := float64(len(use))
	mean := func(c column) (sum float64) {
		for _, r := range use {
			sum += c[a][r].value / n
		}
		return sum
	}
	variance := func(c column) (sum float64) {
		for _, r := range use {
			sum += c[a][r].relative() / n / n
		}
		return sum + c[a][use[0]].common() + c[a][use[0]].modelled()
	}
	t.loads, t.use, t.y, t.own = append(t.loads, a), append(t.use, use), append(t.y, mean(tr.y)), append(t.own, variance(tr.y))
	for k, place := range t.places {
		c, guessed := tr.columns[place], !isCounted(tr.columns[place][a])
		var x, v float64
		if guessed {
			t.guessed[k] = append(t.guessed[k], len(t.y)-1)
			x, v = tr.guess(mean(tr.y), among[k], a, use)
		} else {
			x, v = mean(c), variance(c)
		}
		t.columns[k], t.known[k] = append(t.columns[k], x), append(t.known[k], v)
		if tr.whole != nil && !guessed && isCounted(tr.whole[place][a]) {
			x = meanOf(tr.whole[place][a], countedIn(tr.whole[place][a]))
		}
		t.full[k] = append(t.full[k], x)
	}
}

// prepare sets up the fits once it is known how much of the metric is noise, as the variance of a repetition.
func (t *table) prepare(noise float64) {
	t.noise = make([]float64, len(t.y))
	for i := range t.y {
		t.noise[i] = t.own[i] + noise/float64(len(t.use[i])) + allowance*allowance
	}
	t.weigh()
}

// weigh sets up the equations, with the relative noise of each load for its weight.
func (t *table) weigh() {
	t.weights, t.logs, t.without = make([]float64, len(t.y)), make([]float64, len(t.y)), nil
	for i, y := range t.y {
		t.weights[i], t.logs[i] = 1/(y*y*t.noise[i]), math.Log(y)
	}
	t.whole = stats.NewSystem(t.columns, t.y, t.weights)
}

// within returns the variance that repetitions have around a model in their loads, beyond what is known of them, and the degrees of freedom that it rests on.
func (t *table) within(m model) (variance float64, freedom int) {
	var logs [][]stats.Value
	for _, load := range t.byRepetition(m) {
		var values []stats.Value
		for _, r := range load {
			values = append(values, stats.Value{X: r.off, Var: r.variance})
		}
		logs = append(logs, values)
	}
	return stats.Within(certain(logs))
}

// guesses reports whether a model rests in a load on what nobody counted there.
func (t *table) guesses(m model, i int) bool {
	return slices.ContainsFunc(m.columns, func(c int) bool { return t.guessed != nil && slices.Contains(t.guessed[c], i) })
}

// misfit returns the deviance of a model without the price of its guesses, which any value of a wide choice would have met.
func (t *table) misfit(m model) float64 {
	left := m.deviance
	for i := range t.y {
		if t.guesses(m, i) {
			left -= math.Log(t.variance(m.columns, m.of, i, t.predict(m.columns, m.of, i)) / t.noise[i])
		}
	}
	return left
}

// fit returns the best sum of these columns, if all of them have a part in it.
func (t *table) fit(columns ...int) (model, bool) {
	m := model{columns: columns, of: []float64{1}, predictionError: math.NaN()}
	if len(columns) > 1 {
		sum, whole := t.whole.Positive(columns...)
		if !whole {
			return m, false // a shorter sum
		}
		m.of = slices.Clone(sum.Of[:len(columns)])
	}
	m.columns = slices.Clone(columns)
	t.centre(&m)
	return m, true
}

// centre scales a model so that the loads lie around it, and takes down how they do: deviance is minus twice the logarithm of
// the likelihood of what is left, up to a part that all models have in common.
func (t *table) centre(m *model) {
	m.residuals = make([]float64, len(t.y))
	variance := make([]float64, len(t.y))
	var sum, weights float64
	for i := range t.y {
		predicted := t.predict(m.columns, m.of, i)
		m.residuals[i] = t.logs[i] - math.Log(predicted)
		variance[i] = t.variance(m.columns, m.of, i, predicted)
		sum, weights = sum+m.residuals[i]/variance[i], weights+1/variance[i]
	}
	mean := sum / weights
	m.deviance = 0
	for i := range m.residuals {
		m.residuals[i] -= mean
		m.deviance += m.residuals[i]*m.residuals[i]/variance[i] + math.Log(variance[i]/t.noise[i])
	}
	for k := range m.of {
		m.of[k] *= math.Exp(mean)
	}
}

func (t *table) predict(columns []int, of []float64, i int) float64 {
	sum := 0.0
	for k, c := range columns {
		sum += of[k] * t.columns[c][i]
	}
	return sum
}

// omitting returns the equations without one load.
func (t *table) omitting(load int) stats.System {
	if t.without == nil {
		for i := range t.y {
			weights := slices.Clone(t.weights)
			weights[i] = 0
			t.without = append(t.without, stats.NewSystem(t.columns, t.y, weights))
		}
	}
	return t.without[load]
}

// devianceBut returns the deviance of all loads but one around a sum, wherever it lies.
func (t *table) devianceBut(load int, columns []int, of []float64) float64 {
	var sum, weights, squares float64
	for i := range t.y {
		predicted := t.predict(columns, of, i)
		if i == load || !(predicted > 0) {
			continue
		}
		left := t.logs[i] - math.Log(predicted)
		w := 1 / t.variance(columns, of, i, predicted)
		sum, weights, squares = sum+w*left, weights+w, squares+w*left*left+math.Log(1/w/t.noise[i])
	}
	return squares - sum*sum/weights
}

// variance returns that of the logarithm of metric / sum in a load, as far as it is explained.
func (t *table) variance(columns []int, of []float64, i int, predicted float64) float64 {
	v := t.noise[i]
	for k, c := range columns {
		part := of[k] * t.columns[c][i] / predicted
		v += part * part * t.known[c][i]
	}
	return v
}

// leaveOut computes how far a model misses loads that it was not fitted to.
func (t *table) leaveOut(m *model) {
	if !math.IsNaN(m.predictionError) {
		return
	}
	sum, n := 0.0, 0.0
	for i := range t.y {
		if !t.guesses(*m, i) {
			sum, n = sum+t.missed(*m, i), n+1
		}
	}
	m.predictionError = sum / n
}

// missed returns by how much a model misses a load that it was not fitted to, as a logarithm.
func (t *table) missed(m model, i int) float64 {
	fit := t.omitting(i).NonNegative(m.columns...)
	predicted := t.predict(m.columns, fit.Of[:len(m.columns)], i)
	return min(mostMissed, math.Abs(t.logs[i]-math.Log(max(predicted, 1e-6*t.y[i]))))
}

// mostMissed keeps one load that nothing can predict from hiding all others.
const mostMissed = 3

// beyondNoise returns how far a model misses loads that it was not fitted to, beyond what noise makes of that: each is taken for as little as the
// loads that it was fitted to tell what to expect there, and less the part that the noise of the load itself has in it on average.
func (t *table) beyondNoise(m model) float64 {
	missed, chance, n := 0.0, 0.0, 0.0
	row := make([]float64, len(m.columns))
	for i, y := range t.y {
		if t.guesses(m, i) {
			continue
		}
		n++
		for k, c := range m.columns {
			row[k] = t.columns[c][i]
		}
		expected := t.omitting(i).Variance(row, m.columns...) / (y * y)
		missed += t.missed(m, i) * math.Sqrt(t.noise[i]/(t.noise[i]+expected))
		chance += math.Sqrt(2 / math.Pi * t.noise[i])
	}
	return math.Sqrt(max(0, missed*missed-chance*chance)) / n
}

// share returns which part of the metric a term is, on average over the loads.
func (t *table) share(m model, k int) float64 {
	full, sum := *t, 0.0
	full.columns = t.full
	for i := range t.y {
		sum += m.of[k] * t.full[m.columns[k]][i] / full.predict(m.columns, m.of, i)
	}
	return sum / float64(len(t.y))
}

// all returns the models of a size, the least deviance first.
func (t *table) all(size int) []model {
	var found []model
	choice := make([]int, size)
	var walk func(from, k int)
	walk = func(from, k int) {
		if k == size {
			if m, ok := t.fit(choice...); ok && !math.IsNaN(m.deviance) {
				found = append(found, m)
			}
			return
		}
		for i := from; i < len(t.columns); i++ {
			choice[k] = i
			walk(i+1, k+1)
		}
	}
	walk(0, 0)
	slices.SortStableFunc(found, func(a, b model) int { return cmp.Compare(a.deviance, b.deviance) })
	return found
}
