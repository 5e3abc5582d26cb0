package pgstat

// wal is what was written to the write-ahead log: from 14 on. 18 moved its writes and syncs to pg_stat_io; see statIO.
func wal() view {
	return view{
		name:      Name + ".wal",
		relations: []string{"pg_stat_wal"},
		chapter:   "https://www.postgresql.org/docs/current/monitoring-stats.html#MONITORING-PG-STAT-WAL-VIEW",
		remedy:    "pgstat.statements/wal_records and wal_bytes count those of statements, and pgstat.lsn/insert counts bytes",
		fields: []field{
			counter("wal_records", "records", "records put into the log").from(14).but("about one per row and one per index entry"),
			counter("wal_fpi", "images", "full-page images put into the log").from(14),
			counter("wal_bytes", "bytes", "bytes put into the log").from(14),
			counter("wal_buffers_full", "operations", "writes of the log because its buffers were full").from(14),
			counter("wal_write", "operations", "writes of log buffers to the log's files").
				from(14).upTo(17, "from 18 on pgstat.io/wal_writes shows it"),
			counter("wal_sync", "operations", "syncs of the log's files").
				from(14).upTo(17, "from 18 on pgstat.io/wal_fsyncs shows it").
				but("0 where wal_sync_method syncs by writing"),
			counter("wal_write_time", "seconds", "time that the log's writes took", milliseconds("wal_write_time")).
				from(14).upTo(17, "from 18 on pgstat.io/wal_write_time shows it").whileOn(trackWALIOTiming),
			counter("wal_sync_time", "seconds", "time that the log's syncs took", milliseconds("wal_sync_time")).
				from(14).upTo(17, "from 18 on pgstat.io/wal_fsync_time shows it").whileOn(trackWALIOTiming),
			statsReset().from(14),
		},
	}
}
