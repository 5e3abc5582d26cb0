package pgstat

// cluster is what happened in all databases of the server together: the log and the device belong to all of them.
func cluster() view {
	sum := func(name, unit, help string) field { return counter(name, unit, help, summed(name)) }
	const systems = "those of the system's own tables are among them"
	return view{
		name:      Name + ".cluster",
		relations: []string{"pg_stat_database"},
		chapter:   "https://www.postgresql.org/docs/current/monitoring-stats.html#MONITORING-PG-STAT-DATABASE-VIEW",
		fields: append([]field{
			sum("xact_commit", "transactions", "transactions committed in all databases").
				but("those that only read are among them, and one for each reading of ours"),
		}, all(func(f field) field { return f.whileOn(trackCounts) },
			sum("tup_inserted", "rows", "rows inserted in all databases").but(systems),
			sum("tup_updated", "rows", "rows updated in all databases").but(systems),
			sum("tup_deleted", "rows", "rows deleted in all databases").but(systems),
			sum("temp_bytes", "bytes", "bytes written to temporary files in all databases"),
		)...),
	}
}

// serverItself tells one start of a server from another: across it counters may begin anew, or belong to another server
// that answers at the same address.
func serverItself() view {
	return view{
		name:    Name + ".server",
		chapter: "https://www.postgresql.org/docs/current/functions-info.html#FUNCTIONS-INFO-SESSION",
		fields: []field{
			gauge("started", "seconds", "when the server was started, since 1970", way{"extract(epoch from pg_postmaster_start_time())", nil}),
		},
	}
}
