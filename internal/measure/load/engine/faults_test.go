//go:build unix

package engine

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/realiops/realiops/internal/measure/load/session"
	"github.com/realiops/realiops/internal/measure/server/embedded"
	"github.com/realiops/realiops/internal/test/servertest"
)

// kinds counts why clients gave up.
func kinds(r Result) map[session.Kind]int {
	counts := map[session.Kind]int{}
	for _, err := range r.Aborted {
		abort, _ := errors.AsType[*Abort](err)
		counts[abort.Kind]++
	}
	return counts
}

func TestErrorAtTheThousandthTransaction(t *testing.T) {
	b := newBench(t, "create table demo (n int check (n < 1000))")
	text := "\\set n :n + 1\ninsert into demo values (:n);"
	for _, mode := range allModes {
		servertest.Exec(t, b.conn, "truncate demo")
		o := b.options(text)
		o.Mode, o.Clients, o.Transactions, o.Define = mode, 2, 1200, map[string]string{"n": "0"}
		r, err := Run(t.Context(), o)
		if err != nil || r.Transactions != 1998 || r.Failed() != 0 || kinds(r)[session.Other] != 2 {
			t.Errorf("%s: %d transactions, %v, %v", mode, r.Transactions, r.Aborted, err)
		}
		if n := b.int("select count(*) from demo"); n != 1998 {
			t.Errorf("%s: %d rows", mode, n)
		}
		want := `aborted: test.sql:2: insert into demo values (:n);: ERROR: new row for relation "demo" violates check constraint`
		if text := r.Aborted[0].Error(); !strings.Contains(text, want) {
			t.Errorf("%s: %s", mode, text)
		}
		if len(r.Faults) != 1 || r.Faults[0].Count != 2 || r.Faults[0].Code != "23514" {
			t.Errorf("%s: %+v", mode, r.Faults)
		}
	}
}

func TestContinueOnError(t *testing.T) {
	b := newBench(t, "create table demo (n int check (n % 10 <> 0))")
	o := b.options("\\set n :n + 1\nbegin;\ninsert into demo values (:n);\nend;")
	o.Transactions, o.Define, o.ContinueOnError, o.Mode = 100, map[string]string{"n": "0"}, true, Prepared
	r := b.run(o)
	if n := b.int("select count(*) from demo"); n != 90 || r.Transactions != 90 || r.Other != 10 {
		t.Errorf("%d rows, %d transactions, %d failed", n, r.Transactions, r.Other)
	}
}

func TestErrorNamesItsPlaceOnce(t *testing.T) {
	b := newBench(t, "select 1")
	check := func(text, want string) {
		t.Helper()
		r, err := Run(t.Context(), b.options(text))
		if err != nil || len(r.Aborted) != 1 || r.Aborted[0].Error() != "client 0 aborted: "+want {
			t.Errorf("%v, %v", r.Aborted, err)
		}
	}
	check("select 1;\n\\if 1 and true\n\\endif", `test.sql:2: \if 1 and true: cannot coerce int to boolean`)
	check("select 1;\n\\set x 1 / 0", `test.sql:2: \set x 1 / 0: division by zero`)
	check("\\startpipeline", `test.sql:1: \startpipeline: cannot use pipeline mode with the simple query protocol`)
	check("\\endpipeline", `test.sql:1: \endpipeline: not in pipeline mode`)
	check("select 1 where false \\gset", `test.sql:1: select 1 where false : \gset expected one row, got 0`)
	check("select 1;\nbegin;", `test.sql:2: begin;: end of script reached without completing the last transaction`)
	check("copy pg_class from stdin;", "test.sql:1: copy pg_class from stdin;: "+session.ErrCopy.Error())
}

func TestExitOnAbort(t *testing.T) {
	b := newBench(t, "select 1")
	o := b.options("\\if :client_id = 3\nselect 1 / 0;\n\\else\nselect pg_sleep(30);\n\\endif")
	o.Clients, o.ExitOnAbort = 4, true
	from := time.Now()
	r, err := Run(t.Context(), o)
	if abort, ok := errors.AsType[*Abort](err); !ok || abort.Client != 3 || len(r.Aborted) != 1 ||
		time.Since(from) > patience {
		t.Errorf("after %s: %v, aborted %v", time.Since(from), err, r.Aborted)
	}
}

