//go:build unix

package session

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5/pgconn"
)

const long = 20 * time.Second // more than any test should wait

// seen holds the parts of a result that a test compares.
type seen struct {
	Affected, Returned int64
	Kind               Kind
	Row                []string // name=value, or name for NULL
}

func rowOf(s *Session) []string {
	var row []string
	for name, value := range s.Row() {
		if value == nil {
			row = append(row, string(name))
		} else {
			row = append(row, string(name)+"="+string(value))
		}
	}
	return row
}

// all sends the batch and returns its results.
func all(s *Session) []seen {
	var results []seen
	for s.Next() {
		r := s.Result()
		results = append(results, seen{r.Affected, r.Returned, KindOf(r.Err), rowOf(s)})
	}
	return results
}

func expect(t testing.TB, what string, s *Session, want ...seen) {
	t.Helper()
	if diff := cmp.Diff(want, all(s)); diff != "" {
		t.Errorf("%s:\n%s", what, diff)
	}
	if s.Err() != nil {
		t.Fatalf("%s: %v", what, s.Err())
	}
}

// query runs SQL for its effect.
func query(t testing.TB, s *Session, sql string) {
	t.Helper()
	s.Query([]byte(sql), false)
	if r, err := s.Finish(); err != nil || r.Err != nil {
		t.Fatalf("%s: %v, %v", sql, err, r.Err)
	}
}

func statement(t testing.TB, name, sql string, params int, keep bool) *Statement {
	t.Helper()
	st, err := NewStatement(name, sql, params, keep)
	if err != nil {
		t.Fatal(err)
	}
	return st
}

func args(values ...string) [][]byte {
	var list [][]byte
	for _, v := range values {
		list = append(list, []byte(v))
	}
	return list
}

func TestQueryGivesEachResult(t *testing.T) {
	for _, way := range ways {
		s := aServer(t).open(t, way, long)
		s.Query([]byte(`create temp table q (a int); insert into q select generate_series(1, 7); ;
			update q set a = a + 1 where a > 3; select a, null as n, '' as e from q order by a;
			delete from q where a = 1 returning a; create temp table r as select * from q; fetch all from nothing`), true)
		expect(t, way, s,
			seen{}, seen{Affected: 7}, seen{Affected: 4}, seen{Returned: 7, Row: []string{"a=8", "n", "e="}},
			seen{Affected: 1, Returned: 1, Row: []string{"a=1"}}, seen{Affected: 6}, seen{Kind: Other})
		s.Query(nil, false)
		expect(t, way+", an empty query", s, seen{})
	}
}

func TestStatementsTakeTextParameters(t *testing.T) {
	for _, way := range ways {
		s := aServer(t).open(t, way, long)
		query(t, s, "create temp table p (a int, b text)")
		insert := statement(t, "i", "insert into p values ($1, $2)", 2, false)
		read := statement(t, "r", "select a, b, $1::text as c from p order by a", 1, true)
		for name, add := range map[string]func(*Statement, [][]byte){"extended": s.Extended, "prepared": s.Prepared} {
			query(t, s, "truncate p")
			add(insert, args("1", "it's"))
			expect(t, way+" "+name, s, seen{Affected: 1})
			add(insert, [][]byte{[]byte("2"), nil})
			expect(t, way+" "+name, s, seen{Affected: 1})
			add(insert, args("3", ""))
			expect(t, way+" "+name, s, seen{Affected: 1})
			add(read, args("ünï"))
			expect(t, way+" "+name, s, seen{Returned: 3, Row: []string{"a=3", "b=", "c=ünï"}})
			add(insert, args("x", "y"))
			expect(t, way+" "+name, s, seen{Kind: Other})
		}
	}
}

func TestPreparedIsParsedOnce(t *testing.T) {
	s := aServer(t).open(t, bySocket, long)
	st := statement(t, "once", "select $1::int", 1, false)
	bad := statement(t, "bad", "select nothing", 0, false)
	s.Prepared(bad, nil)
	expect(t, "a statement that cannot be parsed", s, seen{Kind: Other})
	s.Prepared(st, args("1"))
	s.Prepared(st, args("2"))
	expect(t, "twice in a batch", s, seen{Returned: 1}, seen{Returned: 1})
	s.Prepared(bad, nil)
	s.Prepared(st, args("3"))
	expect(t, "again, skipped", s, seen{Kind: Other}, seen{Kind: Aborted})
	first := s.Sent()
	s.Prepared(st, args("4"))
	expect(t, "once more", s, seen{Returned: 1})
	// Bind: 1+4 + "" 1 + "once" 5 + formats 2 + count 2 + argument 4+1 + results 2; Execute 10; Sync 5
	if got := s.Sent() - first; got != 22+10+5 {
		t.Errorf("a prepared statement sent %d bytes, want %d", got, 22+10+5)
	}
	late := statement(t, "late", "select $1::int", 1, false)
	s.Prepared(bad, nil)
	s.Sync()
	s.Prepared(late, args("5"))
	expect(t, "parsed after a failure", s, seen{Kind: Other}, seen{Returned: 1})
	s.Prepared(late, args("6"))
	expect(t, "and known from then on", s, seen{Returned: 1})
	s.Query([]byte("select string_agg(name, ' ' order by name) as names from pg_prepared_statements"), true)
	expect(t, "what the server has", s, seen{Returned: 1, Row: []string{"names=late once"}})
}

