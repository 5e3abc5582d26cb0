package postgres_test

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/realiops/realiops/internal/measure/postgres"
	"github.com/realiops/realiops/internal/test/servertest"
)

// New sessions in the database, and selected existing ones, are the operation's. Any other session that worked,
// connected elsewhere or left is not. From 18 on their WAL is known.
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
	want := []string{"another of postgres in elsewhere", "busy of postgres in postgres",
		"leaves of postgres in elsewhere"}
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
	during, err := unnamed.Look(t.Context(), conn)
	if err != nil || during.Silent != 1 {
		t.Errorf("of sessions that nobody named: %+v, %v, want one that may be the operation's", during, err)
	}
	unnamed.Over(during)
	if after, err := unnamed.Look(t.Context(), conn); err != nil || during.And(after).Silent != 1 {
		t.Errorf("once the operation is over: %+v, %v, want the one as before", during.And(after), err)
	}
	nothing, err := facts.Watch(t.Context(), conn, postgres.Sessions{Known: true})
	if err != nil {
		t.Fatal(err)
	}
	session("postgres", "came")
	if seen, err := nothing.Look(t.Context(), conn); err != nil || seen.Staying != 0 ||
		!slices.Contains(seen.Others, "came of postgres in postgres") {
		t.Errorf("while nothing is done: %+v, %v", seen, err)
	}
}

// A short session of another client shows in the number of sessions if the operation's own are known.
func TestSessionsThatAreGoneAreCounted(t *testing.T) {
	for _, version := range servertest.Versions() {
		t.Run(version, func(t *testing.T) {
			t.Parallel()
			database := servertest.Database(t, version)
			conn := servertest.Connect(t, database)
			facts, err := postgres.Inspect(t.Context(), conn)
			if err != nil {
				t.Fatal(err)
			}
			watch, err := facts.Watch(t.Context(), conn, postgres.Sessions{Known: true})
			if err != nil {
				t.Fatal(err)
			}
			visit := func() int32 {
				session, err := pgx.ConnectConfig(t.Context(), database.UserConfig())
				if err != nil {
					t.Fatal(err)
				}
				servertest.Exec(t, session, "select 1")
				if err := errors.Join(session.Close(t.Context()), facts.AwaitClientsGone(t.Context(), conn)); err !=
					nil {
					t.Fatal(err)
				}
				return int32(session.PgConn().PID())
			}
			other := []string{"a session that connected to " + postgres.Quoted(facts.Database) + " and disconnected"}
			watch.Own([]int32{visit()})
			look := func(sessions int64, want []string) {
				seen, err := watch.Look(t.Context(), conn)
				for until := time.Now().Add(5 * time.Second); err == nil && seen.Connected != nil &&
					*seen.Connected < sessions && time.Now().Before(until); {
					time.Sleep(10 * time.Millisecond) // the collector of 14 takes its time
					seen, err = watch.Look(t.Context(), conn)
				}
				switch {
				case err != nil:
					t.Fatal(err)
				case version == "13" && (seen.Connected != nil || seen.Others != nil):
					t.Errorf("%+v of a version that counts no sessions", seen)
				case version != "13" && (seen.Connected == nil || *seen.Connected != sessions ||
					!slices.Equal(seen.Others, want)):
					t.Errorf("of %d sessions: %v, others %q, want %q", sessions, seen.Connected, seen.Others, want)
				}
			}
			look(1, nil)
			visit()
			look(2, other)
			if version < "15" {
				return // its counts come later
			}
			command, err := facts.Watch(t.Context(), conn, postgres.Sessions{})
			if err != nil {
				t.Fatal(err)
			}
			visit()
			watch = command
			look(1, nil)
			seen, err := command.Look(t.Context(), conn)
			if err != nil {
				t.Fatal(err)
			}
			command.Over(seen)
			visit() // after the command has ended
			look(2, other)
			visit()
			again, err := facts.Watch(t.Context(), conn, postgres.Sessions{})
			if err != nil || again.Between(seen) != 2 {
				t.Errorf("since the command has ended there were %d sessions, %v, want 2", again.Between(seen), err)
			}
			servertest.Exec(t, conn, "select pg_stat_reset()")
			for range *seen.Connected + 5 { // until the counter has passed what it was
				visit()
			}
			after, err := again.Look(t.Context(), conn)
			if err != nil || after.Connected != nil {
				t.Errorf("over a reset of the statistics: %v sessions, %v", after.Connected, err)
			}
		})
	}
}
