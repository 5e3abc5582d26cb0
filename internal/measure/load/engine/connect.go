package engine

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/realiops/realiops/internal/measure/load/session"
)

// atATime is the number of connections opened at once: enough to hide the round trip to the server, and few enough
// for its backlog.
const atATime = 16

// dial opens a connection for the dialer. A server that accepts it and then says nothing is given up as any other.
func (l *load) dial(ctx context.Context) (*pgconn.PgConn, error) {
	config, err := l.Connect(ctx)
	if err != nil {
		return nil, err
	}
	if config.AfterNetConnect == nil {
		return pgconn.ConnectConfig(ctx, &config.Config)
	}
	return pgconn.ConnectConfig(ctx, config.Config.Copy()) // which may be given a password of this connection's own
}

// open opens a session, within the patience for a silent server.
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
