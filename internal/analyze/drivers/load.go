package drivers

import (
	"math"
	"time"

	"github.com/realiops/realiops/internal/runfile"
)

// load sums up the load lines of one replicate.
type load struct {
	from, to time.Time
	lines    int
	work     Work
	latency  latencies
	negative bool // a line ended before it began, or counted less than nothing
	course   []pace
}

// pace is how many rows came between two moments.
type pace struct {
	from, to time.Time
	rows     float64
}

func (l *load) add(line runfile.Load) {
	if l.lines == 0 || line.From.Before(l.from) {
		l.from = line.From
	}
	if l.lines == 0 || line.To.After(l.to) {
		l.to = line.To
	}
	l.lines++
	l.course = append(l.course, pace{line.From, line.To, float64(line.Rows)})
	l.negative = l.negative || line.To.Before(line.From) ||
		min(line.Transactions, line.Statements, line.Rows, line.Updated, line.Deleted, line.Returned, line.Lookups,
			line.Failures, line.Retries, line.Late, line.BytesSent, line.BytesReceived) < 0
	l.work.Transactions = sum(l.work.Transactions, line.Transactions)
	l.work.Statements = sum(l.work.Statements, line.Statements)
	l.work.Rows = sum(l.work.Rows, line.Rows)
	l.work.Updated = sum(l.work.Updated, line.Updated)
	l.work.Deleted = sum(l.work.Deleted, line.Deleted)
	l.work.Returned = sum(l.work.Returned, line.Returned)
	l.work.Lookups = sum(l.work.Lookups, line.Lookups)
	l.work.Failures = sum(l.work.Failures, line.Failures)
	l.work.Retries = sum(l.work.Retries, line.Retries)
	l.work.Late = sum(l.work.Late, line.Late)
	l.latency.add(line.Latency)
}

// sum does not wrap around.
func sum(a, b int64) int64 {
	if b > 0 && a > math.MaxInt64-b {
		return math.MaxInt64
	}
	return a + b
}

func (l *load) seconds() float64 { return l.to.Sub(l.from).Seconds() }

// rowsIn is how many rows came between two moments; those of a line are taken to have come evenly.
func (l *load) rowsIn(from, to time.Time) float64 {
	rows := 0.0
	for _, p := range l.course {
		begin, end := p.from, p.to
		if begin.Before(from) {
			begin = from
		}
		if end.After(to) {
			end = to
		}
		if length := p.to.Sub(p.from); length > 0 && end.After(begin) {
			rows += p.rows * float64(end.Sub(begin)) / float64(length)
		}
	}
	return rows
}
