package pgstat

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/realiops/realiops/internal/measure/postgres"
	"github.com/realiops/realiops/internal/runfile"
)

// question is a sort of thing to rank. Its SQL returns a key, a name, and the columns.
type question struct {
	of      string
	columns []string
	by      []string // ranked by their sum
	// nil: rank the last question's answer again
	sql func(context.Context, *pgx.Conn) (string, error)
}

// The sorts of things.
const (
	rankedTables     = "tables"
	rankedIndexes    = "indexes"
	rankedStatements = "statements"
)

// questions returns an observation's questions. Statements are read once and ranked twice, by writes and by reads.
func questions() []question {
	return append(written(), question{runfile.Readers, statementColumns(),
		[]string{"shared_blks_read", "temp_blks_read"}, nil})
}

func written() []question {
	always := func(sql string) func(context.Context, *pgx.Conn) (string, error) {
		return func(context.Context, *pgx.Conn) (string, error) { return sql, nil }
	}
	return []question{
		{rankedTables, []string{"n_tup_ins", "n_tup_upd", "n_tup_hot_upd", "n_tup_del", "entries", "heap_blks_read",
			"heap_blks_hit", "vacuums"},
			[]string{"n_tup_ins", "n_tup_upd", "n_tup_del", "entries"}, always(tablesRanked)},
		{rankedIndexes, []string{"entries", "idx_blks_read", "idx_blks_hit", "idx_scan"}, []string{"entries"},
			always(indexesRanked)},
		{rankedStatements, statementColumns(), []string{"wal_bytes", "shared_blks_written", "temp_blks_written"},
			statementsRanked},
	}
}

// versions is the row versions that take an entry in each index of their table: all but HOT updates.
const versions = "(s.n_tup_ins + s.n_tup_upd - s.n_tup_hot_upd)"

var tablesRanked = `select s.relid::pg_catalog.text, ` +
	postgres.Named("pg_catalog.format('%s.%s', s.schemaname, s.relname)") + `,
		s.n_tup_ins::pg_catalog.float8, s.n_tup_upd::pg_catalog.float8, s.n_tup_hot_upd::pg_catalog.float8, s.n_tup_del::pg_catalog.float8, (` + versions + ` * coalesce(x.n, 0))::pg_catalog.float8, io.heap_blks_read::pg_catalog.float8,
		io.heap_blks_hit::pg_catalog.float8, (s.vacuum_count + s.autovacuum_count)::pg_catalog.float8
	from pg_catalog.pg_stat_user_tables s join pg_catalog.pg_statio_user_tables io using (relid)
	left join (select indrelid, pg_catalog.count(*) as n from pg_catalog.pg_index where indislive and indisready group by indrelid) x on x.indrelid = s.relid`

// indexesRanked ranks indexes. For a partial index the number of its entries is unknown.
var indexesRanked = `select io.indexrelid::pg_catalog.text, ` +
	postgres.Named("pg_catalog.format('%s.%s', io.schemaname, io.indexrelname)") + `,
		case when x.indpred is null then ` + versions + `::pg_catalog.float8 end, io.idx_blks_read::pg_catalog.float8, io.idx_blks_hit::pg_catalog.float8, i.idx_scan::pg_catalog.float8
	from pg_catalog.pg_statio_user_indexes io join pg_catalog.pg_stat_user_indexes i using (indexrelid)
	join pg_catalog.pg_index x using (indexrelid) join pg_catalog.pg_stat_user_tables s on s.relid = io.relid`

// dirtied counts pages that any process may write later, by the statement that changed them.
const dirtied = "shared_blks_dirtied"

// plans are counted only if the setting is on.
const plans, trackPlanning = "plans", "pg_stat_statements.track_planning"

func statementColumns() []string {
	return []string{"calls", plans, "rows", "wal_records", "wal_fpi", "wal_bytes", dirtied, "shared_blks_written",
		"shared_blks_read", "temp_blks_written", "temp_blks_read"}
}

// errNoStatements says that the database lacks the extension.
var errNoStatements = errors.New("extension pg_stat_statements is not in the database")

// The views of the extension.
const statementsView, infoView = "pg_stat_statements", "pg_stat_statements_info"

