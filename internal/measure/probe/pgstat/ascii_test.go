package pgstat

import (
	"testing"

	"github.com/realiops/realiops/internal/measure/server/embedded"
	"github.com/realiops/realiops/internal/test/servertest"
)

// TestRankingNamesAnyBytes: a name or text that is not UTF-8, which a SQL_ASCII database may hold, is
// written out, and the ranking goes on.
func TestRankingNamesAnyBytes(t *testing.T) {
	for _, version := range []string{"13", "17"} {
		t.Run(version, func(t *testing.T) {
			s := servertest.Start(t,
				embedded.Options{Version: version, Settings: []string{"shared_preload_libraries=pg_stat_statements"}})
			ascii := servertest.DatabaseOn(t, s, "encoding 'SQL_ASCII' template template0 lc_collate 'C' lc_ctype 'C'")
			work := func(sql string) { // in a session that ends, and so has reported
				worker := servertest.Connect(t, ascii)
				servertest.Exec(t, worker, "set client_encoding = 'SQL_ASCII'")
				servertest.Exec(t, worker, sql)
				if err := worker.Close(t.Context()); err != nil {
					t.Fatal(err)
				}
			}
			work("create extension pg_stat_statements; create table \"t\xffé\" (id int); create index \"i\xfe\" on " +
				"\"t\xffé\" (id)")
			ranking := NewRanking(ascii.Config())
			ranking.Read(t.Context())
			work("insert into \"t\xffé\" select generate_series(1, 500)")
			tables := awaitTop(t, ranking, rankedTables, "n_tup_ins", 500)
			if tables.Missing != "" || len(tables.Items) != 1 || tables.Items[0].Name != `public.t\xFFé` {
				t.Errorf("tables: %+v", tables)
			}
			indexes := awaitTop(t, ranking, rankedIndexes, "entries", 500)
			if indexes.Missing != "" || len(indexes.Items) != 1 || indexes.Items[0].Name != `public.i\xFE` {
				t.Errorf("indexes: %+v", indexes)
			}
			statements := awaitTop(t, ranking, rankedStatements, "wal_bytes", 500*30)
			if want := `insert into "t\xFFé" select generate_series($1, $2)`; statements.Missing != "" ||
				len(statements.Items) == 0 || statements.Items[0].Text != want {
				t.Errorf("statements: %+v, want %s", statements, want)
			}
		})
	}
}