func TestStatusFollowsTheTransaction(t *testing.T) {
	s := aServer(t).open(t, bySocket, long)
	check := func(sql string, want Status) {
		t.Helper()
		s.Query([]byte(sql), false)
		if _, err := s.Finish(); err != nil || s.Status() != want {
			t.Errorf("after %s: status %c, error %v; want %c", sql, s.Status(), err, want)
		}
	}
	check("begin", InTransaction)
	check("select 1/0", Failed)
	check("rollback", Idle)
}

func TestPipelineSkipsToTheSync(t *testing.T) {
	for _, way := range ways {
		s := aServer(t).open(t, way, long)
		query(t, s, "create temp table l (a int primary key deferrable initially deferred)")
		insert := statement(t, "i", "insert into l values ($1)", 1, false)
		s.Prepared(insert, args("1"))
		s.Prepared(insert, args("2"))
		s.Sync()
		s.Sync()
		s.Extended(insert, args("3"))
		s.Extended(insert, args("three"))
		s.Prepared(insert, args("4"))
		s.Extended(insert, args("5"))
		s.Sync()
		s.Prepared(insert, args("6"))
		s.Query([]byte("select count(*) as n from l"), true)
		expect(t, way, s, seen{Affected: 1}, seen{Affected: 1},
			seen{Affected: 1}, seen{Kind: Other}, seen{Kind: Aborted}, seen{Kind: Aborted},
			seen{Affected: 1}, seen{Returned: 1, Row: []string{"n=3"}}) // 1, 2 and 6; the error took 3 with it
		s.Prepared(insert, args("6"))
		expect(t, way+", an error at the commit", s, seen{Affected: 1}, seen{Kind: Other})
	}
}

// A pipeline larger than all socket buffers, both ways: writing all of it before reading would hang.
func TestLongPipelineDoesNotHang(t *testing.T) {
	for _, way := range ways {
		s := aServer(t).open(t, way, long)
		echo := statement(t, "echo", "select $1::text as v", 1, false)
		text := args(strings.Repeat("x", 4000))
		const n = 3000 // 12 MB each way
		for range n {
			s.Prepared(echo, text)
		}
		sum, err := s.Finish()
		if diff := cmp.Diff(Result{Returned: n}, sum); diff != "" || err != nil {
			t.Errorf("%s: %v\n%s", way, err, diff)
		}
		if s.Received() < n*4000 {
			t.Errorf("%s: received %d bytes, less than was returned", way, s.Received())
		}
		query(t, s, "select 1")
		if len(s.in) != smallIn || cap(s.out) != smallOut {
			t.Errorf("%s: the session keeps buffers of %d and %d bytes", way, len(s.in), cap(s.out))
		}
	}
}

func TestRowsAreDroppedOrKept(t *testing.T) {
	for _, way := range ways {
		s := aServer(t).open(t, way, long)
		s.Query([]byte("select repeat('x', 1000) from generate_series(1, 20000); select 1 as one"), false)
		expect(t, way, s, seen{Returned: 20000}, seen{Returned: 1})
		s.Query([]byte("select n, repeat('x', n) as x from generate_series(1, 100000, 33333) n"), true)
		expect(t, way, s, seen{Returned: 4, Row: []string{"n=100000", "x=" + strings.Repeat("x", 100000)}})
		s.Query([]byte("do $$ begin for i in 1..20000 loop raise notice 'notice %', repeat('n', 500); end loop; end "+
			"$$; select 2 as two"), true)
		expect(t, way+", notices", s, seen{}, seen{Returned: 1, Row: []string{"two=2"}})
		s.Query([]byte("copy (select generate_series(1, 50000)) to stdout"), false)
		expect(t, way+", copy out", s, seen{Returned: 50000})
	}
}

