//go:build unix

package workers

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/realiops/realiops/internal/measure/load/engine"
	"github.com/realiops/realiops/internal/measure/load/script"
	"github.com/realiops/realiops/internal/measure/load/session"
	"github.com/realiops/realiops/internal/measure/postgres"
	"github.com/realiops/realiops/internal/measure/role"
	"github.com/realiops/realiops/internal/test/servertest"
)

func TestMain(m *testing.M) {
	os.Exit(servertest.Main(m, append(caged(), Role(), first())...))
}

// first is a process to be killed: its workers run a load for ever on the given server.
func first() role.Role {
	return role.Role{Name: "first", Play: func(in io.Reader, _ io.Writer) error {
		dsn, err := io.ReadAll(in)
		if err != nil {
			return err
		}
		endpoint, err := postgres.Parse(string(dsn))
		if err != nil {
			return err
		}
		o, err := options(endpoint, "select 1;", "select pg_sleep(600);")
		if err != nil {
			return err
		}
		o.Clients, o.Threads, o.Duration = 4, 2, time.Hour
		_, err = Crew{apart: true}.Run(context.Background(), o)
		return err
	}}
}

func options(endpoint *postgres.Endpoint, texts ...string) (engine.Options, error) {
	config := endpoint.UserConfig()
	config.RuntimeParams["application_name"] = "client"
	o := engine.Options{Set: script.NewSet(), Connect: func(context.Context) (*pgx.ConnConfig, error) {
		return config, nil
	}}
	for i, text := range texts {
		s, err := o.Set.Parse(fmt.Sprintf("%d.sql", i), text)
		if err != nil {
			return o, err
		}
		o.Scripts = append(o.Scripts, engine.Weighted{Script: s, Weight: 1})
	}
	return o, nil
}

// bench is a database, and workers that a test can reach.
type bench struct {
	*testing.T
	endpoint *postgres.Endpoint
	conn     *pgx.Conn

	mu       sync.Mutex
	commands []*exec.Cmd
	told     []string
}

func newBench(t *testing.T, ddl string) *bench {
	t.Helper()
	b := &bench{T: t, endpoint: servertest.Database(t, "17")}
	b.conn = servertest.Connect(t, b.endpoint)
	servertest.Exec(t, b.conn, ddl)
	return b
}

func (b *bench) options(texts ...string) engine.Options {
	b.Helper()
	o, err := options(b.endpoint, texts...)
	if err != nil {
		b.Fatal(err)
	}
	o.Clients, o.Threads = 4, 2
	return o
}

// crew records its processes and its messages.
func (b *bench) crew() Crew {
	return Crew{
		apart: true,
		Tell:  func(line string) { b.told = append(b.told, line) },
		command: func(ctx context.Context) (*exec.Cmd, error) {
			c, err := Role().Command(ctx)
			b.mu.Lock()
			defer b.mu.Unlock()
			b.commands = append(b.commands, c)
			return c, err
		},
	}
}

func (b *bench) int(query string) int64 {
	b.Helper()
	return servertest.Value[int64](b, b.conn, query)
}

// nothingLeft fails if a process or a session of the load still exists.
func (b *bench) nothingLeft() {
	b.Helper()
	for _, c := range b.commands {
		if c.Process != nil && c.ProcessState == nil {
			b.Errorf("process %d was left", c.Process.Pid)
		}
	}
	b.sessionsEnd()
}

func (b *bench) sessionsEnd() {
	b.Helper()
	const ask = "select count(*) from pg_stat_activity where application_name = 'client' and datname = " +
		"current_database()"
	for until := time.Now().Add(10 * time.Second); b.int(ask) > 0; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(until) {
			b.Fatalf("%d sessions were left", b.int(ask))
		}
	}
}

// while runs a load and calls do once it has begun.
func (b *bench) while(c Crew, o engine.Options, do func()) (engine.Result, error) {
	begun := make(chan struct{})
	var once sync.Once
	tick := o.Tick
	o.Every = 100 * time.Millisecond
	o.Tick = func(t engine.Tick) error {
		if t.Transactions > 0 {
			once.Do(func() { close(begun) })
		}
		if tick != nil {
			return tick(t)
		}
		return nil
	}
	done, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		select {
		case <-begun:
			do()
		case <-ended:
			b.Error("the load ended before it had begun")
		}
	}()
	r, err := c.Run(b.Context(), o)
	close(ended)
	<-done
	return r, err
}

