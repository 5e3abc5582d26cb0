// Package sieve keeps only the last reading of each metric in each window of an observation, so that memory does not
// grow with its length.
package sieve

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"github.com/realiops/realiops/internal/runfile"
)

// lengths returns the possible lengths of windows. A window holds five readings, and there are no more than
// [MostWindows]. Each length is a multiple of the one before, and from a minute on windows begin with the periods of
// clouds.
func lengths() []time.Duration {
	return []time.Duration{
		5 * time.Second, 10 * time.Second, 30 * time.Second, time.Minute, 5 * time.Minute, 15 * time.Minute, time.Hour,
	}
}

const (
	// MostWindows is the largest number of windows of an observation; a page could not show more side by side.
	MostWindows = 720
	// readingsInWindow is the least number at which counters that arrive a second late stay in their window.
	readingsInWindow = 5
)

// Sieve holds the last reading of each probe in each window, and earlier ones with metrics that it lacks. Windows
// are aligned to the clock, whenever an observation began or went on.
type Sieve struct {
	Length int64 // of a window, in nanoseconds
	Size   int   // bytes, roughly

	rows map[string][]*kept // by probe
}

// kept is a reading with its own copy of the values.
type kept struct {
	at     time.Time
	names  []string
	values []float64
}

// New returns a sieve for the reading interval of run.
func New(run runfile.Run) *Sieve {
	all := lengths()
	s := &Sieve{Length: int64(all[0]), rows: map[string][]*kept{}}
	if interval, err := time.ParseDuration(run.Parameters["interval"]); err == nil {
		s.Length = int64(min(max(all[0], readingsInWindow*interval.Round(time.Second)), all[len(all)-1]))
	}
	return s
}

// OnGrid lengthens windows to at least a minute, and to a length that fits the periods of clouds.
func (s *Sieve) OnGrid() {
	s.LengthenTo(time.Minute)
	if !slices.Contains(lengths(), time.Duration(s.Length)) {
		s.LengthenTo(time.Duration(s.Length) + 1)
	}
}

// LengthenTo lengthens windows to at least the given length, if there is one.
func (s *Sieve) LengthenTo(least time.Duration) {
	for _, length := range lengths() {
		if s.Length < int64(least) && s.Length < int64(length) {
			s.lengthen(int64(length))
		}
	}
}

// Window returns the number of the window that contains or ends with a moment: a reading at a full hour belongs to the
// hour before.
func (s *Sieve) Window(at time.Time) int64 { return (at.UnixNano() - 1) / s.Length }

// Take adds a reading.
func (s *Sieve) Take(r runfile.Row) {
	rows := s.rows[r.Probe]
	n := len(rows)
	begins := n == 0 || s.Window(rows[n-1].at) != s.Window(r.At) // a window
	if !begins && slices.Equal(rows[n-1].names, r.Names) {
		rows[n-1].become(r)
		return
	}
	k := &kept{}
	k.become(r)
	for ; n > 0 && s.Window(rows[n-1].at) == s.Window(r.At); n-- {
		s.Size -= rows[n-1].size(rows[:n-1])
	}
	rows = s.add(rows, k)
	for i := n; i < len(rows); i++ {
		s.Size += rows[i].size(rows[:i])
	}
	s.rows[r.Probe] = rows
	if begins && s.windows(rows) > MostWindows {
		s.LengthenTo(time.Duration(s.Length) + 1)
	}
}

// add adds a row after others. It drops those in its window that have none of their metrics alone.
func (s *Sieve) add(rows []*kept, k *kept) []*kept {
	n := len(rows)
	for n > 0 && s.Window(rows[n-1].at) == s.Window(k.at) {
		n--
	}
	before := slices.DeleteFunc(rows[n:], func(other *kept) bool { return within(other.names, k.names) })
	return append(rows[:n+len(before)], k)
}

// within reports whether names are among all, in the same order.
func within(names, all []string) bool {
	for _, name := range all {
		if len(names) > 0 && names[0] == name {
			names = names[1:]
		}
	}
	return len(names) == 0
}

// windows returns in how many windows rows are.
func (s *Sieve) windows(rows []*kept) (n int) {
	for i, k := range rows {
		if i == 0 || s.Window(rows[i-1].at) != s.Window(k.at) {
			n++
		}
	}
	return n
}

// Back returns how far a reading is before the last one that was kept of its probe, and reports whether most of its
// values are lower, too. A clock that is set back lowers no counter, so such a reading was moved within its file.
func (s *Sieve) Back(r runfile.Row) (by time.Duration, moved bool) {
	rows := s.rows[r.Probe]
	if len(rows) == 0 || !r.At.Before(rows[len(rows)-1].at) {
		return 0, false
	}
	last := rows[len(rows)-1]
	balance := 0
	for i, name := range r.Names {
		if k := slices.Index(last.names, name); k >= 0 {
			balance += cmp.Compare(r.Values[i], last.values[k])
		}
	}
	return last.at.Sub(r.At), balance < 0
}

func (k *kept) become(r runfile.Row) {
	k.at, k.names, k.values = r.At, r.Names, append(k.values[:0], r.Values...)
}

// size estimates the memory of a row, in bytes, when added after others. Equal names are shared.
func (k *kept) size(after []*kept) int {
	const row, value, name = 80, 8, 64
	size := row + value*len(k.values)
	if n := len(after); n == 0 || len(k.names) == 0 || len(after[n-1].names) == 0 ||
		&after[n-1].names[0] != &k.names[0] {
		size += name * len(k.names)
	}
	return size
}

// lengthen merges windows to the given length.
func (s *Sieve) lengthen(length int64) {
	s.Length, s.Size = length, 0
	for probe, rows := range s.rows {
		left := rows[:0]
		for _, k := range rows {
			left = s.add(left, k)
		}
		clear(rows[len(left):])
		for i, k := range left {
			s.Size += k.size(left[:i])
		}
		s.rows[probe] = left
	}
}

// Rows yields the kept readings by probe, in order of their names.
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

// Span returns the numbers of the first window and the last.
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
