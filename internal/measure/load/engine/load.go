package engine

import (
	"context"
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
