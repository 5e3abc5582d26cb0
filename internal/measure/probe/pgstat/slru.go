package pgstat

// slru reads the server's SLRU caches: of transaction status, subtransactions, multixacts,
// notifications. 17 renamed them.
func slru() view {
	const status = " filter (where name in ('Xact', 'transaction'))"
	ofStatus := func(column string) field {
		return value("xact_"+column, way{"coalesce(pg_catalog.sum(" + column + ")" + status + ", 0)", []string{column}})
	}
	return view{
		name: Name + ".slru", relations: []string{"pg_stat_slru"},
		fields: append(sums("blks_zeroed", "blks_hit", "blks_read", "blks_written", "flushes"),
			ofStatus("blks_zeroed"), ofStatus("blks_written"), statsResetOf("pg_catalog.max(stats_reset)")),
	}
}
