package pgstat

import "github.com/realiops/realiops/internal/runfile"

// entries computes how many index entries were written for the rows of the tables in some schemas: for each new
// version of a row, one in each index of its table. The server does not count them; they follow from the tables'
// counters and the definitions of their indexes.
//
// A new version is an insert, or an update that is not HOT. For it an index takes
//
//   - exactly one entry, if it is a btree, a GiST or an SP-GiST: they hold NULLs, too, and expressions;
//   - none or one, if it is partial, a hash index of a nullable column, or BRIN, which holds a summary of many rows
//     and from 16 on may change with a HOT update as well;
//   - at least one, if it is a GIN, which takes one for each key in the value; with an unknown access method, any
//     number.
//
// So the least and the most are the same, and exact, if all indexes are of the first sort. An index
// that is not ready yet takes none.
func entries(schemas []string) view {
	return view{
		name: Name + ".tables", from: entriesOfTables, arguments: []any{schemas},
		fields: []field{
			value("index_entries_least", way{"coalesce(pg_catalog.sum(versions * least), 0)", nil}),
			value("index_entries_most",
				way{"case when not coalesce(pg_catalog.bool_or(versions > 0 and boundless > 0), false) " +
					"then coalesce(pg_catalog.sum(versions * indexes + hot * summaries), 0) end",
					nil}).nullIs(boundless),
			value("toast_tup_ins", way{"coalesce(pg_catalog.sum(toasted), 0)", nil}),
			value("indexes", way{"coalesce(pg_catalog.sum(indexes), 0)", nil}),
			value("indexes_inexact", way{"coalesce(pg_catalog.sum(indexes - exact), 0)", nil}),
		},
	}
}

var boundless = null{
	reason: runfile.Unsupported,
	detail: "a GIN index, or one of a method that realiops does not know, takes any number of entries for a row",
}

// entriesOfTables has a row for each table. It uses the functions behind the views of tables.
const entriesOfTables = `(
	select pg_catalog.pg_stat_get_tuples_inserted(c.oid) + pg_catalog.pg_stat_get_tuples_updated(c.oid) - pg_catalog.pg_stat_get_tuples_hot_updated(c.oid) as versions,
		pg_catalog.pg_stat_get_tuples_hot_updated(c.oid) as hot, pg_catalog.pg_stat_get_tuples_inserted(c.reltoastrelid) as toasted, i.*
	from pg_catalog.pg_class c cross join lateral (
		select pg_catalog.count(*) as indexes, pg_catalog.count(*) filter (where exact) as exact,
			pg_catalog.count(*) filter (where exact or method = 'gin' and not partial) as least,
			pg_catalog.count(*) filter (where method not in ('btree', 'gist', 'spgist', 'hash', 'brin')) as boundless,
			pg_catalog.count(*) filter (where method = 'brin' and pg_catalog.current_setting('server_version_num')::int >= 160000) as summaries
		from (
			select m.amname as method, x.indpred is not null as partial, x.indpred is null and (
				m.amname in ('btree', 'gist', 'spgist') or m.amname = 'hash' and coalesce(a.attnotnull, false)) as exact
			from pg_catalog.pg_index x
			join pg_catalog.pg_class k on k.oid = x.indexrelid join pg_catalog.pg_am m on m.oid = k.relam
			left join pg_catalog.pg_attribute a on a.attrelid = x.indrelid and a.attnum = x.indkey[0] and a.attnum > 0
			where x.indrelid = c.oid and x.indislive and x.indisready
		) each_index
	) i
	where c.relkind in ('r', 'm') and c.oid = ` + ours + `
) each_table`
