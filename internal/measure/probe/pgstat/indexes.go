package pgstat

// indexes is how the indexes of the tables in some schemas were used for reading. What was written to them has no view
// of its own; see entries.
func indexes(schemas []string) view {
	return view{
		name:      Name + ".indexes",
		relations: []string{"pg_stat_user_indexes"},
		rows:      inSchemas,
		arguments: []any{schemas},
		chapter:   "https://www.postgresql.org/docs/current/monitoring-stats.html#MONITORING-PG-STAT-ALL-INDEXES-VIEW",
		fields: all(ofTables,
			counter("idx_scan", "scans", "scans of the indexes", summed("idx_scan")),
			counter("idx_tup_read", "entries", "index entries that scans returned", summed("idx_tup_read")),
			counter("idx_tup_fetch", "rows", "rows fetched by plain scans of the indexes", summed("idx_tup_fetch")),
		),
	}
}

// indexBlocks is which blocks of those indexes were asked for, those of partitions' indexes among them.
func indexBlocks(schemas []string) view {
	return view{
		name:      Name + ".indexes_io",
		relations: []string{"pg_statio_user_indexes"},
		rows:      inSchemas,
		arguments: []any{schemas},
		chapter:   "https://www.postgresql.org/docs/current/monitoring-stats.html#MONITORING-PG-STATIO-ALL-INDEXES-VIEW",
		fields: all(ofTables,
			counter("idx_blks_read", "blocks", "blocks of indexes asked of the operating system", summed("idx_blks_read")),
			counter("idx_blks_hit", "blocks", "blocks of indexes found in shared buffers", summed("idx_blks_hit")),
		),
	}
}
