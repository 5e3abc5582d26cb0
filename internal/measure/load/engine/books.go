package engine

import (
	"cmp"
	"errors"
	"slices"
	"sync"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/realiops/realiops/internal/measure/load/session"
)

// books are what all clients did.
type books struct {
	mu     sync.Mutex
	warmup *ledger // what ended in the warm-up
	recent *ledger // what ended since the last tick
	spare  *ledger // to take turns with recent
	total  *ledger // what was told in ticks
	faults map[faultKey]*Fault
}

type faultKey struct {
	kind session.Kind
	code string
}

func newBooks(programs []program) *books {
	return &books{
		warmup: newLedger(programs), recent: newLedger(programs), spare: newLedger(programs), total: newLedger(programs),
		faults: map[faultKey]*Fault{},
	}
}

// ledger is a set of accounts, by script.
type ledger struct{ scripts []account }

// account is what was done with one script.
type account struct {
	Totals
	commands []tries // empty unless asked for
}

// tries is how one command went.
type tries struct {
	latency           Durations
	failures, retries int64
}

func newLedger(programs []program) *ledger {
	l := &ledger{make([]account, len(programs))}
	for i := range programs {
		l.scripts[i].commands = make([]tries, len(programs[i].steps))
	}
	return l
}

func (l *ledger) merge(other *ledger) {
	for i := range l.scripts {
		a, b := &l.scripts[i], &other.scripts[i]
		a.Totals.merge(&b.Totals)
		for j := range a.commands {
			a.commands[j].latency.merge(&b.commands[j].latency)
			a.commands[j].failures += b.commands[j].failures
			a.commands[j].retries += b.commands[j].retries
		}
	}
}

func (l *ledger) reset() {
	for i := range l.scripts {
		a := &l.scripts[i]
		a.Totals.reset()
		for j := range a.commands {
			latency := a.commands[j].latency
			latency.reset()
			a.commands[j] = tries{latency: latency}
		}
	}
}

// totals are the sums over all scripts.
func (l *ledger) totals() Totals {
	var t Totals
	for i := range l.scripts {
		t.merge(&l.scripts[i].Totals)
	}
	return t
}

func (b *books) ledger(warmup bool) *ledger {
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
		b.ledger(s.warmup).scripts[s.script].add(s)
	}
	for _, l := range laps {
		b.ledger(l.warmup).scripts[l.script].commands[l.command].latency.add(l.took)
	}
}

// enterFault writes down an error, and what it meant for the command that met it.
func (b *books) enterFault(t Trouble, warmup bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	command := &b.ledger(warmup).scripts[t.Script].commands[t.Command]
	switch t.Then {
	case TriesAgain:
		command.retries++
	case FailsTransaction:
		command.failures++
	}
	if warmup {
		return
	}
	key := faultKey{kind: session.KindOf(t.Err)}
	if refused, ok := errors.AsType[*pgconn.PgError](t.Err); ok {
		key.code = refused.Code
	}
	f := b.faults[key]
	if f == nil {
		f = &Fault{Kind: key.kind, Code: key.code, First: t.Err}
		b.faults[key] = f
	}
	f.Count++
}

// turnPage gives the totals since the last call and adds them to those of the whole load.
func (b *books) turnPage(warmup bool) Totals {
	b.mu.Lock()
	page := b.recent
	if warmup {
		page, b.warmup = b.warmup, b.spare
	} else {
		b.recent = b.spare
	}
	b.mu.Unlock()
	totals := page.totals()
	if !warmup {
		b.total.merge(page)
	}
	page.reset()
	b.spare = page
	return totals
}

// sortedFaults lists the faults, the most frequent first.
func (b *books) sortedFaults() []Fault {
	var all []Fault
	for _, f := range b.faults {
		all = append(all, *f)
	}
	slices.SortFunc(all, func(x, y Fault) int {
		return cmp.Or(cmp.Compare(y.Count, x.Count), cmp.Compare(x.Kind, y.Kind), cmp.Compare(x.Code, y.Code))
	})
	return all
}
