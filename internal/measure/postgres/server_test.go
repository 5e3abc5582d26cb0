package postgres_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"net"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/jackc/pgx/v5"

	"github.com/realiops/realiops/internal/measure/postgres"
	"github.com/realiops/realiops/internal/measure/server/embedded"
	"github.com/realiops/realiops/internal/test/servertest"
)

func TestMain(m *testing.M) { os.Exit(servertest.Main(m)) }

func TestInspectTellsWhatTheServerSays(t *testing.T) {
	for _, version := range servertest.Versions() {
		t.Run(version, func(t *testing.T) {
			endpoint := servertest.Database(t, version)
			conn := servertest.Connect(t, endpoint)
			got, err := postgres.Inspect(t.Context(), conn)
			if err != nil {
				t.Fatal(err)
			}
			want := postgres.Facts{
				Version: servertest.Value[string](t, conn,
					"select split_part(current_setting('server_version'), ' ', 1)"),
				VersionNum:    servertest.Value[int](t, conn, "select current_setting('server_version_num')::int"),
				Flavor:        postgres.FlavorPostgres,
				Database:      servertest.Value[string](t, conn, "select current_database()"),
				User:          "postgres",
				ActsAs:        "postgres",
				MayCheckpoint: true,
				MaySeeOthers:  true,
				BackendPID:    servertest.Value[int](t, conn, "select pg_backend_pid()"),
				DataDirectory: servertest.Value[string](t, conn, "show data_directory"),
				Connections: servertest.Value[int](t, conn,
					"select setting::int from pg_settings where name = 'max_connections'") -
					servertest.Value[int](t, conn, `select count(*) from pg_stat_activity
						where backend_type = 'client backend' and pid <> pg_backend_pid()`),

				SystemIdentifier: servertest.Value[string](t, conn,
					"select system_identifier::text from pg_control_system()"),
			}
			if diff := cmp.Diff(want, got, cmpopts.IgnoreFields(postgres.Facts{}, "Settings", "Clock")); diff != "" {
				t.Error(diff)
			}
			if got.Settings["fsync"] != "on" || got.Settings["block_size"] != "8192" ||
				got.Settings["max_wal_size"] != "1GB" {
				t.Errorf("settings %v", got.Settings)
			}
			if got.Clock.Source != "server" || math.Abs(got.Clock.Offset) > got.Clock.Error+0.001 {
				t.Errorf("a server on this machine has its clock, not %+v", got.Clock)
			}
			if !strings.HasPrefix(got.Version, version) {
				t.Errorf("version %s on a server of %s", got.Version, version)
			}
		})
	}
}

func TestInspectTellsAurora(t *testing.T) {
	conn := servertest.Connect(t, servertest.Aurora(t, servertest.Database(t, "17"), "db-1"))
	facts, err := postgres.Inspect(t.Context(), conn)
	if err != nil || facts.Flavor != postgres.FlavorAurora || facts.Instance != "db-1" || facts.MayCheckpoint ||
		facts.MaySeeOthers {
		t.Errorf("%v: %+v", err, facts)
	}
	if refusals, err := facts.RefuseSchema(t.Context(), conn); err != nil || len(refusals) > 0 {
		t.Errorf("the schema: %v, %v", refusals, err)
	}
}

