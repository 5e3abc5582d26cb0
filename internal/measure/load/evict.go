package load

import (
	"context"

	"github.com/jackc/pgx/v5"

	"github.com/realiops/realiops/internal/measure/postgres"
)

// bufferCache asks for the schema that pg_buffercache is in: whoever watches a server may have made it elsewhere. What it
// calls is the extension's, and nobody can have replaced it.
var bufferCache = `/* realiops */
	select n.nspname::pg_catalog.text from pg_catalog.pg_extension e join pg_catalog.pg_namespace n on n.oid = e.extnamespace
	where e.extname = 'pg_buffercache'
	  and exists (select from pg_catalog.pg_class c where c.relnamespace = n.oid and c.relname = 'pg_buffercache'
	              and ` + postgres.OfExtension("pg_class", "c.oid", "c.relowner", "e.extname") + `)
	  and 2 = (select pg_catalog.count(*) from pg_catalog.pg_proc p where p.pronamespace = n.oid and (p.proname, p.pronargs)
	              in (('pg_buffercache_evict', 1), ('pg_buffercache_pages', 0))
	              and ` + postgres.OfExtension("pg_proc", "p.oid", "p.proowner", "e.extname") + `)`

// Evict takes the pages of the load's table out of shared buffers, from 17 on and where the server lets us, and tells
// how many it took. Elsewhere there is nothing but size to keep them out.
func (w *Workload) Evict(ctx context.Context, conn *pgx.Conn) (pages int64) {
	ours := pgx.Identifier{w.schema}.Sanitize()
	if err := postgres.Exec(ctx, conn, "create extension if not exists pg_buffercache schema "+ours); err != nil {
		return 0
	}
	var schema string
	if err := postgres.QueryRow(ctx, conn, bufferCache).Scan(&schema); err != nil {
		return 0
	}
	home := pgx.Identifier{schema}.Sanitize()
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
