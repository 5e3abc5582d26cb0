package series

import (
	"sort"
	"time"
)

// Around are the last reading at or before a moment and the first at or after it; both are the same where it was read just
// then. ok is false where the moment lies outside of all readings.
func (s Series) Around(t time.Time) (before, after Point, ok bool) {
	i, j, found := s.lastBefore(stamp(t) + 1)
	if !found {
		return Point{}, Point{}, false
	}
	before = s.point(i, j)
	if before.At.Equal(t) {
		return before, before, true
	}
	row := s.runs[i].row + j + 1
	k := sort.Search(len(s.runs), func(k int) bool { return s.runs[k].row+s.runs[k].n > row })
	if k == len(s.runs) {
		return before, Point{}, false
	}
	return before, s.point(k, max(0, row-s.runs[k].row)), true
}

// Between is what a counter grew by from one moment to another, taken to have gone evenly from each reading to the next. It
// is missing where either moment lies outside of all readings or between two that are further apart than coarse, and where
// the counter was reset on the way.
func (s Series) Between(from, to time.Time, coarse time.Duration) (float64, error) {
	var values [2]float64
	var ends [2]time.Time
	for i, t := range []time.Time{from, to} {
		before, after, ok := s.Around(t)
		if !ok || after.At.Sub(before.At) > coarse {
			return 0, &Missing{Reason: NeverRead, Detail: "nothing was read near " + clockTime(t)}
		}
		values[i], ends[i] = before.Value, before.At
		if i == 1 {
			ends[i] = after.At
		}
		if length := after.At.Sub(before.At); length > 0 {
			values[i] += (after.Value - before.Value) * float64(t.Sub(before.At)) / float64(length)
		}
	}
	if missing := s.reset(stamp(ends[0]), stamp(ends[1])); missing != nil {
		return 0, missing
	}
	return values[1] - values[0], nil
}

// Grew is what a counter grew by from its first reading to its last, what resets took aside, and at how many readings it had
// grown.
func (s Series) Grew() (c Change, moves int) {
	for change, err := range s.Changes(earliest, latest) {
		if c.From.IsZero() {
			c.From = change.From
		}
		c.To = change.To
		if err == nil && change.Amount > 0 {
			c.Amount += change.Amount
			moves++
		}
	}
	return c, moves
}
