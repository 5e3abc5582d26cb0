package tally

import (
	"math"
	"slices"
	"time"

	"github.com/realiops/realiops/internal/analyze/counts"
	"github.com/realiops/realiops/internal/analyze/latency"
	"github.com/realiops/realiops/internal/runfile"
	"github.com/realiops/realiops/internal/series"
)

// clientWork sums up the work lines of one repetition.
type clientWork struct {
	from, to time.Time
	lines    int
	work     counts.Work
	latency  latency.Sum
	negative bool // a line ended before it began, or has a negative count
	course   []pace
	longest  time.Duration // of a line
	// the longest time between two consecutive lines, and the longest that two share; none where the file is whole
	hole, overlap time.Duration
	all           float64 // workIn over the whole repetition
}

// pace is the work done between two moments.
type pace struct {
	from, to           time.Time
	rows, transactions float64
}

func (l *clientWork) add(line runfile.Work) {
	span := runfile.Stretch{From: l.from, To: l.to}
	span.Extend(line.From, line.To)
	l.from, l.to = span.From, span.To
	l.lines++
	l.course = append(l.course, pace{line.From, line.To, float64(line.Rows), float64(line.Transactions)})
	more := []int64{line.Transactions, line.Statements, line.Rows, line.Updated, line.Deleted, line.Returned,
		line.Lookups, line.Failures, line.Retries, line.Late}
	for i, n := range amounts(&l.work) {
		*n = sum(*n, more[i])
	}
	l.negative = l.negative || line.To.Before(line.From) || min(slices.Min(more), line.BytesSent, line.BytesReceived) < 0
}

// sum adds without overflow.
func sum(a, b int64) int64 {
	if b > 0 && a > math.MaxInt64-b {
		return math.MaxInt64
	}
	return a + b
}

func (l *clientWork) seconds() float64 { return l.to.Sub(l.from).Seconds() }

// complete sorts the lines once all are read.
func (l *clientWork) complete() {
	slices.SortStableFunc(l.course, func(a, b pace) int { return a.from.Compare(b.from) })
	for i, p := range l.course {
		l.longest = max(l.longest, p.to.Sub(p.from))
		if i > 0 {
			apart := p.from.Sub(l.course[i-1].to)
			l.hole, l.overlap = max(l.hole, apart), max(l.overlap, -apart)
		}
	}
	l.all = l.workIn(l.from, l.to)
}

// workIn returns the rows written between two moments, or the transactions of a load that writes none. It spreads each
// line's work evenly over its time.
func (l *clientWork) workIn(from, to time.Time) float64 {
	done, begun := 0.0, func(p pace, t time.Time) int { return p.from.Compare(t) }
	first, _ := slices.BinarySearchFunc(l.course, from.Add(-l.longest), begun)
	for _, p := range l.course[first:] {
		if !p.from.Before(to) {
			break
		}
		begin, end := series.Later(p.from, from), series.Earlier(p.to, to)
		if length := p.to.Sub(p.from); length > 0 && end.After(begin) {
			work := p.rows
			if l.work.Rows == 0 {
				work = p.transactions
			}
			done += work * float64(end.Sub(begin)) / float64(length)
		}
	}
	return done
}

// amounts returns what a file has of the work, in the order of its lines.
func amounts(w *counts.Work) []*int64 {
	return []*int64{&w.Transactions, &w.Statements, &w.Rows, &w.Updated, &w.Deleted, &w.Returned, &w.Lookups,
		&w.Failures, &w.Retries, &w.Late}
}

// times returns the given share of w.
func times(w counts.Work, part float64) counts.Work {
	for _, n := range amounts(&w) {
		*n = int64(math.Round(part * float64(*n)))
	}
	return w
}
