package series

import (
	"sort"
	"time"
)

// Around returns the last reading at or before a moment and the first at or after it; both are the same where it was
// read just then. ok is false where the moment lies outside of all readings.
func (s Series) Around(t time.Time) (before, after Point, ok bool) {
	from, to, ok := s.rowsAround(stamp(t))
	if !ok {
		return Point{}, Point{}, false
	}
	return s.point(from), s.point(to), true
}

// rowsAround returns those of these two readings.
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

// Coarse returns how far apart readings may lie to tell what was at a moment between them, in a stretch of some length.
func Coarse(length time.Duration) time.Duration { return max(3*time.Second, length/10) }

// Between returns what a counter grew by from one moment to another, taken to have gone evenly from each reading to the
// next. It is missing where either moment lies outside of all readings or between two that are further apart than
// coarse, and where the counter was reset on the way.
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

// Grew returns what a counter grew by from its first reading to its last, what resets took aside.
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

// Advanced returns how much further its last reading is than its first, whatever lies between them. That is for
// positions, which go on where they were when a server is started anew or another takes its place; counters begin
// again.
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
