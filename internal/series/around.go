package series

import (
	"sort"
	"time"
)

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
