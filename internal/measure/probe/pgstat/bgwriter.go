package pgstat

// bgwriter is the work of the background writer, and up to 16 that of sessions which write for themselves; from 17 on
// pg_stat_io alone shows the latter.
func bgwriter() view {
	return view{
		name:      Name + ".bgwriter",
		relations: []string{"pg_stat_bgwriter"},
		chapter:   "https://www.postgresql.org/docs/current/monitoring-stats.html#MONITORING-PG-STAT-BGWRITER-VIEW",
		fields: []field{
			counter("buffers_clean", "blocks", "shared buffers written by the background writer"),
			counter("maxwritten_clean", "operations", "rounds that the background writer cut short at its limit"),
			counter("buffers_alloc", "blocks", "shared buffers given to a block").
				but("where the background writer had nothing to do, it may come ten seconds late"),
			counter("buffers_backend", "blocks", "blocks written by sessions").
				upTo(16, "from 16 on pgstat.io/client_writes and client_extends show it").
				but("growth of tables and indexes is among them"),
			counter("buffers_backend_fsync", "operations", "syncs that sessions had to do themselves").
				upTo(16, "from 16 on pgstat.io/client_fsyncs shows it"),
			statsReset(),
		},
	}
}
