// Package sieve keeps of the readings of an observation the last one in each window, and forgets the others as they come, so that an
// observation takes no more room for being long.
package sieve

import (
	"maps"
	"slices"
	"time"

	"github.com/realiops/realiops/internal/runfile"
)

// lengths returns how long the windows of an observation are: five readings, or the shortest of these that is longer
// and comes to no more than [MostWindows]. Each is a multiple of the one before, and from a minute on windows begin where
// the periods of clouds do.
func lengths() []time.Duration {
	return []time.Duration{
		5 * time.Second, 10 * time.Second, 30 * time.Second, time.Minute, 5 * time.Minute, 15 * time.Minute, time.Hour,
	}
}

const (
	// MostWindows bounds those of an observation; a page could not show more side by side.
	MostWindows = 720
	// readingsInWindow is the least number at which counters that arrive a second late stay in their window.
	readingsInWindow = 5
)

// Sieve has the last reading of each probe in each window. The windows lie on a grid of the clock's, whenever an observation
// began or went on.
type Sieve struct {
	Length int64 // of a window, in nanoseconds
	Size   int   // about how many bytes it holds

	rows map[string][]*kept // by probe
}

// kept is a reading with values of its own.
type kept struct {
	at     time.Time
	names  []string
	values []float64
}

// New returns a sieve for a run that is read as often as it says.
func New(run runfile.Run) *Sieve {
	all := lengths()
	s := &Sieve{Length: int64(all[0]), rows: map[string][]*kept{}}
	if interval, err := time.ParseDuration(run.Parameters["interval"]); err == nil {
		s.Length = int64(min(max(all[0], readingsInWindow*interval.Round(time.Second)), all[len(all)-1]))
	}
	return s
}

// OnGrid makes windows a minute long at least, and such that they begin where the periods of clouds do.
func (s *Sieve) OnGrid() {
	s.LengthenTo(time.Minute)
	if !slices.Contains(lengths(), time.Duration(s.Length)) {
		s.LengthenTo(time.Duration(s.Length) + 1)
	}
}

// LengthenTo makes windows at least so long, as far as there are lengths.
func (s *Sieve) LengthenTo(least time.Duration) {
	for _, length := range lengths() {
		if s.Length < int64(least) && s.Length < int64(length) {
			s.lengthen(int64(length))
		}
	}
}

// Window returns the number of the one that a moment lies in, or ends: a reading at a full hour tells of the hour
// before.
func (s *Sieve) Window(at time.Time) int64 { return (at.UnixNano() - 1) / s.Length }

// Take takes a reading.
func (s *Sieve) Take(r runfile.Row) {
	rows := s.rows[r.Probe]
	if n := len(rows); n > 0 && s.Window(rows[n-1].at) == s.Window(r.At) {
		rows[n-1].become(r)
		return
	}
	k := &kept{}
	k.become(r)
	s.Size += k.size(rows)
	s.rows[r.Probe] = append(rows, k)
	if len(s.rows[r.Probe]) > MostWindows {
		s.LengthenTo(time.Duration(s.Length) + 1)
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
func (s *Sieve) lengthen(length int64) {
	s.Length, s.Size = length, 0
	for probe, rows := range s.rows {
		left := rows[:0]
		for _, k := range rows {
			if n := len(left); n > 0 && s.Window(left[n-1].at) == s.Window(k.at) {
				left[n-1] = k
				continue
			}
			left = append(left, k)
		}
		clear(rows[len(left):])
		for i, k := range left {
			s.Size += k.size(left[:i])
		}
		s.rows[probe] = left
	}
}

// Rows goes through what is kept, probe by probe in the order of their names.
func (s *Sieve) Rows(yield func(runfile.Row) bool) {
	for _, probe := range slices.Sorted(maps.Keys(s.rows)) {
		for _, k := range s.rows[probe] {
			if !yield(runfile.Row{At: k.at, Probe: probe, Names: k.names, Values: k.values}) {
				return
			}
		}
	}
}

// Empty reports whether nothing was read.
func (s *Sieve) Empty() bool { return len(s.rows) == 0 }

// Span returns the first window and the last.
func (s *Sieve) Span() (first, last int64, known bool) {
	for _, rows := range s.rows {
		if len(rows) == 0 {
			continue
		}
		one, other := s.Window(rows[0].at), s.Window(rows[len(rows)-1].at)
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
