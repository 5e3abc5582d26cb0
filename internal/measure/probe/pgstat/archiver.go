package pgstat

// archiver returns the copying of the WAL's files to elsewhere, which reads all that was written. It stands at zero
// where archive_mode is off.
func archiver() view {
	return view{
		name:      Name + ".archiver",
		relations: []string{"pg_stat_archiver"},
		fields:    append(columns("archived_count", "failed_count"), statsReset()),
	}
}