func TestInspectNeedsNoPrivilege(t *testing.T) {
	endpoint := servertest.Database(t, "17")
	boss := servertest.Connect(t, endpoint)
	role := "bare_" + servertest.Value[string](t, boss, "select current_database()")
	servertest.Exec(t, boss, "create role "+role+" login password 'bare'")
	t.Cleanup(func() { _, _ = boss.Exec(context.Background(), "drop role "+role) })

	config := endpoint.Config()
	bare := servertest.Endpoint(t, fmt.Sprintf("host=%s port=%d dbname=%s user=%s password=bare sslmode=disable",
		config.Host, config.Port, config.Database, role))
	conn := servertest.Connect(t, bare)
	facts, err := postgres.Inspect(t.Context(), conn)
	if err != nil {
		t.Fatal(err)
	}
	if facts.MayCheckpoint || facts.MaySeeOthers || facts.DataDirectory != "" || facts.User != role {
		t.Errorf("a bare role has %+v", facts)
	}
	if refusals, err := facts.RefuseSchema(t.Context(), conn); err != nil || len(refusals) != 1 ||
		!strings.Contains(refusals[0].Error(), "grant create") {
		t.Errorf("looking whether the schema can be made: %v, %v", refusals, err)
	}
	if _, err := (postgres.Facts{}).ClaimSchema(t.Context(), conn); err == nil ||
		!strings.Contains(err.Error(), "grant create") {
		t.Errorf("claiming a schema without the right to: %v", err)
	}
	left := func(want int) {
		t.Helper()
		if f, err := postgres.Inspect(t.Context(), conn); err != nil || f.Connections != want {
			t.Errorf("%d connections are left, %v; want %d", f.Connections, err, want)
		}
	}
	if super, err := postgres.Inspect(t.Context(), boss); err != nil || super.Connections <= facts.Connections+2 ||
		super.Connections >= 200 { // the server's, of which a superuser may have three more
		t.Errorf("a superuser can have %d connections, %v; a bare role %d", super.Connections, err, facts.Connections)
	}
	unlimited := func(limit string) {
		t.Helper()
		servertest.Exec(t, boss, limit)
		if super, err := postgres.Inspect(t.Context(), boss); err != nil || super.Connections <= facts.Connections {
			t.Errorf("after %q a superuser can have %d connections, %v", limit, super.Connections, err)
		}
	}
	unlimited("alter role postgres connection limit 1")
	servertest.Exec(t, boss, "alter role postgres connection limit -1")
	servertest.Exec(t, boss, "alter role "+role+" connection limit 7")
	left(7)
	other := servertest.Connect(t, bare)
	left(6)
	unlimited(fmt.Sprintf("alter database %s connection limit 5", config.Database))
	left(5 - 2) // the boss has one, too
	other.Close(t.Context())
	conn.Close(t.Context())
	servertest.Exec(t, boss, "grant pg_checkpoint to "+role)
	if facts, err = postgres.Inspect(t.Context(), servertest.Connect(t, bare)); err != nil || !facts.MayCheckpoint {
		t.Errorf("with pg_checkpoint: %v, %v", facts.MayCheckpoint, err)
	}
}

// Of 50 connections 3 are for superusers and 10 for roles that may use reserved ones; the boss has one.
func TestReservedConnectionsAreNotLeft(t *testing.T) {
	s := servertest.Start(t, embedded.Options{Version: "17", Unsynced: true, Settings: []string{
		"max_connections=50", "superuser_reserved_connections=3", "reserved_connections=10"}})
	boss := servertest.Connect(t, servertest.Endpoint(t, s.DSN()))
	servertest.Exec(t, boss, "create role plain login password 'x'; create role favoured login password 'x'; "+
		"grant pg_use_reserved_connections to favoured")
	c := servertest.Endpoint(t, s.DSN()).Config()
	for role, want := range map[string]int{"plain": 50 - 3 - 10 - 1, "favoured": 50 - 3 - 1} {
		conn := servertest.Connect(t, servertest.Endpoint(t, fmt.Sprintf("host=%s port=%d dbname=postgres user=%s password=x",
			c.Host, c.Port, role)))
		if f, err := postgres.Inspect(t.Context(), conn); err != nil || f.Connections != want {
			t.Errorf("%d connections are left to %s, %v; want %d", f.Connections, role, err, want)
		}
		conn.Close(t.Context())
		for servertest.Value[bool](t, boss, "select exists (select from pg_stat_activity where usename = '"+role+"')") {
			time.Sleep(10 * time.Millisecond) // a session takes a moment to end
		}
	}
}

