package series

import (
	"cmp"
	"math"
	"slices"
	"time"
)

// Readings is what one probe read: rows of values, each at its moment, and gaps. Times are held once for all metrics,
// and a metric that is not in a row takes no room in it.
type Readings struct {
	at      []int64
	columns map[string]*Column
	gaps    map[string][]Gap // by metric; those of the whole probe under ""

	unordered bool          // a row came after a later one
	steppedBy time.Duration // the furthest that a row lay before the one it followed
}

// NewReadings makes an empty one.
func NewReadings() *Readings {
	return &Readings{columns: map[string]*Column{}, gaps: map[string][]Gap{}}
}

// Column is what one metric reads, for whoever adds many rows and looks each metric up but once.
type Column struct{ runs []run }

// Column finds the column of a metric, or makes it.
func (r *Readings) Column(metric string) *Column {
	c := r.columns[metric]
	if c == nil {
		c = &Column{}
		r.columns[metric] = c
	}
	return c
}

// Add takes in what was read at a moment. What is not a number was not read.
func (r *Readings) Add(at time.Time, values map[string]float64) {
	row := r.newRow(at)
	for metric, value := range values {
		r.Column(metric).add(row, value)
	}
}

// AddRow is Add for columns of these readings and their values.
func (r *Readings) AddRow(at time.Time, columns []*Column, values []float64) {
	row := r.newRow(at)
	for i, c := range columns {
		c.add(row, values[i])
	}
}

func (r *Readings) newRow(at time.Time) (row int) {
	row, now := len(r.at), stamp(at)
	if row > 0 && now < r.at[row-1] {
		r.unordered = true
		r.steppedBy = max(r.steppedBy, moment(r.at[row-1]).Sub(at))
	}
	r.at = append(r.at, now)
	return row
}

func (c *Column) add(row int, value float64) {
	if !math.IsNaN(value) && !math.IsInf(value, 0) {
		c.runs = extend(c.runs, row, value)
	}
}

// AddGap takes in a gap of one metric, or of all when metric is empty.
func (r *Readings) AddGap(metric string, gap Gap) {
	gaps := r.gaps[metric]
	if n := len(gaps); n > 0 {
		r.unordered = r.unordered || gap.At.Before(gaps[n-1].At)
		gap = gap.sharing(gaps[n-1])
	}
	r.gaps[metric] = append(gaps, gap)
}

// sharing is the same gap on the memory of another's words, where these are the same: of a million gaps most are alike.
func (g Gap) sharing(with Gap) Gap {
	if at := g.At; g.Reason == with.Reason && g.Code == with.Code && g.Detail == with.Detail {
		g = with
		g.At = at
	}
	return g
}

// SteppedBack is the furthest that the time of a reading lay before that of the reading it came after: more than
// nothing means that somebody set the clock.
func (r *Readings) SteppedBack() time.Duration { return r.steppedBy }

// Series is what one metric read. It stays as it is when more is added later.
func (r *Readings) Series(metric string) Series {
	r.order()
	s := Series{at: slices.Clip(r.at), probeGaps: slices.Clip(r.gaps[""])}
	if c := r.columns[metric]; c != nil {
		s.runs = slices.Clone(c.runs)
	}
	if metric != "" {
		s.metricGaps = slices.Clip(r.gaps[metric])
	}
	return s
}

// order brings rows and gaps that came out of order into that of their times.
func (r *Readings) order() {
	if !r.unordered {
		return
	}
	for metric, gaps := range r.gaps {
		r.gaps[metric] = slices.SortedStableFunc(slices.Values(gaps), func(a, b Gap) int { return a.At.Compare(b.At) })
	}
	old := r.at
	order := make([]int, len(old)) // order[new row] is the old one
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(old[a], old[b]) })
	r.at = make([]int64, len(old))
	place := make([]int, len(old)) // the other way round
	for i, was := range order {
		r.at[i], place[was] = old[was], i
	}
	for _, c := range r.columns {
		c.runs = moved(c.runs, place)
	}
	r.unordered = false
}

// moved is a column after row i has become row place[i].
func moved(runs []run, place []int) []run {
	type cell struct {
		row   int
		value float64
	}
	var cells []cell
	for _, r := range runs {
		for j, value := range r.values {
			cells = append(cells, cell{place[r.row+j], value})
		}
	}
	slices.SortFunc(cells, func(a, b cell) int { return cmp.Compare(a.row, b.row) })
	var sorted []run
	for _, c := range cells {
		sorted = extend(sorted, c.row, c.value)
	}
	return sorted
}

// Runs grow by doubling up to a length at which the next begins, so that of a long column nothing is ever copied.
const (
	shortestRun = 4
	longestRun  = 1024
)

// extend adds the value of a row after all others of a column.
func extend(runs []run, row int, value float64) []run {
	n := len(runs)
	if n == 0 || runs[n-1].row+len(runs[n-1].values) != row {
		return append(runs, run{row: row, values: []float64{value}})
	}
	switch last := &runs[n-1]; {
	case len(last.values) < cap(last.values):
		last.values = append(last.values, value)
	case len(last.values) < longestRun:
		last.values = append(append(make([]float64, 0, max(shortestRun, 2*len(last.values))), last.values...), value)
	default:
		return append(runs, run{row: row, values: append(make([]float64, 0, longestRun), value)})
	}
	return runs
}
