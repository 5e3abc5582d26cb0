package anatomy

import (
	"context"

	"github.com/jackc/pgx/v5"

	"github.com/realiops/realiops/internal/measure/postgres"
	"github.com/realiops/realiops/internal/runfile"
)

type relation struct {
	oid  uint32
	item runfile.WALItem // without its parts
}

// names remembers which relation each file belongs to, since a dropped or rewritten table's old number disappears.
type names struct {
	database uint32 // ours
	of       map[file]relation
}

// mostNamed bounds the names remembered. In a larger database, a dropped relation has a name
// only if it was asked for before.
const mostNamed = 20_000

// newNames reads the database's relations and files, so that later drops are known.
func newNames(ctx context.Context, conn *pgx.Conn) (n *names, err error) {
	n = &names{of: map[file]relation{}}
	err = postgres.QueryRow(ctx, conn,
		mark+"select oid::pg_catalog.int8 from pg_catalog.pg_database where datname = pg_catalog.current_database()").
		Scan(&n.database)
	if err != nil {
		return nil, err
	}
	there, err := n.ask(ctx, conn, filesThere, int64(mostNamed+1))
	if err == nil && len(there) <= mostNamed {
		n.of = there
	}
	return n, err
}

// look returns the relations of files, by their present names or the names before they were dropped or rewritten. It
// cannot name relations of other databases.
func (n *names) look(ctx context.Context, conn *pgx.Conn, files []file) (map[file]runfile.WALItem, error) {
	var spaces, numbers, known, databases []int64
	for _, f := range files {
		if f.database != 0 && f.database != n.database {
			databases = append(databases, int64(f.database))
			continue
		}
		spaces, numbers, known = append(spaces, int64(f.space)), append(numbers, int64(f.number)),
			append(known, int64(n.of[f.here()].oid))
	}
	there, err := n.ask(ctx, conn, filesNamed, spaces, numbers, known)
	if err != nil {
		return nil, err
	}
	elsewhere, err := databasesNamed(ctx, conn, databases)
	if err != nil {
		return nil, err
	}
	called := map[file]runfile.WALItem{}
	for _, f := range files {
		r, found := there[f.here()]
		switch {
		case f.database != 0 && f.database != n.database:
			r.item = runfile.WALItem{Name: elsewhere[f.database], Is: runfile.WALElsewhere}
		case found && len(n.of) < 2*mostNamed:
			n.of[f.here()] = r
		case !found:
			r = n.of[f.here()]
			r.item.Dropped = true
		}
		r.item.Shared = f.database == 0
		called[f] = r.item
	}
	return called, nil
}

// here returns the file without its database.
func (f file) here() file { return file{space: f.space, number: f.number} }

func databasesNamed(ctx context.Context, conn *pgx.Conn, numbers []int64) (map[uint32]string, error) {
	found := map[uint32]string{}
	if len(numbers) == 0 {
		return found, nil
	}
	var number uint32
	var name postgres.Name
	err := postgres.ForEachRow(ctx, conn, []any{&number, &name}, func() {
		found[number] = string(name)
	}, databasesCalled, numbers)
	return found, err
}

var databasesCalled = mark + "select oid::pg_catalog.int8, " + postgres.Named("datname") +
	" from pg_catalog.pg_database where oid::pg_catalog.int8 = any($1::pg_catalog.int8[])"

// ask runs a statement that returns one relation per row, and returns them by file, without the database.
func (n *names) ask(ctx context.Context, conn *pgx.Conn, sql string, arguments ...any) (map[file]relation, error) {
	found := map[file]relation{}
	var (
		at                file
		r                 relation
		name, table, like postgres.Name
	)
	targets := []any{&at.space, &at.number, &r.oid, &name, &r.item.Is, &table, &r.item.Constraint, &r.item.Scans,
		&r.item.Since, &like}
	err := postgres.ForEachRow(ctx, conn, targets, func() {
		r.item.Name, r.item.Table, r.item.Like = string(name), string(table), string(like)
		if r.item.Since != nil {
			r.item.Since = new(r.item.Since.UTC())
		}
		found[at] = r
		r.item.Scans, r.item.Since = nil, nil // the next row has its own
	}, sql, arguments...)
	return found, err
}