func TestKindsOfErrors(t *testing.T) {
	srv := aServer(t)
	s, other := srv.open(t, bySocket, long), srv.open(t, bySocket, long)
	query(t, s, "create table kinds (id int primary key, n int); insert into kinds values (1, 0), (2, 0)")
	t.Cleanup(func() { query(t, other, "rollback; drop table kinds") })

	begin := "begin isolation level repeatable read; select * from kinds"
	query(t, s, begin)
	query(t, other, "update kinds set n = n + 1")
	s.Query([]byte("update kinds set n = n + 1"), false)
	expect(t, "serialization failure", s, seen{Kind: Serialization})
	query(t, s, "rollback")

	query(t, s, "set deadlock_timeout = '50ms'; begin; update kinds set n = 1 where id = 1")
	query(t, other, "begin; set local deadlock_timeout = '10s'; update kinds set n = 1 where id = 2")
	unblocked := make(chan error, 1)
	go func() {
		other.Query([]byte("update kinds set n = 1 where id = 1"), false)
		_, err := other.Finish()
		unblocked <- err
	}()
	for srv.ask(t, "select count(*) from pg_locks where not granted")[0][0] == "0" {
		time.Sleep(time.Millisecond)
	}
	s.Query([]byte("update kinds set n = 1 where id = 2"), false)
	expect(t, "deadlock", s, seen{Kind: Deadlock})
	query(t, s, "rollback")
	if err := <-unblocked; err != nil {
		t.Error(err)
	}

	query(t, s, "set statement_timeout = '30ms'")
	s.Query([]byte("select pg_sleep(60)"), false)
	expect(t, "statement timeout", s, seen{Kind: Canceled})
	query(t, s, "reset statement_timeout")
}

func TestErrorHasTheServersMessage(t *testing.T) {
	s := aServer(t).open(t, bySocket, long)
	s.Query([]byte("select 1/0"), false)
	result, _ := s.Finish()
	refusal, ok := errors.AsType[*pgconn.PgError](result.Err)
	if !ok || refusal.Code != "22012" || refusal.Message != "division by zero" {
		t.Errorf("got %v, want division by zero", result.Err)
	}
}

func TestCancelEndsTheStatement(t *testing.T) {
	for _, way := range ways {
		s := aServer(t).open(t, way, long)
		canceled := make(chan error, 1)
		time.AfterFunc(300*time.Millisecond, func() { canceled <- s.Cancel(context.WithoutCancel(t.Context())) })
		s.Query([]byte("select pg_sleep(60)"), false)
		expect(t, way, s, seen{Returned: 0, Kind: Canceled})
		if err := <-canceled; err != nil {
			t.Error(err)
		}
		query(t, s, "select 1")
	}
}

func TestServerThatEndsTheSession(t *testing.T) {
	srv := aServer(t)
	check := func(what string, s *Session, want string) {
		t.Helper()
		s.Query([]byte("select pg_sleep(60)"), false)
		_, err := s.Finish()
		if KindOf(err) != Lost || err.Error() != want {
			t.Errorf("%s: got %v (%v), want %s", what, err, KindOf(err), want)
		}
		if s.Next() {
			t.Errorf("%s: a session that has ended has a result", what)
		}
	}
	terminated := "connection lost: FATAL: terminating connection due to administrator command (SQLSTATE 57P01)"
	for _, way := range ways {
		s := srv.open(t, way, long)
		terminate := fmt.Sprintf("select pg_terminate_backend(%d, 5000)", s.origin.PID)
		var terminator sync.WaitGroup
		terminator.Go(func() {
			time.Sleep(50 * time.Millisecond)
			srv.ask(t, terminate)
		})
		check(way+", in a statement", s, terminated)
		terminator.Wait() // its answer comes after the session's end
		s = srv.open(t, way, long)
		srv.ask(t, fmt.Sprintf("select pg_terminate_backend(%d, 5000)", s.origin.PID))
		check(way+", between statements", s, terminated)
	}
}

func TestSilentServerIsGivenUp(t *testing.T) {
	for _, way := range ways {
		const silence = time.Second
		s := aServer(t).open(t, way, silence)
		query(t, s, "select pg_sleep(0.1)")
		time.Sleep(silence + silence/2) // an idle session waits for nothing
		query(t, s, "select pg_sleep(0.1)")
		start := time.Now()
		s.Query([]byte("select pg_sleep(60)"), false)
		_, err := s.Finish()
		if took := time.Since(start); KindOf(err) != NoAnswer || took < silence || took > long {
			t.Errorf("%s: %v after %v", way, err, took)
		}
		const goesOn = "select count(*) from pg_stat_activity where query = 'select pg_sleep(60)' and state = 'active'"
		for end := time.Now().Add(5 * time.Second); aServer(t).ask(t, goesOn)[0][0] != "0"; time.Sleep(20 * time.Millisecond) {
			if time.Now().After(end) {
				t.Fatalf("%s: the statement goes on", way)
			}
		}
	}
}

