package pgstat

// indexes reads how the indexes of the tables in some schemas were scanned. No view
// shows writes to them; see entries.
func indexes(schemas []string) view {
	return view{
		name: Name + ".indexes", relations: []string{"pg_stat_user_indexes"}, rows: inSchemas,
		arguments: []any{schemas}, fields: sums("idx_scan", "idx_tup_read", "idx_tup_fetch"),
	}
}

// indexBlocks reads the block requests of those indexes, including those of partitions.
func indexBlocks(schemas []string) view {
	return view{
		name: Name + ".indexes_io", relations: []string{"pg_statio_user_indexes"}, rows: inSchemas,
		arguments: []any{schemas}, fields: sums("idx_blks_read", "idx_blks_hit"),
	}
}
