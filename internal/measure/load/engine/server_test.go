//go:build unix

package engine

import (
	"context"
	"os"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/realiops/realiops/internal/measure/load/script"
	"github.com/realiops/realiops/internal/measure/postgres"
	"github.com/realiops/realiops/internal/test/servertest"
)

func TestMain(m *testing.M) { os.Exit(servertest.Main(m)) }

// bench is a database with the tables of a test.
type bench struct {
	t        testing.TB
	endpoint *postgres.Endpoint
	conn     *pgx.Conn
}

func newBench(t testing.TB, ddl string) *bench {
	t.Helper()
	b := &bench{t: t, endpoint: servertest.Database(t, "17")}
	b.conn = servertest.Connect(t, b.endpoint)
	servertest.Exec(t, b.conn, ddl)
	return b
}

// options returns options for scripts of equal weight.
func (b *bench) options(texts ...string) Options {
	b.t.Helper()
	o := Options{Set: script.NewSet(), Connect: connectTo(b.endpoint)}
	for _, text := range texts {
		s, err := o.Set.Parse("test.sql", text)
		if err != nil {
			b.t.Fatal(err)
		}
		o.Scripts = append(o.Scripts, Weighted{s, 1})
	}
	return o
}

func connectTo(endpoint *postgres.Endpoint) func(context.Context) (*pgx.ConnConfig, error) {
	config := endpoint.UserConfig()
	return func(context.Context) (*pgx.ConnConfig, error) { return config, nil }
}

// run runs a load that must succeed.
func (b *bench) run(o Options) Result {
	b.t.Helper()
	r, err := Run(b.t.Context(), o)
	if err != nil {
		b.t.Fatal(err)
	}
	for _, err := range r.Aborted {
		b.t.Error(err)
	}
	return r
}

func (b *bench) int(query string) int64 {
	b.t.Helper()
	return servertest.Value[int64](b.t, b.conn, query)
}

func TestTransactionsOfEachClient(t *testing.T) {
	b := newBench(t, "create table demo (client int, value int)")
	for _, mode := range []Mode{Simple, Extended, Prepared} {
		o := b.options("\\set x 1 + 1\ninsert into demo values (:client_id, :x);\ninsert into demo select " +
			":client_id, 3 from generate_series(1, 4);")
		o.Mode, o.Clients, o.Transactions = mode, 3, 7
		r := b.run(o)
		if r.Transactions != 21 || r.Statements != 42 || r.Rows != 21*5 {
			t.Errorf("%s: %d transactions, %d statements, %d rows", mode, r.Transactions, r.Statements, r.Rows)
		}
	}
	if n := b.int("select count(*) from demo where value = 2 and client between 0 and 2"); n != 63 {
		t.Errorf("%d rows", n)
	}
}

func TestDuration(t *testing.T) {
	b := newBench(t, "create table demo (value int)")
	o := b.options("insert into demo values (1);")
	o.Clients, o.Duration, o.Every = 4, time.Second, 200*time.Millisecond
	var ticked int64
	o.Tick = func(tick Tick) error { ticked += tick.Transactions; return nil }
	r := b.run(o)
	if n := b.int("select count(*) from demo"); n != r.Transactions || n != ticked || n != r.Latency.Count || n == 0 {
		t.Errorf("%d rows, %d transactions, %d in ticks, %d latencies", n, r.Transactions, ticked, r.Latency.Count)
	}
	if r.Elapsed < o.Duration || r.Elapsed > o.Duration+patience {
		t.Errorf("took %s", r.Elapsed)
	}
	t.Logf("%d transactions, p50 %d µs, p99 %d µs", r.Transactions, r.Latency.Histogram.ValueAtPercentile(50),
		r.Latency.Histogram.ValueAtPercentile(99))
}
