package pgstat

// statIO is reading and writing by all processes, as the server asks it of the operating system: from 16 on.
//
// In 16 and 17 a count is one of blocks of op_bytes, and the log is not in it. 18 counts operations, which may hold
// several blocks, shows bytes apart, and adds the log as an object of its own, whose new segments are filled with
// zeros in the context init. Tables in temporary schemas are left out: they are not the server's load on the disk.
func statIO() view {
	return view{
		name:      Name + ".io",
		relations: []string{"pg_stat_io"},
		chapter:   "https://www.postgresql.org/docs/current/monitoring-stats.html#MONITORING-PG-STAT-IO-VIEW",
		fields: []field{
			counter("reads", "operations", "reads of tables and indexes; blocks in 16 and 17", ofRelations("reads")),
			counter("writes", "operations", "writes of tables and indexes, not their growth", ofRelations("writes")),
			counter("extends", "operations", "growths of tables and indexes; blocks in 16 and 17, of which one operation of 18 "+
				"may have many: compare extend_bytes", ofRelations("extends")),
			counter("writebacks", "operations", "blocks that the kernel was told to start writing", ofRelations("writebacks")),
			counter("fsyncs", "operations", "syncs of tables and indexes", ofRelations("fsyncs")),
			counter("read_bytes", "bytes", "bytes read of tables and indexes", bytesOf("read")...),
			counter("write_bytes", "bytes", "bytes written to tables and indexes, not their growth", bytesOf("write")...),
			counter("extend_bytes", "bytes", "bytes that tables and indexes grew by", bytesOf("extend")...),
			counter("wal_writes", "operations", "writes of log buffers to the log's files, from 18 on", ofLog("writes", "normal")),
			counter("wal_write_bytes", "bytes", "bytes of log buffers written, from 18 on: whole blocks, some more than once",
				ofLog("write_bytes", "normal")),
			counter("wal_fsyncs", "operations", "syncs of the log's files, from 18 on", ofLog("fsyncs", "normal")),
			counter("wal_init_writes", "operations", "writes that make new files for the log, from 18 on", ofLog("writes", "init")),
			counter("wal_init_write_bytes", "bytes", "bytes of zeros that make new files for the log, from 18 on",
				ofLog("write_bytes", "init")),
			statsResetOf("max(stats_reset)"),
		},
	}
}

// ofRelations sums over all kinds of process and all contexts.
func ofRelations(column string) way {
	return way{"sum(" + column + ") filter (where object = 'relation')", []string{column}}
}

// bytesOf reads the bytes of an operation: their own column in 18, blocks times their size before.
func bytesOf(operation string) []way {
	before18 := operation + "s"
	return []way{
		ofRelations(operation + "_bytes"),
		{"sum(" + before18 + " * op_bytes) filter (where object = 'relation')", []string{before18, "op_bytes"}},
	}
}

// ofLog sums over all kinds of process. The columns of bytes came in the same version as the log did.
func ofLog(column, context string) way {
	return way{"sum(" + column + ") filter (where object = 'wal' and context = '" + context + "')",
		[]string{column, "write_bytes"}}
}
