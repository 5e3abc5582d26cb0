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
}

func (l *load) add(line runfile.Load) {
	if l.lines == 0 || line.From.Before(l.from) {
		l.from = line.From
	}
	if l.lines == 0 || line.To.After(l.to) {
		l.to = line.To
	}
	l.lines++
	l.negative = l.negative || line.To.Before(line.From) ||
		min(line.Transactions, line.Statements, line.Rows, line.Failures, line.Retries, line.Late,
			line.BytesSent, line.BytesReceived) < 0
	l.work.Transactions = sum(l.work.Transactions, line.Transactions)
	l.work.Statements = sum(l.work.Statements, line.Statements)
	l.work.Rows = sum(l.work.Rows, line.Rows)
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
