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
