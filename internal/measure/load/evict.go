package load

import (
	"context"

	"github.com/jackc/pgx/v5"

	"github.com/realiops/realiops/internal/measure/postgres"
)

// Evict takes the pages of the load's table out of shared buffers, from 17 on and where the server lets us, and tells
// how many it took. Elsewhere there is nothing but size to keep them out.
func (w *Workload) Evict(ctx context.Context, conn *pgx.Conn) (pages int64) {
	home := pgx.Identifier{w.schema}.Sanitize()
	if err := postgres.Exec(ctx, conn, "create extension if not exists pg_buffercache schema "+home); err != nil {
		return 0
	}
	ask := `/* realiops */
		select pg_catalog.count(` + home + `.pg_buffercache_evict(bufferid)) from ` + home + `.pg_buffercache
		where relfilenode in (select pg_catalog.pg_relation_filenode(of.oid::pg_catalog.regclass)
			from (select $1::pg_catalog.text::pg_catalog.regclass::pg_catalog.oid
				union all select indexrelid from pg_catalog.pg_index where indrelid = $1::pg_catalog.text::pg_catalog.regclass) as of (oid))
		and reldatabase = (select oid from pg_catalog.pg_database where datname = pg_catalog.current_database())`
	if err := postgres.QueryRow(ctx, conn, ask, w.table).Scan(&pages); err != nil {
		return 0
	}
	return pages
}
