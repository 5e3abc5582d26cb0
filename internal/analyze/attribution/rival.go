package attribution

import (
	"cmp"
	"math"
	"slices"

	"github.com/realiops/realiops/internal/analyze/stats"
)

// held is one quantity held against a metric: what is reported of it, and the numbers behind that.
type held struct {
	Rival
	place   int   // among the quantities
	loads   []int // of the evidence, where both are known, but for those that are lost in the background as foretold
	done    int   // loads where both are known and there was some of the quantity
	groups  stats.Groups
	within  float64 // variance of repetitions beyond what is known of them
	freedom int     // that it rests on

	impossible bool // it has no part in the metric, whatever the run shows

	lost bool    // in its own background in most loads in which the metric shows something
	most float64 // of one that is lost: what the metric shows for one at most, with nothing taken off either
	busy bool    // of one that is lost: others bring about many
}

// recorded reports whether the run has the quantity where it has the metric.
func (h held) recorded() bool { return h.Status != Unknown }

// against fills in how a metric stands to another column, by the logarithm of their ratio in every repetition: if the
// metric counts a quantity, that is the same in every load. blank are the loads that show nothing of the metric.
func (j *judge) against(metric, x column, blank []bool, h held) held {
	n := len(j.loads)
	h.Loads, h.loads = make([]LoadRatio, n), make([]int, 0, n)
	values, shared := make([][]stats.Value, n), make([]float64, n)
	for a := range j.loads {
		h.Loads[a], values[a], shared[a] = quotients(metric[a], x[a])
		h.Loads[a].Load = j.loads[a].Name
	}
	logs, common, least := make([][]stats.Value, 0, n), make([]float64, 0, n), leastRatio(h.Loads, x, blank)
	for a := range j.loads {
		if len(values[a]) > 0 && !nothing(x[a]) {
			h.done++
		}
		if len(values[a]) > 0 && !(blank[a] && foretold(metric[a], x[a], least)) {
			h.loads, logs, common = append(h.loads, a), append(logs, values[a]), append(common, shared[a])
		}
	}
	h.groups = grouped(logs, common)
	j.widen(h.groups)
	j.correlate(h, logs, metric, x)
	h.model(x)
	h.within, h.freedom = stats.Within(certain(logs))
	h.judge(j.options, x)
	return h
}

// certain leaves out loads of which too little is certain to show how far repetitions vary: a count that is lost in its
// background does not vary as much as it may be off.
func certain(logs [][]stats.Value) (kept [][]stats.Value) {
	const little = 0.05
	uncertain := func(v stats.Value) bool { return v.Var > little*little }
	for _, values := range logs {
		if !slices.ContainsFunc(values, uncertain) {
			kept = append(kept, values)
		}
	}
	return kept
}

// leastWithin returns the least that repetitions vary by around one of some quantities, and the degrees of freedom that
// most of them rest on: the metric itself varies by no more. Around those that rest on few it may by chance.
func leastWithin(among []held) (least float64, freedom int) {
	for _, h := range among {
		freedom = max(freedom, h.freedom)
	}
	least = math.Inf(1)
	for _, h := range among {
		if 2*h.freedom >= freedom {
			least = min(least, h.within)
		}
	}
	return least, freedom
}

// quotients returns the logarithms of y / x in one load, repetition by repetition.
func quotients(y, x []cell) (ratio LoadRatio, logs []stats.Value, shared float64) {
	sum := 0.0
	ratio.Lowest, ratio.Highest, logs = math.Inf(1), math.Inf(-1), make([]stats.Value, 0, len(y))
	for r := range y {
		if y[r].missing != nil || x[r].missing != nil {
			ratio.Missing = cmp.Or(y[r].missing, x[r].missing)
			continue
		}
		l := y[r].log - x[r].log
		logs = append(logs, stats.Value{X: l, Var: y[r].relative() + x[r].relative()})
		shared = max(shared, y[r].common()+x[r].common())
		sum += l
		of := math.Exp(l)
		ratio.Lowest, ratio.Highest = min(ratio.Lowest, of), max(ratio.Highest, of)
	}
	ratio.N = len(logs)
	if ratio.N == 0 {
		ratio.Lowest, ratio.Highest = 0, 0
		return ratio, nil, 0
	}
	ratio.Missing = nil
	ratio.Value = math.Exp(sum / float64(ratio.N))
	return ratio, logs, shared
}

