//go:build unix

package engine

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"net"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/realiops/realiops/internal/measure/server/embedded"
	"github.com/realiops/realiops/internal/test/servertest"
)

func TestWarmupIsLeftOut(t *testing.T) {
	b := newBench(t, "create table demo (value int)")
	o := b.options("insert into demo values (1);")
	o.Clients, o.Warmup, o.Duration, o.Every = 3, 300*time.Millisecond, 500*time.Millisecond, 100*time.Millisecond
	logged, warm, ticked := int64(0), int64(0), int64(0)
	var last time.Time
	o.Log = func(Transaction) error { logged++; return nil }
	o.Tick = func(x Tick) error {
		if !last.IsZero() && !x.From.Equal(last) {
			t.Errorf("a tick begins at %s and the one before ended at %s", x.From, last)
		}
		if last = x.To; x.Warmup {
			warm += x.Transactions
		} else {
			ticked += x.Transactions
		}
		return nil
	}
	from := time.Now()
	r := b.run(o)
	took := time.Since(from)
	rows := b.int("select count(*) from demo")
	if r.Transactions != ticked || r.Transactions != logged || r.Latency.Count != ticked || rows != ticked+
		warm || warm == 0 {
		t.Errorf("%d transactions, %d logged, %d in ticks, %d before, %d rows", r.Transactions, logged,
			ticked, warm, rows)
	}
	if r.Elapsed < o.Duration || r.Elapsed > took-o.Warmup {
		t.Errorf("took %s of %s", r.Elapsed, took)
	}
	o = b.options("insert into demo values (1);")
	o.Clients, o.Warmup, o.Transactions = 3, 200*time.Millisecond, 10
	if r := b.run(o); r.Transactions != 30 || b.int("select count(*) from demo") <= rows+30 {
		t.Errorf("%d transactions after the warm-up", r.Transactions)
	}
}

// TestPasswordOfAConnection: a token is set in the config of one connection; clients that connect in
// parallel do not get each other's.
func TestPasswordOfAConnection(t *testing.T) {
	b := newBench(t, "create table demo (value int)")
	config := b.endpoint.UserConfig()
	var own sync.Map
	config.AfterNetConnect = func(_ context.Context, c *pgconn.Config, conn net.Conn) (net.Conn, error) {
		if _, taken := own.LoadOrStore(c, true); taken || c == &config.Config {
			t.Error("two connections have one config")
		}
		return conn, nil
	}
	o := b.options("insert into demo values (1);")
	o.Clients, o.Transactions = 4, 1
	o.Connect = func(context.Context) (*pgx.ConnConfig, error) { return config, nil }
	b.run(o)
}

func TestReconnect(t *testing.T) {
	b := newBench(t, "create table demo (pid int)")
	o := b.options("insert into demo values (pg_backend_pid());")
	o.Clients, o.Transactions, o.Reconnect, o.Mode = 2, 5, true, Prepared
	r := b.run(o)
	if n := b.int("select count(distinct pid) from demo"); n != 10 || r.Connections != 10 || r.Connecting <= 0 ||
		r.Transactions != 10 {
		t.Errorf("%d sessions, %d connections in %s", n, r.Connections, r.Connecting)
	}
}

func TestCommandsAreTimed(t *testing.T) {
	b := newBench(t, "select 1")
	o := b.options("\\set x 1\nselect pg_sleep(0.02);\n\\if :x = 2\nselect 2;\n\\endif\n\\sleep 10 ms")
	o.Transactions, o.PerCommand = 5, true
	r := b.run(o)
	var counts []int64
	for _, c := range r.Scripts[0].Commands {
		counts = append(counts, c.Latency.Count)
	}
	if want := []int64{5, 5, 5, 0, 0, 5}; !slices.Equal(counts[:4], want[:4]) || counts[5] != 5 {
		t.Errorf("commands were timed %v times", counts)
	}
	commands := r.Scripts[0].Commands
	if c := commands[1]; c.Latency.Least < 20_000 || c.Line != 2 || c.Text != "select pg_sleep(0.02);" {
		t.Errorf("%+v", c)
	}
	if c := commands[5].Latency; c.Least < 10_000 || c.Least > c.Most || c.Sum < 50_000 {
		t.Errorf("%+v", c)
	}
	if whole := r.Latency; whole.Least < 30_000 || whole.Sum < commands[1].Latency.Sum+commands[5].Latency.Sum {
		t.Errorf("%+v", whole)
	}
}

