package engine

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/realiops/realiops/internal/measure/load/session"
)

// atATime is how many connections are opened in parallel: enough to hide the round trip, and few
// enough for the server's backlog.
const atATime = 16

// dial opens a connection for the dialer. It gives up on a server that accepts and then stays silent.
func (l *load) dial(ctx context.Context) (*pgconn.PgConn, error) {
	config, err := l.Connect(ctx)
	if err != nil {
		return nil, err
	}
	if config.AfterNetConnect == nil {
		return pgconn.ConnectConfig(ctx, &config.Config)
	}
	return pgconn.ConnectConfig(ctx, config.Config.Copy()) // its own copy, which may get its own password
}

// open opens a session, within the limit for a silent server.
func (l *load) open() (*session.Session, error) {
	ctx := l.ctx
	if l.Silence > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, l.Silence, session.ErrNoAnswer)
		defer cancel()
	}
	s, err := l.dialer.Open(ctx)
	if err != nil {
		if ctx.Err() != nil {
			err = fmt.Errorf("%w: %w", context.Cause(ctx), err)
		}
		return nil, err
	}
	l.connections.Add(1)
	return s, nil
}

// connect connects all clients before the load begins, unless each transaction has a connection of its own.
func (l *load) connect() error {
	if l.Reconnect {
		return nil
	}
	from := l.clock.now()
	var next atomic.Int64
	var failed atomic.Pointer[error]
	var workers sync.WaitGroup
	for range min(atATime, len(l.clients)) {
		workers.Go(func() {
			for i := next.Add(1) - 1; i < int64(len(l.clients)) && failed.Load() == nil; i = next.Add(1) - 1 {
				if err := l.clients[i].connect(); err != nil {
					failed.CompareAndSwap(nil, &err)
				}
			}
		})
	}
	workers.Wait()
	l.connecting = l.clock.now() - from
	if err := failed.Load(); err != nil {
		l.disconnect()
		return &ConnectError{Connected: l.connections.Load(), Clients: l.Clients, Err: *err}
	}
	return nil
}

func (l *load) disconnect() {
	for _, c := range l.clients {
		c.disconnect()
	}
}
