package pgstat

// database is what happened in the connected database. Its columns read here are the same from 13 on.
func database() view {
	return view{
		name:      Name + ".database",
		relations: []string{"pg_stat_database"},
		rows:      "datname = current_database()",
		chapter:   "https://www.postgresql.org/docs/current/monitoring-stats.html#MONITORING-PG-STAT-DATABASE-VIEW",
		fields: []field{
			counter("xact_commit", "transactions", "transactions committed, one for each reading of ours among them"),
			counter("xact_rollback", "transactions", "transactions rolled back"),
			counter("tup_inserted", "rows", "rows inserted, those of the system's own tables among them"),
			counter("tup_updated", "rows", "rows updated, those of the system's own tables among them"),
			counter("tup_deleted", "rows", "rows deleted, those of the system's own tables among them"),
			counter("blks_read", "blocks", "blocks asked of the operating system, which may have had them in memory"),
			counter("blks_hit", "blocks", "blocks found in shared buffers"),
			counter("temp_files", "files", "temporary files made by queries that ran out of work_mem"),
			counter("temp_bytes", "bytes", "bytes written to temporary files"),
			counter("deadlocks", "deadlocks", "deadlocks found"),
			statsReset(),
		},
	}
}
