package pgstat

// auroraDatabase reads Aurora's additions to pg_stat_database: the pages from its storage and from local disks.
func auroraDatabase() view {
	return view{
		name: Name + ".aurora", relations: []string{"aurora_stat_database"}, call: "()", only: true,
		rows: "datname = pg_catalog.current_database()",
		fields: append(columns("storage_blks_read", "orcache_blks_hit", "local_blks_read"),
			value("storage_blk_read_time", milliseconds("storage_blk_read_time")),
			value("orcache_blk_read_time", milliseconds("orcache_blk_read_time")),
			value("local_blk_read_time", milliseconds("local_blk_read_time"))),
	}
}

// auroraCache reads the writes of Optimized Reads' cache to its local disk.
func auroraCache() view {
	return view{
		name: Name + ".aurora_cache", relations: []string{"aurora_stat_bgwriter"}, call: "()", only: true,
		fields: append(columns("orcache_blks_written"),
			value("orcache_blk_write_time", milliseconds("orcache_blk_write_time"))),
	}
}

// auroraWaits reads the number and time of waits for Aurora's storage, since the instance started.
func auroraWaits() view {
	of := func(event, name string) []field {
		filter := ") filter (where event_name = '" + event + "'), 0)"
		return []field{
			value(name+"_waits", way{"coalesce(pg_catalog.sum(waits" + filter, []string{"waits"}}),
			value(name+"_time", way{"coalesce(pg_catalog.sum(wait_time" + filter + " / 1000000.0",
				[]string{"wait_time"}}),
		}
	}
	return view{
		name: Name + ".aurora_waits", relations: []string{"aurora_stat_system_waits"},
		from: "pg_catalog.aurora_stat_system_waits() natural join pg_catalog.aurora_stat_wait_event()", only: true,
		fields: append(of("XactSync", "xact_sync"), of("DataFileRead", "data_file_read")...),
	}
}

// auroraWALCache reads logical decoding's reads of the WAL, over all replication slots.
func auroraWALCache() view {
	return view{
		name: Name + ".aurora_wal_cache", relations: []string{"aurora_stat_logical_wal_cache"}, call: "()",
		only: true, fields: sums("blks_read", "cache_hit", "cache_miss"),
	}
}