// statementsIn returns the qualified name of a view of the extension pg_stat_statements, and its columns.
func statementsIn(ctx context.Context, conn *pgx.Conn, view string) (path string, columns []string, err error) {
	err = postgres.QueryRow(ctx, conn,
		mark+`select pg_catalog.format('%I.%I', n.nspname, c.relname), pg_catalog.array_agg(a.attname::pg_catalog.text)
		from pg_catalog.pg_extension e join pg_catalog.pg_namespace n on n.oid = e.extnamespace
		join pg_catalog.pg_class c on c.relnamespace = n.oid and c.relname = $1
		join pg_catalog.pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
		where `+postgres.OfExtension("pg_class", "c.oid", "c.relowner", "'pg_stat_statements'")+`
			and not exists (select from pg_catalog.pg_proc p where p.pronamespace = c.relnamespace and p.proname = c.relname
				and not `+postgres.OfExtension("pg_proc", "p.oid", "p.proowner", "'pg_stat_statements'")+`)
		group by 1`, view).Scan(&path, &columns)
	if errors.Is(err, pgx.ErrNoRows) {
		err = errNoStatements
	}
	return path, columns, err
}

// statementsRanked reads the function instead of the view, which would read all texts from a file. It
// leaves out nested statements if they are marked, since the outer one includes them. Other users'
// statements that we may not see have one name.
func statementsRanked(ctx context.Context, conn *pgx.Conn) (string, error) {
	path, columns, err := statementsIn(ctx, conn, statementsView)
	if err != nil {
		return "", err
	}
	var sums []string
	for _, c := range statementColumns() {
		if !slices.Contains(columns, c) {
			return "", fmt.Errorf("pg_stat_statements has no column %s; run alter extension pg_stat_statements update", c)
		}
		sum := "pg_catalog.sum(" + c + ")::pg_catalog.float8"
		if c == plans {
			sum = "case when pg_catalog.current_setting('" + trackPlanning + "', true) = 'on' then " + sum + " end"
		}
		sums = append(sums, sum)
	}
	outer := ""
	if slices.Contains(columns, "toplevel") {
		outer = " and toplevel"
	}
	return fmt.Sprintf(
		`select coalesce(queryid::pg_catalog.text, 'hidden'), 't' || coalesce(queryid::pg_catalog.text, 'hidden'), %s from %s(false)
		where (wal_records > 0 or shared_blks_dirtied > 0 or shared_blks_written > 0 or temp_blks_written > 0 or shared_blks_read > 0)%s group by 1, 2`,
		strings.Join(sums, ", "), path, outer), nil
}

// unlisted says why no statement is listed although some may have written; empty: no reason is known.
func unlisted(ctx context.Context, conn *pgx.Conn, evictions float64) string {
	var track, ids string
	if err := postgres.QueryRow(ctx, conn, mark+`select coalesce(pg_catalog.current_setting('pg_stat_statements.track', true), ''),
		coalesce(pg_catalog.current_setting('compute_query_id', true), '')`).Scan(&track, &ids); err != nil {
		return ""
	}
	switch {
	case track == "none":
		return "pg_stat_statements records nothing with pg_stat_statements.track=none: set it to top"
	case evictions > 0:
		return "pg_stat_statements dropped all of them to make room: raise pg_stat_statements.max"
	case ids == "off":
		return "pg_stat_statements records nothing with compute_query_id=off: set it to auto"
	}
	return ""
}

// texts fills in the statements' texts, as far as they can be read.
func texts(ctx context.Context, conn *pgx.Conn, items []runfile.TopItem) {
	path, _, err := statementsIn(ctx, conn, statementsView)
	if err != nil {
		return
	}
	var ids []string
	for _, i := range items {
		ids = append(ids, i.Name)
	}
	var id, text string
	_ = postgres.ForEachRow(ctx, conn, []any{&id, (*postgres.Name)(&text)}, func() {
		for i := range items {
			if items[i].Name == id {
				items[i].Text = postgres.WithoutLiterals(text)
			}
		}
	}, mark+`select queryid::pg_catalog.text, `+postgres.Named("pg_catalog.min(query)")+` from `+path+`
		where queryid::pg_catalog.text = any($1) group by 1`, ids)
}
