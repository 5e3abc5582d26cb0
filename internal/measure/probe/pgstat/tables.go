package pgstat

// ours are the tables of some schemas: those that depend on them, which an index finds. The views' own schemaname would
// have the server look at every table that there is, at each reading.
//
// It stands as an array, so that the server looks up each table by its number, whatever it believes of their count.
const ours = `any(array(select objid from pg_catalog.pg_depend
	where classid = 'pg_catalog.pg_class'::pg_catalog.regclass and refclassid = 'pg_catalog.pg_namespace'::pg_catalog.regclass
	and refobjid = any(array(select oid from pg_catalog.pg_namespace where nspname = any($1)
		or '` + allSchemas + `' = any($1) and nspname !~ '^pg_' and nspname <> 'information_schema'))))`

// allSchemas stands for all but the system's.
const allSchemas = "*"

// inSchemas picks the rows of views of those tables. Where there are none, nothing was done to them: the sum is zero.
const inSchemas = "relid = " + ours

// tables returns what was done to the rows of the tables in some schemas, by the tables' own counters: unlike those of
// the database they hold nothing of the system's tables. The clock of the probes says with a reset when a sum over
// tables falls: what is to be compared must be read while the tables stay.
func tables(schemas []string) view {
	return view{
		name:      Name + ".tables",
		relations: []string{"pg_stat_user_tables"},
		rows:      inSchemas,
		arguments: []any{schemas},
		fields: append([]field{value("tables", counted())}, sums("n_tup_ins", "n_tup_upd", "n_tup_del", "n_tup_hot_upd",
			"n_tup_newpage_upd",
			"seq_scan", "idx_scan", "vacuum_count", "autovacuum_count", "autoanalyze_count", "n_dead_tup")...),
	}
}

// tableBlocks returns which blocks of those tables and their indexes were asked for.
func tableBlocks(schemas []string) view {
	return view{
		name:      Name + ".tables_io",
		relations: []string{"pg_statio_user_tables"},
		rows:      inSchemas,
		arguments: []any{schemas},
		fields: sums("heap_blks_read", "heap_blks_hit", "idx_blks_read", "idx_blks_hit", "toast_blks_read",
			"toast_blks_hit"),
	}
}