// called selects a relation c's number, name and sort, and for an index its table. A TOAST table's
// name ends with its table's number.
var called = "c.oid::pg_catalog.int8, " + postgres.Named("n.nspname || '.' || c.relname") + `, case
		when n.nspname in ('pg_catalog', 'information_schema') or tn.nspname = 'pg_catalog' then '` + runfile.WALCatalog + `'
		when c.relkind = 't' then '` + runfile.WALOversized + `' when t.relkind = 't' then '` + runfile.WALOversizedIndex + `'
		when i.indexrelid is not null then '` + runfile.WALIndex + `'
		when c.relkind = 'S' then '` + runfile.WALSequence + `' else '` + runfile.WALTable + `' end, ` +
	postgres.Named("coalesce(vn.nspname || '.' || v.relname, tn.nspname || '.' || t.relname, '')")

const ofRelation = `
		join pg_catalog.pg_namespace n on n.oid = c.relnamespace left join pg_catalog.pg_index i on i.indexrelid = c.oid
		left join pg_catalog.pg_class t on t.oid = i.indrelid left join pg_catalog.pg_namespace tn on tn.oid = t.relnamespace
		left join pg_catalog.pg_class v on v.oid = pg_catalog.substring(case 't' when c.relkind then c.relname when t.relkind then t.relname end
			::pg_catalog.text, '^pg_toast_([0-9]+)$')::pg_catalog.oid left join pg_catalog.pg_namespace vn on vn.oid = v.relnamespace`

// filesThere selects the files of all tables, indexes and sequences of users.
var filesThere = mark +
	`select coalesce(nullif(c.reltablespace, 0), d.dattablespace)::pg_catalog.int8, pg_catalog.pg_relation_filenode(c.oid)::pg_catalog.int8,
		` + called + `, '', null::pg_catalog.int8, null::pg_catalog.timestamptz, null::pg_catalog.text
	from pg_catalog.pg_database d, pg_catalog.pg_class c` + ofRelation + `
	where d.datname = pg_catalog.current_database() and c.relkind in ('r', 'i', 't', 'm', 'S') and n.nspname <> 'pg_catalog' limit $1`

// filesNamed selects the files of tablespaces $1 and numbers $2, or of the relations $3 that owned them before.
var filesNamed = mark + `select k.space, k.number, ` + called + `, case
		when i.indisprimary then '` + runfile.PrimaryKey + `' when i.indisexclusion then '` + runfile.Exclusion + `'
		when i.indisunique then '` + runfile.Unique + `' else '' end,
		case when i.indexrelid is not null then pg_catalog.pg_stat_get_numscans(c.oid) end,
		(select stats_reset from pg_catalog.pg_stat_database where datname = pg_catalog.current_database()), ` +
	postgres.Named("(select ln.nspname || '.' || lc.relname"+alike+")") + `
	from rows from (pg_catalog.unnest($1::pg_catalog.int8[]), pg_catalog.unnest($2::pg_catalog.int8[]), pg_catalog.unnest($3::pg_catalog.int8[])) as k(space, number, known)
		join pg_catalog.pg_class c on c.oid = coalesce(pg_catalog.pg_filenode_relation(k.space::pg_catalog.oid, k.number::pg_catalog.oid)::pg_catalog.oid,
			k.known::pg_catalog.oid)` + ofRelation

// alike finds an index that makes another superfluous: with the same columns and operators, and without a condition.
// An index of a constraint is never superfluous; of equal indexes, the first is not.
const alike = ` from pg_catalog.pg_index l join pg_catalog.pg_class lc on lc.oid = l.indexrelid join pg_catalog.pg_namespace ln on ln.oid = lc.relnamespace
		where l.indrelid = i.indrelid and l.indexrelid <> i.indexrelid and l.indisvalid and lc.relam = c.relam and not i.indisunique and not i.indisexclusion
			and l.indkey = i.indkey and l.indclass = i.indclass and l.indcollation = i.indcollation and l.indoption = i.indoption
			and l.indpred is null and i.indpred is null and l.indexprs is null and i.indexprs is null
			and (l.indisunique or l.indexrelid < i.indexrelid) order by l.indexrelid limit 1`
