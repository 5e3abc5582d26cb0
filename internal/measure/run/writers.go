package run

import (
	"context"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/realiops/realiops/internal/measure/experiment"
	"github.com/realiops/realiops/internal/measure/postgres"
)

// writers are others whose transactions write and go on, such as a long COPY: what they do no counter tells before they
// end.
type writers struct {
	mu   sync.Mutex
	last map[string]string // those of the last look, by transaction
	long map[string]string // those of two looks in a row since the load began
}

// writersLook is the interval between two looks; the counters reveal anything shorter.
const writersLook = time.Second

// watch looks by a session of its own until ctx ends. Where none can be had, the counters tell all the same.
func (w *writers) watch(ctx context.Context, connect func(context.Context) (*pgx.Conn, error)) {
	for experiment.Wait(ctx, writersLook) == nil {
		conn, err := connect(ctx)
		if err != nil {
			continue
		}
		for err == nil {
			var now map[string]string
			if now, err = postgres.Writing(ctx, conn); err == nil {
				w.see(now)
				err = experiment.Wait(ctx, writersLook)
			}
		}
		_ = conn.Close(context.WithoutCancel(ctx)) // it only asked
	}
}

func (w *writers) see(now map[string]string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for transaction, who := range now {
		if _, goesOn := w.last[transaction]; goesOn {
			w.long[transaction] = who
		}
	}
	w.last = now
}

func (w *writers) begin() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.long = map[string]string{}
}

// during names them, as far as they are to be named.
func (w *writers) during() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	const mostNamed = 5
	who := slices.Compact(slices.Sorted(maps.Values(w.long)))
	return who[:min(len(who), mostNamed)]
}

// connectForWriters opens the session of the looks. They ask the same every second, so the server plans it once.
func (m *measurement) connectForWriters(ctx context.Context) (*pgx.Conn, error) {
	conn, err := m.target.Endpoint.Connect(ctx)
	if err != nil || m.session.Facts.Pooler {
		return conn, err
	}
	if err := postgres.PrepareWriting(ctx, conn); err != nil {
		_ = conn.Close(context.WithoutCancel(ctx)) // the error before says it all
		return nil, err
	}
	return conn, nil
}