func TestBusySessionsAreOthersAtWork(t *testing.T) {
	endpoint := servertest.Database(t, "17")
	conn := servertest.Connect(t, endpoint)
	busy := func() int {
		t.Helper()
		facts, err := postgres.Inspect(t.Context(), conn)
		if err != nil {
			t.Fatal(err)
		}
		return facts.BusySessions
	}
	if n := busy(); n != 0 {
		t.Fatalf("%d busy sessions on an idle server", n)
	}
	other := servertest.Connect(t, endpoint)
	servertest.Exec(t, other, "begin")
	if n := busy(); n != 0 {
		t.Errorf("a session of ours counts as somebody else's: %d", n)
	}
	servertest.Exec(t, other, "set application_name = 'their app'")
	if n := busy(); n != 1 {
		t.Errorf("%d busy sessions, want the one in a transaction", n)
	}
	servertest.Exec(t, other, "commit")
	if n := busy(); n != 0 {
		t.Errorf("%d busy sessions, want none: it only waits", n)
	}
}

// If the states of other sessions are hidden from the role, their transactions show who is at work.
func TestBusySessionsWhoseStateIsHidden(t *testing.T) {
	for _, version := range servertest.Matrix("17", "13", "18") {
		s := servertest.Start(t, embedded.Options{Version: version})
		endpoint := servertest.Endpoint(t, s.DSN())
		boss := servertest.Connect(t, endpoint)
		servertest.Exec(t, boss, "create role bare login password 'bare'")
		config := endpoint.Config()
		bare := servertest.Connect(t, servertest.Endpoint(t, fmt.Sprintf(
			"host=%s port=%d dbname=postgres user=bare password=bare sslmode=disable", config.Host, config.Port)))
		other := servertest.Connect(t, endpoint)
		servertest.Exec(t, other, "set application_name = 'their app'")
		check := func(what string, conn *pgx.Conn, want int) {
			t.Helper()
			if facts, err := postgres.Inspect(t.Context(), conn); err != nil || facts.BusySessions != want {
				t.Errorf("%s, %s: %d busy sessions, want %d: %v", version, what, facts.BusySessions, want, err)
			}
		}
		for _, hidden := range []string{"off", "on"} {
			servertest.Exec(t, other, "set track_activities = "+hidden+"; begin")
			check("of a role that sees nothing, track_activities "+hidden, bare, 1)
			check("of a superuser, track_activities "+hidden, boss, 1)
			servertest.Exec(t, other, "commit")
			check("of a role that sees nothing, after it", bare, 0)
			check("of a superuser, after it", boss, 0)
		}
	}
}

// Other runs of realiops count as others, whatever their name; sessions that only read counters do not.
func TestAtWorkAreOtherRunsToo(t *testing.T) {
	endpoint := servertest.Database(t, "17")
	conn := servertest.Connect(t, endpoint)
	check := func(name string, want ...string) {
		t.Helper()
		other := servertest.Connect(t, endpoint)
		servertest.Exec(t, other, "set application_name = '"+name+"'; begin")
		defer servertest.Exec(t, other, "rollback")
		facts, err := postgres.Inspect(t.Context(), conn)
		if err != nil {
			t.Fatal(err)
		}
		who, err := facts.AtWork(t.Context(), conn)
		if diff := cmp.Diff(want, who); diff != "" || err != nil || facts.BusySessions != len(want) {
			t.Errorf("%q: %d at work, %v\n%s", name, facts.BusySessions, err, diff)
		}
	}
	role, database := endpoint.Config().User, endpoint.Config().Database
	check("realiops")
	check("realiops load", "realiops load of "+role+" in "+database)
	check("", "a session of "+role+" in "+database)
}

