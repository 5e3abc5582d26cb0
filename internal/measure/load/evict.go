package load

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/realiops/realiops/internal/measure/postgres"
)

// bufferCache asks for the schema and version of pg_buffercache, whether it can evict pages, and whether its function
// belongs to the extension: in another owner's schema it may have been replaced.
var bufferCache = `/* realiops */
	select n.nspname::pg_catalog.text, e.extversion,
	  exists (select from pg_catalog.pg_proc p where p.pronamespace = n.oid and p.proname = 'pg_buffercache_evict'),
	  exists (select from pg_catalog.pg_class c where c.relnamespace = n.oid and c.relname = 'pg_buffercache'
	              and ` + postgres.OfExtension("pg_class", "c.oid", "c.relowner", "e.extname") + `)
	  and 2 = (select pg_catalog.count(*) from pg_catalog.pg_proc p where p.pronamespace = n.oid and (p.proname, p.pronargs)
	              in (('pg_buffercache_evict', 1), ('pg_buffercache_pages', 0))
	              and ` + postgres.OfExtension("pg_proc", "p.oid", "p.proowner", "e.extname") + `)
	from pg_catalog.pg_extension e join pg_catalog.pg_namespace n on n.oid = e.extnamespace where e.extname = 'pg_buffercache'`

// Evict evicts the pages of the load's table from shared buffers, and returns their number. If it cannot, it returns
// why: before PostgreSQL 17, or without the privilege, only the table's size keeps its pages out.
func (w *Workload) Evict(ctx context.Context, conn *pgx.Conn) (pages int64, why string) {
	ours := pgx.Identifier{w.schema}.Sanitize()
	if err := postgres.Exec(ctx, conn, "create extension if not exists pg_buffercache schema "+ours); err != nil {
		return 0, "pg_buffercache could not be created: " + err.Error()
	}
	var schema, version string
	var evicts, genuine bool
	err := postgres.QueryRow(ctx, conn, bufferCache).Scan(&schema, &version, &evicts, &genuine)
	switch {
	case err != nil:
		return 0, "pg_buffercache could not be looked up: " + err.Error()
	case !evicts:
		return 0, fmt.Sprintf("pg_buffercache %s cannot evict pages (run alter extension pg_buffercache update)", version)
	case !genuine:
		return 0, "functions of pg_buffercache may have been replaced, or their owner is not a superuser"
	}
	home := pgx.Identifier{schema}.Sanitize()
	ask := `/* realiops */
		select pg_catalog.count(` + home + `.pg_buffercache_evict(bufferid)) from ` + home + `.pg_buffercache
		where relfilenode in (select pg_catalog.pg_relation_filenode(of.oid::pg_catalog.regclass)
			from (select $1::pg_catalog.text::pg_catalog.regclass::pg_catalog.oid
				union all select indexrelid from pg_catalog.pg_index where indrelid = $1::pg_catalog.text::pg_catalog.regclass) as of (oid))
		and reldatabase = (select oid from pg_catalog.pg_database where datname = pg_catalog.current_database())`
	if err := postgres.QueryRow(ctx, conn, ask, w.table).Scan(&pages); err != nil {
		return 0, "pg_buffercache could not evict pages: " + err.Error()
	}
	return pages, ""
}
