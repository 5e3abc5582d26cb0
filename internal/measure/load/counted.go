package load

import (
	"context"
	"fmt"

	"github.com/realiops/realiops/internal/measure/postgres"
)

// counted holds the server's own counters of a table: rows inserted, updated and deleted, including by failed
// transactions, and rows read by scans of the table and of its indexes.
type counted struct{ written, lookedAt int64 }

// Begin saves the server's counters of the load's table before the load. It fails if another user has put a trigger
// or the like on the table meanwhile.
func (w *Workload) Begin(ctx context.Context, conn postgres.Asker) (err error) {
	if err := postgres.RefuseForeign(ctx, conn, w.table); err != nil {
		return err
	}
	w.before, err = w.counted(ctx, conn)
	return err
}

// Written returns the rows that the server has counted as written since [Workload.Begin], and
// LookedAt the rows that it has read.
func (w *Workload) Written(ctx context.Context, conn postgres.Asker) (int64, error) {
	now, err := w.counted(ctx, conn)
	return now.written - w.before.written, err
}

func (w *Workload) LookedAt(ctx context.Context, conn postgres.Asker) (int64, error) {
	now, err := w.counted(ctx, conn)
	return now.lookedAt - w.before.lookedAt, err
}

func (w *Workload) counted(ctx context.Context, conn postgres.Asker) (c counted, err error) {
	const ask = `/* realiops */
		select n_tup_ins + n_tup_upd + n_tup_del, coalesce(seq_tup_read, 0) + coalesce(idx_tup_fetch, 0)
		from pg_catalog.pg_stat_user_tables where relid = $1::pg_catalog.text::pg_catalog.regclass`
	if err := postgres.QueryRow(ctx, conn, ask, w.table).Scan(&c.written, &c.lookedAt); err != nil {
		return c, fmt.Errorf("read the table counters of the load %s: %w", w.load.Name, err)
	}
	return c, nil
}