// The lock covers the server, whatever database a run works in.
func TestTwoRunsInTwoDatabasesOfOneServer(t *testing.T) {
	one, two := servertest.Database(t, "17"), servertest.Database(t, "17")
	first, err := (postgres.Facts{}).ClaimSchema(t.Context(), servertest.Connect(t, one))
	if err != nil {
		t.Fatal(err)
	}
	second := servertest.Connect(t, two)
	_, err = (postgres.Facts{}).ClaimSchema(t.Context(), second)
	if err == nil || !strings.Contains(err.Error(), "in the database "+one.Config().Database+",") {
		t.Errorf("beside another run: %v", err)
	}
	if refusals, err := (postgres.Facts{}).RefuseSchema(t.Context(), second); len(refusals) != 1 || err != nil {
		t.Errorf("a look beside another run: %v, %v", refusals, err)
	}
	if err := first.Release(t.Context()); err != nil {
		t.Fatal(err)
	}
	schema, err := (postgres.Facts{}).ClaimSchema(t.Context(), second)
	if err != nil {
		t.Fatalf("after the other run: %v", err)
	}
	if err := schema.Release(t.Context()); err != nil {
		t.Error(err)
	}
}

func TestSchemaIsOursAlone(t *testing.T) {
	endpoint := servertest.Database(t, "17")
	conn := servertest.Connect(t, endpoint)
	exists := func() bool {
		return servertest.Value[bool](t, conn, "select exists (select from pg_namespace where nspname = 'realiops')")
	}
	claim := func() (*postgres.Schema, error) {
		return (postgres.Facts{}).ClaimSchema(t.Context(), servertest.Connect(t, endpoint))
	}
	refused := func(words string) { // by a claim, and by a look
		t.Helper()
		_, claimed := claim()
		looked, err := (postgres.Facts{}).RefuseSchema(t.Context(), conn)
		if claimed == nil || !strings.Contains(claimed.Error(), words) || len(looked) == 0 ||
			looked[0].Error() != claimed.Error() || err != nil {
			t.Errorf("claim: %v, look: %v, %v; want %q", claimed, looked, err, words)
		}
	}

	if refusals, err := (postgres.Facts{}).RefuseSchema(t.Context(), conn); len(refusals) > 0 || err != nil || exists() {
		t.Errorf("a look at what is free: %v, %v", refusals, err)
	}
	first, err := claim()
	if err != nil || !exists() {
		t.Fatalf("claim: %v, there is a schema: %v", err, exists())
	}
	refused("another realiops run")
	if err := first.Release(t.Context()); err != nil || exists() {
		t.Errorf("release: %v, there is a schema: %v", err, exists())
	}

	second, err := claim()
	if err != nil {
		t.Fatal(err)
	}
	servertest.Exec(t, conn, "create table realiops.left_behind (); comment on table realiops.left_behind is '"+
		postgres.TableMark+"'")
	// The run and its session are killed.
	servertest.Exec(t, conn,
		"select pg_terminate_backend(pid) from pg_locks where locktype = 'advisory' and pid <> pg_backend_pid()")
	_ = second
	third, err := claim()
	for range 1200 { // a minute
		if err == nil {
			break
		}
		time.Sleep(50 * time.Millisecond)
		third, err = claim()
	}
	if err != nil {
		t.Fatalf("after a killed run: %v", err)
	}
	if servertest.Value[int](t, conn, "select count(*) from pg_class where relname = 'left_behind'") != 0 {
		t.Error("what the killed run left is still there")
	}
	if err := third.Release(t.Context()); err != nil {
		t.Error(err)
	}

	servertest.Exec(t, conn, "create schema realiops; create table realiops.precious ()")
	refused("did not create")
	if !servertest.Value[bool](t, conn, "select to_regclass('realiops.precious') is not null") {
		t.Error("somebody's table is gone")
	}
}

