package pgstat

// cluster returns what happened in all databases of the server together: the WAL and the device belong to all of them.
func cluster() view {
	return view{
		name:      Name + ".cluster",
		relations: []string{"pg_stat_database"},
		fields:    sums("xact_commit", "tup_inserted", "tup_updated", "tup_deleted", "temp_bytes"),
	}
}

// serverItself tells one start of a server from another: across it counters may begin anew, or belong to another server
// that answers at the same address.
func serverItself() view {
	return view{
		name:     Name + ".server",
		constant: true,
		fields:   []field{value("started", way{"extract(epoch from pg_catalog.pg_postmaster_start_time())", nil})},
	}
}
