package pgstat

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/realiops/realiops/internal/measure/postgres"
	"github.com/realiops/realiops/internal/measure/server/embedded"
	"github.com/realiops/realiops/internal/test/servertest"
)

// loadOfThree creates the tables of a load.
const loadOfThree = `create schema load;
	create table load.a (id int primary key, v int); create index on load.a (v);
	create table load.b (id int primary key, v text); create table load.c (v int)`

// manyTables creates other tables, each with an index and a TOAST table, in steps that fit the server's lock table.
func manyTables(tb testing.TB, boss *pgx.Conn, count int) {
	tb.Helper()
	const step = 1000
	for from := 0; from < count; from += step {
		servertest.Exec(tb, boss, fmt.Sprintf(`do $$ begin for i in %d..%d loop
			execute format('create table t%%s (id int primary key, v text)', i); end loop; end $$`, from, min(from+step, count)-1))
	}
	servertest.Exec(tb, boss, "analyze pg_catalog.pg_class; analyze pg_catalog.pg_index; analyze pg_catalog.pg_depend")
}

// A reading looks up our tables and never scans a catalog, however many other tables there are.
func TestAReadingPassesOverTheTablesOfOthers(t *testing.T) {
	s := serverOf(t, "17")
	servertest.Exec(t, s.boss, loadOfThree)
	manyTables(t, s.boss, 300)
	scans := func() (n int) {
		t.Helper()
		row(t, s.boss, `select sum(pg_stat_get_numscans(oid))::int from pg_class
			where oid in ('pg_class'::regclass, 'pg_index'::regclass, 'pg_depend'::regclass, 'pg_attribute'::regclass)`, &n)
		return n
	}
	sampler := s.sampler(t)
	row(t, s.boss, "select pg_stat_force_next_flush()::text", new(string))
	sampler.Close(t.Context())
	before := scans() // this test's own scans count once its session reports
	fresh := s.sampler(t)
	for range 20 {
		read(t, fresh)
	}
	fresh.Close(t.Context())
	s.gone(t, applicationName)
	if n := scans() - before; n > 10 {
		t.Errorf("20 readings scanned whole catalogs %d times", n)
	}
}

// BenchmarkReading reads all statistics of a database of 10,000 tables, three of them ours. Its time is the median.
func BenchmarkReading(b *testing.B) {
	for _, version := range servertest.Versions() {
		b.Run(version, func(b *testing.B) {
			own := servertest.Start(b, embedded.Options{Version: version, Settings: []string{"autovacuum=off"}})
			endpoint := servertest.Endpoint(b, own.DSN())
			boss := servertest.Connect(b, endpoint)
			servertest.Exec(b, boss, loadOfThree)
			manyTables(b, boss, 10_000)
			sampler, err := New(b.Context(), endpoint.Config(), "load")
			if err != nil {
				b.Fatal(err)
			}
			defer sampler.Close(b.Context())
			var took []time.Duration
			for b.Loop() {
				began := time.Now()
				if _, err := sampler.Sample(b.Context()); err != nil {
					b.Fatal(err)
				}
				took = append(took, time.Since(began))
			}
			slices.Sort(took)
			b.ReportMetric(float64(took[len(took)/2].Microseconds())/1000, "median-ms")
		})
	}
}

// A reading leaves nothing to plan: the statements that open its transaction are prepared, too.
func TestOpeningStatementsArePrepared(t *testing.T) {
	sampler := serverOf(t, "17").sampler(t)
	read(t, sampler)
	var prepared int
	row(t, sampler.session.conn, "select count(*)::int from pg_prepared_statements where statement in ('"+
		strings.ReplaceAll(postgres.SafeTransaction, "'", "''")+"', '"+strings.ReplaceAll(limits, "'", "''")+
		"')", &prepared)
	if prepared != 2 {
		t.Errorf("%d of the 2 statements that open a reading are prepared", prepared)
	}
}
