package postgres_test

import (
	"context"
	"slices"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/realiops/realiops/internal/measure/postgres"
	"github.com/realiops/realiops/internal/test/servertest"
)

// Sessions in the database that came since are the operation's, and old ones that were picked; whoever else did something, came
// elsewhere or left is not, and from 18 on it is known how much WAL they wrote.
func TestWatchKeepsOthersApart(t *testing.T) {
	server := servertest.Alone(t, "18")
	conn := servertest.Connect(t, server)
	servertest.Exec(t, conn, "create table t (id int)")
	servertest.Exec(t, conn, "create database elsewhere")
	session := func(database, name string) *pgx.Conn {
		t.Helper()
		config := server.UserConfig()
		config.Database, config.RuntimeParams["application_name"] = database, name
		session, err := pgx.ConnectConfig(t.Context(), config)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = session.Close(context.Background()) })
		return session
	}
	pool, busy, leaves := session("postgres", "pool"), session("postgres", "busy"), session("elsewhere", "leaves")
	facts, err := postgres.Inspect(t.Context(), conn)
	if err != nil {
		t.Fatal(err)
	}
	watch, err := facts.Watch(t.Context(), conn, postgres.Sessions{ApplicationName: "pool"})
	if err != nil {
		t.Fatal(err)
	}
	session("postgres", "operation")
	session("elsewhere", "another")
	servertest.Exec(t, pool, "insert into t values (1)")
	servertest.Exec(t, busy, "insert into t values (2); select pg_stat_force_next_flush()")
	servertest.Exec(t, busy, "select 1")
	if err := leaves.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	seen, err := watch.Look(t.Context(), conn)
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(seen.Others)
	want := []string{"another of postgres in elsewhere", "busy of postgres in postgres", "leaves of postgres in elsewhere"}
	if !slices.Equal(seen.Others, want) || seen.Staying != 2 || seen.Silent != 0 {
		t.Errorf("%+v, want %q beside the pool and the operation", seen, want)
	}
	if seen.Wrote == nil || seen.Wrote.WALBytes < 50 || seen.Wrote.WALFsyncs != 1 {
		t.Errorf("others wrote %+v, want one row and its commit", seen.Wrote)
	}
	unnamed, err := facts.Watch(t.Context(), conn, postgres.Sessions{})
	if err != nil {
		t.Fatal(err)
	}
	servertest.Exec(t, busy, "select 1")
	if seen, err := unnamed.Look(t.Context(), conn); err != nil || seen.Silent != 1 {
		t.Errorf("of sessions that nobody named: %+v, %v, want one that may be the operation's", seen, err)
	}
	nothing, err := facts.Watch(t.Context(), conn, postgres.Sessions{None: true, ApplicationName: "pool"})
	if err != nil {
		t.Fatal(err)
	}
	session("postgres", "came")
	if seen, err := nothing.Look(t.Context(), conn); err != nil || seen.Staying != 0 || !slices.Contains(seen.Others, "came of postgres in postgres") {
		t.Errorf("while nothing is done: %+v, %v", seen, err)
	}
}
