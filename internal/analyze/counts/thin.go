package counts

import (
	"slices"
	"time"

	"github.com/realiops/realiops/internal/runfile"
)

// lengths returns how long the windows of an observation are: five readings, or the shortest of these that is longer
// and comes to no more than mostWindows. Each is a multiple of the one before, and from a minute on windows begin where
// the periods of clouds do.
func lengths() []time.Duration {
	return []time.Duration{
		5 * time.Second, 10 * time.Second, 30 * time.Second, time.Minute, 5 * time.Minute, 15 * time.Minute, time.Hour,
	}
}

const (
	mostWindows = 720
	// readingsInWindow is the least number at which counters that arrive a second late stay in their window.
	readingsInWindow = 5
)

// thin keeps of each probe the last reading in each window, and forgets the others as they come, so that an observation
// takes no more room for being long. The windows lie on a grid of the clock's, whenever an observation began or went
// on.
type thin struct {
	length int64              // of a window, in nanoseconds
	rows   map[string][]*kept // by probe
	size   int                // about how many bytes that is
}

// kept is a reading with values of its own.
type kept struct {
	at     time.Time
	names  []string
	values []float64
}

func newThin(run runfile.Run) *thin {
	all := lengths()
	t := &thin{length: int64(all[0]), rows: map[string][]*kept{}}
	if interval, err := time.ParseDuration(run.Parameters["interval"]); err == nil {
		t.length = int64(min(max(all[0], readingsInWindow*interval.Round(time.Second)), all[len(all)-1]))
	}
	return t
}

// onGrid makes windows a minute long at least, and such that they begin where the periods of clouds do.
func (t *thin) onGrid() {
	t.lengthenTo(time.Minute)
	if !slices.Contains(lengths(), time.Duration(t.length)) {
		t.lengthenTo(time.Duration(t.length) + 1)
	}
}

// lengthenTo makes windows at least so long, as far as there are lengths.
func (t *thin) lengthenTo(least time.Duration) {
	for _, length := range lengths() {
		if t.length < int64(least) && t.length < int64(length) {
			t.lengthen(int64(length))
		}
	}
}

// window returns the number of the one that a moment lies in, or ends: a reading at a full hour tells of the hour
// before.
func (t *thin) window(at time.Time) int64 { return (at.UnixNano() - 1) / t.length }

func (t *thin) take(r runfile.Row) {
	rows := t.rows[r.Probe]
	if n := len(rows); n > 0 && t.window(rows[n-1].at) == t.window(r.At) {
		rows[n-1].become(r)
		return
	}
	k := &kept{}
	k.become(r)
	t.size += k.size(rows)
	t.rows[r.Probe] = append(rows, k)
	if len(t.rows[r.Probe]) > mostWindows {
		t.lengthenTo(time.Duration(t.length) + 1)
	}
}

func (k *kept) become(r runfile.Row) {
	k.at, k.names, k.values = r.At, r.Names, append(k.values[:0], r.Values...)
}

// size returns about how much memory a row takes after others; names are shared with those that have the same.
func (k *kept) size(after []*kept) int {
	const row, value, name = 80, 8, 64
	size := row + value*len(k.values)
	if n := len(after); n == 0 || len(k.names) == 0 || len(after[n-1].names) == 0 ||
		&after[n-1].names[0] != &k.names[0] {
		size += name * len(k.names)
	}
	return size
}

// lengthen makes one window of several.
func (t *thin) lengthen(length int64) {
	t.length, t.size = length, 0
	for probe, rows := range t.rows {
		left := rows[:0]
		for _, k := range rows {
			if n := len(left); n > 0 && t.window(left[n-1].at) == t.window(k.at) {
				left[n-1] = k
				continue
			}
			left = append(left, k)
		}
		clear(rows[len(left):])
		for i, k := range left {
			t.size += k.size(left[:i])
		}
		t.rows[probe] = left
	}
}

// span returns the first window and the last.
func (t *thin) span() (first, last int64, known bool) {
	for _, rows := range t.rows {
		if len(rows) == 0 {
			continue
		}
		one, other := t.window(rows[0].at), t.window(rows[len(rows)-1].at)
		if !known || one < first {
			first = one
		}
		if !known || other > last {
			last = other
		}
		known = true
	}
	return first, last, known
}
