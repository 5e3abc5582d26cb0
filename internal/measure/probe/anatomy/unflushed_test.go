package anatomy

import (
	"errors"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/realiops/realiops/internal/measure/server/embedded"
	"github.com/realiops/realiops/internal/test/servertest"
)

// The WAL writer flushes whole pages, so for seconds the end of the flushed WAL may lie inside a record, with no
// other end known. Later WAL is counted all the same, and earlier WAL is not counted late.
func TestAnEndInsideOfARecord(t *testing.T) {
	t.Parallel()                  // it waits for the WAL's writer
	const pause = 3 * time.Second // of the WAL writer
	server := servertest.Start(t,
		embedded.Options{Version: "17", Settings: []string{"wal_writer_delay=3s", "autovacuum=off"}})
	endpoint := servertest.Endpoint(t, server.DSN())
	d := database{endpoint.Config(), servertest.Connect(t, endpoint)}
	servertest.Exec(t, d.boss,
		"create schema home; create extension pg_walinspect schema home; create table one (value int)")

	unknownEnd := func() {
		t.Helper()
		const (
			flushed = "select pg_current_wal_insert_lsn() = pg_current_wal_flush_lsn()"
			unknown = "select pg_current_wal_insert_lsn() > f and pg_wal_lsn_diff(f, '0/0') % 8192 = 0 from " +
				"pg_current_wal_flush_lsn() f"
		)
		for began := time.Now(); !servertest.Value[bool](t, d.boss, unknown); time.Sleep(10 * time.Millisecond) {
			if time.Since(began) > 10*pause {
				t.Fatal("the WAL's writer has never stopped at the end of a page")
			}
			if servertest.Value[bool](t, d.boss, flushed) {
				servertest.Exec(t, d.boss, "select pg_logical_emit_message(false, 'realiops', repeat('x', 20000))")
			}
		}
	}
	unknownEnd()
	s := d.sampler(t)
	before := settled(t, s)
	servertest.Exec(t, d.boss, "insert into one values (1)") // its commit flushes all earlier WAL
	values := func() map[string]float64 {
		t.Helper()
		if err := errors.Join(s.ReadWAL(t.Context()), s.WaitForCounters(t.Context())); err != nil {
			t.Fatal(err)
		}
		sample, err := s.Sample(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return sample.Values
	}
	after := values()
	if got := grown(before, after); got["heap_insert_records"] < 1 || got["covered_bytes"] < 1 {
		t.Errorf("of one insert it counted %v", got)
	}
	servertest.Exec(t, d.boss, "insert into one values (1)")
	unknownEnd()
	if got := grown(after, values()); got["heap_insert_records"] != 1 || got["covered_bytes"] != got["wal_bytes"] {
		t.Errorf("of one insert, before an end inside of a record, it counted %v", got)
	}
}

// Other statements are compared with those that servers saw; these are too rare for that.
func TestDocsListTheStatementsThatAreRare(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../../../docs/reference/statements.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, statement := range []string{ender(pgx.Identifier{"realiops"}), finder(pgx.Identifier{"realiops"}), databasesCalled} {
		sent := strings.Join(strings.Fields(statement), " ")
		if listed := regexp.MustCompile(`\d+`).ReplaceAllString(sent, "N"); !strings.Contains(string(page),
			"\n"+listed+"\n") {
			t.Errorf("docs/reference/statements.md does not list %s", listed)
		}
	}
}
