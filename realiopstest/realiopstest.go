// Package realiopstest asserts in Go tests what an operation costs PostgreSQL: WAL of its rows, fsyncs, pages.
//
// The server makes these counts, which repeat almost exactly, unlike times. If an upgrade doubles the WAL of an
// order, the test of the order fails:
//
//	func TestPlaceOrder(t *testing.T) {
//		db := realiopstest.Open(t, os.Getenv("DATABASE_URL"))
//		got := db.Measure(t, func() { placeOrder(t) })
//		got.AtMost(t, realiopstest.OwnWALBytes(24<<10), realiopstest.WaitingCommits(3))
//	}
//
// The operation runs once to warm up, or twice if its sessions stay open, and three times to be counted, by any
// client, in this process or in another. The operation's own WAL can be told from upkeep if the database has the
// extension pg_walinspect (15 and later). A failure names the statement that wrote most if it has pg_stat_statements.
//
// # Parallel tests
//
// All sessions in the database count as the operation's. Measurements in one database wait for each other,
// including those of parallel tests and of other packages' tests. Other work in the database counts as the
// operation's, so do not prepare one test there while another measures: call Measure in tests without t.Parallel,
// or give each test its own server with [Start]. Work in other databases of the server is noticed: a count beyond
// its limit then fails as uncertain. So does every count if nothing was written, no session connected to the database,
// and none was open there: the operation may have used another database.
//
// # Pools
//
// A session that stays open reports its counts at the end of a transaction, at most once a second, and holds back
// later ones for up to ten seconds. If the WAL can be read, Measure knows when all writes are reported: an operation
// of one transaction takes a second more each time. If it has several, or the WAL cannot be read, Measure waits ten
// seconds, unless you name the pool that the operation uses: see [SQLPool] and [PgxPool]. It does not wait for pages
// that a session wrote back while it only read.
//
// [Open] uses any server, such as one from testcontainers-go. [Start] starts a PostgreSQL for the test, with nothing
// installed and both extensions in place; for that the package's TestMain calls [Main].
package realiopstest

import (
	"context"
	"fmt"
	"iter"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/realiops/realiops/internal/analyze/cost"
	"github.com/realiops/realiops/internal/analyze/tally"
	"github.com/realiops/realiops/internal/measure/experiment"
	"github.com/realiops/realiops/internal/measure/operation"
	"github.com/realiops/realiops/internal/measure/postgres"
	"github.com/realiops/realiops/internal/measure/probe"
	"github.com/realiops/realiops/internal/measure/probe/anatomy"
	"github.com/realiops/realiops/internal/measure/probe/pgstat"
	"github.com/realiops/realiops/internal/runfile"
)

const (
	repetitions = 3
	warmup      = 1
	// background is how long the server's own activity is measured, twice.
	background = 200 * time.Millisecond
	// waited is longer than a measurement whose sessions end: a longer one has waited for open sessions.
	waited = 20 * time.Second
)

// turn is the advisory lock that every measurement in a database holds.
const turn = 0x7265616c696f7073 // realiops

// takeTurn waits until no other measurement runs in the database.
func (db *DB) takeTurn(ctx context.Context) error {
	for {
		var taken bool
		err := postgres.QueryRow(ctx, db.control, "select pg_catalog.pg_try_advisory_lock($1)", int64(turn)).Scan(&taken)
		if err != nil || taken {
			return err
		}
		if err := experiment.Wait(ctx, 50*time.Millisecond); err != nil {
			return fmt.Errorf("wait for another measurement in the database: %w", err)
		}
	}
}

// endTurn lets the next measurement begin. If the session is gone, so is its lock.
func (db *DB) endTurn() {
	_ = postgres.Exec(context.Background(), db.control, fmt.Sprintf("select pg_catalog.pg_advisory_unlock(%d)",
		int64(turn)))
}

// DB is a server to measure on.
type DB struct {
	dsn      string
	endpoint *postgres.Endpoint
	control  *pgx.Conn
	facts    postgres.Facts
	stats    *pgstat.Sampler
	wal      *anatomy.Sampler // nil if the WAL cannot be read
	by       anatomy.Relations
	samplers []probe.Sampler
}

