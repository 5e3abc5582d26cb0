// Package lag finds by how much later than the loads a counter moves. Nothing is asked of what it counts: each load has
// a rate of its own, whatever that is, and the lag is the one at which rates change when loads do. So a search for it
// favours no quantity.
package lag

import (
	"math"
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

	gram, moments, row []float64 // of the fit, made once for all lags
}

func newCourse(c *Course, stays []Stay) course {
	k := course{Course: c, stays: stays}
	for i := range c.rates {
		k.weights = append(k.weights, c.weight(i))
	}
	for _, s := range stays {
		k.loads = max(k.loads, s.Load+1)
	}
	n := k.columns()
	k.gram, k.moments, k.row = make([]float64, n*n), make([]float64, n), make([]float64, n)
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

// columns returns the number of rates: for each load its own and that of its closing checkpoint, and one without load.
func (k course) columns() int { return 2*k.loads + 1 }

// unexplained returns the part of how the rates vary around the edges of loads that is left when each load has its own,
// so much later.
func (k course) unexplained(lag float64) float64 {
	n, gram, moments, row := k.columns(), k.gram, k.moments, k.row
	clear(gram)
	clear(moments)
	clear(row)
	square, filled := 0.0, make([]int, 0, n)
	next := 0
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
			row[p] = 0
		}
		filled = filled[:0]
		rest := 1.0
		for q := next; q < len(k.stays) && k.stays[q].From-edge < k.to[i]; q++ {
			l := k.stays[q]
			part := max(0, min(k.to[i], l.To+lag)-max(k.from[i], l.From+lag)) / length
			closing := max(0, min(k.to[i], l.End+lag)-max(k.from[i], l.To+lag)) / length
			filled = add(row, filled, l.Load, part)
			filled = add(row, filled, k.loads+l.Load, closing)
			rest -= part + closing
			near = near || k.to[i] > l.From-edge && k.from[i] < l.From+mostLag+edge || k.to[i] > l.To-edge &&
				k.from[i] < l.End+mostLag+edge
		}
		if !near {
			continue
		}
		filled = add(row, filled, n-1, rest)
		square += weight * rate * rate
		for _, p := range filled {
			moments[p] += weight * row[p] * rate
			for _, q := range filled {
				gram[p*n+q] += weight * row[p] * row[q]
			}
		}
	}
	return leftOver(gram, moments, square, n) / square
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

// leftOver returns the residual sum of squares of a least-squares fit.
func leftOver(gram, moments []float64, square float64, n int) float64 {
	of := make([]float64, n)
	beside, all := make([][]int, n), []int{} // the columns that overlap with each
	for p := range n {
		first := len(all)
		for q := range n {
			if gram[p*n+q] != 0 {
				all = append(all, q)
			}
		}
		beside[p] = all[first:]
	}
	for range 50 { // Gauss and Seidel: the columns hardly overlap
		moved := false
		for p := range n {
			if gram[p*n+p] == 0 {
				continue
			}
			sum := moments[p]
			for _, q := range beside[p] {
				if q != p {
					sum -= gram[p*n+q] * of[q]
				}
			}
			better := max(0, sum/gram[p*n+p])
			moved = moved || better != of[p]
			of[p] = better
		}
		if !moved {
			break
		}
	}
	left := square
	for p := range n {
		left -= 2 * of[p] * moments[p]
		for _, q := range beside[p] {
			left += of[p] * of[q] * gram[p*n+q]
		}
	}
	return max(0, left)
}
