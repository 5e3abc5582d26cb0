package realiopstest

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5/pgxpool"
)

// Pool is a connection pool that an operation uses and that stays open. Measure makes its connections report their
// work immediately (PostgreSQL 15 and later), instead of waiting up to ten seconds until they do.
type Pool struct {
	report func(context.Context) error
}

// reportAtOnce makes a session report its counts immediately.
const reportAtOnce = "select pg_catalog.pg_stat_force_next_flush()"

// SQLPool returns a pool of database/sql.
func SQLPool(db *sql.DB) Pool {
	return Pool{func(ctx context.Context) (err error) {
		var all []*sql.Conn
		for range db.Stats().Idle {
			conn, failed := db.Conn(ctx)
			if failed != nil {
				err = failed
				break
			}
			all = append(all, conn)
		}
		for _, conn := range all { // once all are taken, so that each reports
			_, failed := conn.ExecContext(ctx, reportAtOnce)
			err = errors.Join(err, failed, conn.Close())
		}
		return err
	}}
}

// PgxPool returns a pool of pgx.
func PgxPool(pool *pgxpool.Pool) Pool {
	return Pool{func(ctx context.Context) (err error) {
		for _, conn := range pool.AcquireAllIdle(ctx) {
			_, failed := conn.Exec(ctx, reportAtOnce)
			err = errors.Join(err, failed)
			conn.Release()
		}
		return err
	}}
}

// report makes all pools report, if the server supports it.
func (db *DB) report(ctx context.Context, pools []Pool) error {
	if db.facts.VersionNum < firstToReport {
		return nil
	}
	for _, p := range pools {
		if err := p.report(ctx); err != nil {
			return fmt.Errorf("make the pool's connections report their work: %w", err)
		}
	}
	return nil
}

// firstToReport is the first version whose sessions can be made to report.
const firstToReport = 150000
