package pgstat

import "github.com/realiops/realiops/internal/metric"

// statements returns what the statements of our own user in this database did, by the extension pg_stat_statements.
// Nested statements, which it may be set to count too, are left out where it tells them apart: their work is in the
// outer one. 17 gave the times of blocks other names.
//
// Its function is read, not its view, because the texts of statements lie in a file that would have to be read each
// time.
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
		relations: []string{"pg_stat_statements"},
		call:      "(false)",
		rows: "userid = (select oid from pg_catalog.pg_roles where rolname = current_user) " +
			"and dbid = (select oid from pg_catalog.pg_database where datname = pg_catalog.current_database())",
		fields: append(fields,
			of("exec_time", milli, "total_exec_time"),
			of("blk_read_time", milli, "shared_blk_read_time", "blk_read_time"),
			of("blk_write_time", milli, "shared_blk_write_time", "blk_write_time")),
	}
}

// sumOfStatements leaves nested statements out where it can, and is zero of no statements.
func sumOfStatements(column, per string) []way {
	const toplevel = "toplevel"
	return []way{
		{"coalesce(pg_catalog.sum(" + column + ") filter (where " + toplevel + "), 0)" + per,
			[]string{column, toplevel}},
		{"coalesce(pg_catalog.sum(" + column + "), 0)" + per, []string{column}},
	}
}

// evictions returns how often the extension had no room.
func evictions() view {
	return view{
		name:      Name + ".statements",
		extension: metric.StatStatements,
		relations: []string{"pg_stat_statements_info"},
		fields:    []field{value("evictions", column("dealloc"))},
	}
}
