package realiopstest_test

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/jackc/pgx/v5/stdlib"

	"github.com/realiops/realiops/realiopstest"
)

func TestMain(m *testing.M) { os.Exit(realiopstest.Main(m)) }

// told records a test's failures.
type told struct {
	testing.TB
	errors []string
}

func (t *told) Errorf(format string, args ...any) {
	t.errors = append(t.errors, fmt.Sprintf(format, args...))
}
func (t *told) Fatal(args ...any) {
	t.errors = append(t.errors, fmt.Sprint(args...))
	runtime.Goexit()
}
func (t *told) Helper() {}

// execute runs statements in a new session.
func execute(t testing.TB, dsn string, statements ...string) {
	t.Helper()
	client, err := pgx.Connect(t.Context(), dsn)
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close(context.Background())
	for _, s := range statements {
		if _, err := client.Exec(t.Context(), s); err != nil {
			t.Fatal(err)
		}
	}
}

// inExample stands in for a test, which an example does not have.
type inExample struct {
	testing.TB
	failed   string
	cleanups []func()
}

func (*inExample) Helper()                  {}
func (*inExample) Name() string             { return "Example" }
func (*inExample) Context() context.Context { return context.Background() }
func (*inExample) Logf(string, ...any)      {}
func (t *inExample) Cleanup(f func())       { t.cleanups = append(t.cleanups, f) }
func (t *inExample) Error(args ...any)      { t.failed += fmt.Sprintln(args...) }
func (t *inExample) Errorf(format string, args ...any) {
	t.failed += fmt.Sprintf(format, args...)
}

func (t *inExample) Fatal(args ...any) {
	t.Error(args...)
	runtime.Goexit()
}

// goTest runs a test as go test does, and returns its result.
func goTest(test func(testing.TB)) string {
	t, done := &inExample{}, make(chan struct{})
	go func() {
		defer close(done)
		test(t)
	}()
	<-done
	for _, cleanup := range slices.Backward(t.cleanups) {
		cleanup()
	}
	return cmp.Or(t.failed, "PASS")
}

// aServer returns a server with a table of orders.
func aServer(t testing.TB) string {
	t.Helper()
	db := realiopstest.Start(t, "18")
	execute(t, db.DSN(), "create table orders (id int generated always as identity primary key, customer int)")
	return db.DSN()
}

// orders returns a server with a table of two indexes.
func orders(t *testing.T, version string) *realiopstest.DB {
	t.Helper()
	db := realiopstest.Start(t, version)
	execute(t, db.DSN(), "create table orders (id int generated always as identity primary key, customer int)",
		"create index on orders (customer)")
	return db
}

// Three commits of one row each, in a table with two indexes: three rows, three fsyncs, and for each row its own
// record, one for each index entry and one for the commit.
func TestWhatAnOperationCosts(t *testing.T) {
	for _, version := range []string{"13", "14", "15", "18"} {
		t.Run(version, func(t *testing.T) {
			db := orders(t, version)
			insert := "insert into orders (customer) values (7)"
			got := db.Measure(t, func() { execute(t, db.DSN(), insert, insert, insert) })
			want := map[string]float64{"rows": 3, "wal_fsyncs": 3, "commits": 3, "own_wal_records": 12}
			switch version { // their WAL cannot be read
			case "13":
				want = map[string]float64{"rows": 3} // it counts no fsyncs
			case "14":
				want = map[string]float64{"rows": 3, "wal_fsyncs": 3}
			}
			for name, n := range want {
				if each, counted := got.Count(name); each != n || !counted {
					t.Errorf("%s: %v (%v), want %v\n%s", name, each, counted, n, got)
				}
			}
			var over told
			got.AtMost(&over, realiopstest.Rows(2))
			if len(over.errors) != 1 ||
				!strings.Contains(over.errors[0], "realiopstest.Rows(2): rows: 3 a run; the budget is 2") ||
				!strings.Contains(over.errors[0],
					"the statement that wrote most: insert into orders (customer) values ($1) (3 times, ") {
				t.Errorf("over its limit: %q", over.errors)
			}
			if version < "15" {
				var unknown told
				// the total is higher, and part of it may be the server's own
				got.AtMost(&unknown, realiopstest.OwnWALRecords(1))
				if len(unknown.errors) != 1 ||
					!strings.Contains(unknown.errors[0],
						"own_wal_records: whether it is at most 1 a run is unknown") {
					t.Errorf("of WAL that was not read: %q", unknown.errors)
				}
				return
			}
			got.AtMost(t, realiopstest.Rows(3), realiopstest.Fsyncs(3), realiopstest.OwnWALRecords(12))
		})
	}
}

