package load_test

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"

	"github.com/realiops/realiops/internal/measure/load"
	"github.com/realiops/realiops/internal/measure/load/engine"
	"github.com/realiops/realiops/internal/measure/postgres"
	"github.com/realiops/realiops/internal/measure/server/embedded"
	"github.com/realiops/realiops/internal/runfile"
	"github.com/realiops/realiops/internal/test/servertest"
)

// recordsPerRow holds the WAL records per row of each load on PostgreSQL 17, measured with another load generator, 8
// clients and 5 s a load. They are one for the row (or for a page of rows, with COPY), one for each index entry, one
// for the commit, and one for 33 values of the sequence.
var recordsPerRow = map[string]float64{
	"bulk": 1.0313, "bulk-indexed": 3.0472, "copy": 0.0377, "copy-indexed": 2.0541,
	"single": 2.0304, "async": 2.0303, "multi": 1.0403, "wide": 2.0430,
}

// counted holds the server's counts.
type counted struct {
	Rows       int64 // in the table
	Statements int64 // that inserted rows, from pg_stat_statements
	Brought    int64 // rows, from pg_stat_statements
	Plans      int64 // of those statements
	Commits    int64 // of any kind, from pg_stat_database
	Records    int64 // in the WAL
}

func count(t *testing.T, conn *pgx.Conn, table string) (c counted) {
	t.Helper()
	servertest.Exec(t, conn, "select pg_stat_force_next_flush()") // of this session's own work
	query := fmt.Sprintf(`select (select count(*) from realiops.%q),
		coalesce(sum(calls), 0), coalesce(sum(rows), 0), coalesce(sum(plans), 0),
		(select xact_commit from pg_stat_database where datname = current_database()),
		(select wal_records from pg_stat_wal)
		from pg_stat_statements where query ~* '^(insert into|copy) "realiops"'`, table)
	rows, err := conn.Query(t.Context(), query)
	if err != nil {
		t.Fatal(err)
	}
	if c, err = pgx.CollectExactlyOneRow(rows, pgx.RowToStructByPos[counted]); err != nil {
		t.Fatal(err)
	}
	return c
}

// newWatchedBench is a bench on a server of its own, so that all WAL is ours.
func newWatchedBench(t *testing.T) bench {
	t.Helper()
	s := servertest.Start(t, embedded.Options{
		Version: "17", Settings: []string{
			"shared_preload_libraries=pg_stat_statements", "pg_stat_statements.track_planning=on", "autovacuum=off",
		},
	})
	endpoint := servertest.Endpoint(t, s.DSN())
	b := bench{endpoint, servertest.Connect(t, endpoint)}
	servertest.Exec(t, b.conn, "create schema realiops")
	servertest.Exec(t, b.conn, "create extension pg_stat_statements")
	return b
}

// run runs a load, waits until its clients have left, and adds up the reported work.
func (b bench) run(t *testing.T, load runfile.Load, duration time.Duration) (total runfile.Work) {
	t.Helper()
	err := b.workload(t, load).Run(t.Context(), b.endpoint.ConnectClient, engine.Run, duration,
		func(l runfile.Work) error {
			total.Transactions += l.Transactions
			total.Statements += l.Statements
			total.Rows += l.Rows
			total.Updated += l.Updated
			total.Deleted += l.Deleted
			total.Returned += l.Returned
			total.Lookups += l.Lookups
			total.Failures += l.Failures
			total.BytesSent += l.BytesSent
			total.BytesReceived += l.BytesReceived
			return nil
		})
	if err != nil {
		t.Fatal(err)
	}
	if err := (postgres.Facts{}).AwaitClientsGone(t.Context(), b.conn); err != nil {
		t.Fatal(err)
	}
	return total
}

func TestTheServerCountsWhatTheLoadsReport(t *testing.T) {
	b := newWatchedBench(t)
	for _, one := range load.Loads() {
		t.Run(one.Name, func(t *testing.T) {
			one.Clients = 8
			if err := b.workload(t, one).Create(t.Context(), b.conn); err != nil {
				t.Fatal(err)
			}
			servertest.Exec(t, b.conn, "select pg_stat_statements_reset()")
			servertest.Exec(t, b.conn, "checkpoint")
			before := count(t, b.conn, one.Name)
			l := b.run(t, one, 1100*time.Millisecond)
			after := count(t, b.conn, one.Name)
			checkCounts(t, one, l, before, after)
			tolerance := 0.01 * float64(1+one.Indexes) // the pages of a young index split more often
			perRow := float64(after.Records-before.Records) / float64(l.Rows)
			if want := recordsPerRow[one.Name]; math.Abs(perRow/want-1) > tolerance {
				t.Errorf("%.4f WAL records per row, want %.4f", perRow, want)
			}
			t.Logf("%d rows, %.4f WAL records per row", l.Rows, perRow)
		})
	}
}

