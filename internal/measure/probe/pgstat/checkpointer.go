package pgstat

// checkpointer is the work of checkpoints. Up to 16 pg_stat_bgwriter showed it, under other names.
func checkpointer() view {
	return view{
		name:      Name + ".checkpointer",
		relations: []string{"pg_stat_checkpointer", "pg_stat_bgwriter"},
		chapter:   "https://www.postgresql.org/docs/current/monitoring-stats.html#MONITORING-PG-STAT-CHECKPOINTER-VIEW",
		fields: []field{
			counter("checkpoints_timed", "checkpoints", "checkpoints because checkpoint_timeout was over",
				column("num_timed"), column("checkpoints_timed")).but("those that were skipped, there being nothing to do, are among them"),
			counter("checkpoints_req", "checkpoints", "checkpoints that were asked for, by a statement or by max_wal_size",
				column("num_requested"), column("checkpoints_req")),
			counter("checkpoints_done", "checkpoints", "checkpoints that were completed", column("num_done")).from(18),
			counter("restartpoints_timed", "checkpoints", "restartpoints of a standby because of time").from(17),
			counter("restartpoints_req", "checkpoints", "restartpoints of a standby that were asked for").from(17),
			counter("restartpoints_done", "checkpoints", "restartpoints of a standby that were completed").from(17),
			counter("buffers_written", "blocks", "shared buffers written by checkpoints",
				column("buffers_written"), column("buffers_checkpoint")).
				but("from 14 to 17 the lines of log_checkpoints count those of the small caches as well"),
			counter("slru_written", "blocks", "other buffers (transaction status and the like) written by checkpoints").from(18),
			counter("write_time", "seconds", "time in which checkpoints wrote files, their pauses included",
				milliseconds("write_time"), milliseconds("checkpoint_write_time")),
			counter("sync_time", "seconds", "time in which checkpoints synced files",
				milliseconds("sync_time"), milliseconds("checkpoint_sync_time")),
			statsReset(),
		},
	}
}
