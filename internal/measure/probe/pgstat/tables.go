package pgstat

// ours selects the tables of some schemas by their dependency on these, through an index. With the views' schemaname
// the server would visit every table at each reading.
//
// It is an array, so that the server looks up each table by its OID, whatever it estimates of their number.
const ours = `any(array(select objid from pg_catalog.pg_depend
	where classid = 'pg_catalog.pg_class'::pg_catalog.regclass and refclassid = 'pg_catalog.pg_namespace'::pg_catalog.regclass
	and refobjid = any(array(select oid from pg_catalog.pg_namespace where nspname = any($1)
		or '` + allSchemas + `' = any($1) and nspname !~ '^pg_' and nspname <> 'information_schema'))))`

// allSchemas means all schemas except the system's.
const allSchemas = "*"

// inSchemas selects those tables' rows of a view. Without tables the sum is zero.
const inSchemas = "relid = " + ours

// tables sums up the tables' own counters over some schemas. Unlike the database's, they exclude the system's
// tables. A sum falls when a table is dropped, which the clock of the probes reports as a reset: compare
// readings only while the tables stay.
func tables(schemas []string) view {
	return view{
		name: Name + ".tables", relations: []string{"pg_stat_user_tables"}, rows: inSchemas,
		arguments: []any{schemas},
		fields: append([]field{value("tables", counted())}, sums("n_tup_ins", "n_tup_upd", "n_tup_del", "n_tup_hot_upd",
			"n_tup_newpage_upd",
			"seq_scan", "idx_scan", "vacuum_count", "autovacuum_count", "autoanalyze_count", "n_dead_tup")...),
	}
}

// tableBlocks reads the block requests of those tables and their indexes.
func tableBlocks(schemas []string) view {
	return view{
		name: Name + ".tables_io", relations: []string{"pg_statio_user_tables"}, rows: inSchemas,
		arguments: []any{schemas},
		fields: sums("heap_blks_read", "heap_blks_hit", "idx_blks_read", "idx_blks_hit", "toast_blks_read",
			"toast_blks_hit"),
	}
}

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
