package pgstat

// slru is the server's small caches: of transactions' status, subtransactions, multixacts, notifications. 17 gave the
// caches other names.
func slru() view {
	const status = " filter (where name in ('Xact', 'transaction'))"
	const withoutCheckpoints = "those of checkpoints are not counted while the server runs: see pgstat.checkpointer/slru_written"
	sum := func(name, help string) field { return counter(name, "blocks", help, summed(name)) }
	ofStatus := func(column, help string) field {
		return counter("xact_"+column, "blocks", help, way{"coalesce(sum(" + column + ")" + status + ", 0)", []string{column}})
	}
	return view{
		name:      Name + ".slru",
		relations: []string{"pg_stat_slru"},
		chapter:   "https://www.postgresql.org/docs/current/monitoring-stats.html#MONITORING-PG-STAT-SLRU-VIEW",
		fields: []field{
			sum("blks_zeroed", "new blocks of all small caches"),
			sum("blks_hit", "blocks found in the small caches"),
			sum("blks_read", "blocks of the small caches asked of the operating system"),
			sum("blks_written", "blocks of the small caches given to the operating system").but(withoutCheckpoints),
			counter("flushes", "operations", "times that a small cache was written out", summed("flushes")).but(withoutCheckpoints),
			ofStatus("blks_zeroed", "new blocks of the status of transactions: one for 32,768 transactions"),
			ofStatus("blks_written", "blocks of the status of transactions given to the operating system").but(withoutCheckpoints),
			statsResetOf("max(stats_reset)"),
		},
	}
}
