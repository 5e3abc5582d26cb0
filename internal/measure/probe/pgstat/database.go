package pgstat

// database reads the connected database's row of pg_stat_database. The columns read here are the same since 13.
func database() view {
	return view{
		name: Name + ".database", relations: []string{"pg_stat_database"},
		rows: "datname = pg_catalog.current_database()",
		fields: append(columns("xact_commit", "xact_rollback", "tup_inserted", "tup_updated", "tup_deleted",
			"tup_returned", "tup_fetched", "blks_read", "blks_hit", "temp_files", "temp_bytes", "deadlocks"),
			value("blk_read_time", milliseconds("blk_read_time")),
			value("blk_write_time", milliseconds("blk_write_time")),
			statsReset()),
	}
}

// cluster reads the sums over all databases of the server, which share the WAL and the device. The catalogs that all
// databases share are left out: a session in any database writes them, for example when a role creates a table.
func cluster() view {
	return view{
		name: Name + ".cluster", relations: []string{"pg_stat_database"}, rows: "datid <> 0",
		fields: sums("xact_commit", "tup_inserted", "tup_updated", "tup_deleted", "temp_bytes"),
	}
}

// serverItself identifies a start of a server. Across a restart counters may begin again, or another server
// may answer at the same address.
func serverItself() view {
	return view{
		name: Name + ".server", constant: true,
		fields: []field{value("started", way{"extract(epoch from pg_catalog.pg_postmaster_start_time())", nil})},
	}
}
