package pgstat

// auroraDatabase is what Aurora adds to pg_stat_database: which pages came from its storage, and which from local disks.
func auroraDatabase() view {
	return view{
		name:      Name + ".aurora",
		relations: []string{"aurora_stat_database"},
		call:      "()",
		only:      true,
		rows:      "datname = pg_catalog.current_database()",
		fields: append(columns("storage_blks_read", "orcache_blks_hit", "local_blks_read"),
			value("storage_blk_read_time", milliseconds("storage_blk_read_time")),
			value("orcache_blk_read_time", milliseconds("orcache_blk_read_time")),
			value("local_blk_read_time", milliseconds("local_blk_read_time"))),
	}
}
