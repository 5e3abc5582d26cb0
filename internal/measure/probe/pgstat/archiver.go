package pgstat

// archiver reads pg_stat_archiver: archiving reads all WAL. It stays at zero if archive_mode is off.
func archiver() view {
	return view{
		name: Name + ".archiver", relations: []string{"pg_stat_archiver"},
		fields: append(columns("archived_count", "failed_count"), statsReset()),
	}
}