func checkCounts(t *testing.T, load runfile.Load, l runfile.Work, before, after counted) {
	t.Helper()
	want := counted{Rows: l.Rows, Statements: l.Statements, Brought: l.Rows}
	got := counted{Rows: after.Rows - before.Rows, Statements: after.Statements, Brought: after.Brought}
	if diff := cmp.Diff(want, got); diff != "" || l.Rows == 0 {
		t.Errorf("-reported +counted by the server\n%s", diff)
	}
	if l.Rows != l.Transactions*int64(load.RowsPerTx) {
		t.Errorf("%d rows in %d transactions", l.Rows, l.Transactions)
	}
	// The rest are commits of sessions that connect, and of the test itself.
	beyond := after.Commits - before.Commits - l.Transactions
	if most := int64(4*load.Clients + 10); beyond < 0 || beyond > most {
		t.Errorf("%d commits beyond our %d", beyond, l.Transactions)
	}
	// A server plans a prepared statement six times in a session.
	if load.RowsPerTx == 1 && after.Plans > after.Statements/2 {
		t.Errorf("%d of %d statements were planned: they are not prepared", after.Plans, after.Statements)
	}
	if l.BytesSent == 0 || l.BytesReceived == 0 {
		t.Errorf("%d bytes sent, %d received", l.BytesSent, l.BytesReceived)
	}
}

// mixes returns combinations that the built-in loads leave out.
func mixes() []runfile.Load {
	return []runfile.Load{
		{Name: "bulk-wide", Method: load.InsertSelect, RowsPerTx: 10, Width: 8000, Indexes: 1},
		{Name: "copy-wide", Method: load.Copy, RowsPerTx: 9, Width: 1, Indexes: 2},
		{Name: "single-wide", Method: load.Insert, RowsPerTx: 1, Width: 100, SynchronousCommit: "local"},
		{Name: "multi-wide", Method: load.Insert, RowsPerTx: 7, Width: 3000, Indexes: 2},
		{Name: "values", Method: load.InsertValues, RowsPerTx: 32_767, Indexes: 2},
	}
}

func TestEveryLoadWorksOnEveryVersion(t *testing.T) {
	for _, version := range []string{"13", "18"} {
		b := bench{endpoint: servertest.Database(t, version)}
		b.conn = servertest.Connect(t, b.endpoint)
		servertest.Exec(t, b.conn, "create schema realiops")
		for _, l := range append(load.Loads(), mixes()...) {
			l.Clients = 1
			if err := b.workload(t, l).Rehearse(t.Context(), b.conn); err != nil {
				t.Errorf("PostgreSQL %s: %v", version, err)
			}
		}
	}
}

// shape describes the rows of a table.
type shape struct {
	Columns       string
	Indexes       int
	Least, Filler *int   // bytes in the filler: least and most
	AsItIs        *bool  // stored uncompressed with a length of one byte or four
	Elsewhere     int64  // bytes outside the table itself
	Transaction   string // the values of the first transaction, sorted
}

