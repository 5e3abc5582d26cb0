package pgstat

// wal reads pg_stat_wal, from 14 on. 18 moved its writes and fsyncs to pg_stat_io; see statIO.
func wal() view {
	return view{
		name: Name + ".wal", relations: []string{"pg_stat_wal"},
		remedy: "pgstat.statements/wal_records and wal_bytes count those of statements, and " +
			"pgstat.lsn/insert counts bytes",
		fields: append(columns("wal_records", "wal_fpi", "wal_bytes", "wal_fpi_bytes", "wal_buffers_full",
			"wal_write", "wal_sync"),
			value("wal_write_time", milliseconds("wal_write_time")),
			value("wal_sync_time", milliseconds("wal_sync_time")),
			statsReset()),
	}
}