func TestInterrupt(t *testing.T) {
	for _, way := range ways {
		s := aServer(t).open(t, way, 0)
		time.AfterFunc(50*time.Millisecond, s.Interrupt)
		s.Query([]byte("select pg_sleep(60)"), false)
		if _, err := s.Finish(); !errors.Is(err, ErrInterrupted) || KindOf(err) != Lost {
			t.Errorf("%s: got %v", way, err)
		}
	}
}

func TestClosedSession(t *testing.T) {
	srv := aServer(t)
	s := srv.open(t, bySocket, long)
	pid := s.origin.PID
	s.Close()
	s.Close()
	s.Query([]byte("select 1"), false)
	if _, err := s.Finish(); KindOf(err) != Lost {
		t.Errorf("got %v", err)
	}
	gone := fmt.Sprintf("select count(*) from pg_stat_activity where pid = %d", pid)
	for deadline := time.Now().Add(long); srv.ask(t, gone)[0][0] != "0"; time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("the server still has the session")
		}
	}
}

func TestTooManyClients(t *testing.T) {
	config, err := pgconn.ParseConfig(aServer(t).dsn(bySocket))
	if err != nil {
		t.Fatal(err)
	}
	k := NewDialer(func(ctx context.Context) (*pgconn.PgConn, error) { return pgconn.ConnectConfig(ctx, config) }, 0)
	defer k.Close()
	for range 50 {
		s, err := k.Open(t.Context())
		if err != nil {
			if KindOf(err) != TooMany {
				t.Errorf("got %v: %v", KindOf(err), err)
			}
			return
		}
		defer s.Close()
	}
	t.Error("50 sessions on a server that takes 40")
}

// slowConn is slow to write, as on a busy machine. pgconn then reads in the background.
type slowConn struct{ *net.UnixConn }

func (c slowConn) Write(b []byte) (int, error) {
	n, err := c.UnixConn.Write(b)
	time.Sleep(40 * time.Millisecond) // pgconn's limit is 15 ms
	return n, err
}

func TestTakingOverFromABackgroundReader(t *testing.T) {
	srv := aServer(t)
	config, err := pgconn.ParseConfig(srv.dsn(bySocket))
	if err != nil {
		t.Fatal(err)
	}
	config.DialFunc = func(ctx context.Context, network, address string) (net.Conn, error) {
		conn, err := (&net.Dialer{}).DialContext(ctx, network, address)
		if err != nil {
			return nil, err
		}
		return slowConn{conn.(*net.UnixConn)}, nil
	}
	k := NewDialer(func(ctx context.Context) (*pgconn.PgConn, error) {
		return pgconn.ConnectConfig(ctx, config)
	}, 5*time.Second)
	defer k.Close()
	for range 5 {
		s, err := k.Open(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		query(t, s, "select 1")
	}
}

func TestOpenGivesUpWithItsContext(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	go func() { // a server that accepts connections and then stays silent
		conn, err := listener.Accept()
		if err != nil {
			return
		}
		_, _ = conn.Read(make([]byte, 1000))
		_, _ = conn.Write([]byte(message('R', "\x00\x00\x00\x00") + message('Z', "I")))
	}()
	config, err := pgconn.ParseConfig(fmt.Sprintf("host=127.0.0.1 port=%d user=x sslmode=disable",
		listener.Addr().(*net.TCPAddr).Port))
	if err != nil {
		t.Fatal(err)
	}
	k := NewDialer(func(ctx context.Context) (*pgconn.PgConn, error) { return pgconn.ConnectConfig(ctx, config) }, 0)
	defer k.Close()
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	if _, err := k.Open(ctx); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v", err)
	}
}

func TestNotificationsBetweenBatches(t *testing.T) {
	srv := aServer(t)
	for _, way := range ways {
		s := srv.open(t, way, long)
		query(t, s, "listen somebody")
		for range 3 {
			srv.ask(t, "notify somebody, 'hello'")
			s.Query([]byte("select 1 as one"), true)
			expect(t, way, s, seen{Returned: 1, Row: []string{"one=1"}})
		}
	}
}

// The hot path must not allocate: a garbage collection is a pause, and costs CPU that pgbench does not use.
func TestRoundTripsDoNotAllocate(t *testing.T) {
	s := aServer(t).open(t, bySocket, long)
	st := statement(t, "a", "select $1::int", 1, false)
	one, text := args("1"), []byte("select 1")
	check := func(what string, add func()) {
		t.Helper()
		n := testing.AllocsPerRun(100, func() {
			add()
			if r, err := s.Finish(); err != nil || r.Returned != 1 {
				t.Fatal(r, err)
			}
		})
		if n != 0 {
			t.Errorf("%s allocates %v times", what, n)
		}
	}
	check("simple", func() { s.Query(text, false) })
	check("extended", func() { s.Extended(st, one) })
	check("prepared", func() { s.Prepared(st, one) })
}
