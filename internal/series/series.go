// Package series answers what a metric said about a stretch of time: a number, or the reason why there is none.
//
// [Readings] collects the readings of one probe, in any order, and returns one [Series] per metric. All stretches are
// half-open, [begin, end): the value at a moment is that of the last reading before it, and consecutive stretches share
// no change.
//
//   - [Series.Before] is the value at a moment.
//   - [Series.Delta] is a cumulative counter's growth in a stretch.
//   - [Series.Changes] is its growth between consecutive readings, for rates over time.
//
// If a gap, a reset or silence of the source is in the way, the answer is a [*Missing], never a number. The package
// knows no clock, file or unit.
package series

import (
	"cmp"
	"iter"
	"math"
	"slices"
	"sort"
	"sync"
	"time"
)

// Point is a value at a moment.
type Point struct {
	At    time.Time
	Value float64
}

// Change is a counter's growth from one reading to another.
type Change struct {
	From, To time.Time
	Amount   float64
}

// Seconds returns the time between the two readings.
func (c Change) Seconds() float64 { return c.To.Sub(c.From).Seconds() }

// Series holds one metric's values over time. Its zero value is a metric that was never read.
type Series struct {
	at         []int64 // of each row of the probe's readings, ascending
	runs       []run
	probeGaps  []Gap // ascending, like the metric's own
	metricGaps []Gap
}

// run holds the values of consecutive rows. A metric that is in every row has consecutive runs, all packed but the
// last.
type run struct {
	row    int // of the first value
	n      int
	values []float64
	packed []byte // instead of values
	marks  []mark // of a packed run
	rises  bool   // of a packed run: no value is below its predecessor
	last   float64
}

// first returns the first n values of the run, unpacked into room if they are packed.
func (r run) first(n int, room []float64) []float64 {
	if r.packed != nil {
		return unpack(room[:0], n, r.packed)
	}
	return r.values[:n]
}

func (r run) value(at int) float64 {
	if r.packed != nil {
		return unpackOne(at, r.packed, r.marks)
	}
	return r.values[at]
}

// rooms pools the buffers into which packed runs are unpacked.
var rooms = sync.Pool{New: func() any { return new([longestRun]float64) }}

// Before returns the last reading before t. It is missing if there is none, or if a gap since then makes the value
// unknown.
func (s Series) Before(t time.Time) (Point, error) {
	row, found := s.lastBefore(stamp(t))
	var since int64 = math.MinInt64
	if found {
		since = s.at[row] + 1
	}
	if gap, blocked := s.lastGap(since, stamp(t)); blocked {
		return Point{}, gap.missing()
	}
	switch {
	case len(s.runs) == 0:
		return Point{}, &Missing{Reason: NeverRead, Detail: "nothing was read"}
	case !found:
		return Point{}, &Missing{Reason: NeverRead, Detail: "nothing was read before " + clockTime(t)}
	}
	return s.point(row), nil
}

// Lacked reports whether the probe read between two moments without this metric, which most of its readings have: then
// the reading before is not the last value.
func (s Series) Lacked(since, until time.Time) bool {
	n, row := 0, sort.Search(len(s.at), func(k int) bool { return s.at[k] > stamp(since) })
	if row == len(s.at) || s.at[row] >= stamp(until) {
		return false
	}
	for _, r := range s.runs {
		n += r.n
	}
	return 2*n > len(s.at)
}

// Delta returns a counter's growth in [begin, end): the difference between the last readings before either. It is
// missing if one of them is, if nothing was read in between, or if the counter was reset on the way.
func (s Series) Delta(begin, end time.Time) (Change, error) {
	from, err := s.Before(begin)
	if err != nil {
		return Change{}, err
	}
	to, err := s.Before(end)
	if err != nil {
		return Change{}, err
	}
	if !to.At.After(from.At) {
		return Change{}, &Missing{Reason: NeverRead, Detail: "nothing was read between " + clockTime(begin) + " and " +
			clockTime(end)}
	}
	if missing := s.reset(stamp(from.At), stamp(to.At)); missing != nil {
		return Change{}, missing
	}
	return Change{From: from.At, To: to.At, Amount: to.Value - from.Value}, nil
}

// Changes yields the changes between consecutive readings in [begin, end), in order of time. A change with a gap or a
// reset in it has an error, with its times but no amount.
func (s Series) Changes(begin, end time.Time) iter.Seq2[Change, error] {
	return func(yield func(Change, error) bool) {
		var last Point
		for row, values := range s.chunks(s.rowAt(stamp(begin)), s.rowAt(stamp(end))) {
			for j, value := range values {
				p := Point{At: moment(s.at[row+j]), Value: value}
				if !last.At.IsZero() && !yield(s.change(last, p)) {
					return
				}
				last = p
			}
		}
	}
}

func (s Series) change(from, to Point) (Change, error) {
	c := Change{From: from.At, To: to.At}
	if len(s.probeGaps)+len(s.metricGaps) > 0 { // most series have none, and many changes
		if gap, blocked := s.lastGap(stamp(from.At)+1, stamp(to.At)); blocked {
			return c, gap.missing()
		}
		if missing := s.resetSaid(stamp(from.At), stamp(to.At)); missing != nil {
			return c, missing
		}
	}
	if to.Value < from.Value {
		return c, fell(from.Value, to)
	}
	c.Amount = to.Value - from.Value
	return c, nil
}

