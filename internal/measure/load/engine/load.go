package engine

import (
	"context"
	"fmt"
	"io"
	"math"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/realiops/realiops/internal/measure/load/script"
	"github.com/realiops/realiops/internal/measure/load/session"
)

type load struct {
	Options
	ctx      context.Context
	cancel   context.CancelCauseFunc
	stopping <-chan struct{}
	dialer   *session.Dialer
	programs []program
	threads  []*thread
	clients  []*client
	totals   *totals
	debug    io.Writer

	poller            string // how the clients' bytes are moved
	clock             clock
	began, warm, over time.Duration // over: no transaction begins after it

	ticked    time.Duration // the last tick
	stoppedAt time.Duration // if early; otherwise 0

	connecting           time.Duration // before the start
	connections, running atomic.Int64
	reports              sync.Mutex // held during all callbacks except Tick
}

// clock is the load's clock, which never goes back.
type clock struct{ zero time.Time }

func (c clock) now() time.Duration              { return time.Since(c.zero) }
func (c clock) time(at time.Duration) time.Time { return c.zero.Add(at) }

const never = time.Duration(math.MaxInt64)

// has reports whether a script has a command of that kind.
func (l *load) has(kind script.CommandKind) bool {
	return slices.ContainsFunc(l.programs, func(p program) bool {
		return slices.ContainsFunc(p.steps, func(st step) bool { return st.command.Kind == kind })
	})
}

// thread stands for a thread of pgbench's -j: its clients draw their scripts and times from the same streams. It is
// not an operating system thread; package workers gives one or several of them a process.
type thread struct {
	weights []int

	mu       sync.Mutex
	choices  script.Random
	sample   script.Random // of the log; guarded by the lock of reports
	pauses   script.Random
	schedule schedule
}

func (t *thread) choose() int {
	if len(t.weights) == 1 {
		return 0
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.choices.Choose(t.weights)
}

// next returns when the next transaction is due.
func (t *thread) next() time.Duration {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.schedule.next()
}

// program is a script prepared for a mode, shared by all clients.
type program struct {
	script *script.Script
	index  int
	steps  []step
}

type step struct {
	command  *script.Command
	encoded  *session.Statement // of a statement, unless the mode is Simple
	generate *generator         // of \copy_rows and \insert_rows
	where    string             // the prefix of debug()'s output
}

func compile(o *Options) ([]program, error) {
	programs := make([]program, len(o.Scripts))
	for i, w := range o.Scripts {
		programs[i] = program{script: w.Script, index: i, steps: make([]step, len(w.Script.Commands))}
		for at := range w.Script.Commands {
			var err error
			if programs[i].steps[at], err = compileStep(o.Mode, &w.Script.Commands[at], i, at); err != nil {
				return nil, w.Script.Wrap(at, err)
			}
		}
	}
	return programs, nil
}

func compileStep(mode Mode, c *script.Command, number, at int) (step, error) {
	st := step{command: c, where: fmt.Sprintf("debug(script=%d,command=%d): ", number, at+1)}
	name := fmt.Sprintf("P%d_%d", number, at)
	var err error
	switch {
	case c.Kind == script.KindSQL && mode != Simple:
		if err = c.Statement.Extended(); err == nil {
			gather := c.Statement.Gather != script.GatherNone
			st.encoded, err = session.NewStatement(name, c.Statement.Query, len(c.Statement.Params), gather)
		}
	case c.Kind == script.KindCopyRows || c.Kind == script.KindInsertRows:
		st.generate = newGenerator(name, c.Rows)
	}
	return st, err
}
