package drivers

import (
	"fmt"
	"math"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"

	"github.com/realiops/realiops/internal/runfile"
)

// load sums up the load lines of one replicate.
type load struct {
	from, to time.Time
	lines    int
	work     Work
	latency  *hdrhistogram.Histogram
	defect   error // of the first latency that could not be read
	negative bool  // a line ended before it began, or counted less than nothing
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
	l.addLatency(line.Latency)
}

// sum does not wrap around.
func sum(a, b int64) int64 {
	if b > 0 && a > math.MaxInt64-b {
		return math.MaxInt64
	}
	return a + b
}

func (l *load) seconds() float64 { return l.to.Sub(l.from).Seconds() }

// Latency is how long the transactions of a replicate took, in seconds.
type Latency struct {
	Transactions int64 // that were timed
	P50, P95     float64
	P99, Max     float64
}

// The histograms of an arm are merged into one of this reach, in microseconds, and this many digits.
const (
	longestLatency = int64(24 * time.Hour / time.Microsecond)
	latencyDigits  = 3
)

func (l *load) addLatency(encoded string) {
	if encoded == "" || l.defect != nil {
		return
	}
	line, err := hdrhistogram.Decode([]byte(encoded))
	if err != nil {
		l.defect = fmt.Errorf("read a latency histogram: %w", err)
		return
	}
	if l.latency == nil {
		l.latency = hdrhistogram.New(1, longestLatency, latencyDigits)
	}
	if dropped := l.latency.Merge(line); dropped > 0 {
		l.defect = fmt.Errorf("%d latencies lie beyond a day", dropped)
	}
}

// summary is nil where no latency was recorded, or not all of it could be read.
func (l *load) summary() *Latency {
	if l.latency == nil || l.defect != nil || l.latency.TotalCount() == 0 {
		return nil
	}
	seconds := func(quantile float64) float64 {
		return float64(l.latency.ValueAtQuantile(quantile)) * time.Microsecond.Seconds()
	}
	return &Latency{
		Transactions: l.latency.TotalCount(),
		P50:          seconds(50), P95: seconds(95), P99: seconds(99), Max: seconds(100),
	}
}
