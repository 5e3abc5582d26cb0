package series

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"time"
)

// Readings is what one probe read: rows of values, each at its moment, and gaps. Times are held once for all metrics,
// and a metric that is not in a row takes no room in it.
type Readings struct {
	at      []int64
	columns map[string][]run
	gaps    map[string][]Gap // by metric; those of the whole probe under ""

	unordered bool          // a row came after a later one
	steppedBy time.Duration // the furthest that a row lay before the one it followed
}

// NewReadings makes an empty one.
func NewReadings() *Readings {
	return &Readings{columns: map[string][]run{}, gaps: map[string][]Gap{}}
}

// Add takes in what was read at a moment. What is not a number was not read.
func (r *Readings) Add(at time.Time, values map[string]float64) {
	row, now := len(r.at), stamp(at)
	if row > 0 && now < r.at[row-1] {
		r.unordered = true
		r.steppedBy = max(r.steppedBy, moment(r.at[row-1]).Sub(at))
	}
	r.at = append(r.at, now)
	for metric, value := range values {
		if !math.IsNaN(value) && !math.IsInf(value, 0) {
			r.columns[metric] = extend(r.columns[metric], row, value)
		}
	}
}

// AddGap takes in a gap of one metric, or of all when metric is empty.
func (r *Readings) AddGap(metric string, gap Gap) {
	gaps := r.gaps[metric]
	if n := len(gaps); n > 0 && gap.At.Before(gaps[n-1].At) {
		r.unordered = true
	}
	r.gaps[metric] = append(gaps, gap)
}

// SteppedBack is the furthest that the time of a reading lay before that of the reading it came after: more than
// nothing means that somebody set the clock.
func (r *Readings) SteppedBack() time.Duration { return r.steppedBy }

// Metrics lists what was read at least once, by name.
func (r *Readings) Metrics() []string { return slices.Sorted(maps.Keys(r.columns)) }

// Series is what one metric read. It stays as it is when more is added later.
func (r *Readings) Series(metric string) Series {
	r.order()
	s := Series{at: slices.Clip(r.at), runs: slices.Clone(r.columns[metric]), probeGaps: slices.Clip(r.gaps[""])}
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
	for metric, runs := range r.columns {
		r.columns[metric] = moved(runs, place)
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

// extend adds the value of a row after all others of a column.
func extend(runs []run, row int, value float64) []run {
	if n := len(runs); n > 0 && runs[n-1].row+len(runs[n-1].values) == row {
		runs[n-1].values = append(runs[n-1].values, value)
		return runs
	}
	return append(runs, run{row: row, values: []float64{value}})
}
