package pgstat

// wal is what was written to the write-ahead log: from 14 on. 18 moved wal_write and wal_sync to pg_stat_io; see statIO.
func wal() view {
	return view{
		name:      Name + ".wal",
		relations: []string{"pg_stat_wal"},
		chapter:   "https://www.postgresql.org/docs/current/monitoring-stats.html#MONITORING-PG-STAT-WAL-VIEW",
		fields: []field{
			counter("wal_records", "records", "records put into the log: about one per row and one per index entry"),
			counter("wal_fpi", "images", "full-page images put into the log"),
			counter("wal_bytes", "bytes", "bytes put into the log"),
			counter("wal_buffers_full", "operations", "writes of the log because its buffers were full"),
			counter("wal_write", "operations", "writes of log buffers to the log's files, up to 17"),
			counter("wal_sync", "operations", "syncs of the log's files, up to 17; 0 where wal_sync_method syncs by writing"),
			statsReset(),
		},
	}
}