// Other sessions at work during the operation are never taken for it: a count that they may have raised does not
// exceed its limit for certain, but may still be within it.
func TestOthersAreKeptApart(t *testing.T) {
	db := orders(t, "17")
	execute(t, db.DSN(), "create database elsewhere")
	elsewhere := strings.Replace(db.DSN(), "/postgres?", "/elsewhere?", 1)
	const insert = "insert into noise values (1)"
	execute(t, elsewhere, "create table noise (id int)")
	open, err := pgx.Connect(t.Context(), elsewhere)
	if err != nil {
		t.Fatal(err)
	}
	defer open.Close(context.Background())
	for who, noise := range map[string]func(){
		"a session that comes and goes": func() { execute(t, elsewhere, insert) },
		"a session that was there": func() {
			// otherwise it would report some seconds later
			for _, sql := range []string{insert, "select pg_stat_force_next_flush()"} {
				if _, err := open.Exec(t.Context(), sql); err != nil {
					t.Error(err)
				}
			}
		},
	} {
		got := db.Measure(t, func() {
			execute(t, db.DSN(), "insert into orders (customer) values (7)")
			noise()
		})
		var over, within told
		got.AtMost(&over, realiopstest.Fsyncs(1))
		got.AtMost(&within, realiopstest.Rows(1), realiopstest.Fsyncs(4)) // the WAL writer may add one
		if len(over.errors) != 1 || !strings.Contains(over.errors[0], "is unknown: other sessions were active") ||
			len(within.errors) != 0 {
			t.Errorf("%s: over %q, within %q", who, over.errors, within.errors)
		}
	}
}

// An operation that opens no session in the database may have used another one: no limit is certainly kept. A session
// that is open may have served it.
func TestNothingReachedTheDatabase(t *testing.T) {
	db := orders(t, "17")
	execute(t, db.DSN(), "create database elsewhere")
	elsewhere := strings.Replace(db.DSN(), "/postgres?", "/elsewhere?", 1)
	misled := func() { execute(t, elsewhere, "select 1") }
	var unknown told
	db.Measure(t, misled).AtMost(&unknown, realiopstest.Rows(3))
	if len(unknown.errors) != 1 || !strings.Contains(unknown.errors[0],
		"rows: whether it is at most 3 a run is unknown: no session of the operation connected to the database") {
		t.Errorf("an operation in another database: %q", unknown.errors)
	}
	open, err := pgx.Connect(t.Context(), db.DSN())
	if err != nil {
		t.Fatal(err)
	}
	defer open.Close(context.Background())
	db.Measure(t, misled).AtMost(t, realiopstest.Rows(0))
}

func BenchmarkOrders(b *testing.B) {
	db := realiopstest.Start(b, "17")
	conn, err := pgx.Connect(b.Context(), db.DSN())
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = conn.Close(context.Background()) })
	if _, err := conn.Exec(b.Context(), "create table orders (id int)"); err != nil {
		b.Fatal(err)
	}
	db.Bench(b, func() {
		if _, err := conn.Exec(b.Context(), "insert into orders values (1)"); err != nil {
			b.Fatal(err)
		}
	})
}

// A test binary whose TestMain does not call Main starts no server, and says so in one line.
func TestStartNeedsMain(t *testing.T) {
	c := exec.CommandContext(t.Context(), "go", "test", "./testdata/unprepared")
	out, err := c.CombinedOutput()
	if err == nil ||
		!strings.Contains(string(out),
			"realiopstest.Start needs a TestMain in this package: func TestMain(m *testing.M)") {
		t.Errorf("%v\n%s", err, out)
	}
}

// An empty connection string is an error, not the server that the environment names.
func TestOpenDoesNotGuess(t *testing.T) {
	t.Setenv("PGHOST", "127.0.0.1")
	var refused told
	done := make(chan struct{})
	go func() {
		defer close(done)
		realiopstest.Open(&refused, " ")
	}()
	<-done
	if len(refused.errors) != 1 || !strings.Contains(refused.errors[0], "empty connection string") {
		t.Errorf("%q", refused.errors)
	}
}

// A pool's open connections count immediately: named pools are made to report, and
// otherwise the WAL shows that they have.
func TestPools(t *testing.T) {
	db := orders(t, "17")
	pool, err := pgxpool.New(t.Context(), db.DSN())
	if err != nil {
		t.Fatal(err)
	}
	defer pool.Close()
	other := stdlib.OpenDB(*pool.Config().ConnConfig)
	defer other.Close()
	const insert = "insert into orders (customer) values (7)"
	for _, named := range [][]realiopstest.Pool{nil, {realiopstest.PgxPool(pool), realiopstest.SQLPool(other)}} {
		began := time.Now()
		got := db.Measure(t, func() {
			if _, err := pool.Exec(t.Context(), insert); err != nil {
				t.Error(err)
			}
			if _, err := other.ExecContext(t.Context(), insert); err != nil {
				t.Error(err)
			}
		}, named...)
		if took := time.Since(began); took > 40*time.Second { // ten seconds for each of the four runs
			t.Errorf("it took %v", took)
		}
		for name, want := range map[string]float64{"rows": 2, "commits": 2, "own_wal_records": 8, "sessions": 0} {
			if each, counted := got.Count(name); each != want || !counted {
				t.Errorf("%s: %v (%v), want %v\n%s", name, each, counted, want, got)
			}
		}
	}
}

// Measurements in one database take turns, so that none counts another's work.
func TestMeasureInParallel(t *testing.T) {
	first := orders(t, "17")
	second := realiopstest.Open(t, first.DSN())
	t.Run("both", func(t *testing.T) {
		for rows, db := range map[int]*realiopstest.DB{2: first, 5: second} {
			t.Run(strconv.Itoa(rows), func(t *testing.T) {
				t.Parallel()
				got := db.Measure(t, func() {
					execute(t, db.DSN(),
						fmt.Sprintf("insert into orders (customer) select 7 from generate_series(1, %d)", rows))
				})
				if each, counted := got.Count("rows"); each != float64(rows) || !counted {
					t.Errorf("%v rows (%v), want %d\n%s", each, counted, rows, got)
				}
			})
		}
	})
}