// Open connects to a server until the test ends, by a connection string in libpq's form. It must name the operation's
// database. An empty string fails the test: it may come from an unset variable, and would reach an unintended server.
func Open(t testing.TB, dsn string) *DB {
	t.Helper()
	if strings.TrimSpace(dsn) == "" {
		t.Fatal("realiopstest.Open: empty connection string; name a server, such as postgres://postgres@localhost/test, or " +
			"start one with realiopstest.Start")
	}
	endpoint, err := postgres.Parse(dsn)
	if err != nil {
		t.Fatal(inWords(err))
	}
	if w := endpoint.Warning(); w != "" {
		t.Log(w)
	}
	db := &DB{dsn: dsn, endpoint: endpoint}
	t.Cleanup(db.close)
	if err := db.open(t.Context()); err != nil {
		t.Fatal(inWords(err))
	}
	return db
}

// DSN returns the connection string of the server, for the application under test.
func (db *DB) DSN() string { return db.dsn }

func (db *DB) open(ctx context.Context) (err error) {
	if db.control, err = db.endpoint.Connect(ctx); err != nil {
		return err
	}
	if db.facts, err = postgres.Inspect(ctx, db.control); err != nil {
		return err
	}
	// other sessions at work are reported with the counts
	if err := db.facts.Refuse(postgres.Permissions{Shared: true}); err != nil {
		return err
	}
	if db.stats, err = pgstat.New(ctx, db.endpoint.Config(), postgres.SchemaName); err != nil {
		return err
	}
	db.samplers = []probe.Sampler{db.stats}
	wal, err := anatomy.New(ctx, db.endpoint.Config(), "")
	if err != nil {
		db.samplers, db.by = append(db.samplers, probe.Absent(anatomy.Name, anatomy.Metrics(), err)),
			anatomy.WithoutRelations(err)
		return nil
	}
	db.wal, db.by = wal, wal
	db.samplers = append(db.samplers, wal)
	return nil
}

func (db *DB) close() {
	ctx := context.Background()
	if db.wal != nil {
		db.wal.Close(ctx)
	}
	if db.stats != nil {
		db.stats.Close(ctx)
	}
	if db.control != nil {
		_ = db.control.Close(ctx) // nothing unwritten is lost
	}
}

// Cost holds the cost of each repetition of an operation.
type Cost struct{ cost cost.Cost }

// Measure runs the operation several times and returns its cost. pools are the open pools that the operation uses.
func (db *DB) Measure(t testing.TB, do func(), pools ...Pool) Cost {
	t.Helper()
	if err := db.takeTurn(t.Context()); err != nil {
		t.Fatal(inWords(err))
	}
	defer db.endTurn() // even if the operation ends the test
	began := time.Now()
	c, err := db.measure(t.Context(), t.Name(), do, pools)
	if took := time.Since(began); len(pools) == 0 && took > waited {
		t.Logf("Measure took %.0f s: a session that stays open reports its second and later transactions ten seconds late. "+
			"Name its pool, as in Measure(t, do, realiopstest.PgxPool(pool)), or close it in the operation", took.Seconds())
	}
	if err != nil {
		t.Fatal(inWords(err))
	}
	return Cost{c}
}

func (db *DB) measure(ctx context.Context, name string, do func(), pools []Pool) (cost.Cost, error) {
	settings, err := postgres.Settings(ctx, db.control) // the test may have changed some since Open
	if err != nil {
		return cost.Cost{}, err
	}
	place := operation.Place{
		Control: db.control, Facts: db.facts, Samplers: db.samplers,
		Target: runfile.Target{Kind: "dsn", Flavor: db.facts.Flavor, Version: db.facts.Version,
			Settings: settings},
		ReadWAL: func(context.Context) error {
			return nil
		}, Relations: db.by, Ledger: db.wal, Ranking: pgstat.NewRanking(db.endpoint.Config()),
	}
	if db.wal != nil {
		place.ReadWAL = db.wal.ReadWAL
	}
	is := &runfile.Operation{Text: name, Warmup: warmup, SessionsNamed: len(pools) > 0}
	o := operation.Options{
		Head: runfile.Run{Schema: runfile.Schema, Start: time.Now(), Operation: is},
		Tell: func(string) {}, Repetitions: repetitions, Warmup: warmup, Background: background,
		Ours: postgres.Sessions{All: true},
		Operation: func(ctx context.Context) (operation.Outcome, error) {
			do()
			if !is.SessionsNamed { // a session that is open may have served it
				watch, err := db.facts.Watch(ctx, db.control, postgres.Sessions{All: true})
				if err != nil {
					return operation.Outcome{}, err
				}
				is.SessionsNamed = watch.Visited()
			}
			return operation.Outcome{}, db.report(ctx, pools)
		},
	}
	var records []runfile.Record
	err = operation.Do(ctx, place, o, func(r runfile.Record) error {
		records = append(records, r)
		return nil
	})
	if err != nil {
		return cost.Cost{}, err
	}
	records = append(records, runfile.Ended{At: time.Now(), Status: runfile.Complete})
	run, err := tally.FromRun(inOrder(records))
	if err != nil {
		return cost.Cost{}, err
	}
	return cost.Of(run)
}

