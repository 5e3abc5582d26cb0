package run

import (
	"context"
	"maps"
	"slices"
	"sync"

	"github.com/jackc/pgx/v5"

	"github.com/realiops/realiops/internal/measure/postgres"
)

// writers are others whose transactions write and go on, such as a long COPY: what they do no counter tells before they
// end.
type writers struct {
	mu   sync.Mutex
	last map[string]string // those of the last look, by transaction
	long map[string]string // those of two looks in a row since the load began
}

// look asks who writes now.
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

// during names them, as far as they are to be named.
func (w *writers) during() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	const mostNamed = 5
	who := slices.Compact(slices.Sorted(maps.Values(w.long)))
	return who[:min(len(who), mostNamed)]
}
