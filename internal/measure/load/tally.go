package load

import (
	"sync"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"

	"github.com/realiops/realiops/internal/runfile"
)

// Latencies are kept in microseconds up to an hour, to two digits: 1 % is finer than any of them repeats.
const (
	shortestLatency = 1
	longestLatency  = int64(time.Hour / time.Microsecond)
	latencyDigits   = 2
)

// tally is what one client did since it was last taken.
type tally struct {
	mu           sync.Mutex
	transactions int64
	latency      *hdrhistogram.Histogram
}

func newTally() *tally { return &tally{latency: newLatency()} }

func newLatency() *hdrhistogram.Histogram {
	return hdrhistogram.New(shortestLatency, longestLatency, latencyDigits)
}

func (t *tally) add(took time.Duration) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.transactions++
	_ = t.latency.RecordValue(min(max(took.Microseconds(), shortestLatency), longestLatency)) // within its bounds
}

// takeInto adds the tally to the sums and starts it anew.
func (t *tally) takeInto(transactions *int64, latency *hdrhistogram.Histogram) {
	t.mu.Lock()
	defer t.mu.Unlock()
	*transactions += t.transactions
	latency.Merge(t.latency)
	t.transactions = 0
	t.latency.Reset()
}

// record is what the clients of an arm did since it was last asked, as a line of the run file.
type record struct {
	arm     runfile.Arm
	clients []*client
	from    time.Time
}

func (r *record) next(to time.Time) (runfile.Load, error) {
	line := runfile.Load{From: r.from, To: to, Arm: r.arm.Name}
	latency := newLatency()
	for _, c := range r.clients {
		c.done.takeInto(&line.Transactions, latency)
	}
	line.Statements = line.Transactions // every workload here is one statement a transaction
	line.Rows = line.Transactions * int64(r.arm.RowsPerTx)
	r.from = to
	if line.Transactions == 0 {
		return line, nil
	}
	text, err := latency.Encode(hdrhistogram.V2CompressedEncodingCookieBase)
	line.Latency = string(text)
	return line, err
}