// Other users' views of our tables and objects in our schema stay. They are named, and
// ours are dropped once possible.
func TestTheSchemaTakesNothingOfOthersWithIt(t *testing.T) {
	endpoint := servertest.Database(t, "17")
	conn := servertest.Connect(t, endpoint)
	claim := func() (*postgres.Schema, error) {
		session, err := endpoint.Connect(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { session.Close(context.Background()) })
		claimed, err := (postgres.Facts{}).ClaimSchema(t.Context(), session)
		if err != nil {
			session.Close(t.Context()) // and releases the lock that keeps runs apart
		}
		return claimed, err
	}
	schema, err := claim()
	if err != nil {
		t.Fatal(err)
	}
	table := func(name string) {
		servertest.Exec(t, conn,
			fmt.Sprintf("create table realiops.%s (v int); comment on table realiops.%[1]s is '%s'", name,
				postgres.TableMark))
	}
	table("bulk")
	table("copy")
	servertest.Exec(t, conn, "create view public.theirs as select * from realiops.bulk")
	stays := func(err error, words string) {
		t.Helper()
		if err == nil || !strings.Contains(err.Error(), words) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%v, want one line about %q", err, words)
		}
	}
	stays(schema.Release(t.Context()), "view public.theirs depends on table realiops.bulk")
	if !servertest.Value[bool](t, conn,
		"select to_regclass('public.theirs') is not null and to_regclass('realiops.copy') is null") {
		t.Error("the view is gone, or a table that nobody needs is there")
	}
	_, err = claim()
	stays(err, "view public.theirs depends on table realiops.bulk")

	servertest.Exec(t, conn, "drop view public.theirs; create table realiops.precious ()")
	_, err = claim()
	stays(err, "table realiops.precious depends on schema realiops")
	if !servertest.Value[bool](t, conn,
		"select to_regclass('realiops.precious') is not null and to_regclass('realiops.bulk') is null") {
		t.Error("somebody's table is gone, or ours is there")
	}
	servertest.Exec(t, conn, "drop table realiops.precious")
	table("locked")
	servertest.Exec(t, conn, "set application_name = 'their app'; begin; lock table realiops.locked")
	began := time.Now()
	_, err = claim()
	stays(err, "of postgres (their app) held a lock for more than 5s")
	if took := time.Since(began); took > 20*time.Second {
		t.Errorf("it took %v to say so", took)
	}
	servertest.Exec(t, conn, "rollback")
	if schema, err = claim(); err != nil {
		t.Fatal(err)
	}
	if err := schema.Release(t.Context()); err != nil {
		t.Error(err)
	}
}

func TestConnectSaysInOneLineWhatToDo(t *testing.T) {
	endpoint := servertest.Database(t, "17")
	good := endpoint.Config()
	refused, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	refused.Close()
	_, closedPort, _ := net.SplitHostPort(refused.Addr().String())
	check := func(dsn, want string) {
		t.Helper()
		_, err := servertest.Endpoint(t, dsn).Connect(t.Context())
		switch {
		case err == nil:
			t.Errorf("%s connects", dsn)
		case !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") ||
			strings.Contains(err.Error(), "wr0ng"):
			t.Errorf("%s: %v, want one line about %q", dsn, err, want)
		}
	}
	server := fmt.Sprintf("host=%s port=%d sslmode=disable ", good.Host, good.Port)
	check(server+"user=postgres password=wr0ng dbname=postgres",
		"password authentication failed for user \"postgres\" (set it in")
	check(server+"user=postgres password="+good.Password+" dbname=nowhere",
		`database "nowhere" does not exist (set one`)
	check("host=127.0.0.1 sslmode=disable port="+closedPort+" user=x password=wr0ng",
		"connection refused; is the server running")
	check("host=/nonexistent port=5432 user=x", "no such file or directory; is the server running")
	two := fmt.Sprintf("host=127.0.0.1,%s port=%s,%d user=postgres dbname=postgres ", good.Host, closedPort, good.Port)
	closed := "connect to any of the hosts as postgres, database postgres: 127.0.0.1:" + closedPort +
		" (connect: connection refused; is the server running there?), "
	open := fmt.Sprintf("%s/.s.PGSQL.%d", good.Host, good.Port)
	check(two+"password=wr0ng", closed+open+` (password authentication failed for user "postgres" (set it in`)
	check(fmt.Sprintf("host=nowhere.invalid,127.0.0.1 port=5432,%s user=postgres password=wr0ng", closedPort),
		"database postgres: nowhere.invalid (could not resolve host name nowhere.invalid; check the name, and DNS "+
			"on this machine), 127.0.0.1:"+closedPort+" (connect: connection refused")
	check(two+"target_session_attrs=standby password="+good.Password, closed+open+" (server is not in hot standby mode; "+
		"rejected by target_session_attrs)")
	check(fmt.Sprintf("host=127.0.0.1 port=%d sslmode=require ", good.Port)+"user=postgres password=wr0ng",
		"the server does not support TLS, but sslmode requires it")
	check(fmt.Sprintf("host=127.0.0.1 port=%d sslmode=require sslnegotiation=direct user=postgres", good.Port),
		"sslnegotiation=direct: it has no TLS, or is older than PostgreSQL 17;")
	for _, asked := range []string{"target_session_attrs=standby", "channel_binding=require", "require_auth=none",
		"min_protocol_version=3.2"} {
		keyword, _, _ := strings.Cut(asked, "=")
		check(server+"user=postgres dbname=postgres password="+good.Password+" "+asked,
			"; rejected by "+keyword)
	}
	check("host=127.0.0.1 sslmode=disable user=x port="+strconv.Itoa(saying(t, "220 mail.example ESMTP\r\n")),
		"does not speak PostgreSQL's protocol")
	check("host=127.0.0.1 connect_timeout=1 sslmode=disable user=x port="+strconv.Itoa(silent(t)), "timeout expired")
}