func inOrder(records []runfile.Record) iter.Seq2[runfile.Record, error] {
	return func(yield func(runfile.Record, error) bool) {
		for _, r := range records {
			if !yield(r, nil) {
				return
			}
		}
	}
}

// Limit is an upper limit of one count.
type Limit struct {
	called string // its name in this package: OwnWALBytes
	budget cost.Budget
}

func limit(called, name string, most int64) Limit {
	return Limit{called, cost.Budget{Name: name, Max: float64(most), Per: cost.PerRun}}
}

// OwnWALBytes bounds the WAL of the rows, their index entries, commits and rollbacks,
// without full page images and upkeep.
func OwnWALBytes(most int64) Limit { return limit("OwnWALBytes", cost.OwnBytes, most) }

// OwnWALRecords bounds the records of that WAL.
func OwnWALRecords(most int64) Limit { return limit("OwnWALRecords", cost.OwnRecords, most) }

// WALBytes bounds all WAL, including full page images and upkeep.
func WALBytes(most int64) Limit { return limit("WALBytes", "wal_bytes", most) }

// WaitingCommits bounds the commits that wait for an fsync of the WAL.
func WaitingCommits(most int64) Limit { return limit("WaitingCommits", cost.WaitingCommits, most) }

// Fsyncs bounds the fsyncs of the WAL by all processes. The WAL writer may add one if a transaction outlasts its
// delay. A limit exceeded only by that fails as uncertain: see WaitingCommits.
func Fsyncs(most int64) Limit { return limit("Fsyncs", cost.Fsyncs, most) }

// Rows bounds the rows inserted, updated and deleted.
func Rows(most int64) Limit { return limit("Rows", "rows", most) }

// AtMost fails the test unless each count is within its limit. An uncertain count is a failure, too.
func (c Cost) AtMost(t testing.TB, limits ...Limit) {
	t.Helper()
	var failed []string
	for _, l := range limits {
		if j := c.cost.Judge(l.budget); j.Verdict != cost.Within {
			failed = append(failed, fmt.Sprintf("realiopstest.%s(%.0f): %s", l.called, l.budget.Max, j.Sentence()))
		}
	}
	if statement := c.cost.Costliest(); len(failed) > 0 && statement != "" {
		failed = append(failed, statement)
	}
	if len(failed) > 0 {
		t.Errorf("%s\nall counts, each time: %s", strings.Join(failed, "\n"), c)
	}
}

// String lists all counts.
func (c Cost) String() string {
	var all []string
	for _, count := range c.cost.Counts {
		if count.Missing == "" {
			all = append(all, fmt.Sprintf("%s %.0f", count.Name, count.Median))
		}
	}
	return strings.Join(all, ", ")
}

// Count returns one count for each repetition, by its name in budgets of realiops
// measure, and whether it was counted.
func (c Cost) Count(name string) (each float64, counted bool) {
	count, found := c.cost.Find(name)
	return count.Median, found && count.Missing == ""
}

// Bench reports an operation's cost beside the benchmark's time: own-wal-B/op, wal-B/op, fsyncs/op
// (of the WAL), pages/op and rows/op. It measures outside b's own loop, in which the operation runs
// as often as the benchmark wants.
func (db *DB) Bench(b *testing.B, do func(), pools ...Pool) {
	b.Helper()
	c := db.Measure(b, do, pools...)
	for b.Loop() {
		do()
	}
	for name, unit := range map[string]string{
		cost.OwnBytes: "own-wal-B/op", "wal_bytes": "wal-B/op", cost.Fsyncs: "fsyncs/op", "pages_written": "pages/op",
		"rows": "rows/op",
	} {
		if each, counted := c.Count(name); counted {
			b.ReportMetric(each, unit)
		}
	}
}

// inWords rewrites an error without the program's flags, which a test does not have.
func inWords(err error) string {
	return strings.NewReplacer(", or accept that with --allow-pooler", "", "with --data-dir",
		"by TMPDIR").Replace(err.Error())
}
