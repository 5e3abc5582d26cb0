// Package lag finds by how much later than the loads a counter moves. Nothing is asked of what it counts: each load has
// a rate of its own, whatever that is, and the lag is the one at which rates change when loads do. So a search for it
// favours no quantity.
package lag

import (
	"math"
	"slices"
	"time"
)

// Lags are looked for up to so many seconds, this far apart, around the begin and end of each load.
const (
	mostLag, lagStep = 8.0, 0.25
	leastLag         = 0.75
	edge             = 3.0
)

// What it takes to believe in a lag: how much better the loads explain when the counter moves with it, as squares, and
// loads that it moves in, since the times of one load fit some lag too easily.
const (
	muchBetter  = 0.65
	wellEnough  = 0.35
	fewestLoads = 2
)

// Stay is one go of a load, in seconds since some moment.
type Stay struct {
	Load     int     // which one
	From, To float64 // of the load
	End      float64 // of the repetition
}

// Course is the rate of a counter between each two readings, whose times are in seconds since the same moment.
type Course struct{ from, to, rates []float64 }

// Add adds what it did between two readings.
func (c *Course) Add(from, to, rate float64) {
	c.from, c.to, c.rates = append(c.from, from), append(c.to, to), append(c.rates, rate)
}

// Lag returns by how much later than the loads, whose stays are in order, the counter moves; 0: with them, or nobody
// can tell.
func (c *Course) Lag(stays []Stay) time.Duration {
	course := newCourse(c, stays)
	if course.movedIn() < fewestLoads {
		return 0
	}
	at, least, without := 0.0, math.Inf(1), 0.0
	for l := 0.0; l <= mostLag; l += lagStep {
		left := course.unexplained(l)
		if l == 0 {
			without = left
		}
		if left < least {
			at, least = l, left
		}
	}
	if at < leastLag || least > muchBetter*without || least > wellEnough {
		return 0
	}
	for l := at - lagStep; l < at+lagStep; l += lagStep / 5 {
		if left := course.unexplained(l); left < least {
			at, least = l, left
		}
	}
	return time.Duration(at * float64(time.Second)).Round(10 * time.Millisecond)
}

// course is one beside the loads.
type course struct {
	*Course
	weights []float64 // of the rates
	stays   []Stay
	loads   int

	fit // made once for all lags
}

// fit is a least-squares fit of rates to columns of which few overlap.
type fit struct {
	n                      int // columns
	gram, moments, row, of []float64
	beside                 [][]int // the columns that overlap with each, itself among them, in order
}

func newFit(n int) fit {
	return fit{n, make([]float64, n*n), make([]float64, n), make([]float64, n), make([]float64, n), make([][]int, n)}
}

// reset forgets all rows.
func (f *fit) reset() {
	for p, beside := range f.beside {
		for _, q := range beside {
			f.gram[p*f.n+q] = 0
		}
		f.beside[p] = beside[:0]
	}
	clear(f.moments)
	clear(f.row)
	clear(f.of)
}

// take takes the row, of which filled are the columns that are not zero.
func (f *fit) take(filled []int, weight, rate float64) {
	for _, p := range filled {
		weighted := weight * f.row[p]
		f.moments[p] += weighted * rate
		for _, q := range filled {
			if f.gram[p*f.n+q] == 0 {
				if at, known := slices.BinarySearch(f.beside[p], q); !known {
					f.beside[p] = slices.Insert(f.beside[p], at, q)
				}
			}
			f.gram[p*f.n+q] += weighted * f.row[q]
		}
	}
}

func newCourse(c *Course, stays []Stay) course {
	k := course{Course: c, stays: stays}
	for i := range c.rates {
		k.weights = append(k.weights, c.weight(i))
	}
	for _, s := range stays {
		k.loads = max(k.loads, s.Load+1)
	}
	k.fit = newFit(2*k.loads + 1) // for each load its own rate and that of its closing checkpoint, and one without load
	return k
}

// movedIn returns in how many loads the counter moved.
func (k course) movedIn() int {
	moved := map[int]bool{}
	next := 0
	for i, rate := range k.rates {
		for next < len(k.stays) && k.stays[next].End < k.to[i] {
			next++
		}
		if rate > 0 && next < len(k.stays) && k.stays[next].From <= k.from[i] {
			moved[k.stays[next].Load] = true
		}
	}
	return len(moved)
}

// unexplained returns the part of how the rates vary around the edges of loads that is left when each load has its own,
// so much later.
func (k *course) unexplained(lag float64) float64 {
	k.reset()
	square, filled, next := 0.0, make([]int, 0, 8), 0
	for i, rate := range k.rates {
		for next < len(k.stays) && k.stays[next].End+lag+edge < k.from[i] {
			next++
		}
		weight := k.weights[i]
		if weight == 0 { // nothing moves here: it would add nothing
			continue
		}
		near, length := false, k.to[i]-k.from[i]
		for _, p := range filled {
			k.row[p] = 0
		}
		filled = filled[:0]
		rest := 1.0
		for q := next; q < len(k.stays) && k.stays[q].From-edge < k.to[i]; q++ {
			l := k.stays[q]
			part := common(k.from[i], k.to[i], l.From+lag, l.To+lag) / length
			closing := common(k.from[i], k.to[i], l.To+lag, l.End+lag) / length
			filled = add(k.row, filled, l.Load, part)
			filled = add(k.row, filled, k.loads+l.Load, closing)
			rest -= part + closing
			near = near || k.to[i] > l.From-edge && k.from[i] < l.From+mostLag+edge || k.to[i] > l.To-edge &&
				k.from[i] < l.End+mostLag+edge
		}
		if !near {
			continue
		}
		filled = add(k.row, filled, k.n-1, rest)
		square += weight * rate * rate
		k.take(filled, weight, rate)
	}
	return k.leftOver(square) / square
}

// common returns how much of two stretches is in both.
func common(from, to, otherFrom, otherTo float64) float64 {
	if from < otherFrom {
		from = otherFrom
	}
	if to > otherTo {
		to = otherTo
	}
	if to < from {
		return 0
	}
	return to - from
}

// add adds to a column of a row, of which filled are those that are not zero: two or three of dozens.
func add(row []float64, filled []int, column int, part float64) []int {
	if part != 0 && row[column] == 0 {
		filled = append(filled, column)
	}
	row[column] += part
	return filled
}

// weight makes a difference count by what the counter does around it.
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

// leftOver returns the residual sum of squares of the fit, of the sum of squares of all rates.
func (f *fit) leftOver(square float64) float64 {
	for range 50 { // Gauss and Seidel: the columns hardly overlap
		moved := false
		for p, beside := range f.beside {
			row := f.gram[p*f.n : (p+1)*f.n]
			if row[p] == 0 {
				continue
			}
			sum := f.moments[p]
			for _, q := range beside {
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
	for p, beside := range f.beside {
		left -= 2 * f.of[p] * f.moments[p]
		for _, q := range beside {
			left += f.of[p] * f.of[q] * f.gram[p*f.n+q]
		}
	}
	return max(0, left)
}
