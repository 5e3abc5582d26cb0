// Package lag finds how much later than the loads a counter moves, whatever it counts: each load has a rate of its own,
// and the lag is the one at which rates change when loads do. So the search favours no quantity.
package lag

import (
	"math"
	"slices"
	"sync"
	"time"
)

// The longest lag in seconds, the step of the search, and the time around the begin and end of each load that is used.
const (
	mostLag, lagStep = 8.0, 0.25
	leastLag         = 0.75
	edge             = 3.0
)

// Criteria for a lag: how much better the loads must explain the counter with it, in squares, and in how many loads the
// counter must move. A single load fits some lag too easily.
const (
	muchBetter  = 0.65
	wellEnough  = 0.35
	fewestLoads = 2
)

// Stay is one repetition of a load, in seconds since some moment.
type Stay struct {
	Load     int     // index
	From, To float64 // of the load
	End      float64 // of the repetition
}

// Course holds the rates of a counter between readings, with their times in seconds since the same moment.
type Course struct{ from, to, rates []float64 }

// Add adds the rate between two readings.
func (c *Course) Add(from, to, rate float64) {
	c.from, c.to, c.rates = append(c.from, from), append(c.to, to), append(c.rates, rate)
}

// Loads holds the repetitions of all loads, to compare counters with.
type Loads struct {
	stays []Stay
	loads int

	mu      sync.Mutex
	layouts []*layout // few: all counters of a probe are read at the same times
}

// NewLoads returns loads with the given stays, which must be in order.
func NewLoads(stays []Stay) *Loads {
	l := &Loads{stays: stays}
	for _, s := range stays {
		l.loads = max(l.loads, s.Load+1)
	}
	return l
}

// Lag returns how much later than the loads the counter moves; 0 if with them, or unknown.
func (l *Loads) Lag(c *Course) time.Duration {
	if l.movedIn(c) < fewestLoads {
		return 0
	}
	f, known := newFit(c, l.columns()), l.layout(c)
	at, least, without := 0.0, math.Inf(1), 0.0
	for i, design := range known.designs {
		left := f.unexplained(design)
		if i == 0 {
			without = left
		}
		if left < least {
			at, least = float64(i)*lagStep, left
		}
	}
	if at < leastLag || least > muchBetter*without || least > wellEnough {
		return 0
	}
	for lag := at - lagStep; lag < at+lagStep; lag += lagStep / 5 {
		if left := f.unexplained(l.design(c, lag, known.designs[0])); left < least {
			at, least = lag, left
		}
	}
	return time.Duration(at * float64(time.Second)).Round(10 * time.Millisecond)
}

// columns returns the columns of a fit: two per load, for its own rate and its closing checkpoint, and one without
// load.
func (l *Loads) columns() int { return 2*l.loads + 1 }

// movedIn returns the number of loads in which the counter moved.
func (l *Loads) movedIn(c *Course) int {
	moved := map[int]bool{}
	next := 0
	for i, rate := range c.rates {
		for next < len(l.stays) && l.stays[next].End < c.to[i] {
			next++
		}
		if rate > 0 && next < len(l.stays) && l.stays[next].From <= c.from[i] {
			moved[l.stays[next].Load] = true
		}
	}
	return len(moved)
}

// mostLayouts bounds the cached layouts. A run has few probes, and an hour of loads takes a megabyte for each.
const mostLayouts = 8

// layout holds the designs of all lags, for counters read at these times.
type layout struct {
	from, to []float64
	designs  []design // for 0, lagStep, and so on up to mostLag
}

// layout returns the layout for the times of a course, cached for all counters read at them.
func (l *Loads) layout(c *Course) *layout {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, known := range l.layouts {
		if slices.Equal(known.from, c.from) && slices.Equal(known.to, c.to) {
			return known
		}
	}
	made := &layout{from: c.from, to: c.to}
	for lag := 0.0; lag <= mostLag; lag += lagStep {
		var like design
		if n := len(made.designs); n > 0 {
			like = made.designs[n-1]
		}
		made.designs = append(made.designs, l.design(c, lag, like))
	}
	if len(l.layouts) < mostLayouts {
		l.layouts = append(l.layouts, made)
	}
	return made
}

// design says how much of each reading near the begin or the end of a load falls into which load, at one lag.
type design struct {
	rows   []row
	parts  []part
	beside [][]int // by column: the overlapping columns, itself included, in order
}

// row is one reading of a course, with the range of its parts in the design.
type row struct{ reading, from, to int32 }

// part is the share of a reading that falls into a column.
type part struct {
	column int
	of     float64
}