func shapeOf(t *testing.T, b bench, load runfile.Load) shape {
	t.Helper()
	filler := "min(null::int), min(null::int), bool_and(null)"
	if load.Width > 0 {
		filler = `min(octet_length(filler)), max(octet_length(filler)),
			bool_and(pg_column_size(filler) - octet_length(filler) in (1, 4))`
	}
	rows, err := b.conn.Query(t.Context(), fmt.Sprintf(`
		select (select string_agg(attname || ' ' || format_type(atttypid, atttypmod), ', ' order by attnum)
				from pg_attribute where attrelid = 'realiops.%[1]q'::regclass and attnum > 0),
			(select count(*)::int from pg_index where indrelid = 'realiops.%[1]q'::regclass),
			%[2]s,
			coalesce((select pg_relation_size(nullif(reltoastrelid, 0)) from pg_class where oid = 'realiops.%[1]q'::regclass), 0),
			(select string_agg(value::text, ' ' order by value) from (select value from realiops.%[1]q order by id limit %[3]d) as first)
		from realiops.%[1]q`, load.Name, filler, load.RowsPerTx))
	if err != nil {
		t.Fatal(err)
	}
	s, err := pgx.CollectExactlyOneRow(rows, pgx.RowToStructByPos[shape])
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestRowsAreAsTheLoadSays(t *testing.T) {
	b := newBench(t)
	for _, l := range append(load.Loads(), mixes()...) {
		l.Clients = 1
		if err := b.workload(t, l).Create(t.Context(), b.conn); err != nil {
			t.Fatal(err)
		}
		b.run(t, l, 100*time.Millisecond)
		want := shape{Columns: "id bigint, value integer", Indexes: l.Indexes, Transaction: oneTo(l.RowsPerTx)}
		if l.Width > 0 {
			want.Columns += ", filler text"
			want.Least, want.Filler, want.AsItIs = new(l.Width), new(l.Width), new(true)
		}
		if diff := cmp.Diff(want, shapeOf(t, b, l)); diff != "" {
			t.Errorf("load %s: -want +got\n%s", l.Name, diff)
		}
	}
}

// oneTo lists the numbers from 1, as the rows of a transaction have them.
func oneTo(n int) string {
	numbers := make([]string, n)
	for i := range numbers {
		numbers[i] = fmt.Sprint(i + 1)
	}
	return strings.Join(numbers, " ")
}

func TestSynchronousCommitIsTheSessionsAlone(t *testing.T) {
	b := newBench(t)
	for _, setting := range []string{"off", "local", ""} {
		l := runfile.Load{Name: "a", Method: load.Insert, RowsPerTx: 1, Clients: 2, SynchronousCommit: setting}
		if err := b.workload(t, l).Create(t.Context(), b.conn); err != nil {
			t.Fatal(err)
		}
		servertest.Exec(t, b.conn, `alter table realiops.a add seen text default current_setting('synchronous_commit')`)
		b.run(t, l, 100*time.Millisecond)
		want := setting
		if want == "" {
			want = "on" // PostgreSQL's default
		}
		seen := servertest.Value[string](t, b.conn, `select string_agg(distinct seen, ' ') from realiops.a`)
		others := servertest.Value[string](t, servertest.Connect(t, b.endpoint), "show synchronous_commit")
		if seen != want || others != "on" {
			t.Errorf("with %q clients had %q, others have %q", setting, seen, others)
		}
		if err := b.workload(t, l).Drop(t.Context(), b.conn); err != nil {
			t.Fatal(err)
		}
	}
}

func TestNewWorkloadRefuses(t *testing.T) {
	check := func(change func(*runfile.Load), want string) {
		t.Helper()
		l := runfile.Load{Name: "a", Method: load.Insert, RowsPerTx: 1, Clients: 1}
		change(&l)
		_, err := load.NewWorkload(l, "realiops")
		if (want == "") != (err == nil) || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: got %v, want something about %q", l, err, want)
		}
	}
	check(func(*runfile.Load) {}, "")
	check(func(a *runfile.Load) {
		a.Method = "upsert"
	}, `load a: unknown method "upsert"; use one of insert-select, copy, insert, insert-values`)
	check(func(a *runfile.Load) { a.RowsPerTx = 0 }, "invalid rows_per_tx 0")
	check(func(a *runfile.Load) {
		a.Method, a.TableRows, a.RowsPerTx = load.Bitmap, 1000, 20
	}, "invalid rows_per_tx 20: must be 200 with method bitmap")
	check(func(a *runfile.Load) { a.RowsPerTx = 10_001 }, "at most 10,000 with method insert")
	check(func(a *runfile.Load) {
		a.Method, a.RowsPerTx = load.InsertValues, 32_768
	}, "at most 32,767 with method insert-values")
	check(func(a *runfile.Load) { a.Indexes = 3 }, "invalid indexes 3")
	check(func(a *runfile.Load) { a.Width = -1 }, "invalid width -1")
	check(func(a *runfile.Load) { a.Width = 8001 }, "0 to 8,000 bytes")
	check(func(a *runfile.Load) { a.Clients = 0 }, "invalid clients 0")
	check(func(a *runfile.Load) { a.SynchronousCommit = "maybe" }, `invalid synchronous_commit "maybe"`)
}