func TestClientsAreDividedAmongWorkers(t *testing.T) {
	b := newBench(t, "create table demo (client int, pid int)")
	o := b.options("insert into demo values (:client_id, pg_backend_pid());")
	o.Clients, o.Threads, o.Transactions, o.Seed = 5, 2, 7, 42
	r, err := b.crew().Run(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	if r.Transactions != 35 || r.Rows != 35 || r.Connections != 5 || r.Scripts[0].Transactions != 35 ||
		r.Latency.Count != 35 {
		t.Errorf("%d transactions, %d rows, %d connections, %d of the script, %d timed", r.Transactions, r.Rows,
			r.Connections, r.Scripts[0].Transactions, r.Latency.Count)
	}
	if len(b.commands) != 2 || r.Processor <= 0 || r.Elapsed <= 0 || r.Connecting <= 0 {
		t.Errorf("%d workers, %v of the processors in %v, after %v", len(b.commands), r.Processor, r.Elapsed,
			r.Connecting)
	}
	if n := b.int("select count(*) from (select client from demo group by client having count(*) = 7 and " +
		"count(distinct pid) = 1 and client between 0 and 4) c"); n != 5 {
		t.Errorf("%d of 5 clients did their part", n)
	}
	b.nothingLeft()
}

// Workers draw the same numbers and scripts as threads in one process, which other tests compare with pgbench's.
func TestWorkersDrawLikeThreads(t *testing.T) {
	b := newBench(t, "create table demo (client int, script int, value bigint, seq serial)")
	o := b.options("\\set v random(1, 1000000000)\ninsert into demo values (:client_id, 1, :v);",
		"\\set v random(1, 1000000000)\ninsert into demo values (:client_id, 2, :v);")
	o.Clients, o.Threads, o.Transactions, o.Seed = 5, 5, 50, 7
	drawn := func() string {
		t.Helper()
		return servertest.Value[string](t, b.conn,
			"select md5(string_agg(format('%s %s %s', client, script, value), ',' order by client, seq)) from demo")
	}
	if _, err := engine.Run(t.Context(), o); err != nil {
		t.Fatal(err)
	}
	want := drawn()
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(2 * cpusPerProcess)) // threads that share have two processes
	for _, apart := range []bool{true, false} {
		servertest.Exec(t, b.conn, "truncate demo")
		c := b.crew()
		c.apart = apart
		if _, err := c.Run(t.Context(), o); err != nil {
			t.Fatal(err)
		}
		if got := drawn(); got != want {
			t.Errorf("workers draw other numbers (a process for each thread: %v)", apart)
		}
	}
}

