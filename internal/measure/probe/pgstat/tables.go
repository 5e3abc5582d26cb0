package pgstat

import "github.com/realiops/realiops/internal/runfile"

// inSchemas picks the tables of some schemas. Where there are none, nothing was done to them: the sum is zero.
const inSchemas = "schemaname = any($1)"

// tables is what was done to the rows of the tables in some schemas, by the tables' own counters: unlike those of the
// database they hold nothing of the system's tables.
//
// They are sums over the tables that there are, so that they fall when a table is dropped. The clock of the probes says
// so with a reset: what is to be compared must be read while the tables stay.
func tables(schemas []string) view {
	return view{
		name:      Name + ".tables",
		relations: []string{"pg_stat_user_tables"},
		rows:      inSchemas,
		arguments: []any{schemas},
		chapter:   "https://www.postgresql.org/docs/current/monitoring-stats.html#MONITORING-PG-STAT-ALL-TABLES-VIEW",
		fields: []field{
			{"tables", "tables", runfile.Gauge, "tables that are summed over", []way{{"count(*)", nil}}},
			counter("n_tup_ins", "rows", "rows inserted", summed("n_tup_ins")),
			counter("n_tup_upd", "rows", "rows updated, those within their page (hot) among them", summed("n_tup_upd")),
			counter("n_tup_del", "rows", "rows deleted", summed("n_tup_del")),
			counter("n_tup_hot_upd", "rows", "rows updated within their page, without new index entries", summed("n_tup_hot_upd")),
			counter("n_tup_newpage_upd", "rows", "rows updated into another page, from 16 on", summed("n_tup_newpage_upd")),
		},
	}
}

// tableBlocks is which blocks of those tables and their indexes were asked for.
func tableBlocks(schemas []string) view {
	return view{
		name:      Name + ".tables_io",
		relations: []string{"pg_statio_user_tables"},
		rows:      inSchemas,
		arguments: []any{schemas},
		chapter:   "https://www.postgresql.org/docs/current/monitoring-stats.html#MONITORING-PG-STATIO-ALL-TABLES-VIEW",
		fields: []field{
			counter("heap_blks_read", "blocks", "blocks of tables asked of the operating system", summed("heap_blks_read")),
			counter("heap_blks_hit", "blocks", "blocks of tables found in shared buffers", summed("heap_blks_hit")),
			counter("idx_blks_read", "blocks", "blocks of indexes asked of the operating system", summed("idx_blks_read")),
			counter("idx_blks_hit", "blocks", "blocks of indexes found in shared buffers", summed("idx_blks_hit")),
		},
	}
}

func summed(column string) way { return way{"coalesce(sum(" + column + "), 0)", []string{column}} }
