package pgstat

// database reads the connected database's row of pg_stat_database. The columns read here are the same since 13.
func database() view {
	return view{
		name: Name + ".database", relations: []string{"pg_stat_database"},
		rows: "datname = pg_catalog.current_database()",
		fields: append(columns("xact_commit", "xact_rollback", "tup_inserted", "tup_updated", "tup_deleted",
			"tup_returned", "tup_fetched", "blks_read", "blks_hit", "temp_files", "temp_bytes", "deadlocks"),
			value("blk_read_time", milliseconds("blk_read_time")),
			value("blk_write_time", milliseconds("blk_write_time")),
			statsReset()),
	}
}