func TestLog(t *testing.T) {
	b := newBench(t, "select 1")
	o := b.options("select 1;", "select 2;")
	o.Clients, o.Transactions, o.Seed = 3, 100, 1
	numbers := map[int]int{}
	byScript := make([]int64, 2)
	o.Log = func(x Transaction) error {
		if x.Number != numbers[x.Client] || x.Outcome != Done || x.Latency <= 0 || time.Since(x.Ended) > time.Minute {
			t.Errorf("%+v after %d", x, numbers[x.Client])
		}
		numbers[x.Client]++
		byScript[x.Script]++
		return nil
	}
	r := b.run(o)
	if len(numbers) != 3 || byScript[0] != r.Scripts[0].Transactions || byScript[1] != r.Scripts[1].Transactions ||
		byScript[0]*byScript[1] == 0 {
		t.Errorf("logged %v, %v; ran %d and %d", numbers, byScript, r.Scripts[0].Transactions, r.Scripts[1].Transactions)
	}
	logged := 0
	o.Transactions, o.SampleRate, o.Log = 1000, 0.2, func(Transaction) error { logged++; return nil }
	b.run(o)
	if logged < 510 || logged > 690 { // 600, four deviations of 22
		t.Errorf("%d of 3000 transactions are in a sample of 0.2", logged)
	}
	o.Log = func(Transaction) error { return errEnough }
	if _, err := Run(t.Context(), o); err != errEnough {
		t.Errorf("a log that fails: %v", err)
	}
}

func TestRate(t *testing.T) {
	b := newBench(t, "select 1")
	o := b.options("select pg_sleep(0.002);")
	o.Clients, o.Rate, o.Duration, o.Mode = 20, 500, 2*time.Second, Prepared
	r := b.run(o)
	if got := float64(r.Transactions) / 2; math.Abs(got-500) > 4*math.Sqrt(500./2) {
		t.Errorf("%v a second", got)
	}
	if r.Lag.Count != r.Transactions || r.Latency.Sum < r.Lag.Sum+2000*float64(r.Transactions) ||
		r.Skipped+r.Late != 0 {
		t.Errorf("latency %+v, lag %+v", r.Latency, r.Lag)
	}
}

// A client that takes 20 ms does 50 transactions a second; of the others due, the late ones are skipped.
func TestRateBeyondTheMaximum(t *testing.T) {
	b := newBench(t, "select 1")
	o := b.options("select pg_sleep(0.02);")
	o.Rate, o.Duration, o.LatencyLimit = 500, time.Second, 50*time.Millisecond
	logged := map[Outcome]int64{}
	o.Log = func(x Transaction) error { logged[x.Outcome]++; return nil }
	r := b.run(o)
	if r.Transactions > 52 || r.Transactions < 10 || r.Skipped < 300 || r.Late == 0 || r.Late > r.Transactions {
		t.Errorf("%d done, %d late, %d skipped", r.Transactions, r.Late, r.Skipped)
	}
	if r.Statements != r.Transactions {
		t.Errorf("%d statements in %d transactions of one: those that were skipped had none", r.Statements,
			r.Transactions)
	}
	if logged[Done] != r.Transactions || logged[Skipped] != r.Skipped || r.Lag.Most > 60_000 {
		t.Errorf("logged %v, lag up to %v µs", logged, r.Lag.Most)
	}
	o.LatencyLimit, o.Log = 0, nil
	r = b.run(o)
	if r.Skipped+r.Late != 0 || r.Lag.Most < 500_000 || r.Latency.Most < r.Lag.Most {
		t.Errorf("without a limit: %d skipped, lag up to %v µs", r.Skipped, r.Lag.Most)
	}
}

func TestDebugShowsItsPlace(t *testing.T) {
	b := newBench(t, "select 1")
	o := b.options("select 1;\n\\set x debug(7 * 6)")
	var shown bytes.Buffer
	o.Debug, o.Transactions, o.Clients = &shown, 1, 3
	b.run(o)
	if want := strings.Repeat("debug(script=0,command=2): int 42\n", 3); shown.String() != want {
		t.Errorf("%q", shown.String())
	}
}

