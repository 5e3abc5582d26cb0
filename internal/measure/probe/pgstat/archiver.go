package pgstat

// archiver is the copying of the log's files to elsewhere, which reads all that was written. It stands at zero where
// archive_mode is off.
func archiver() view {
	return view{
		name:      Name + ".archiver",
		relations: []string{"pg_stat_archiver"},
		chapter:   "https://www.postgresql.org/docs/current/monitoring-stats.html#MONITORING-PG-STAT-ARCHIVER-VIEW",
		fields: []field{
			counter("archived_count", "files", "files of the log that were archived"),
			counter("failed_count", "files", "attempts to archive one that failed"),
			statsReset(),
		},
	}
}
