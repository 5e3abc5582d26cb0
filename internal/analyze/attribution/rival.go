package attribution

import (
	"cmp"
	"math"
	"slices"

	"github.com/realiops/realiops/internal/analyze/stats"
	"github.com/realiops/realiops/internal/metric"
)

// held is a quantity compared with a metric: the reported part and the numbers behind it.
type held struct {
	Rival
	place   int   // among the quantities
	loads   []int // loads that have both, except those lost in the background as foretold
	done    int   // number of loads that have both and some of the quantity
	groups  stats.Groups
	within  float64 // variance of repetitions beyond the known part
	freedom int     // of within

	impossible bool // the metric cannot count it, whatever the run shows

	lost bool    // lost in its own background in most loads that show the metric
	most float64 // if lost: the most that the metric shows for one, background included
	busy bool    // if lost: other programs cause many
}

// recorded reports whether the run has the quantity in loads that have the metric.
func (h held) recorded() bool { return h.Status != Unknown }

const (
	// mostSpread is the factor within which a quantity's spread must lie, and its ratio be known, for a verdict.
	mostSpread = 1.3
	// mostSpreadOfSide is the limit of the spread for a verdict on the side alone, if no near sum is on another side.
	mostSpreadOfSide = 1.5
)

func (h held) bounded(spread float64) bool {
	return len(h.loads) >= fewestLoads && h.Spread.Hi < spread && h.Ratio.Hi < mostSpread*h.Ratio.Lo
}

// boundedAmong is bounded, but needs no bounded ratio if several quantities are left: then only the side is stated.
func (h held) boundedAmong(left []held, spread float64) bool {
	return h.bounded(spread) || len(left) > 1 && len(h.loads) >= fewestLoads && h.Spread.Hi < spread
}

// against compares a metric with another column by the logarithm of their ratio in every repetition: if the metric
// counts the quantity, it is the same in every load. blank marks the loads that show nothing of the metric.
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

// certain leaves out loads with uncertain counts: a count lost in its background varies less than its possible error.
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

// leastWithin returns the least variance of repetitions around one of the quantities, and the degrees of freedom that
// most of them have. The metric itself varies by no more. Quantities with few degrees of freedom are left out, since
// they may show little by chance.
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

// quotients returns the logarithms of y / x in one load, by repetition.
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

// grouped returns the means of loads. The variance of each is the variance of repetitions, pooled over all loads, plus
// the part known beforehand.
func grouped(logs [][]stats.Value, shared []float64) stats.Groups {
	within, freedom := stats.Within(logs)
	g := stats.Groups{Freedom: freedom, Of: make([]stats.Group, 0, len(logs))}
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

// model adds the error of a model, which may or may not be common to all loads.
func (h *held) model(x column) {
	for i, a := range h.loads {
		most := largestModelVariance(x[a])
		h.groups.Of[i].Var += most
		h.groups.Of[i].Common += most
	}
}

// largestModelVariance returns the largest variance due to a model in a load.
func largestModelVariance(cells []cell) (most float64) {
	for _, c := range cells {
		if c.missing == nil {
			most = max(most, c.modelled())
		}
	}
	return most
}

// widen allows for the few degrees of freedom of a background estimated from few idle repetitions.
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

// correlate allows for consecutive readings with correlated errors, which does not show between loads that took turns.
// It adds to all loads the excess variance of the mean over independent readings: n readings of a first-order
// autoregression with correlation r are worth n (1-r)/(1+r).
func (j *judge) correlate(h held, logs [][]stats.Value, metric, x column) {
	type reading struct {
		at  int64
		off float64
	}
	readings := 0
	for _, values := range logs {
		readings += len(values)
	}
	all := make([]reading, 0, readings)
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

// judge sets the status of the quantity by its spread.
func (h *held) judge(o Options, x column) {
	if len(h.loads) == 0 {
		h.Status, h.Why = Unknown, x.whole()
		if h.Why == nil { // it was recorded, but not with the metric
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

// factor turns an interval of logarithms into factors.
func factor(i stats.Interval, level float64, n int) *Estimate {
	return &Estimate{Value: math.Exp(i.Value), Lo: math.Exp(i.Lo), Hi: math.Exp(i.Hi), Level: level, N: n}
}

// fewestLoads is the number of loads that bounds the spread: two leave it open.
const fewestLoads = 3

// driven is the factor by which the ratio of a cause to its effect may vary.
const driven = 2.25

// fewestShown is the number of loads whose ratios are no coincidence.
const fewestShown = 5

// farFetched reports whether an unrecorded quantity fits only by coincidence. The metric keeps one ratio to a recorded
// quantity of another side under at least five loads, so the unrecorded one would have to follow that quantity within
// the noise, although its bounds are wide. It is no coincidence if storage does something for each commit or each byte
// of WAL.
func (e *evidence) farFetched(y column, h held, rivals []held) bool {
	return slices.ContainsFunc(rivals, func(r held) bool {
		return r.Side != h.Side && r.Status == Consistent && len(r.loads) >= fewestShown && !e.drives(y, r, h)
	})
}

// drives reports whether the unrecorded quantity may have caused the recorded one: the latter stays near the commits,
// the bytes of WAL (which may be unknown), or a bound of the former.
func (e *evidence) drives(y column, recorded, h held) bool {
	var logs [4][]float64
	for i, a := range recorded.loads {
		use := countedIn(y[a])
		of, bytes, l := e.implied(h.Quantity, a, use), e.implied(metric.WALBytes, a, use), recorded.groups.Of[i].Mean
		x := math.Log(meanOf(y[a], use)) - l // of the recorded quantity
		for k, n := range [4]float64{e.done(a, use).Commits, math.Sqrt(bytes.Lo * bytes.Hi), of.Lo, of.Hi} {
			logs[k] = append(logs[k], x-math.Log(n))
		}
	}
	finite := func(l []float64) bool {
		return !slices.ContainsFunc(l, func(v float64) bool { return math.IsInf(v, 0) || math.IsNaN(v) })
	}
	near := func(l []float64) bool { return finite(l) && slices.Max(l)-slices.Min(l) < math.Log(driven) }
	return !finite(logs[1]) || slices.ContainsFunc(logs[:], near)
}
