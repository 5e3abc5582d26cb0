package pgstat

// statements is what the statements of our own user in this database did, by the extension pg_stat_statements. Nested
// statements, which it may be set to count too, are left out where it tells them apart: their work is in the outer one.
// 17 gave the times of blocks other names.
//
// Its function is read, not its view, because the texts of statements lie in a file that would have to be read each time.
func statements() view {
	const evicted = "falls when the extension forgets statements to make room for others: see evictions"
	sum := func(name, unit, help string, columns ...string) field {
		var ways []way
		for _, c := range columns {
			ways = append(ways, sumOfStatements(c, "")...)
		}
		return counter(name, unit, help, ways...).but(evicted)
	}
	inSeconds := func(name, help string, columns ...string) field {
		var ways []way
		for _, c := range columns {
			ways = append(ways, sumOfStatements(c, " / 1000")...)
		}
		return counter(name, "seconds", help, ways...).but(evicted)
	}
	return view{
		name:      Name + ".statements",
		extension: "pg_stat_statements",
		relations: []string{"pg_stat_statements"},
		call:      "(false)",
		rows: "userid = (select oid from pg_catalog.pg_roles where rolname = current_user) " +
			"and dbid = (select oid from pg_catalog.pg_database where datname = current_database())",
		chapter: chapterOfStatements,
		fields: []field{
			gauge("statements", "statements", "kinds of statement that are counted", counted()).but("our readings' own are among them"),
			sum("calls", "statements", "statements that were done", "calls").but("our readings' own are among them; " + evicted),
			sum("rows", "rows", "rows that statements returned or changed", "rows"),
			inSeconds("exec_time", "time that it took to do them", "total_exec_time"),
			sum("wal_records", "records", "records put into the log by statements, those of their commits not among them", "wal_records"),
			sum("wal_fpi", "images", "full-page images put into the log by statements", "wal_fpi"),
			sum("wal_bytes", "bytes", "bytes put into the log by statements", "wal_bytes"),
			sum("wal_buffers_full", "operations", "writes of the log by statements because its buffers were full", "wal_buffers_full").from(18),
			sum("shared_blks_hit", "blocks", "blocks that statements found in shared buffers", "shared_blks_hit"),
			sum("shared_blks_read", "blocks", "blocks that statements asked of the operating system", "shared_blks_read"),
			sum("shared_blks_dirtied", "blocks", "blocks that statements were the first to change", "shared_blks_dirtied"),
			sum("shared_blks_written", "blocks", "blocks that statements wrote, growth of tables and indexes among them", "shared_blks_written"),
			sum("temp_blks_read", "blocks", "blocks of temporary files that statements read", "temp_blks_read"),
			sum("temp_blks_written", "blocks", "blocks of temporary files that statements wrote", "temp_blks_written"),
			inSeconds("blk_read_time", "time that statements waited for reads of blocks", "shared_blk_read_time", "blk_read_time").whileOn(trackIOTiming),
			inSeconds("blk_write_time", "time that statements waited for writes of blocks", "shared_blk_write_time", "blk_write_time").whileOn(trackIOTiming),
		},
	}
}

const chapterOfStatements = "https://www.postgresql.org/docs/current/pgstatstatements.html"

// sumOfStatements leaves nested statements out where it can, and is zero of no statements.
func sumOfStatements(column, per string) []way {
	const toplevel = "toplevel"
	return []way{
		{"coalesce(sum(" + column + ") filter (where " + toplevel + "), 0)" + per, []string{column, toplevel}},
		{"coalesce(sum(" + column + "), 0)" + per, []string{column}},
	}
}

// evictions is how often the extension had no room.
func evictions() view {
	return view{
		name:      Name + ".statements",
		extension: "pg_stat_statements",
		relations: []string{"pg_stat_statements_info"},
		chapter:   chapterOfStatements,
		fields: []field{
			counter("evictions", "operations", "times that the extension forgot statements to make room for others", column("dealloc")).from(14),
		},
	}
}
