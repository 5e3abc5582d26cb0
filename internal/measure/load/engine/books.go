package engine

import (
	"errors"
	"sync"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/realiops/realiops/internal/measure/load/session"
)

// books are what all clients did.
type books struct {
	mu     sync.Mutex
	warmup *Record // what ended in the warm-up
	recent *Record // what ended since the last tick
	spare  *Record // to take turns with recent
	total  *Record // what was told in ticks
}

func newBooks(scripts []Weighted) *books {
	return &books{warmup: NewRecord(scripts), recent: NewRecord(scripts), spare: NewRecord(scripts), total: NewRecord(scripts)}
}

func (b *books) page(warmup bool) *Record {
	if warmup {
		return b.warmup
	}
	return b.recent
}

// enter writes down what a client did.
func (b *books) enter(samples []sample, laps []lap) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for i := range samples {
		s := &samples[i]
		b.page(s.warmup).Scripts[s.script].add(s)
	}
	for _, l := range laps {
		b.page(l.warmup).Scripts[l.script].Commands[l.command].Latency.add(l.took)
	}
}

// enterFault writes down an error, and what it meant for the command that met it.
func (b *books) enterFault(t Trouble, warmup bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	page := b.page(warmup)
	command := &page.Scripts[t.Script].Commands[t.Command]
	switch t.Then {
	case TriesAgain:
		command.Retries++
	case FailsTransaction:
		command.Failures++
	}
	fault := Fault{Kind: session.KindOf(t.Err), Count: 1, First: t.Err}
	if refused, ok := errors.AsType[*pgconn.PgError](t.Err); ok {
		fault.Code = refused.Code
	}
	page.addFault(fault)
}

// enterAbort writes down that a client gave up, which counts whenever it happens.
func (b *books) enterAbort(a *Abort, warmup bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	page := b.page(warmup)
	page.Aborted = append(page.Aborted, a)
}

// turnPage gives what was done since the last call and adds it to the total, where it counts. The next call overwrites it.
func (b *books) turnPage(warmup bool) *Record {
	b.spare.reset()
	b.mu.Lock()
	page := b.recent
	if warmup {
		page, b.warmup = b.warmup, b.spare
	} else {
		b.recent = b.spare
	}
	b.mu.Unlock()
	b.spare = page
	b.total.Add(page, warmup)
	return page
}