func TestStatementTimeout(t *testing.T) {
	b := newBench(t, "select 1")
	o := b.options("set statement_timeout = 20;\nselect pg_sleep(:client_id * 5);")
	o.Clients, o.Transactions = 2, 3
	r, err := Run(t.Context(), o)
	if err != nil || r.Transactions != 3 || kinds(r)[session.Canceled] != 1 || r.Faults[0].Code != "57014" {
		t.Errorf("%d transactions, %v, %v", r.Transactions, r.Aborted, err)
	}
}

func TestKilledSession(t *testing.T) {
	b := newBench(t, "create table demo (client int)")
	o := b.options("insert into demo values (:client_id);\n\\if :client_id = 1\nselect " +
		"pg_terminate_backend(pg_backend_pid());\n\\endif")
	o.Clients, o.Transactions = 3, 10
	r, err := Run(t.Context(), o)
	if err != nil || r.Transactions != 20 || kinds(r)[session.Lost] != 1 {
		t.Errorf("%d transactions, %v, %v", r.Transactions, r.Aborted, err)
	}
	if len(r.Faults) != 1 || r.Faults[0].Kind != session.Lost || r.Faults[0].Code != "57P01" {
		t.Errorf("%+v", r.Faults)
	}
}

func TestServerStopsInTheMiddle(t *testing.T) {
	server := servertest.Start(t, embedded.Options{Version: "17"})
	b := &bench{t: t, endpoint: servertest.Endpoint(t, server.DSN())}
	o := b.options("select 1;")
	o.Mode, o.Clients, o.Duration, o.Every = Prepared, 5, 20*time.Second, 100*time.Millisecond
	ticks := 0
	stopped := make(chan error, 1)
	o.Tick = func(Tick) error {
		if ticks++; ticks == 3 {
			go func() { stopped <- server.Stop(context.Background()) }()
		}
		return nil
	}
	r, err := Run(t.Context(), o)
	if err != nil || r.Transactions == 0 || kinds(r)[session.Lost] != 5 || r.Elapsed >= o.Duration {
		t.Errorf("after %s: %d transactions, %v, %v", r.Elapsed, r.Transactions, r.Aborted, err)
	}
	if err := <-stopped; err != nil {
		t.Error(err)
	}
}

func TestServerStopsAnswering(t *testing.T) {
	b := newBench(t, "create table demo (n int)")
	o := b.options("\\set n :n + 1\n\\if :n = 5 and :client_id = 1\nselect 'mark';\n\\endif\ninsert into " +
		"demo values (:n);")
	config := mute(t, b.endpoint.UserConfig(), "mark")
	o.Connect = func(context.Context) (*pgx.ConnConfig, error) { return config, nil }
	o.Clients, o.Transactions, o.Silence, o.Define = 3, 10, time.Second, map[string]string{"n": "0"}
	r, err := Run(t.Context(), o)
	if err != nil || r.Transactions != 24 || kinds(r)[session.NoAnswer] != 1 || r.Elapsed > patience {
		t.Errorf("after %s: %d transactions, %v, %v", r.Elapsed, r.Transactions, r.Aborted, err)
	}
}

func TestServerNeverAnswers(t *testing.T) {
	b := newBench(t, "select 1")
	config := mute(t, b.endpoint.UserConfig(), "")
	for _, reconnect := range []bool{false, true} {
		o := b.options("select 1;")
		o.Connect = func(context.Context) (*pgx.ConnConfig, error) { return config, nil }
		o.Clients, o.Silence, o.Reconnect = 3, 200*time.Millisecond, reconnect
		from := time.Now()
		r, err := Run(t.Context(), o)
		if time.Since(from) > patience {
			t.Errorf("took %s", time.Since(from))
		}
		switch {
		case reconnect && (err != nil || kinds(r)[session.NoAnswer] != 3):
			t.Errorf("%v, %v", r.Aborted, err)
		case !reconnect && (session.KindOf(err) != session.NoAnswer ||
			!strings.Contains(err.Error(), "connected 0 of 3 clients")):
			t.Errorf("%v", err)
		}
	}
}

