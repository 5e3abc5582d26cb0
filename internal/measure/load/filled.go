package load

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/realiops/realiops/internal/measure/postgres"
	"github.com/realiops/realiops/internal/runfile"
)

// shared is the table of all loads that only read. No load has this name.
const shared = "_reads"

// Sizes of rows and pages: the room in a page of 8 KiB, and the bytes of a row apart from its filler.
const (
	pageBytes = 8192
	pageRoom  = pageBytes - 24
	besides   = 24 + 8 + 4 + 4 // header, id, value, length of the filler
	alignment = 8
	pointer   = 4
	// indexEntry is the size of an index entry with an eight-byte key, including its share of the page's free space.
	indexEntry = 23
	halfFull   = 60 // fillfactor in percent, so that updates stay in the page
)

// RowsIn returns how many rows of the loads that read fit into a table of that many bytes, without its indexes.
func RowsIn(bytes int64) int64 {
	const wide = (readWidth+besides+alignment-1)/alignment*alignment + pointer
	rows := bytes / pageBytes * (pageRoom / wide)
	return max(1, rows/bitmapRows) * bitmapRows // so that each value of the second index has equally many rows
}

// filledIn is the assumed speed of filling, in bytes of rows and indexes per second, including vacuum. It is set low,
// so that filling takes no longer than announced.
const filledIn = 40e6

// FillsIn estimates the time to make the table of a load.
func FillsIn(load runfile.Load) time.Duration {
	if !Fills(load.Method) {
		return 0
	}
	row, full := load.Width+besides+pointer, 1.0
	if !Reads(load.Method) {
		full = halfFull / 100.0
	}
	bytes := float64(load.TableRows) * (float64(row)/full + float64(load.Indexes)*indexEntry)
	return time.Duration(bytes / filledIn * float64(time.Second))
}

// fill creates and fills a table, and vacuums it so that its first readers write nothing.
// A shared table is filled once.
func (w *Workload) fill(ctx context.Context, conn *pgx.Conn) error {
	const ask = "/* realiops */ select pg_catalog.to_regclass($1::pg_catalog.text) is not null"
	var there bool
	if err := postgres.QueryRow(ctx, conn, ask, w.table).Scan(&there); err != nil {
		return fmt.Errorf("look up the table of the load %s: %w", w.load.Name, err)
	}
	if there {
		return nil
	}
	full := 100
	if !Reads(w.load.Method) {
		full = halfFull
	}
	ddl := []string{
		fmt.Sprintf("create table %s (id pg_catalog.int8 not null, value pg_catalog.int4, filler pg_catalog.text) "+
			"with (autovacuum_enabled = off, fillfactor = %d)", w.table, full),
		fmt.Sprintf("alter table %s alter filler set storage plain", w.table),
		fmt.Sprintf("insert into %s select id, id %% %d, %s from pg_catalog.generate_series(1, %d) as id",
			w.table, w.distinct(), w.filler(repeatInSQL), w.load.TableRows),
		fmt.Sprintf("alter table %s add primary key (id)", w.table),
	}
	if w.load.Indexes >= 2 {
		ddl = append(ddl, fmt.Sprintf("create index on %s (value)", w.table))
	}
	ddl = append(ddl, fmt.Sprintf("comment on table %s is '%s'", w.table, postgres.TableMark))
	defer postgres.Lengthy(conn)()
	if err := postgres.Exec(ctx, conn, ddl...); err != nil {
		return fmt.Errorf("fill the table of the load %s: %w", w.load.Name, err)
	}
	return w.Vacuum(ctx, conn)
}

// distinct returns the number of values in the second index. Rows of one value are scattered over the table.
func (t transaction) distinct() int64 {
	if t.load.Method == Replace || t.load.Method == Update || t.load.Method == LookupUpdate {
		return t.load.TableRows
	}
	return max(1, t.load.TableRows/bitmapRows)
}

// Vacuum removes the dead rows of updates and deletes, and updates the planner's statistics.
func (w *Workload) Vacuum(ctx context.Context, conn *pgx.Conn) error {
	defer postgres.Lengthy(conn)()
	if _, err := conn.Exec(ctx, "/* realiops */ vacuum (analyze) "+w.table,
		pgx.QueryExecModeSimpleProtocol); err != nil {
		return fmt.Errorf("vacuum the table of the load %s: %w", w.load.Name, err)
	}
	return nil
}

// Vacuums reports whether a vacuum is part of the load.
func (w *Workload) Vacuums() bool { return w.load.Method == Replace }

// Warms reports whether the load expects its rows in memory.
func (w *Workload) Warms() bool { return Reads(w.load.Method) && !w.load.Cold }

// Warm makes the server read the rows and the index that the load expects in memory.
func (w *Workload) Warm(ctx context.Context, conn *pgx.Conn) error {
	defer postgres.Lengthy(conn)()
	rows := fmt.Sprintf("select pg_catalog.count(filler) from %s where id <= %d", w.table, w.ofRows())
	keys := fmt.Sprintf("select pg_catalog.count(*) from %s where id <= %d", w.table, w.ofRows())
	if err := postgres.Exec(ctx, conn, rows, "set local enable_seqscan = off", "set local enable_bitmapscan = off",
		keys); err != nil {
		return fmt.Errorf("read the table of the load %s: %w", w.load.Name, err)
	}
	return nil
}

// ofRows returns the number of rows that lookups choose from, at the beginning of the table.
func (t transaction) ofRows() int64 {
	if t.load.OfRows == 0 {
		return t.load.TableRows
	}
	return min(t.load.OfRows, t.load.TableRows)
}

// Files returns the first segments of the table and its indexes, relative to the data directory.
func (w *Workload) Files(ctx context.Context, conn postgres.Asker) (files []string, err error) {
	const ask = `/* realiops */
		select pg_catalog.pg_relation_filepath(of.oid::pg_catalog.regclass)
		from (select $1::pg_catalog.text::pg_catalog.regclass::pg_catalog.oid
			union all select indexrelid from pg_catalog.pg_index where indrelid = $1::pg_catalog.text::pg_catalog.regclass) as of (oid)`
	var file string
	err = postgres.ForEachRow(ctx, conn, []any{&file}, func() { files = append(files, file) }, ask, w.table)
	if err != nil {
		return nil, fmt.Errorf("list the files of the load %s: %w", w.load.Name, err)
	}
	return files, nil
}

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
