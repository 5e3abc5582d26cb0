package pgstat

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"
)

func observerOf(t *testing.T, s server) *Sampler {
	t.Helper()
	observer, err := NewObserver(t.Context(), s.config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { observer.Close(context.Background()) })
	return observer
}

// An observer's kept answers equal another sampler's readings, whatever was done in between.
func TestObserverKeepsTheServersAnswers(t *testing.T) {
	onEach(t, func(t *testing.T, s server) {
		exec(t, s.boss, "create table public.t (id int primary key, v int, w text) with (fillfactor = 50)")
		observer := observerOf(t, s)
		asking, err := New(t.Context(), s.config, allSchemas)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { asking.Close(context.Background()) })
		entries := func(values map[string]float64) map[string]float64 {
			of := map[string]float64{}
			for _, f := range entries(nil).fields {
				of[f.name] = values[Name+".tables/"+f.name]
			}
			return of
		}
		for _, sql := range []string{
			"insert into t select g, g, repeat('x', 10000) from generate_series(1, 10) g",
			"update t set v = v + 100 where id <= 3",
			"create index on t (v)",
			"insert into t values (11, 11), (12, 12)",
			"create table u (v int); create index by_hash on u using hash (v); insert into u values (1)",
			"alter table u alter v set not null",
			"drop index by_hash",
			"delete from t where id < 5",
			"select pg_stat_reset_single_table_counters('t'::regclass)",
			"drop table u",
			"select pg_stat_reset()",
		} {
			s.work(t, sql)
			read(t, observer) // perhaps before the server counts it
			want := entries(settled(t, asking))
			if diff := cmp.Diff(want, entries(settled(t, observer))); diff != "" {
				t.Errorf("after %s (-asked +kept):\n%s", sql, diff)
			}
			read(t, observer)
			if diff := cmp.Diff(want, entries(read(t, observer))); diff != "" {
				t.Errorf("some time after %s (-asked +kept):\n%s", sql, diff)
			}
		}
	})
}

// On an idle server, the definitions of indexes are not read.
func TestAnObserverSparesAQuietServer(t *testing.T) {
	onEach(t, func(t *testing.T, s server) {
		exec(t, s.boss, "create table public.t (id int primary key, v int)")
		observer := observerOf(t, s)
		settled(t, observer)
		session := observer.session
		signed := slices.IndexFunc(session.statements, func(ask statement) bool { return ask.signed })
		ask := session.statements[signed]
		kept := session.kept[ask.sql]
		read(t, observer)
		if session.kept[ask.sql].at != kept.at {
			t.Error("it was answered anew though nobody wrote a row")
		}
		arguments := append(slices.Clip(ask.arguments), kept.sign)
		rows, err := session.conn.Query(t.Context(), "explain (analyze) "+ask.sql, arguments...)
		if err != nil {
			t.Fatal(err)
		}
		plan, err := pgx.CollectRows(rows, pgx.RowTo[string])
		if err != nil {
			t.Fatal(err)
		}
		reads := slices.DeleteFunc(plan, func(line string) bool { return !strings.Contains(line, " on pg_index ") })
		if len(reads) == 0 || !strings.Contains(reads[0], "never executed") {
			t.Errorf("the server read pg_index: %q", reads)
		}
	})
}

// batches counts the statements in batches that contain a text.
type batches struct {
	text string
	n    int
}

func (b *batches) TraceBatchStart(ctx context.Context, _ *pgx.Conn, _ pgx.TraceBatchStartData) context.Context {
	return ctx
}

func (b *batches) TraceBatchQuery(_ context.Context, _ *pgx.Conn, asked pgx.TraceBatchQueryData) {
	if strings.Contains(asked.SQL, b.text) {
		b.n++
	}
}

func (b *batches) TraceBatchEnd(context.Context, *pgx.Conn, pgx.TraceBatchEndData) {}

func (b *batches) TraceQueryStart(ctx context.Context, _ *pgx.Conn, _ pgx.TraceQueryStartData) context.Context {
	return ctx
}

func (b *batches) TraceQueryEnd(context.Context, *pgx.Conn, pgx.TraceQueryEndData) {}

// The server's start is read once in a session, but in each reading behind a pooler, which may change servers.
func TestTheStartIsAskedOnceInASession(t *testing.T) {
	s := serverOf(t, "17")
	var started float64
	row(t, s.boss, "select extract(epoch from pg_postmaster_start_time())::float8", &started)
	asked := &batches{text: "pg_postmaster_start_time"}
	s.config.Tracer = asked
	observer := observerOf(t, s)
	check := func(want int) {
		t.Helper()
		before := asked.n
		for range 3 {
			if got := read(t, observer)[Name+".server/started"]; got != started {
				t.Errorf("it was started at %v, and a reading has %v", started, got)
			}
		}
		if n := asked.n - before; n != want {
			t.Errorf("3 readings asked %d times, want %d", n, want)
		}
	}
	check(0)
	observer.Close(t.Context())
	check(1)
	observer.session.pooled = true
	check(3)
}
