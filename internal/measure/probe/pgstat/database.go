package pgstat

import "slices"

// database is what happened in the connected database. Its columns read here are the same from 13 on. Transactions are
// counted whatever the settings are; all else takes track_counts, temporary files and deadlocks included.
func database() view {
	work := all(func(f field) field { return f.whileOn(trackCounts) },
		counter("tup_inserted", "rows", "rows inserted").but("those of the system's own tables are among them"),
		counter("tup_updated", "rows", "rows updated").but("those of the system's own tables are among them"),
		counter("tup_deleted", "rows", "rows deleted").but("those of the system's own tables are among them"),
		counter("blks_read", "blocks", "blocks asked of the operating system").but("it may have had them in memory"),
		counter("blks_hit", "blocks", "blocks found in shared buffers"),
		counter("temp_files", "files", "temporary files made by queries that ran out of work_mem"),
		counter("temp_bytes", "bytes", "bytes written to temporary files"),
		counter("deadlocks", "deadlocks", "deadlocks found"),
	)
	times := all(func(f field) field { return f.whileOn(trackIOTiming) },
		counter("blk_read_time", "seconds", "time that sessions waited for reads of blocks", milliseconds("blk_read_time")),
		counter("blk_write_time", "seconds", "time that sessions waited for writes of blocks", milliseconds("blk_write_time")),
	)
	return view{
		name:      Name + ".database",
		relations: []string{"pg_stat_database"},
		rows:      "datname = current_database()",
		chapter:   "https://www.postgresql.org/docs/current/monitoring-stats.html#MONITORING-PG-STAT-DATABASE-VIEW",
		fields: slices.Concat([]field{
			counter("xact_commit", "transactions", "transactions committed").but("one for each reading of ours is among them"),
			counter("xact_rollback", "transactions", "transactions rolled back"),
		}, work, times, []field{statsReset()}),
	}
}
