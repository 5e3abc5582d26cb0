package engine

import (
	"errors"
	"sync"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/realiops/realiops/internal/measure/load/session"
)

// totals sums up the work of all clients.
type totals struct {
	mu     sync.Mutex
	warmup *Record // ended in the warm-up
	recent *Record // ended since the last tick
	spare  *Record // swapped with recent
	total  *Record // the sum of all ticks
}

func newTotals(scripts []Weighted) *totals {
	return &totals{warmup: NewRecord(scripts), recent: NewRecord(scripts), spare: NewRecord(scripts),
		total: NewRecord(scripts)}
}

func (b *totals) of(warmup bool) *Record {
	if warmup {
		return b.warmup
	}
	return b.recent
}

// add adds a client's work.
func (b *totals) add(samples []sample, laps []lap) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for i := range samples {
		s := &samples[i]
		b.of(s.warmup).Scripts[s.script].add(s)
	}
	for _, l := range laps {
		b.of(l.warmup).Scripts[l.script].Commands[l.command].Latency.add(l.took)
	}
}

// addFault counts an error, also for its command.
func (b *totals) addFault(t Trouble, warmup bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	record := b.of(warmup)
	switch command := &record.Scripts[t.Script].Commands[t.Command]; t.Then {
	case TriesAgain:
		command.Retries++
	case FailsTransaction:
		command.Failures++
	}
	fault := Fault{Kind: session.KindOf(t.Err), Count: 1, First: t.Err}
	if refused, ok := errors.AsType[*pgconn.PgError](t.Err); ok {
		fault.Code = refused.Code
	}
	record.addFault(fault)
}

// addAbort counts a client that gave up, even in the warm-up.
func (b *totals) addAbort(a *Abort, warmup bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	record := b.of(warmup)
	record.Aborted = append(record.Aborted, a)
}

// take returns the work since the last call, and adds it to the total unless warmup is
// set. The next call overwrites it.
func (b *totals) take(warmup bool) *Record {
	b.spare.reset()
	b.mu.Lock()
	taken := b.recent
	if warmup {
		taken, b.warmup = b.warmup, b.spare
	} else {
		b.recent = b.spare
	}
	b.mu.Unlock()
	b.spare = taken
	b.total.Add(taken, warmup)
	return taken
}

// atOnce is how many samples a client collects before it adds them to the totals: enough that clients rarely contend
// for the lock, and few enough that a thousand clients need little memory.
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

// handOver adds the rest to the totals.
func (t *tally) handOver() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.hand()
}

func (t *tally) hand() {
	t.totals.add(t.samples, t.laps)
	t.samples, t.laps = t.samples[:0], t.laps[:0]
}

// tick reports at regular times. A late tick does not shift the next.
func (l *load) tick(done <-chan struct{}) {
	for from, at := l.began, l.nextTick(l.began); ; at = l.nextTick(at) {
		select {
		case <-done:
			l.ticked = from
			return
		case <-time.After(at - l.clock.now()):
		}
		to := l.clock.now()
		if at == l.warm {
			to = l.warm
		}
		l.tell(from, to, at <= l.warm, false)
		from = to
	}
}

// nextTick returns the time of the tick after last. The warm-up ends with a tick.
func (l *load) nextTick(last time.Duration) time.Duration {
	next := last + l.Every
	if last < l.warm && next > l.warm {
		return l.warm
	}
	return next
}

func (l *load) tell(from, to time.Duration, warmup, last bool) {
	if !last {
		for _, c := range l.clients {
			c.tally.handOver()
		}
	}
	done := l.totals.take(warmup)
	if l.Tick == nil || l.Every == 0 || to <= from {
		return
	}
	err := l.Tick(Tick{
		From: l.clock.time(from), To: l.clock.time(to), Warmup: warmup, Last: last,
		Running: int(l.running.Load()), Totals: done.Totals(), Record: done,
	})
	if err != nil {
		l.cancel(err)
	}
}