// silent returns the port of a host that accepts connections and stays silent.
func silent(t *testing.T) int { return servertest.Listen(t, func(net.Conn) {}) }

// saying returns the port of a host that greets in another protocol, and hangs up.
func saying(t *testing.T, greeting string) int {
	return servertest.Listen(t, func(conn net.Conn) {
		_, _ = conn.Read(make([]byte, 16<<10)) // unread data would cause a reset
		_, _ = conn.Write([]byte(greeting))
		conn.Close()
	})
}

// committed returns the transactions of the connection's database, including its own.
func committed(t *testing.T, conn *pgx.Conn) int64 {
	t.Helper()
	servertest.Exec(t, conn, "select pg_stat_force_next_flush()")
	return servertest.Value[int64](t, conn,
		"select xact_commit from pg_stat_database where datname = current_database()")
}

func TestAwaitClientsGone(t *testing.T) {
	endpoint := servertest.Database(t, "17")
	conn := servertest.Connect(t, endpoint)
	if err := (postgres.Facts{}).AwaitClientsGone(t.Context(), conn); err != nil {
		t.Error(err)
	}
	client, err := endpoint.ConnectClient(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	before := committed(t, conn)
	if err := (postgres.Facts{}).AwaitClientsGone(t.Context(), conn); err == nil ||
		!strings.Contains(err.Error(), "still has 1 session of theirs") {
		t.Errorf("a client that is there counts as gone: %v", err)
	}
	if looks := committed(t, conn) - before; looks > 200 { // more commits would count as other sessions'
		t.Errorf("waiting took %d transactions", looks)
	}
	if err := (postgres.Facts{Pooler: true}).AwaitClientsGone(t.Context(), conn); err != nil {
		t.Errorf("behind a pooler, which keeps sessions: %v", err)
	}
	client.Close(t.Context())
	if err := (postgres.Facts{}).AwaitClientsGone(t.Context(), conn); err != nil {
		t.Error(err)
	}
}

// If commits wait for a missing standby, no load would finish its first transaction. Our objects are created and
// dropped without waiting. What keeps the WAL of the loads is named.
func TestStandbysThatAreNotThere(t *testing.T) {
	server := servertest.Endpoint(t, servertest.Start(t, embedded.Options{Version: "17", Unsynced: true, Settings: []string{
		"synchronous_standby_names=ghost", "archive_mode=on", "archive_command=false"}}).DSN())
	boss := servertest.Connect(t, server)
	refusal := func(commit string) (postgres.Facts, string) {
		t.Helper()
		servertest.Exec(t, boss, "set synchronous_commit = local; alter database postgres set synchronous_commit = "+commit)
		facts, err := postgres.Inspect(t.Context(), servertest.Connect(t, server))
		if err != nil {
			t.Fatal(err)
		}
		if err = facts.Refuse(postgres.Permissions{}); err != nil {
			return facts, err.Error()
		}
		return facts, ""
	}
	if _, why := refusal("local"); why != "" {
		t.Errorf("where commits wait for nobody: %s", why)
	}
	facts, why := refusal("on")
	if !strings.Contains(why, "every commit would wait for a standby that is not connected") {
		t.Errorf("refused: %q", why)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
	defer cancel()
	conn, err := server.Connect(ctx)
	if err != nil {
		t.Fatal(err)
	}
	schema, err := facts.ClaimSchema(ctx, conn)
	if err == nil {
		err = errors.Join(schema.Release(ctx), conn.Close(ctx))
	}
	if err != nil || servertest.Value[bool](t, boss, "select to_regnamespace('realiops') is not null") {
		t.Errorf("the schema came and went: %v", err)
	}

	keepers := func(want ...string) {
		t.Helper()
		if got, err := postgres.WALKeepers(t.Context(), boss); err != nil || !slices.Equal(got, want) {
			t.Errorf("%q keep the WAL, %v; want %q", got, err, want)
		}
	}
	servertest.Exec(t, boss, "select pg_create_physical_replication_slot('unreserved')")
	keepers()
	servertest.Exec(t, boss, "select pg_create_physical_replication_slot('used', true, true)") // by this session
	keepers()
	servertest.Exec(t, boss, "select pg_create_physical_replication_slot(name, true) from unnest('{gone,away}'::name[]) name")
	keepers("the unused replication slot away", "the unused replication slot gone")
	servertest.Exec(t, boss, "select pg_drop_replication_slot('gone'), pg_drop_replication_slot('away'), pg_switch_wal()")
	awaitArchiver := func(count string) {
		t.Helper()
		for end := time.Now().Add(20 * time.Second); time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
			if servertest.Value[int](t, boss, "select "+count+" from pg_stat_archiver") > 0 {
				return
			}
		}
		t.Errorf("the archiver has no %s", count)
	}
	awaitArchiver("failed_count")
	keepers("the failing archiver")
	servertest.Exec(t, boss, "alter system set archive_command = 'true'")
	servertest.Exec(t, boss, "select pg_reload_conf(), pg_switch_wal()")
	awaitArchiver("archived_count")
	keepers()
}

// A command stopped while it creates the schema still knows whether it exists.
func TestAClaimIsNotCutShort(t *testing.T) {
	endpoint := servertest.Database(t, "17")
	boss := servertest.Connect(t, endpoint)
	servertest.Exec(t, boss, `create function slow() returns event_trigger language plpgsql as
		'begin perform pg_sleep(0.4); end';
		create event trigger slow on ddl_command_start when tag in ('CREATE SCHEMA') execute function slow()`)
	ctx, cancel := context.WithCancel(t.Context())
	conn := servertest.Connect(t, endpoint)
	time.AfterFunc(200*time.Millisecond, cancel)
	schema, err := (postgres.Facts{}).ClaimSchema(ctx, conn)
	if err != nil {
		t.Fatal(err)
	}
	if err := schema.Release(t.Context()); err != nil {
		t.Error(err)
	}
	if _, err := (postgres.Facts{}).ClaimSchema(ctx, servertest.Connect(t, endpoint)); !errors.Is(err, context.Canceled) {
		t.Errorf("a claim after that: %v", err)
	}
}

// A query in a session that has ended fails with a clear error.
func TestErrorOfALostSession(t *testing.T) {
	conn := servertest.Connect(t, servertest.Database(t, "17"))
	if err := conn.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	_, err := postgres.Unconfirmed(t.Context(), conn)
	const want = "list synchronous standbys: the connection to the server was lost"
	if said := postgres.Lost(err); said.Error() != want || !errors.Is(said, err) {
		t.Errorf("%q, want %q", said, want)
	}
	if said := postgres.Lost(errors.Join(err, err)); said.Error() != want+"\n"+want {
		t.Errorf("%q, want %q twice", said, want)
	}
}
