package attribution

import (
	"math"
	"slices"

	"github.com/realiops/realiops/internal/analyze/counts"
)

// nextToNone is the share of its rate under other loads below which a metric counts as not shown.
const nextToNone = 0.01

// blank reports for each load whether it shows nothing of the metric: each count may be background, or the load does
// other work and shows next to nothing, such as the flushes of a checkpoint with nothing to write.
func (e *evidence) blank(y column) []bool {
	all := e.unrelatedLoads(y)
	surelyShown := func(c cell) bool { return c.missing == nil && c.value > surely*c.stdErr }
	for a := range y {
		all[a] = all[a] || isCounted(y[a]) && !slices.ContainsFunc(y[a], surelyShown)
	}
	return all
}

// unrelatedLoads reports for each load whether it only reads, or only writes, and shows less than a hundredth of what
// the others show.
func (e *evidence) unrelatedLoads(y column) []bool {
	all := make([]bool, len(y))
	for _, does := range []func(counts.Work) bool{reads, writes} {
		typical := e.typicalRate(y, does)
		for a := range y {
			all[a] = all[a] || isCounted(y[a]) && !e.does(a, does) && e.rate(y, a) < nextToNone*typical
		}
	}
	return all
}

// showsReads reports whether a load that only reads shows as much of the metric as loads that write, within a factor of
// ten. Such a metric does not count what only writes cause.
func (e *evidence) showsReads(y column) bool {
	const times = 10
	most := map[bool]float64{} // by whether the load writes
	for a := range y {
		if of := e.does(a, writes); isCounted(y[a]) && !nothing(y[a]) && (of || e.does(a, reads)) {
			most[of] = max(most[of], e.rate(y, a))
		}
	}
	return times*most[false] > most[true]
}

func reads(w counts.Work) bool  { return w.Returned > 0 }
func writes(w counts.Work) bool { return w.Rows > 0 }

func (e *evidence) does(a int, what func(counts.Work) bool) bool {
	return slices.ContainsFunc(e.loads[a].Repetitions, func(r counts.Repetition) bool { return what(r.Work) })
}

// any reports whether some load does what.
func (e *evidence) any(what func(counts.Work) bool) bool {
	for a := range e.loads {
		if e.does(a, what) {
			return true
		}
	}
	return false
}

// typicalRate returns the geometric mean of a metric's rates under loads that do what; 0 if there are none.
func (e *evidence) typicalRate(y column, what func(counts.Work) bool) float64 {
	sum, n := 0.0, 0.0
	for a := range y {
		if rate := e.rate(y, a); rate > 0 && e.does(a, what) {
			sum, n = sum+math.Log(rate), n+1
		}
	}
	if n == 0 {
		return 0
	}
	return math.Exp(sum / n)
}

// rate returns the metric's count per second in a load.
func (e *evidence) rate(y column, a int) float64 {
	count, seconds := 0.0, 0.0
	for r, c := range y[a] {
		if c.missing == nil {
			count, seconds = count+c.value, seconds+e.loads[a].Repetitions[r].Seconds
		}
	}
	if seconds == 0 {
		return 0
	}
	return count / seconds
}

func nothing(cells []cell) bool {
	return isCounted(cells) && !slices.ContainsFunc(cells, func(c cell) bool {
		return c.missing == nil && c.value > c.stdErr
	})
}

// takeBack removes the ratios in which one side shows nothing, and so holds its smallest step in place of a count.
func (h held) takeBack(y, x column) {
	background := func(c cell) bool { return c.shared > 0 }
	for a := range h.Loads {
		switch r := &h.Loads[a]; {
		case r.N == 0:
		case nothing(x[a]) && slices.ContainsFunc(x[a], background):
			*r = LoadRatio{Load: r.Load, Missing: counts.Lost(h.Quantity.Many())}
		case nothing(x[a]):
			*r = LoadRatio{Load: r.Load, Missing: counts.NoneOf(h.Quantity)}
		case nothing(y[a]) && slices.ContainsFunc(y[a], background):
			*r = LoadRatio{Load: r.Load, Missing: counts.Lost("it")}
		case nothing(y[a]):
			r.Value, r.Lowest, r.Highest = 0, 0, 0
		}
	}
}

// zeroWhereShown reports whether x was zero in all loads that show the metric y, so that y does not count it.
func zeroWhereShown(y, x column, blank []bool) (some bool) {
	for a := range y {
		if blank[a] || !isCounted(y[a]) {
			continue
		}
		if some = true; !nothing(x[a]) {
			return false
		}
	}
	return some
}

// neverDone reports whether there was none of x in any load that shows the metric y, nor any background to hide it.
func neverDone(y, x column, blank []bool) bool {
	for a := range y {
		background := func(c cell) bool { return c.shared > 0 }
		if !blank[a] && isCounted(y[a]) && (!isCounted(x[a]) || slices.ContainsFunc(x[a], background)) {
			return false
		}
	}
	return zeroWhereShown(y, x, blank)
}

// isCounted reports whether some repetition has a count. A missing count does not mean zero.
func isCounted(cells []cell) bool {
	return slices.ContainsFunc(cells, func(c cell) bool { return c.missing == nil })
}

// leastRatio returns the lowest ratio of the metric to the quantity over the loads that show both.
func leastRatio(ratios []LoadRatio, x column, blank []bool) float64 {
	least := math.Inf(1)
	for a, ratio := range ratios {
		if ratio.N > 0 && !blank[a] && !nothing(x[a]) {
			least = min(least, ratio.Value)
		}
	}
	return least
}

// foretold reports whether a quantity explains that a load shows nothing of the metric: there is none of the quantity,
// or too little to show. The ratio of two such small counts means nothing.
func foretold(y, x []cell, leastRatio float64) bool {
	return nothing(x) || !math.IsInf(leastRatio, 1) && leastRatio*greatest(x) < surely*greatest(y)
}

func greatest(cells []cell) (most float64) {
	for _, c := range cells {
		if c.missing == nil {
			most = max(most, c.value)
		}
	}
	return most
}

// tooMuchWhereBlank reports whether a load without the metric has so much of the quantity that the quantity cannot be a
// tenth of the metric under any other load.
func tooMuchWhereBlank(y, x column, blank []bool) bool {
	const tenth = 0.1
	most := math.Inf(1) // of the metric for one of the quantity
	for a := range y {
		if blank[a] && !nothing(x[a]) && greatest(x[a]) > 0 {
			most = min(most, surely*greatest(y[a])/greatest(x[a]))
		}
	}
	for a := range y {
		if !blank[a] && isCounted(y[a]) && most*greatest(x[a]) > tenth*greatest(y[a]) {
			return false
		}
	}
	return !math.IsInf(most, 1)
}
