package anatomy

import (
	"context"

	"github.com/jackc/pgx/v5"

	"github.com/realiops/realiops/internal/measure/postgres"
	"github.com/realiops/realiops/internal/runfile"
)

// file is the file of a table, an index or a sequence: its tablespace, database and relfilenode.
type file struct{ space, database, number uint32 }

// written is the total of one kind of record for one file in a window.
type written struct {
	file file
	kind string // Heap/INSERT
	part runfile.WALPart
}

// firstWithBlocks is the first version that lists the pages of each record; 15 has them as text.
const firstWithBlocks = 160000

// blockReader returns the statement that sums up the records between two positions by file.
func blockReader(ctx context.Context, conn *pgx.Conn, home pgx.Identifier) (sql string, err error) {
	var number int
	if err := postgres.QueryRow(ctx, conn, mark+"select pg_catalog.current_setting('server_version_num')::int").Scan(
		&number); err != nil {
		return "", err
	}
	if number < firstWithBlocks {
		return blocksOf15(home), nil
	}
	err = mayExecute(ctx, conn, home, blockFunction)
	if refused, is := isRefusal(err); is && refused.Code == undefinedFunction {
		err = gap(runfile.Unsupported, undefinedFunction, "pg_walinspect is older than this server; run alter extension "+
			"pg_walinspect update")
	}
	if err != nil {
		return "", err
	}
	return blocksSince16(home), nil
}

// blocksSince16 charges each page with its data and its image, and the first page of a record with the rest. Only the
// few records with several pages are sorted for that.
func blocksSince16(home pgx.Identifier) string {
	return mark + `with b as materialized (select start_lsn, block_id, reltablespace, reldatabase, relfilenode,
		resource_manager || '/' || record_type as kind, record_length,
		coalesce(block_data_length, 0) + coalesce(block_fpi_length, 0) as own, coalesce(block_fpi_length, 0) as image
		from ` + append(home, blockInfo).Sanitize() + `($1::pg_catalog.pg_lsn, $2::pg_catalog.pg_lsn, false)),
	several as (select distinct start_lsn from b where block_id <> 0),
	pages as (select reltablespace, reldatabase, relfilenode, kind, 1 as record, record_length as bytes, image
		from b where start_lsn not in (select start_lsn from several)
	union all select reltablespace, reldatabase, relfilenode, kind, case place when 1 then 1 else 0 end,
		case place when 1 then record_length - all_own + own else own end, image
		from (select b.*, pg_catalog.row_number() over (partition by start_lsn order by block_id) as place,
			pg_catalog.sum(own) over (partition by start_lsn) as all_own from b where start_lsn in (select start_lsn from several)) s)
	select reltablespace::pg_catalog.int8, reldatabase::pg_catalog.int8, relfilenode::pg_catalog.int8, kind, ` + sumsOfPages
}

// blocksOf15 parses the pages from text, which has the size of images but not of data. Data
// is charged to the first page.
func blocksOf15(home pgx.Identifier) string {
	number := func(after string) string {
		return "coalesce(nullif(pg_catalog.split_part(pg_catalog.translate(pg_catalog.split_part(page, '" + after +
			": ', 2), ',)', '  '), ' ', 1), '')::int, 0)"
	}
	return mark +
		`with r as materialized (select start_lsn, resource_manager || '/' || record_type as kind, record_length,
		coalesce(fpi_length, 0) as image, block_ref
		from ` + append(home, recordsInfo).Sanitize() + `($1::pg_catalog.pg_lsn, $2::pg_catalog.pg_lsn) where block_ref like 'blkref%'),
	pages as (select pg_catalog.split_part(block_ref, ' ', 4) as file, kind, 1 as record, record_length as bytes, image
		from r where block_ref not like '%blkref%blkref%'
	union all select file, kind, case place when 1 then 1 else 0 end,
		case place when 1 then record_length - all_images + image else image end, image
		from (select file, kind, record_length, place, image, pg_catalog.sum(image) over (partition by start_lsn) as all_images
			from (select start_lsn, kind, record_length, pg_catalog.split_part(page, ' ', 3) as file,
				pg_catalog.row_number() over (partition by start_lsn order by n) as place, case when page like '%(FPW%'
				then pg_catalog.current_setting('block_size')::int - ` + number("length") + " - " + number("compression saved") + ` else 0 end as image
				from r, pg_catalog.string_to_table(block_ref, 'blkref #') with ordinality t(page, n)
				where block_ref like '%blkref%blkref%' and page <> '') p) s)
	select pg_catalog.split_part(file, '/', 1)::pg_catalog.int8, pg_catalog.split_part(file, '/', 2)::pg_catalog.int8,
		pg_catalog.split_part(file, '/', 3)::pg_catalog.int8, kind, ` + sumsOfPages
}

const sumsOfPages = `pg_catalog.sum(record)::pg_catalog.int8, pg_catalog.sum(bytes)::pg_catalog.int8,
		pg_catalog.count(*) filter (where image > 0), pg_catalog.sum(image)::pg_catalog.int8
	from pages group by 1, 2, 3, 4`

// room makes the statement's sort fit into memory: a temporary file would cause I/O.
const room = mark + "select pg_catalog.set_config('work_mem', '32MB', true)"

func writtenIn(ctx context.Context, tx pgx.Tx, sql string, of span) (all []written, err error) {
	rows, err := tx.Query(ctx, sql, position(of.first), position(of.last))
	if err != nil {
		return nil, err
	}
	var w written
	_, err = pgx.ForEachRow(rows, []any{&w.file.space, &w.file.database, &w.file.number, &w.kind,
		&w.part.Records, &w.part.Bytes, &w.part.Images, &w.part.ImageBytes}, func() error {
		all = append(all, w)
		return nil
	})
	return all, err
}