func TestTicksAddUp(t *testing.T) {
	b := newBench(t, "create table demo (value int)")
	o := b.options("insert into demo values (1);")
	o.Warmup, o.Duration, o.Every, o.PerCommand = 500*time.Millisecond, 2*time.Second, 1200*time.Millisecond, true
	var sum, warm int64
	var last, ticks int
	var until time.Time
	o.Tick = func(x engine.Tick) error {
		ticks++
		if !until.IsZero() && !x.From.Equal(until) {
			t.Errorf("a tick from %v follows one to %v", x.From, until)
		}
		until = x.To
		if x.Record.Scripts[0].Transactions != x.Transactions || x.Latency.Count != x.Transactions || x.Processor <= 0 {
			t.Errorf("%d transactions, %d of the script, %d timed", x.Transactions, x.Record.Scripts[0].Transactions,
				x.Latency.Count)
		}
		if x.Last {
			last++
		}
		if x.Warmup {
			warm += x.Transactions
		} else {
			sum += x.Transactions
		}
		return nil
	}
	r, err := b.crew().Run(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	if n := b.int("select count(*) from demo"); sum != r.Transactions || sum+warm != n || sum == 0 || warm == 0 {
		t.Errorf("%d in ticks and %d before, %d transactions, %d rows", sum, warm, r.Transactions, n)
	}
	if ticks != 3 && ticks != 4 || last != 1 || r.Scripts[0].Commands[0].Latency.Count != r.Transactions {
		t.Errorf("%d ticks, %d of them the last; %d times of the command", ticks, last,
			r.Scripts[0].Commands[0].Latency.Count)
	}
	if r.Elapsed < o.Duration || r.Elapsed > o.Duration+5*time.Second {
		t.Errorf("took %v", r.Elapsed)
	}
}

func TestErrorsComeAsTheyAre(t *testing.T) {
	b := newBench(t, "create table demo (value int check (value < 3))")
	o := b.options("\\set v :client_id + 1\ninsert into demo values (:v);")
	o.Clients, o.Transactions, o.Verbose = 4, 2, true
	var troubles []engine.Trouble
	o.Trouble = func(x engine.Trouble) { troubles = append(troubles, x) }
	var shown bytes.Buffer
	o.Debug = &shown
	r, err := b.crew().Run(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Aborted) != 2 || len(troubles) != 2 || len(r.Faults) != 1 || r.Faults[0].Code != "23514" ||
		r.Faults[0].Count != 2 || r.Transactions != 4 {
		t.Fatalf("%v aborted, %v told, faults %v, %d transactions", r.Aborted, troubles, r.Faults, r.Transactions)
	}
	gaveUp, ok := errors.AsType[*engine.Abort](r.Aborted[0])
	if !ok || gaveUp.Client < 2 || gaveUp.Kind != session.Other ||
		!strings.Contains(gaveUp.Error(), "demo_value_check") {
		t.Errorf("%v", r.Aborted[0])
	}
	o.ExitOnAbort = true
	if _, err := b.crew().Run(t.Context(), o); err == nil || !strings.Contains(err.Error(), "demo_value_check") {
		t.Errorf("with ExitOnAbort: %v", err)
	} else if _, ok := errors.AsType[*engine.Abort](err); !ok {
		t.Errorf("%T is no abort", err)
	}
}

func TestKindsOfErrorsAreKept(t *testing.T) {
	for _, err := range []error{
		session.ErrNoAnswer, session.ErrAborted, &session.LostError{Cause: io.EOF},
		&session.LostError{Cause: session.ErrNoAnswer}, errors.New("x"),
	} {
		text, failed := json.Marshal(newFailure(fmt.Errorf("a.sql:1: %w", err)))
		if failed != nil {
			t.Fatal(failed)
		}
		var f failure
		if failed := json.Unmarshal(text, &f); failed != nil {
			t.Fatal(failed)
		}
		if got := f.err(); session.KindOf(got) != session.KindOf(err) || got.Error() != "a.sql:1: "+err.Error() {
			t.Errorf("%v: %v, %v, want %v", err, got, session.KindOf(got), session.KindOf(err))
		} else if lost, is := errors.AsType[*session.LostError](got); is && lost.Error() != err.Error() {
			t.Errorf("%v, lost by %v", err, lost)
		}
	}
}

func TestStopping(t *testing.T) {
	b := newBench(t, "create table demo (value int)")
	o := b.options("insert into demo values (1);", "select pg_sleep(600);")
	o.Duration = time.Hour
	ctx, cancel := context.WithCancelCause(t.Context())
	why := errors.New("enough")
	time.AfterFunc(2*time.Second, func() { cancel(why) })
	r, err := b.crew().Run(ctx, o)
	if !errors.Is(err, why) || r.Began.IsZero() || r.Elapsed <= 0 || r.Elapsed > 30*time.Second {
		t.Errorf("%v, %v", err, r.Elapsed)
	}
	b.nothingLeft()
	full := errors.New("disk full")
	o.Every, o.Tick = 100*time.Millisecond, func(engine.Tick) error { return full }
	if _, err := b.crew().Run(t.Context(), o); !errors.Is(err, full) {
		t.Errorf("a tick that fails: %v", err)
	}
	b.nothingLeft()
}

func TestServerOutOfReach(t *testing.T) {
	b := newBench(t, "select 1")
	o := b.options("select 1;")
	config := b.endpoint.Config()
	config.RuntimeParams["no_such_setting"] = "1"
	o.Connect = func(context.Context) (*pgx.ConnConfig, error) { return config, nil }
	r, err := b.crew().Run(t.Context(), o)
	if err == nil || !r.Began.IsZero() || err.Error() !=
		`connected 0 of 4 clients: FATAL: unrecognized configuration parameter "no_such_setting"` {
		t.Errorf("%v", err)
	}
	b.nothingLeft()
}

func TestWorkersThatDoNotBegin(t *testing.T) {
	b := newBench(t, "select 1")
	check := func(name, want string, command func(context.Context) (*exec.Cmd, error)) {
		t.Run(name, func(t *testing.T) {
			c := b.crew()
			good, number := c.command, 0
			c.command = func(ctx context.Context) (*exec.Cmd, error) {
				number++
				if number == 2 {
					return command(ctx)
				}
				return good(ctx)
			}
			o := b.options("select 1;")
			o.Duration = time.Hour
			r, err := c.Run(t.Context(), o)
			if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") ||
				!r.Began.IsZero() {
				t.Errorf("%v, want %s", err, want)
			}
			b.nothingLeft()
		})
	}
	check("no program", "start worker 2 of the load: ", func(ctx context.Context) (*exec.Cmd, error) {
		return exec.CommandContext(ctx, filepath.Join(t.TempDir(), "gone")), nil
	})
	check("no process", "start worker 2 of the load: resource temporarily unavailable",
		func(context.Context) (*exec.Cmd, error) {
			return nil, syscall.EAGAIN
		})
	check("dies at once", "was lost: not a worker of this version", func(ctx context.Context) (*exec.Cmd, error) {
		return exec.CommandContext(ctx, "false"), nil
	})
	check("another program", "was lost: not a worker of this version", func(ctx context.Context) (*exec.Cmd, error) {
		return exec.CommandContext(ctx, "yes"), nil
	})
	check("an older protocol", "was lost: not a worker of this version",
		func(ctx context.Context) (*exec.Cmd, error) {
			return exec.CommandContext(ctx, "sh", "-c", `echo '{"Greeting":"realiops worker 0"}'; sleep 600`), nil
		})
	check("another version", "was lost: realiops was replaced while running",
		func(ctx context.Context) (*exec.Cmd, error) {
			c, err := Role().Command(ctx)
			if err == nil {
				c.Args[2] = "v0.0.1"
			}
			return c, err
		})
}

func TestWorkerKilled(t *testing.T) {
	for signal, want := range map[syscall.Signal]string{syscall.SIGKILL: "was lost: signal: killed",
		syscall.SIGTERM: "was terminated"} {
		b := newBench(t, "create table demo (value int)")
		o := b.options("insert into demo values (1);")
		o.Duration = time.Hour
		r, err := b.while(b.crew(), o, func() { _ = b.commands[0].Process.Signal(signal) })
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: %v", signal, err)
		}
		b.nothingLeft()
		// The killed worker's last tenth of a second was not reported yet.
		if n := b.int("select count(*) from demo"); r.Transactions == 0 || r.Transactions > n ||
			signal == syscall.SIGTERM && r.Transactions != n {
			t.Errorf("%v: %d transactions, %d rows", signal, r.Transactions, n)
		}
		if r.Elapsed <= 0 || r.Elapsed > 30*time.Second {
			t.Errorf("%v: took %v", signal, r.Elapsed)
		}
	}
}