// grouped makes means of loads. The variance of each is that of its repetitions, as all loads show it together, and
// what is known beforehand.
func grouped(logs [][]stats.Value, shared []float64) stats.Groups {
	within, freedom := stats.Within(logs)
	g := stats.Groups{Freedom: freedom}
	for a, values := range logs {
		n := float64(len(values))
		var sum, known float64
		for _, v := range values {
			sum, known = sum+v.X, known+v.Var
		}
		g.Of = append(g.Of, stats.Group{Mean: sum / n, Var: (within+known/n)/n + shared[a], Common: shared[a]})
	}
	return g
}

// model adds the error of a model, which may be the same way off in all loads or another way off in each.
func (h *held) model(x column) {
	for i, a := range h.loads {
		most := mostModelled(x[a])
		h.groups.Of[i].Var += most
		h.groups.Of[i].Common += most
	}
}

// mostModelled returns the largest of the variances by the error of a model in a load.
func mostModelled(cells []cell) (most float64) {
	for _, c := range cells {
		if c.missing == nil {
			most = max(most, c.modelled())
		}
	}
	return most
}

// widen allows for the background's being known from few idle repetitions: its error is an estimate on so few degrees
// of freedom.
func (j *judge) widen(g stats.Groups) {
	idle := float64(j.run.Idle.Repetitions - 1)
	if idle < 1 || len(g.Of) < 2 {
		return
	}
	factor := stats.Student(j.options.Level, idle) / stats.Student(j.options.Level, float64(len(g.Of)-1))
	for i := range g.Of {
		g.Of[i].Common *= max(1, factor*factor)
	}
}

// correlate allows for readings that follow each other being off in the same direction: together they are worth fewer
// than they are, which does not show between loads that took turns. What all loads so have in common is the variance of
// the mean of all readings beyond that of independent ones: n of a first-order autoregression with the correlation r
// stand for n (1-r)/(1+r).
func (j *judge) correlate(h held, logs [][]stats.Value, metric, x column) {
	type reading struct {
		at  int64
		off float64
	}
	var all []reading
	for i, a := range h.loads {
		k := 0
		for r := range metric[a] {
			if metric[a][r].missing != nil || x[a][r].missing != nil {
				continue
			}
			all = append(all, reading{j.loads[a].Repetitions[r].Begin.UnixNano(), logs[i][k].X - h.groups.Of[i].Mean})
			k++
		}
	}
	slices.SortFunc(all, func(a, b reading) int { return cmp.Compare(a.at, b.at) })
	off := make([]float64, len(all))
	for i, r := range all {
		off[i] = r.off
	}
	common := stats.Correlated(off, len(h.loads))
	for i := range h.groups.Of {
		h.groups.Of[i].Common += common
	}
}

// judge tells what becomes of the quantity by itself.
func (h *held) judge(o Options, x column) {
	if len(h.loads) == 0 {
		h.Status, h.Why = Unknown, x.whole()
		if h.Why == nil { // it is there, and not where the metric is
			h.Why = h.Loads[0].Missing
		}
		return
	}
	h.Status = Possible
	h.Ratio = factor(h.groups.Mean(o.Level), o.Level, len(h.loads))
	if len(h.loads) < 2 {
		return
	}
	spread := h.groups.Between(o.Level)
	h.Spread = factor(spread, o.Level, len(h.loads))
	switch tolerance := math.Log(o.Tolerance); {
	case spread.Hi < tolerance:
		h.Status = Consistent
	case spread.Lo > tolerance:
		h.Status = Excluded
	}
}

// factor turns an interval of logarithms into one of factors.
func factor(i stats.Interval, level float64, n int) *Estimate {
	return &Estimate{Value: math.Exp(i.Value), Lo: math.Exp(i.Lo), Hi: math.Exp(i.Hi), Level: level, N: n}
}
