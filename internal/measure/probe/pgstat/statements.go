package pgstat

import "github.com/realiops/realiops/internal/metric"

// statements reads the work of our own user's statements in this database from pg_stat_statements. It leaves out
// nested statements if they are marked, since the outer ones include them. 17 renamed the times of blocks.
//
// It reads the function instead of the view, which would read the statements' texts from a file each time.
func statements() view {
	of := func(name, per string, columns ...string) field {
		var ways []way
		for _, c := range columns {
			ways = append(ways, sumOfStatements(c, per)...)
		}
		return value(name, ways...)
	}
	fields := []field{value("statements", counted())}
	for _, name := range []string{
		"calls", "rows", "wal_records", "wal_fpi", "wal_bytes", "wal_buffers_full", "shared_blks_hit",
		"shared_blks_read",
		"shared_blks_dirtied", "shared_blks_written", "temp_blks_read", "temp_blks_written",
	} {
		fields = append(fields, of(name, "", name))
	}
	const milli = " / 1000"
	return view{
		name:      Name + ".statements",
		extension: metric.StatStatements,
		relations: []string{"pg_stat_statements"}, call: "(false)",
		rows: "userid = (select oid from pg_catalog.pg_roles where rolname = current_user) " +
			"and dbid = (select oid from pg_catalog.pg_database where datname = pg_catalog.current_database())",
		fields: append(fields,
			of("exec_time", milli, "total_exec_time"),
			of("blk_read_time", milli, "shared_blk_read_time", "blk_read_time"),
			of("blk_write_time", milli, "shared_blk_write_time", "blk_write_time")),
	}
}

// sumOfStatements leaves nested statements out if possible. It is zero without statements.
func sumOfStatements(column, per string) []way {
	const toplevel = "toplevel"
	return []way{
		{"coalesce(pg_catalog.sum(" + column + ") filter (where " + toplevel + "), 0)" + per,
			[]string{column, toplevel}},
		{"coalesce(pg_catalog.sum(" + column + "), 0)" + per, []string{column}},
	}
}

// evictions reads how often the extension evicted statements.
func evictions() view {
	return view{
		name: Name + ".statements", extension: metric.StatStatements, relations: []string{"pg_stat_statements_info"},
		fields: []field{value("evictions", column("dealloc"))},
	}
}