func TestAllWorkersKilled(t *testing.T) {
	b := newBench(t, "create table demo (value int)")
	o := b.options("insert into demo values (1);")
	o.Duration = time.Hour
	var sum int64
	o.Tick = func(x engine.Tick) error { sum += x.Transactions; return nil }
	r, err := b.while(b.crew(), o, func() {
		for _, c := range b.commands {
			_ = c.Process.Kill()
		}
	})
	if err == nil || r.Transactions == 0 || r.Transactions != sum || r.Began.IsZero() || r.Elapsed <= 0 {
		t.Errorf("%v, %d transactions, %d in ticks, %v", err, r.Transactions, sum, r.Elapsed)
	}
	b.nothingLeft()
}

func TestWorkerStoppedForTwentySeconds(t *testing.T) {
	t.Parallel()
	b := newBench(t, "create table demo (value int)")
	o := b.options("insert into demo values (1);")
	o.Duration = 3 * time.Second
	crew, silence := b.crew(), time.Duration(0)
	crew.Silent = func(d time.Duration) { silence = d }
	r, err := b.while(crew, o, func() {
		_ = b.commands[1].Process.Signal(syscall.SIGSTOP)
		time.Sleep(20 * time.Second)
		_ = b.commands[1].Process.Signal(syscall.SIGCONT)
	})
	if err != nil {
		t.Fatal(err)
	}
	if n := b.int("select count(*) from demo"); n != r.Transactions || r.Latency.Most < 15e6 {
		t.Errorf("%d transactions, %d rows, the longest of %v µs", r.Transactions, n, r.Latency.Most)
	}
	if len(b.told) != 1 || !strings.Contains(b.told[0], "worker 2 of the load") ||
		!strings.Contains(b.told[0], "has not reported for 10 s:") {
		t.Errorf("told %q", b.told)
	}
	if silence < 15*time.Second {
		t.Errorf("silent for %v", silence)
	}
	b.nothingLeft()
}