// reset returns an error if the counter was reset after the reading at from and up to the one at to.
func (s Series) reset(from, to int64) error {
	if missing := s.resetSaid(from, to); missing != nil {
		return missing
	}
	return s.fall(s.rowAt(from), s.rowAt(to+1))
}

// fall returns an error if a value of the rows in [row, end) is below its predecessor. For a packed run that rises it
// checks only the ends.
func (s Series) fall(row, end int) error {
	last := math.Inf(-1)
	for _, r := range s.runs[s.runAt(row):] {
		if r.row >= end {
			break
		}
		from, to := max(0, row-r.row), min(r.n, end-r.row)
		if r.rises {
			if first := r.value(from); first < last {
				return fell(last, Point{moment(s.at[r.row+from]), first})
			}
			if last = r.last; to < r.n {
				last = r.value(to - 1)
			}
			continue
		}
		room := rooms.Get().(*[longestRun]float64) //nolint:forcetypeassert // nothing else is put there
		for j, value := range r.first(to, room[:])[from:] {
			if value < last {
				return fell(last, Point{moment(s.at[r.row+from+j]), value})
			}
			last = value
		}
		rooms.Put(room)
	}
	return nil
}

// runAt returns the first run with a value at or after a row.
func (s Series) runAt(row int) int {
	return sort.Search(len(s.runs), func(k int) bool { return s.runs[k].row+s.runs[k].n > row })
}

func (s Series) resetSaid(from, to int64) error {
	for _, gaps := range [][]Gap{s.probeGaps, s.metricGaps} {
		for _, g := range between(gaps, from+1, to+1) {
			if g.Reason == Reset {
				return g.missing()
			}
		}
	}
	return nil
}

// rowAt returns the first row that is not before t.
func (s Series) rowAt(t int64) int {
	return sort.Search(len(s.at), func(k int) bool { return s.at[k] >= t })
}

// chunks yields the values of the rows in [row, end), in order, as contiguous chunks with the row of the first. A chunk
// is valid until the next one.
func (s Series) chunks(row, end int) iter.Seq2[int, []float64] {
	first := s.runAt(row)
	return func(yield func(int, []float64) bool) {
		room := rooms.Get().(*[longestRun]float64) //nolint:forcetypeassert // nothing else is put there
		defer rooms.Put(room)
		for _, r := range s.runs[first:] {
			if max(row, r.row) >= end {
				return
			}
			from, to := max(0, row-r.row), min(r.n, end-r.row)
			if !yield(r.row+from, r.first(to, room[:])[from:]) {
				return
			}
		}
	}
}

func (s Series) lastBefore(t int64) (row int, found bool) {
	row = s.rowAt(t)
	i := sort.Search(len(s.runs), func(k int) bool { return s.runs[k].row >= row }) - 1
	if i < 0 {
		return 0, false
	}
	return min(row, s.runs[i].row+s.runs[i].n) - 1, true
}

func (s Series) point(row int) Point { return Point{At: moment(s.at[row]), Value: s.value(row)} }

func (s Series) value(row int) float64 {
	r := s.runs[s.runAt(row)]
	return r.value(row - r.row)
}

// lastGap returns the last gap in [from, to) that makes the value unknown. A reset does not: a reading comes with it.
func (s Series) lastGap(from, to int64) (last Gap, found bool) {
	for _, gaps := range [][]Gap{s.probeGaps, s.metricGaps} {
		inside := between(gaps, from, to)
		for i := len(inside) - 1; i >= 0; i-- {
			if g := inside[i]; g.Reason != Reset {
				if !found || g.At.After(last.At) {
					last, found = g, true
				}
				break
			}
		}
	}
	return last, found
}

func between(gaps []Gap, from, to int64) []Gap {
	byTime := func(g Gap, t int64) int { return cmp.Compare(stamp(g.At), t) }
	first, _ := slices.BinarySearchFunc(gaps, from, byTime)
	last, _ := slices.BinarySearchFunc(gaps, to, byTime)
	return gaps[first:max(first, last)]
}

// Times are stored as nanoseconds since 1970. Times out of range, a few hundred years away, are clamped, which keeps
// their order.
var (
	earliest = time.Unix(0, math.MinInt64)
	latest   = time.Unix(0, math.MaxInt64)
)

func stamp(t time.Time) int64 {
	switch {
	case t.Before(earliest):
		return math.MinInt64
	case t.After(latest):
		return math.MaxInt64
	}
	return t.UnixNano()
}

func moment(stamp int64) time.Time { return time.Unix(0, stamp).UTC() }

// Earlier returns the earlier of two moments.
func Earlier(a, b time.Time) time.Time {
	if b.Before(a) {
		return b
	}
	return a
}

// Later returns the later of two moments.
func Later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}

// Sources with periods begin them at whole multiples of the period since 1970, in UTC.

// PeriodDown returns the last period boundary not after a moment.
func PeriodDown(t time.Time, period time.Duration) time.Time {
	return time.Unix(0, t.UnixNano()).Add(-IntoPeriod(t, period)).UTC()
}

// PeriodUp returns the first period boundary not before a moment.
func PeriodUp(t time.Time, period time.Duration) time.Time {
	return PeriodDown(t.Add(period-1), period)
}

// IntoPeriod returns the time since the begin of a moment's period.
func IntoPeriod(t time.Time, period time.Duration) time.Duration {
	return time.Duration(t.UnixNano() % int64(period))
}