// TestRefusedClients: neither the address again nor pgx's attempts.
func TestRefusedClients(t *testing.T) {
	for number, want := range map[syscall.Errno]string{
		syscall.EMFILE:       "connected 3 of 5 clients: too many open files; raise the limit of this process (ulimit -n)",
		syscall.ECONNREFUSED: "connected 3 of 5 clients: connection refused",
	} {
		dial := &net.OpError{Op: "dial", Net: "tcp", Err: number}
		err := &ConnectError{3, 5, fmt.Errorf("failed to connect to x: %w", dial)}
		if err.Error() != want {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

func TestTooManyClients(t *testing.T) {
	server := servertest.Start(t, embedded.Options{Version: "17", Settings: []string{"max_connections=20",
		"superuser_reserved_connections=0", "reserved_connections=0"}})
	b := &bench{t: t, endpoint: servertest.Endpoint(t, server.DSN())}
	o := b.options("select 1;")
	o.Clients = 30
	r, err := Run(t.Context(), o)
	if session.KindOf(err) != session.TooMany || !strings.Contains(err.Error(), "connected 20 of 30 clients") ||
		r.Connections != 20 {
		t.Errorf("%d connections, %v", r.Connections, err)
	}
	o.Reconnect, o.Clients, o.Transactions = true, 30, 1
	o.Scripts = b.options("select pg_sleep(2);").Scripts // longer than connecting takes
	r, err = Run(t.Context(), o)
	if err != nil || kinds(r)[session.TooMany] == 0 || int(r.Transactions)+kinds(r)[session.TooMany] != 30 {
		t.Errorf("%d transactions, %v, %v", r.Transactions, kinds(r), err)
	}
}

var errEnough = errors.New("enough")

// patience allows for a busy machine. What it bounds ends immediately, or never.
const patience = 20 * time.Second

func TestStop(t *testing.T) {
	check := func(name, text string) {
		t.Run(name, func(t *testing.T) {
			b := newBench(t, "create table demo (n int)")
			o := b.options(text)
			ctx, cancel := context.WithCancelCause(t.Context())
			o.Clients, o.Duration = 4, time.Minute
			o.Ready = func(time.Duration, int64) error { // clients may take long to connect
				timer := time.AfterFunc(300*time.Millisecond, func() { cancel(errEnough) })
				t.Cleanup(func() { timer.Stop() })
				return nil
			}
			from := time.Now()
			r, err := Run(ctx, o)
			took := time.Since(from)
			if !errors.Is(err, errEnough) || took > patience || len(r.Aborted)+len(r.Faults) > 0 {
				t.Errorf("after %s: %v, aborted %v, faults %v", took, err, r.Aborted, r.Faults)
			}
			if n := b.int("select count(*) from demo"); n != r.Transactions || r.Elapsed <= 0 || r.Elapsed > took {
				t.Errorf("%d rows, %d transactions in %s", n, r.Transactions, r.Elapsed)
			}
			if n := b.int("select count(*) from pg_stat_activity where state = 'active' and datname = " +
				"current_database()"); n != 1 {
				t.Errorf("%d statements still run", n-1)
			}
		})
	}
	check("short transactions", "insert into demo values (1);")
	check("long statements", "select pg_sleep(60);\ninsert into demo values (1);")
	check("long sleeps", "\\sleep 60 s\ninsert into demo values (1);")
	check("rows that never end", "\\copy_rows demo (n) rows 1000000000 values (1)")
}

func TestStopAtARate(t *testing.T) {
	b := newBench(t, "select 1")
	o := b.options("select 1;")
	o.Duration, o.Rate, o.Clients, o.Every = time.Minute, 0.01, 3, 100*time.Millisecond
	o.Tick = func(Tick) error { return errEnough }
	r, err := Run(t.Context(), o)
	if !errors.Is(err, errEnough) || r.Elapsed > patience {
		t.Errorf("after %s: %v", r.Elapsed, err)
	}
}

// mute returns the way to a server that accepts connections and stays silent, or forwards
// everything until the client sends mark.
func mute(t *testing.T, real *pgx.ConnConfig, mark string) *pgx.ConnConfig {
	t.Helper()
	port := servertest.Listen(t, func(conn net.Conn) {
		if mark != "" {
			forward(t, conn, real, mark)
		}
	})
	config := real.Copy()
	config.Host, config.Port, config.Fallbacks = "127.0.0.1", uint16(port), nil
	return config
}

func forward(t *testing.T, client net.Conn, real *pgx.ConnConfig, mark string) {
	network, address := pgconn.NetworkAddress(real.Host, real.Port)
	server, err := net.Dial(network, address)
	if err != nil {
		return
	}
	t.Cleanup(func() { server.Close() })
	go func() {
		buffer := make([]byte, 1<<16)
		for {
			n, err := server.Read(buffer)
			if err != nil {
				return
			}
			if _, err := client.Write(buffer[:n]); err != nil {
				return
			}
		}
	}()
	buffer := make([]byte, 1<<16)
	for {
		n, err := client.Read(buffer)
		if err != nil || strings.Contains(string(buffer[:n]), mark) {
			return
		}
		if _, err := server.Write(buffer[:n]); err != nil {
			return
		}
	}
}
