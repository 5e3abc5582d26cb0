package anatomy

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"time"
)

const (
	// share bounds the cost of reading the WAL, as a part of one core since the last look.
	share = 0.005
	// lookEvery bounds how often a window is taken under load: each look costs a little, whatever its size.
	lookEvery = 500 * time.Millisecond
	// longestPause bounds the time that one look may use up.
	longestPause = 10 * time.Second

	// small windows are read at any cost, a fraction of a millisecond, so a quiet server's WAL is read completely.
	small = 64 << 10
	// largest bounds a window, however much time there is.
	largest = 32 << 20
	// assumedSpeed, in bytes per second, is low, so that the first windows are small.
	assumedSpeed = 200e6
	// chunk is the size of one read when looking back: some milliseconds of work.
	chunk = 4 << 20
	// margin is left at the end of the WAL, because a window's end moves on to a record.
	margin = 1 << 20
)

// span is a range of the WAL, [first, last), in bytes since its beginning.
type span struct{ first, last uint64 }

func (s span) size() uint64 { return s.last - s.first }

// place is the intended range of a window. An end moves on to the beginning of a record,
// unless it is known to be one.
type place struct {
	span
	firstKnown, lastKnown bool
}

func (p place) arguments() []any {
	return []any{position(p.first), position(p.last), p.firstKnown, p.lastKnown}
}

// window is a range of the WAL with its kinds of records.
type window struct {
	span  span
	kinds []kind
}

type kind struct {
	name                   string // Heap/INSERT
	records, bytes, images float64
}

// position returns a WAL position as PostgreSQL writes it.
func position(bytes uint64) string { return fmt.Sprintf("%X/%X", bytes>>32, uint32(bytes)) }

// course records which part of the WAL has been read. Its positions are beginnings of records.
type course struct {
	from    uint64 // begin of the next look back
	at      uint64 // WAL before it has been read, or never will be
	passed  uint64 // WAL before it is counted as passed: at, or further on if no record's beginning was known
	windows []span // covered since from, ascending
	looked  time.Time
	speed   float64 // of reading, in bytes per second
}

// next returns the part of the new WAL up to end to read: all of it, or a window at a random place, as large as the
// time since the last look allows. It returns false if there is nothing new, or if the last look was just now.
func (c *course) next(end uint64, now time.Time) (place, bool) {
	if end < c.at { // the server was restored
		c.passed = end
		c.begin(end)
	}
	fresh := span{c.at, end}
	since := min(now.Sub(c.looked), longestPause)
	may := min(max(uint64(c.speed*share*since.Seconds()), small), largest)
	switch {
	case fresh.size() == 0:
		return place{}, false
	case fresh.size() <= small:
		return place{fresh, true, true}, true
	case since < lookEvery:
		return place{}, false
	case fresh.size() <= may+margin:
		return place{fresh, true, true}, true
	}
	first := fresh.first + rand.Uint64N(fresh.size()-may-margin) //nolint:gosec // a place, not a secret
	return place{span{first, first + may}, false, false}, true
}

// advance moves to end and returns the bytes newly passed.
func (c *course) advance(end uint64, now time.Time) uint64 {
	c.at, c.looked = end, now
	return c.pass(end)
}

// pass counts the WAL before end as passed, and returns the bytes newly counted.
func (c *course) pass(end uint64) uint64 {
	passed := max(end, c.passed) - c.passed
	c.passed += passed
	return passed
}

// covered records a window and the time that reading it took.
func (c *course) covered(w window, took time.Duration) {
	c.windows = append(c.windows, w.span)
	if w.span.size() >= small && took > 0 {
		c.speed += 0.3 * (float64(w.span.size())/took.Seconds() - c.speed)
	}
}

// rest returns the WAL up to end that no window has covered, in chunks. Any number of them from the front is spread
// evenly: each is about a golden section after the last.
func (c *course) rest(end uint64) []place {
	var chunks []place
	first := c.from
	for _, w := range append(slices.Clone(c.windows), span{end, end}) {
		if first < w.first {
			chunks = append(chunks, chunksOf(place{span{first, w.first}, true, true}, chunk)...)
		}
		first = w.last
	}
	return evenly(chunks)
}

func chunksOf(p place, size uint64) (chunks []place) {
	for at := p.first; at < p.last; {
		last := at + size
		if last+margin > p.last {
			last = p.last
		}
		chunks = append(chunks, place{span{at, last}, at == p.first && p.firstKnown, last == p.last && p.lastKnown})
		at = last
	}
	return chunks
}

func evenly(chunks []place) []place {
	const goldenSection = 0.6180339887498949
	n := len(chunks)
	step := max(1, int(float64(n)*goldenSection))
	for gcd(step, n) > 1 {
		step++
	}
	ordered := make([]place, n)
	for i, at := 0, 0; i < n; i, at = i+1, (at+step)%n {
		ordered[i] = chunks[at]
	}
	return ordered
}

func gcd(a, b int) int {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

// begin starts a new course at the end.
func (c *course) begin(end uint64) { c.from, c.at, c.windows = end, end, nil }
