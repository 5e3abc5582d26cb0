package pgstat

// checkpointer reads the work of checkpoints. Up to 16 pg_stat_bgwriter has it under other names.
func checkpointer() view {
	return view{
		name: Name + ".checkpointer", relations: []string{"pg_stat_checkpointer", "pg_stat_bgwriter"},
		fields: []field{
			value("checkpoints_timed", column("num_timed"), column("checkpoints_timed")),
			value("checkpoints_req", column("num_requested"), column("checkpoints_req")),
			value("checkpoints_done", column("num_done")),
			value("restartpoints_timed"),
			value("restartpoints_req"),
			value("restartpoints_done"),
			value("buffers_written", column("buffers_written"), column("buffers_checkpoint")),
			value("slru_written"),
			value("write_time", milliseconds("write_time"), milliseconds("checkpoint_write_time")),
			value("sync_time", milliseconds("sync_time"), milliseconds("checkpoint_sync_time")),
			statsReset(),
		},
	}
}

// bgwriter reads the work of the background writer and, up to 16, the writes by sessions; from
// 17 on only pg_stat_io has those.
func bgwriter() view {
	return view{
		name: Name + ".bgwriter", relations: []string{"pg_stat_bgwriter"},
		fields: append(columns("buffers_clean", "maxwritten_clean", "buffers_alloc", "buffers_backend",
			"buffers_backend_fsync"), statsReset()),
	}
}

// archiver reads pg_stat_archiver: archiving reads all WAL. It stays at zero if archive_mode is off.
func archiver() view {
	return view{
		name: Name + ".archiver", relations: []string{"pg_stat_archiver"},
		fields: append(columns("archived_count", "failed_count"), statsReset()),
	}
}

// slru reads the server's SLRU caches: of transaction status, subtransactions, multixacts,
// notifications. 17 renamed them.
func slru() view {
	const status = " filter (where name in ('Xact', 'transaction'))"
	ofStatus := func(column string) field {
		return value("xact_"+column, way{"coalesce(pg_catalog.sum(" + column + ")" + status + ", 0)", []string{column}})
	}
	return view{
		name: Name + ".slru", relations: []string{"pg_stat_slru"},
		fields: append(sums("blks_zeroed", "blks_hit", "blks_read", "blks_written", "flushes"),
			ofStatus("blks_zeroed"), ofStatus("blks_written"), statsResetOf("pg_catalog.max(stats_reset)")),
	}
}
