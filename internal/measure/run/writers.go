package run

import (
	"context"
	"maps"
	"slices"
	"sync"

	"github.com/jackc/pgx/v5"

	"github.com/realiops/realiops/internal/measure/postgres"
)

// writers finds transactions of other sessions that write for long, such as a COPY. No counter
// shows their work before they end.
type writers struct {
	mu   sync.Mutex
	last map[string]string // by transaction, at the last look
	long map[string]string // by transaction, at two looks in a row since the load began
}

// look asks which sessions are writing now.
func (w *writers) look(ctx context.Context, conn *pgx.Conn) error {
	now, err := postgres.Writing(ctx, conn)
	if err == nil {
		w.see(now)
	}
	return err
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

// during names up to five of them.
func (w *writers) during() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	const mostNamed = 5
	who := slices.Compact(slices.Sorted(maps.Values(w.long)))
	return who[:min(len(who), mostNamed)]
}
