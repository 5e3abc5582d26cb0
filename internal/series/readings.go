package series

import (
	"cmp"
	"math"
	"slices"
	"sort"
	"time"
)

// Readings holds one probe's readings: rows of values with their times, and gaps. Times are stored once for all
// metrics, and a metric that is missing from a row takes no space.
type Readings struct {
	at      []int64
	columns map[string]*Column
	gaps    map[string][]Gap // by metric; gaps of the whole probe under ""

	size      int           // of the values in bytes, roughly
	unordered bool          // a row came after a later one
	steppedBy time.Duration // furthest that a row's time was before its predecessor's
}

// NewReadings returns empty readings.
func NewReadings() *Readings {
	return &Readings{columns: map[string]*Column{}, gaps: map[string][]Gap{}}
}

// Column holds the values of one metric. Code that adds many rows should look it up only once.
type Column struct {
	runs   []run
	handed bool // the runs are shared with a series
	shared bool // the last values are shared with a series
}

// Column returns the column of a metric, and makes it if needed.
func (r *Readings) Column(metric string) *Column {
	c := r.columns[metric]
	if c == nil {
		c = &Column{}
		r.columns[metric] = c
	}
	return c
}

// Add adds the values read at a moment, without NaN and infinities.
func (r *Readings) Add(at time.Time, values map[string]float64) {
	row := r.newRow(at)
	for metric, value := range values {
		r.size += r.Column(metric).add(row, value)
	}
}

