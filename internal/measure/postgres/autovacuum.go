package postgres

import (
	"context"

	"github.com/jackc/pgx/v5"
)

// StatisticsRows returns how many rows of planner statistics have been written in our database so far: in
// pg_statistic, pg_statistic_ext_data and their TOAST tables. ANALYZE writes them, and so does autovacuum.
func StatisticsRows(ctx context.Context, conn *pgx.Conn) (rows int64, err error) {
	err = QueryRow(ctx, conn, `/* realiops */
		select coalesce(pg_catalog.sum(pg_catalog.pg_stat_get_tuples_inserted(t) + pg_catalog.pg_stat_get_tuples_updated(t)
			+ pg_catalog.pg_stat_get_tuples_deleted(t)), 0)::bigint
		from pg_catalog.unnest(array[2619, 2840, 3429, 3430]::pg_catalog.oid[]) t`).Scan(&rows)
	return rows, wrap(err, "read autovacuum's work")
}
