package pgstat

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/jackc/pgx/v5"

	"github.com/realiops/realiops/internal/runfile"
)

// The writes of each row are known.
func TestRankingTellsWhoWroteWhat(t *testing.T) {
	onEach(t, func(t *testing.T, s server) {
		s.work(t, "create table many (id int primary key, v int)", "create index on many (v)",
			"create table few (id int)", "insert into many select g, g from generate_series(1, 10) g")
		ranking := NewRanking(s.config)
		if first := ranking.Read(t.Context()); len(first) != 0 {
			t.Fatalf("at first nothing has grown, and yet: %v", first)
		}
		s.work(t, "insert into many select g, g from generate_series(11, 110) g",
			"insert into few select generate_series(1, 30)", "delete from few where id <= 5")
		tables := awaitTop(t, ranking, rankedTables, "n_tup_ins", 130)
		want := []runfile.TopItem{
			{Name: "public.many", Grew: map[string]float64{"n_tup_ins": 100, "n_tup_upd": 0, "n_tup_hot_upd": 0,
				"n_tup_del": 0, "entries": 200}},
			{Name: "public.few", Grew: map[string]float64{"n_tup_ins": 30, "n_tup_upd": 0, "n_tup_hot_upd": 0,
				"n_tup_del": 5, "entries": 0}},
		}
		written := func(name string, _ float64) bool {
			return name == "heap_blks_read" || name == "heap_blks_hit" || name == "vacuums"
		}
		if diff := cmp.Diff(want, tables.Items, cmpopts.IgnoreMapEntries(written)); diff != "" {
			t.Errorf("tables (-want +got):\n%s", diff)
		}
		indexes := awaitTop(t, ranking, rankedIndexes, "entries", 200)
		if len(indexes.Items) != 2 || indexes.Items[0].Grew["entries"] != 100 ||
			indexes.Items[1].Grew["entries"] != 100 {
			t.Errorf("indexes: %v, want two of 100 entries each", indexes.Items)
		}
	})
}

// Since ranks each stretch by itself, in one lasting session.
func TestRankingOfStretches(t *testing.T) {
	s := serverOf(t, "17")
	s.work(t, "create table stretch (id int)")
	ranking := NewRanking(s.config)
	done := func(ctx context.Context, conn *pgx.Conn) error {
		_, err := conn.Exec(ctx, "select pg_stat_force_next_flush()")
		return err
	}
	if first := ranking.Since(t.Context(), done); len(first) != 0 {
		t.Fatalf("at first nothing has grown, and yet: %v", first)
	}
	kept := ranking.kept
	for _, rows := range []int{30, 0, 7} {
		s.work(t, fmt.Sprintf("insert into stretch select generate_series(1, %d)", rows),
			"select pg_stat_force_next_flush()")
		var got float64
		for _, r := range ranking.Since(t.Context(), done) {
			if top := r.(runfile.Top); top.Of == rankedTables {
				for _, i := range top.Items {
					got += i.Grew["n_tup_ins"]
				}
			}
		}
		if got != float64(rows) || ranking.kept != kept {
			t.Errorf("%v rows, want %d", got, rows)
		}
	}
	ranking.Close(t.Context())
	if !kept.IsClosed() {
		t.Error("its session stays")
	}
}

// rankingAgrees compares the ranking with pg_stat_statements for the statement that wrote most. It ran once before
// the ranking began, with as many rows, and once after.
func rankingAgrees(t *testing.T, s server) {
	const insert = "insert into load.ranked select generate_series(1, 500), 'secret'"
	s.work(t, "create table load.ranked (id int, v text)", insert)
	asked := func() (id string, records float64) {
		row(t, s.boss, "select queryid::text, sum(wal_records)::float8 from extensions.pg_stat_statements where "+
			"query like 'insert into load.ranked%' group by 1", &id, &records)
		return id, records
	}
	_, before := asked()
	ranking := NewRanking(s.config)
	ranking.Read(t.Context())
	s.work(t, insert)
	id, after := asked()
	top := awaitTop(t, ranking, rankedStatements, "wal_bytes", 500*30)
	got := top.Items[0]
	if got.Name != id || got.Grew["wal_records"] != after-before || got.Grew["rows"] != 500 || got.Grew["calls"] != 1 ||
		after-before < 500 {
		t.Errorf("first of the statements: %+v, want %s with %v records", got, id, after-before)
	}
	if want := "insert into load.ranked select generate_series($1, $2), $3"; got.Text != want {
		t.Errorf("its text is %q, want %q", got.Text, want)
	}
	for _, of := range []string{"wal_bytes", dirtied} {
		if all := top.Total[of]; !(got.Grew[of] > 0) || got.Grew[of] > all {
			t.Errorf("of %v %s one statement did %v", all, of, got.Grew[of])
		}
	}
}

// rankingOfReaders: a statement that only reads is first among readers, with the extension's block counts. The table
// was made through a ring of 16 MB, so most of its pages are not cached.
func rankingOfReaders(t *testing.T, s server) {
	const scan = "select count(*) from load.scanned"
	s.work(t, "create table load.scanned as select g, repeat('x', 1900) from generate_series(1, 20000) g")
	ranking := NewRanking(s.config)
	ranking.Read(t.Context())
	s.work(t, scan)
	var id string
	var read float64
	row(t, s.boss, "select queryid::text, sum(shared_blks_read)::float8 from extensions.pg_stat_statements where "+
		"query = '"+scan+"' group by 1", &id, &read)
	top := awaitTop(t, ranking, runfile.Readers, "shared_blks_read", read)
	if got := top.Items[0]; read < 2000 || got.Name != id || got.Grew["shared_blks_read"] != read || got.Text != scan {
		t.Errorf("first of those that read: %+v, want %s with %v blocks", got, id, read)
	}
}

// awaitTop reads until the total has reached least: counters lag.
func awaitTop(t *testing.T, ranking *Ranking, of, column string, least float64) (top runfile.Top) {
	t.Helper()
	for range 600 { // a minute
		for _, r := range ranking.Read(t.Context()) {
			if got := r.(runfile.Top); got.Of == of {
				top = got
			}
		}
		if top.Missing != "" || top.Total[column] >= least {
			return top
		}
		time.Sleep(100 * time.Millisecond)
	}
	t.Fatalf("%s never came to %v of %s: %+v", of, least, column, top)
	return top
}

// Without the extension there are no statements, and the record says why.
func TestRankingWithoutStatements(t *testing.T) {
	s := serverOf(t, "17")
	ranking := NewRanking(s.config)
	ranking.Read(t.Context())
	top := awaitTop(t, ranking, rankedStatements, "", 0)
	if want := errNoStatements.Error(); top.Missing != want || len(top.Items) > 0 {
		t.Errorf("%+v, want nothing since %s", top, want)
	}
}
