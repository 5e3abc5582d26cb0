package attribution

import (
	"cmp"
	"math"
	"slices"

	"github.com/realiops/realiops/internal/analyze/stats"
)

// model is a sum of quantities with coefficients that may explain a metric.
type model struct {
	columns         []int     // of the table
	of              []float64 // coefficients
	residuals       []float64 // by load: the logarithm of metric / model
	deviance        float64   // how unlikely the residuals are, in squares of the noise
	predictionError float64   // mean absolute logarithm by which a left-out load is missed; NaN: not computed
}

// table holds a metric and all quantities that can explain it, as means of loads over the repetitions that have them
// all.
type table struct {
	evidence *evidence
	metric   column

	y, logs []float64 // y and its logarithm, by row
	columns [][]float64
	full    [][]float64 // columns over whole repetitions, with the checkpoint that periods or steps may leave out
	places  []int       // of the columns, among the quantities
	loads   []int       // of the rows
	use     [][]int     // repetitions of each row
	guessed [][]int     // by column: rows in which nobody counted it; see guess
	known   [][]float64 // by column and row: variance of the logarithm known beforehand
	own     []float64   // the same of y
	noise   []float64   // own, the noise of the repetitions, and the allowance
	weights []float64
	sums    [][]model // by number of terms; see estimateNoise
	whole   stats.System
	without []stats.System // by load: the system without it
}

// allowance is the standard deviation of the logarithm that any counter may be off between loads. No counter is
// perfect, and a smaller difference is not worth naming.
const allowance = 0.007

// table builds the table of the metric and those rivals that can be fitted to it.
func (tr *trial) table(rivals []held) *table {
	t := &table{evidence: tr.evidence, metric: tr.y}
	var among []held
	for _, h := range rivals {
		if h.Status != Itself && h.Status != Unknown && !h.impossible && !h.lost && (tr.coversAll(h.place) || tr.mayGuess(h)) && !tooMuchWhereBlank(tr.y, tr.columns[h.place], tr.blank) {
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

// mayGuess reports whether a quantity stays in the comparison although some loads did not count it. It must keep one
// ratio to the metric under more than half of the loads that show the metric.
func (tr *trial) mayGuess(h held) bool {
	shown := 0
	for a := range tr.y {
		if !tr.blank[a] && isCounted(tr.y[a]) {
			shown++
		}
	}
	return len(h.loads) >= fewestForModels && 2*len(h.loads) > shown && h.bounded(mostSpread)
}

// Variance of the logarithm of a guess: nearly unknown within its bounds, nearly certain at one of them.
const (
	withinBounds = 1
	atBound      = allowance * allowance
)

// guess returns the amount of a quantity in a load that did not count it: the one that fits the metric best within the
// bounds that the load implies. WAL records under loads that only read have no model: there are between a few and one
// per page touched.
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

// lost reports whether a quantity is lost in its own background in most loads that show the metric: then it would
// explain anything. Loads that only write are known to read next to nothing, and vice versa; they do not count.
func (e *evidence) lost(c column, blank []bool) bool {
	loads, below, others := 0, 0, e.unrelatedLoads(c)
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

// mostUncertain is the relative error from which on a count tells little.
const mostUncertain = 0.2

// coversAll reports whether each load that shows the metric has the quantity at least once.
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

// prepare sets up the fits, given the variance of a repetition's noise.
func (t *table) prepare(noise float64) {
	t.noise = make([]float64, len(t.y))
	for i := range t.y {
		t.noise[i] = t.own[i] + noise/float64(len(t.use[i])) + allowance*allowance
	}
	t.weigh()
}

// weigh sets up the equations, weighted by the relative noise of each load.
func (t *table) weigh() {
	t.weights, t.logs, t.without = make([]float64, len(t.y)), make([]float64, len(t.y)), nil
	for i, y := range t.y {
		t.weights[i], t.logs[i] = 1/(y*y*t.noise[i]), math.Log(y)
	}
	t.whole = stats.NewSystem(t.columns, t.y, t.weights)
}

// within returns the variance of repetitions around a model, beyond the variance known beforehand, and its degrees of
// freedom.
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

// guesses reports whether a model uses a guess in a load.
func (t *table) guesses(m model, i int) bool {
	return slices.ContainsFunc(m.columns, func(c int) bool { return t.guessed != nil && slices.Contains(t.guessed[c], i) })
}

// misfit returns the deviance of a model without the price of its guesses, which a wide choice of values meets anyway.
func (t *table) misfit(m model) float64 {
	left := m.deviance
	for i := range t.y {
		if t.guesses(m, i) {
			left -= math.Log(t.variance(m.columns, m.of, i, t.predict(m.columns, m.of, i)) / t.noise[i])
		}
	}
	return left
}

// fit returns the best sum of these columns, if all have positive coefficients.
func (t *table) fit(columns ...int) (model, bool) {
	m := model{columns: columns, of: []float64{1}, predictionError: math.NaN()}
	if len(columns) > 1 {
		sum, whole := t.whole.Positive(columns...)
		if !whole {
			return m, false // a shorter sum fits best
		}
		m.of = slices.Clone(sum.Of[:len(columns)])
	}
	m.columns = slices.Clone(columns)
	t.centre(&m)
	return m, true
}

// centre scales a model so that its residuals have mean zero and sets its deviance: minus twice the log-likelihood of
// the residuals, up to a constant common to all models.
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

func (t *table) predict(columns []int, of []float64, i int) (sum float64) {
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

// devianceBut returns the deviance of all loads but one around a sum, scaled to fit them.
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

// variance returns the explained variance of the logarithm of metric / sum in a load.
func (t *table) variance(columns []int, of []float64, i int, predicted float64) float64 {
	v := t.noise[i]
	for k, c := range columns {
		part := of[k] * t.columns[c][i] / predicted
		v += part * part * t.known[c][i]
	}
	return v
}

// leaveOut sets a model's predictionError.
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

// missed returns the absolute logarithm by which a model misses a load when fitted to the others.
func (t *table) missed(m model, i int) float64 {
	fit := t.omitting(i).NonNegative(m.columns...)
	predicted := t.predict(m.columns, fit.Of[:len(m.columns)], i)
	return min(mostMissed, math.Abs(t.logs[i]-math.Log(max(predicted, 1e-6*t.y[i]))))
}

// mostMissed keeps one unpredictable load from hiding all others.
const mostMissed = 3

// beyondNoise returns the mean error of a model on left-out loads, beyond noise. Each error is reduced by the
// uncertainty of its prediction, and the mean noise of the loads is taken off.
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

// share returns a term's share of the metric, averaged over the loads.
func (t *table) share(m model, k int) float64 {
	full, sum := *t, 0.0
	full.columns = t.full
	for i := range t.y {
		sum += m.of[k] * t.full[m.columns[k]][i] / full.predict(m.columns, m.of, i)
	}
	return sum / float64(len(t.y))
}

// all returns the models of a size, least deviance first.
func (t *table) all(size int) (found []model) {
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
