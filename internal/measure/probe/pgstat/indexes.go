package pgstat

// indexes returns how the indexes of the tables in some schemas were used for reading. What was written to them has no
// view of its own; see entries.
func indexes(schemas []string) view {
	return view{
		name:      Name + ".indexes",
		relations: []string{"pg_stat_user_indexes"},
		rows:      inSchemas,
		arguments: []any{schemas},
		fields:    sums("idx_scan", "idx_tup_read", "idx_tup_fetch"),
	}
}

// indexBlocks returns which blocks of those indexes were asked for, those of partitions' indexes among them.
func indexBlocks(schemas []string) view {
	return view{
		name:      Name + ".indexes_io",
		relations: []string{"pg_statio_user_indexes"},
		rows:      inSchemas,
		arguments: []any{schemas},
		fields:    sums("idx_blks_read", "idx_blks_hit"),
	}
}