// design returns the design at a lag; like is that at another, and about as large.
func (l *Loads) design(c *Course, lag float64, like design) design {
	d := design{make([]row, 0, len(like.rows)), make([]part, 0, len(like.parts)), make([][]int, l.columns())}
	next := 0
	for i := range c.rates {
		from, to := c.from[i], c.to[i]
		for next < len(l.stays) && l.stays[next].End+lag+edge < from {
			next++
		}
		near, begin, rest := false, len(d.parts), 1.0
		for q := next; q < len(l.stays) && l.stays[q].From-edge < to; q++ {
			s := l.stays[q]
			own := common(from, to, s.From+lag, s.To+lag) / (to - from)
			closing := common(from, to, s.To+lag, s.End+lag) / (to - from)
			d.add(begin, s.Load, own)
			d.add(begin, l.loads+s.Load, closing)
			rest -= own + closing
			near = near || to > s.From-edge && from < s.From+mostLag+edge || to > s.To-edge && from < s.End+mostLag+edge
		}
		if !near {
			d.parts = d.parts[:begin]
			continue
		}
		d.add(begin, l.columns()-1, rest)
		d.rows = append(d.rows, row{int32(i), int32(begin), int32(len(d.parts))})
		for _, p := range d.parts[begin:] {
			for _, q := range d.parts[begin:] {
				if at, known := slices.BinarySearch(d.beside[p.column], q.column); !known {
					d.beside[p.column] = slices.Insert(d.beside[p.column], at, q.column)
				}
			}
		}
	}
	return d
}

// add adds to a column of the row whose parts start at begin: two or three of dozens.
func (d *design) add(begin, column int, of float64) {
	if of == 0 {
		return
	}
	for i := begin; i < len(d.parts); i++ {
		if d.parts[i].column == column {
			d.parts[i].of += of
			return
		}
	}
	d.parts = append(d.parts, part{column, of})
}

// common returns the length of the intersection of two stretches.
func common(from, to, otherFrom, otherTo float64) float64 {
	return max(min(to, otherTo)-max(from, otherFrom), 0)
}

// fit is a least-squares fit of rates to columns of which few overlap.
type fit struct {
	rates, weights    []float64
	n                 int // columns
	gram, moments, of []float64
}

func newFit(c *Course, n int) *fit {
	f := &fit{rates: c.rates, n: n, gram: make([]float64, n*n), moments: make([]float64, n), of: make([]float64, n)}
	for i := range c.rates {
		f.weights = append(f.weights, c.weight(i))
	}
	return f
}

// unexplained returns the share of the variation around the edges of loads that remains when each load has its own
// rate, at a lag.
func (f *fit) unexplained(d design) float64 {
	clear(f.gram)
	clear(f.moments)
	clear(f.of)
	square := 0.0
	for _, r := range d.rows {
		weight, rate := f.weights[r.reading], f.rates[r.reading]
		if weight == 0 { // nothing moves here, so it would add nothing
			continue
		}
		square += weight * rate * rate
		parts := d.parts[r.from:r.to]
		for _, p := range parts {
			weighted := weight * p.of
			f.moments[p.column] += weighted * rate
			beside := f.gram[p.column*f.n : (p.column+1)*f.n]
			for _, q := range parts {
				beside[q.column] += weighted * q.of
			}
		}
	}
	return f.leftOver(square, d.beside) / square
}

// weight weights a difference by the counter's activity around it.
func (c *Course) weight(i int) float64 {
	most := 0.0
	for q := max(0, i-2); q < min(len(c.rates), i+3); q++ {
		most = max(most, c.rates[q])
	}
	if most == 0 {
		return 0
	}
	return 1 / (most * most)
}

// leftOver returns the share of the sum of squares that the fit leaves.
func (f *fit) leftOver(square float64, beside [][]int) float64 {
	for range 50 { // Gauss-Seidel: the columns hardly overlap
		moved := false
		for p, columns := range beside {
			row := f.gram[p*f.n : (p+1)*f.n]
			if row[p] == 0 {
				continue
			}
			sum := f.moments[p]
			for _, q := range columns {
				if q != p {
					sum -= row[q] * f.of[q]
				}
			}
			better := max(0, sum/row[p])
			moved = moved || better != f.of[p]
			f.of[p] = better
		}
		if !moved {
			break
		}
	}
	left := square
	for p, columns := range beside {
		left -= 2 * f.of[p] * f.moments[p]
		for _, q := range columns {
			left += f.of[p] * f.of[q] * f.gram[p*f.n+q]
		}
	}
	return max(0, left)
}
