package pgstat

// ours are the tables of some schemas: those that depend on them, which an index finds. The views' own schemaname would
// have the server look at every table that there is, at each reading.
//
// It stands as an array, so that the server looks up each table by its number, whatever it believes of their count.
const ours = `any(array(select objid from pg_catalog.pg_depend
	where classid = 'pg_catalog.pg_class'::regclass and refclassid = 'pg_catalog.pg_namespace'::regclass
	and refobjid = any(array(select oid from pg_catalog.pg_namespace where nspname = any($1)
		or '` + allSchemas + `' = any($1) and nspname !~ '^pg_' and nspname <> 'information_schema'))))`

// allSchemas stands for all but the system's.
const allSchemas = "*"

// inSchemas picks the rows of views of those tables. Where there are none, nothing was done to them: the sum is zero.
const inSchemas = "relid = " + ours

// fallWithTables is true of every sum over tables.
const fallWithTables = "of the tables that there are: it falls when one is dropped"

// ofTables marks what is counted of tables and summed over them. The clock of the probes says with a reset when such a
// sum falls: what is to be compared must be read while the tables stay.
func ofTables(f field) field {
	if f.caveat == "" {
		f.caveat = fallWithTables
	}
	return f.whileOn(trackCounts)
}

// tables is what was done to the rows of the tables in some schemas, by the tables' own counters: unlike those of the
// database they hold nothing of the system's tables.
func tables(schemas []string) view {
	sum := func(name, unit, help string) field { return counter(name, unit, help, summed(name)) }
	return view{
		name:      Name + ".tables",
		relations: []string{"pg_stat_user_tables"},
		rows:      inSchemas,
		arguments: []any{schemas},
		chapter:   "https://www.postgresql.org/docs/current/monitoring-stats.html#MONITORING-PG-STAT-ALL-TABLES-VIEW",
		fields: append([]field{gauge("tables", "tables", "tables that are summed over", counted())}, all(ofTables,
			sum("n_tup_ins", "rows", "rows inserted").but("those of transactions that failed are among them"),
			sum("n_tup_upd", "rows", "rows updated, those within their page (hot) among them"),
			sum("n_tup_del", "rows", "rows deleted"),
			sum("n_tup_hot_upd", "rows", "rows updated within their page, without new index entries"),
			sum("n_tup_newpage_upd", "rows", "rows updated into another page").from(16),
			sum("seq_scan", "scans", "scans of whole tables"),
			sum("idx_scan", "scans", "scans by an index"),
			sum("vacuum_count", "vacuums", "vacuums that somebody asked for, when they were over"),
			sum("autovacuum_count", "vacuums", "vacuums that the server began by itself, when they were over"),
			sum("autoanalyze_count", "analyses", "analyses that the server began by itself, when they were over"),
			asGauge(sum("n_dead_tup", "rows", "rows that a vacuum would take away").but("an estimate")),
		)...),
	}
}

func asGauge(f field) field {
	g := gauge(f.name, f.unit, f.help, f.ways...)
	g.caveat = f.caveat
	return g
}

// tableBlocks is which blocks of those tables and their indexes were asked for.
func tableBlocks(schemas []string) view {
	sum := func(name, help string) field { return counter(name, "blocks", help, summed(name)) }
	return view{
		name:      Name + ".tables_io",
		relations: []string{"pg_statio_user_tables"},
		rows:      inSchemas,
		arguments: []any{schemas},
		chapter:   "https://www.postgresql.org/docs/current/monitoring-stats.html#MONITORING-PG-STATIO-ALL-TABLES-VIEW",
		fields: all(ofTables,
			sum("heap_blks_read", "blocks of tables asked of the operating system"),
			sum("heap_blks_hit", "blocks of tables found in shared buffers"),
			sum("idx_blks_read", "blocks of indexes asked of the operating system"),
			sum("idx_blks_hit", "blocks of indexes found in shared buffers"),
			sum("toast_blks_read", "blocks of toast tables asked of the operating system"),
			sum("toast_blks_hit", "blocks of toast tables found in shared buffers"),
		),
	}
}
