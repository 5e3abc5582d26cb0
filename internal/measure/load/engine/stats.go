package engine

import (
	"sync"
	"time"
)

// outcome is an [Outcome] in one byte, or that a transaction does not count at all.
type outcome uint8

const (
	done outcome = iota
	skipped
	failedOtherwise
	failedSerializing
	failedByDeadlock
	unfinished // given up, with what it cost: counted with the bytes and statements alone
)

func (o outcome) public() Outcome {
	return [...]Outcome{Done, Skipped, FailedOtherwise, FailedSerializing, FailedByDeadlock, FailedOtherwise}[o]
}

type sample struct {
	latency, lag                     time.Duration
	statements, rows, sent, received int64
	returned                         int64
	script, retries                  int32
	outcome                          outcome
	paced, late, warmup              bool
}

// lap is one run of one command.
type lap struct {
	script, command int32
	warmup          bool
	took            time.Duration
}

// atOnce is the number of samples that a client keeps before it adds them to the totals: enough that two clients
// rarely contend for the lock, and few enough that a thousand clients need little memory.
const atOnce = 32

// tally holds one client's work that is not yet in the totals. Only ticks contend for its lock.
type tally struct {
	mu      sync.Mutex
	totals  *totals
	samples []sample
	laps    []lap
}

func (t *tally) add(s sample) {
	t.mu.Lock()
	if t.samples = append(t.samples, s); len(t.samples) == atOnce {
		t.hand()
	}
	t.mu.Unlock()
}

func (t *tally) addLap(l lap) {
	t.mu.Lock()
	if t.laps = append(t.laps, l); len(t.laps) == atOnce {
		t.hand()
	}
	t.mu.Unlock()
}

// handOver adds what is left to the totals.
func (t *tally) handOver() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.hand()
}

func (t *tally) hand() {
	t.totals.add(t.samples, t.laps)
	t.samples, t.laps = t.samples[:0], t.laps[:0]
}
