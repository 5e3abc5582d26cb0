package pgstat

// database returns what happened in the connected database. Its columns read here are the same from 13 on.
func database() view {
	return view{
		name:      Name + ".database",
		relations: []string{"pg_stat_database"},
		rows:      "datname = pg_catalog.current_database()",
		fields: append(columns("xact_commit", "xact_rollback", "tup_inserted", "tup_updated", "tup_deleted",
			"tup_returned", "tup_fetched", "blks_read", "blks_hit", "temp_files", "temp_bytes", "deadlocks"),
			value("blk_read_time", milliseconds("blk_read_time")),
			value("blk_write_time", milliseconds("blk_write_time")),
			statsReset()),
	}
}
