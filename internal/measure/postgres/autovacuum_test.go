package postgres_test

import (
	"testing"

	"github.com/realiops/realiops/internal/measure/postgres"
	"github.com/realiops/realiops/internal/test/servertest"
)

// TestStatisticsRows: analyzing a table of three columns writes three rows of statistics; inserting rows writes none.
func TestStatisticsRows(t *testing.T) {
	if _, err := postgres.StatisticsRows(t.Context(), servertest.Connect(t, servertest.Database(t, "13"))); err != nil {
		t.Error(err)
	}
	conn := servertest.Connect(t, servertest.Database(t, "17"))
	rows := func() int64 {
		servertest.Exec(t, conn, "select pg_stat_force_next_flush()")
		n, err := postgres.StatisticsRows(t.Context(), conn)
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	servertest.Exec(t, conn, "create table three as select i as a, i as b, i as c from generate_series(1, 100) i")
	before := rows()
	servertest.Exec(t, conn, "insert into three select i, i, i from generate_series(1, 100) i")
	if got := rows() - before; got != 0 {
		t.Errorf("an insert wrote %d rows of statistics", got)
	}
	servertest.Exec(t, conn, "analyze three")
	if got := rows() - before; got != 3 {
		t.Errorf("an analysis of three columns wrote %d rows of statistics", got)
	}
}