// A stopped reader fills the pipe; the clients go on, and all reports arrive when it continues.
func TestFullPipe(t *testing.T) {
	b := newBench(t, "create table demo (value int)")
	o := b.options("\\set v debug(:client_id)\ninsert into demo values (:v);")
	o.Transactions = 5000
	var shown lines
	o.Debug = &shown
	var slept atomic.Bool
	o.Every, o.Tick = 100*time.Millisecond, func(engine.Tick) error {
		if !slept.Swap(true) {
			time.Sleep(3 * time.Second)
		}
		return nil
	}
	r, err := b.crew().Run(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	if n := b.int("select count(*) from demo"); n != 20000 || r.Transactions != n || int64(shown) != n {
		t.Errorf("%d transactions, %d rows, %d lines", r.Transactions, n, shown)
	}
	b.nothingLeft()
}

// lines counts lines.
type lines int

func (l *lines) Write(p []byte) (int, error) {
	*l += lines(bytes.Count(p, []byte{'\n'}))
	return len(p), nil
}

func TestFirstProcessKilled(t *testing.T) {
	for _, stopped := range []bool{false, true} {
		b := newBench(t, "select 1")
		c, err := first().Command(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		c.Stdin, c.Stderr = strings.NewReader(b.endpoint.Config().ConnString()), t.Output()
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		const running = "select count(*) from pg_stat_activity where application_name = 'client' and datname = " +
			"current_database() and query like 'select pg_sleep%'"
		for b.int(running) < 3 {
			time.Sleep(50 * time.Millisecond)
		}
		workers := children(t, c.Process.Pid)
		if len(workers) != 2 {
			t.Fatalf("workers %v", workers)
		}
		if stopped {
			_ = syscall.Kill(workers[0], syscall.SIGSTOP)
		}
		_ = c.Process.Kill()
		_ = c.Wait()
		b.sessionsEnd()
		for until := time.Now().Add(10 * time.Second); slices.ContainsFunc(workers,
			alive); time.Sleep(10 * time.Millisecond) {
			if time.Now().After(until) {
				t.Fatalf("of the workers %v some are left", workers)
			}
		}
	}
}

// children returns the child processes of a process.
func children(t *testing.T, pid int) (found []int) {
	t.Helper()
	files, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil || len(files) == 0 {
		t.Skip("there is no /proc here")
	}
	for _, file := range files {
		text, _ := os.ReadFile(file) // it may have ended
		var child, parent int
		var state string
		_, rest, _ := strings.Cut(string(text), ") ")
		if _, err := fmt.Sscan(rest, &state, &parent); err != nil || parent != pid {
			continue
		}
		if _, err := fmt.Sscan(string(text), &child); err == nil {
			found = append(found, child)
		}
	}
	return found
}

// alive reports whether a process exists and is not a zombie.
func alive(pid int) bool {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	_, rest, _ := strings.Cut(string(text), ") ")
	return err == nil && !strings.HasPrefix(rest, "Z")
}

func TestPasswordsGoByThePipe(t *testing.T) {
	b := newBench(t, "create table demo (value int)")
	config := b.endpoint.Config()
	t.Setenv("PGPASSWORD", config.Password)
	bare, err := postgres.Parse(fmt.Sprintf("host=%s port=%d user=%s dbname=%s sslmode=disable", config.Host,
		config.Port, config.User, config.Database))
	if err != nil {
		t.Fatal(err)
	}
	b.endpoint = bare
	o := b.options("insert into demo values (1);")
	o.Duration = time.Second
	r, err := b.while(b.crew(), o, func() {
		for _, c := range b.commands {
			for _, file := range []string{"cmdline", "environ"} {
				text, err := os.ReadFile(fmt.Sprintf("/proc/%d/%s", c.Process.Pid, file))
				if err != nil || len(text) == 0 || bytes.Contains(text, []byte(config.Password)) {
					t.Errorf("%s: %q, %v", file, text, err)
				}
			}
		}
	})
	if err != nil || r.Transactions == 0 {
		t.Errorf("%d transactions, %v", r.Transactions, err)
	}
}