func TestOptionsThatCannotBe(t *testing.T) {
	b := newBench(t, "select 1")
	check := func(want string, change func(*Options)) {
		t.Helper()
		o := b.options("select 1;")
		change(&o)
		if _, err := Run(t.Context(), o); err == nil || err.Error() != want {
			t.Errorf("%v, not %s", err, want)
		}
	}
	check("a load needs a script", func(o *Options) { o.Scripts = nil })
	check("total script weight must not be zero", func(o *Options) { o.Scripts[0].Weight = 0 })
	check(`unknown mode "odd"; use simple, extended or prepared`, func(o *Options) { o.Mode = "odd" })
	check("specify a number of transactions or a duration, not both", func(o *Options) {
		o.Transactions, o.Duration = 1, 1
	})
	check(`invalid variable name "a b"`, func(o *Options) { o.Define = map[string]string{"a b": "1"} })
	check("a load needs a server to connect to", func(o *Options) { o.Connect = nil })
}

// Each thread of -j has its own streams.
func TestThreads(t *testing.T) {
	b := newBench(t, "create table demo (client int, script int)")
	choices := func(threads, client int) string {
		servertest.Exec(t, b.conn,
			"truncate demo; alter table demo drop column if exists n; alter table demo add n serial")
		o := b.options("insert into demo values (:client_id, 1);", "insert into demo values (:client_id, 2);")
		o.Clients, o.Threads, o.Transactions, o.Seed = 2, threads, 40, 9
		b.run(o)
		return servertest.Value[string](t, b.conn,
			fmt.Sprintf("select string_agg(script::text, '' order by n) from demo where client = %d", client))
	}
	var first, second [2]string
	for client := range 2 {
		first[client], second[client] = choices(2, client), choices(2, client)
	}
	if first != second || first[0] == first[1] {
		t.Error("two clients with a thread each do not choose their scripts on their own")
	}
}

// A prepared statement allocates nothing.
func TestNoAllocationPerTransaction(t *testing.T) {
	b := newBench(t, "create table demo (a int, b int)")
	o := b.options("\\set x random(1, 100000)\ninsert into demo values (:client_id, :x);")
	o.Mode = Prepared
	allocated := func(n int) float64 {
		o.Transactions = n
		return testing.AllocsPerRun(1, func() { b.run(o) })
	}
	if more := allocated(3000) - allocated(1000); more > 200 {
		t.Errorf("2000 transactions more allocate %v times", more)
	}
}

// A thousand clients take little memory.
func TestManyClients(t *testing.T) {
	if testing.Short() || raceDetector {
		t.Skip("starts a thousand server processes, and the race detector takes memory of its own")
	}
	b := manyClients(t)
	o := b.options("select 1;")
	o.Clients, o.Rate, o.Duration, o.Mode, o.PerCommand = 1000, 2000, 2*time.Second, Prepared, true
	before := resident(t)
	most := int64(0)
	o.Every, o.Tick = 200*time.Millisecond, func(Tick) error { most = max(most, resident(t)); return nil }
	r := b.run(o)
	if r.Connections != 1000 || most > 100<<20 {
		t.Errorf("%d connections, %d MB resident, %d before", r.Connections, most>>20, before>>20)
	}
	t.Logf("connected in %s, %d MB resident, %d before, %.0f transactions a second", r.Connecting, most>>20, before>>20,
		float64(r.Transactions)/r.Elapsed.Seconds())
}

func manyClients(t *testing.T) *bench {
	server := servertest.Start(t,
		embedded.Options{Version: "17", Settings: []string{"max_connections=1100", "shared_buffers=16MB"}})
	endpoint := servertest.Endpoint(t, server.DSN())
	return &bench{t: t, endpoint: endpoint, conn: servertest.Connect(t, endpoint)}
}

// resident returns the resident memory of this process in bytes.
func resident(t *testing.T) int64 {
	text, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		t.Skip("memory is read from /proc: ", err)
	}
	pages, err := strconv.ParseInt(strings.Fields(string(text))[1], 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return pages * int64(os.Getpagesize())
}