// AddRow is Add for columns of these readings and their values.
func (r *Readings) AddRow(at time.Time, columns []*Column, values []float64) {
	row := r.newRow(at)
	for i, c := range columns {
		r.size += c.add(row, values[i])
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

// Size estimates the memory of the readings, in bytes.
func (r *Readings) Size() int { return r.size + 8*len(r.at) }

// add adds a value and returns the growth of the column in bytes.
func (c *Column) add(row int, value float64) int {
	if math.IsNaN(value) || math.IsInf(value, 0) {
		return 0
	}
	return c.extend(row, value)
}

// AddGap adds a gap of one metric, or of all if metric is empty.
func (r *Readings) AddGap(metric string, gap Gap) {
	gaps := r.gaps[metric]
	if n := len(gaps); n > 0 {
		last := gaps[n-1]
		r.unordered = r.unordered || gap.At.Before(last.At)
		if gap.Reason == last.Reason && gap.Code == last.Code && gap.Detail == last.Detail {
			last.At = gap.At
			gap = last // share the text: most of a million gaps have the same
		}
	}
	r.gaps[metric] = append(gaps, gap)
}

// SteppedBack returns the largest step back between consecutive readings. A positive step means that the clock was set
// back.
func (r *Readings) SteppedBack() time.Duration { return r.steppedBy }

// Series returns the readings of one metric so far; later additions do not change it.
func (r *Readings) Series(metric string) Series {
	r.order()
	s := Series{at: slices.Clip(r.at), probeGaps: slices.Clip(r.gaps[""])}
	if c := r.columns[metric]; c != nil {
		s.runs, c.handed, c.shared = c.runs, true, true
	}
	if metric != "" {
		s.metricGaps = slices.Clip(r.gaps[metric])
	}
	return s
}

// order sorts rows and gaps by time if they came out of order.
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
	place := make([]int, len(old)) // the inverse
	for i, was := range order {
		r.at[i], place[was] = old[was], i
	}
	for _, c := range r.columns {
		c.move(place)
	}
	r.unordered = false
}

// move moves the value of each row i to row place[i].
func (c *Column) move(place []int) {
	type cell struct {
		row   int
		value float64
	}
	var cells []cell
	var room [longestRun]float64
	for _, r := range c.runs {
		for j, value := range r.first(r.n, room[:]) {
			cells = append(cells, cell{place[r.row+j], value})
		}
	}
	slices.SortFunc(cells, func(a, b cell) int { return cmp.Compare(a.row, b.row) })
	*c = Column{}
	for _, cell := range cells {
		c.extend(cell.row, cell.value)
	}
}

// A run grows by doubling up to the length at which it is packed and the next begins, so that a long column is never
// copied.
const (
	shortestRun = 4
	longestRun  = 1024
)

// runSize is the memory of a run without its values, and markSize that of a mark, in bytes, roughly.
const (
	runSize  = 104
	markSize = 24
)

// extend adds the value of a row after all others, and returns the growth of the column in bytes.
func (c *Column) extend(row int, value float64) (grown int) {
	if c.handed { // a series must not change
		c.runs, c.handed = slices.Clone(c.runs), false
	}
	n := len(c.runs)
	if n == 0 || c.runs[n-1].row+c.runs[n-1].n != row {
		c.runs = append(c.runs, run{row: row, n: 1, values: []float64{value}})
		return runSize + 8
	}
	last := &c.runs[n-1]
	if last.n == longestRun {
		room := last.values[:0]
		if c.shared {
			room = make([]float64, 0, longestRun)
		}
		last.rises, last.last = slices.IsSorted(last.values), last.values[longestRun-1]
		last.packed, last.marks = pack(last.values)
		last.values, c.shared = nil, false
		packed := len(last.packed) + markSize*len(last.marks)
		c.runs = append(c.runs, run{row: row, n: 1, values: append(room, value)})
		return runSize + packed
	}
	if last.n == cap(last.values) {
		last.values = append(make([]float64, 0, max(shortestRun, 2*last.n)), last.values...)
		grown = 8 * (cap(last.values) - last.n)
	}
	last.values = append(last.values, value)
	last.n++
	return grown
}

// Around returns the last reading at or before a moment and the first at or after it, the same one if it is at the
// moment. ok is false if the moment is outside all readings.
func (s Series) Around(t time.Time) (before, after Point, ok bool) {
	from, to, ok := s.rowsAround(stamp(t))
	if !ok {
		return Point{}, Point{}, false
	}
	return s.point(from), s.point(to), true
}

// rowsAround returns the rows of these two readings.
func (s Series) rowsAround(t int64) (before, after int, ok bool) {
	before, found := s.lastBefore(t + 1)
	if !found || s.at[before] == t {
		return before, before, found
	}
	k := sort.Search(len(s.runs), func(k int) bool { return s.runs[k].row+s.runs[k].n > before+1 })
	if k == len(s.runs) {
		return 0, 0, false
	}
	return before, max(before+1, s.runs[k].row), true
}

// Coarse returns the largest distance of readings between which a moment may be interpolated, for a stretch of some
// length.
func Coarse(length time.Duration) time.Duration { return max(3*time.Second, length/10) }

// Between returns a counter's growth between two moments, interpolated between readings. It is missing if either moment
// is outside all readings or between two that are further apart than coarse, or if the counter was reset on the way.
func (s Series) Between(from, to time.Time, coarse time.Duration) (float64, error) {
	moments := [2]time.Time{from, to}
	var before, after [2]int
	for i, t := range moments {
		var ok bool
		before[i], after[i], ok = s.rowsAround(stamp(t))
		if !ok || moment(s.at[after[i]]).Sub(moment(s.at[before[i]])) > coarse {
			return 0, &Missing{Reason: NeverRead, Detail: "nothing was read near " + clockTime(t)}
		}
	}
	if missing := s.resetSaid(s.at[before[0]], s.at[after[1]]); missing != nil {
		return 0, missing
	}
	if err := s.fall(before[0], after[1]+1); err != nil {
		return 0, err
	}
	var at [2]float64
	for i, t := range moments {
		at[i] = s.value(before[i])
		if length := s.at[after[i]] - s.at[before[i]]; length > 0 {
			at[i] += (s.value(after[i]) - at[i]) * float64(stamp(t)-s.at[before[i]]) / float64(length)
		}
	}
	return at[1] - at[0], nil
}

// Grew returns a counter's growth from its first reading to its last, without what resets hid.
func (s Series) Grew() (c Change) {
	for change, err := range s.Changes(earliest, latest) {
		if c.From.IsZero() {
			c.From = change.From
		}
		c.To = change.To
		if err == nil && change.Amount > 0 {
			c.Amount += change.Amount
		}
	}
	return c
}

// Advanced returns the last reading minus the first, whatever is between. It is for positions, which continue after a
// restart or a failover; counters begin again.
func (s Series) Advanced() (amount float64, read bool) {
	first := 0.0
	for _, values := range s.chunks(0, len(s.at)) {
		if !read {
			first, read = values[0], true
		}
		amount = values[len(values)-1] - first
	}
	return amount, read
}
