package output_test

import (
	"strings"
	"testing"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
	"github.com/google/go-cmp/cmp"

	"github.com/realiops/realiops/internal/measure/load/engine"
	"github.com/realiops/realiops/internal/measure/load/output"
)

func text(t *testing.T, r output.Report) string {
	t.Helper()
	var b strings.Builder
	if err := r.Text(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// 101 transactions were tried in 2.02 s by 4 clients: 2.02 s x 4 / 101 = 80 ms each; 100 / 2.02 s = 49.50495.
func TestTextOfAPlainLoad(t *testing.T) {
	want := `transaction type: insert.sql
scaling factor: 1
query mode: simple
number of clients: 4
number of threads: 4
maximum number of tries: 1
duration: 2 s
number of transactions actually processed: 100
number of failed transactions: 1 (0.990%)
latency average = 80.000 ms (including failures)
latency p50 = 50.015 ms
latency p90 = 90.047 ms
latency p95 = 95.039 ms
latency p99 = 99.007 ms
latency p99.9 = 100.000 ms
latency max = 100.000 ms
rows written = 200 (99.009901 per second)
statements = 300 (148.514851 per second)
bytes sent = 4000 (1980.198020 per second)
bytes received = 6000 (2970.297030 per second)
initial connection time = 1.500 ms
tps = 49.504950 (without initial connection time)
`
	if diff := cmp.Diff(want, text(t, plain())); diff != "" {
		t.Error(diff)
	}
}

// The mean of 2, 4, 1 and 5 ms is 3, their deviation the root of (1+1+4+4)/4 = 1.581; 100 were tried, 80 done.
func TestTextOfEverything(t *testing.T) {
	want := `transaction type: multiple scripts
scaling factor: 5
partition method: hash
partitions: 4
query mode: prepared
number of clients: 2
number of threads: 2
maximum number of tries: 4
duration: 10 s
warm-up: 3 s, not counted
number of transactions actually processed: 80
number of failed transactions: 3 (3.000%)
number of serialization failures: 2 (2.000%)
number of deadlock failures: 1 (1.000%)
number of transactions retried: 3 (3.000%)
total number of retries: 5
number of transactions skipped: 17 (17.000%)
number of transactions above the 3.5 ms latency limit: 6/80 (7.500%)
latency average = 3.000 ms
latency stddev = 1.581 ms
rate limit schedule lag: avg 1.000 (max 3.000) ms
latency p50 = 2.000 ms
latency p90 = 5.000 ms
latency p95 = 5.000 ms
latency p99 = 5.000 ms
latency p99.9 = 5.000 ms
latency max = 5.000 ms
target rate = 10.000000 per second
achieved rate = 8.000000 per second (80.0% of target)
rows written = 600 (60.000000 per second)
statements = 140 (14.000000 per second)
bytes sent = 1200 (120.000000 per second)
bytes received = 700 (70.000000 per second)
initial connection time = 20.000 ms
tps = 8.000000 (without initial connection time)
SQL script 1: a.sql
 - weight: 3 (targets 75.0% of total)
 - 60 transactions (75.0% of total, tps = 6.000000)
 - number of failed transactions: 3 (4.615%)
 - number of serialization failures: 2 (3.077%)
 - number of deadlock failures: 1 (1.538%)
 - number of transactions retried: 3 (4.615%)
 - total number of retries: 5
 - number of transactions skipped: 2 (3.077%)
 - latency average = 3.000 ms
 - latency stddev = 1.000 ms
 - latency p50 = 2.000 ms
 - latency p90 = 4.000 ms
 - latency p95 = 4.000 ms
 - latency p99 = 4.000 ms
 - latency p99.9 = 4.000 ms
 - latency max = 4.000 ms
 - rows written = 600 (60.000000 per second)
 - statements = 120 (12.000000 per second)
 - bytes sent = 1000 (100.000000 per second)
 - bytes received = 500 (50.000000 per second)
 - statement percentiles in milliseconds, p50 p90 p95 p99 p99.9 max:
        0.001      0.001      0.001      0.001      0.001      0.001  \set x 1
        0.500      1.500      1.500      1.500      1.500      1.500  select 1;
 - statement latencies in milliseconds, failures and retries:
         0.001           0           0  \set x 1
         1.000           3           5  select 1;
SQL script 2: b.sql
 - weight: 1 (targets 25.0% of total)
 - 20 transactions (25.0% of total, tps = 2.000000)
 - number of failed transactions: 0 (0.000%)
 - number of serialization failures: 0 (0.000%)
 - number of deadlock failures: 0 (0.000%)
 - number of transactions retried: 0 (0.000%)
 - total number of retries: 0
 - number of transactions skipped: 15 (42.857%)
 - latency average = 3.000 ms
 - latency stddev = 2.000 ms
 - latency p50 = 1.000 ms
 - latency p90 = 5.000 ms
 - latency p95 = 5.000 ms
 - latency p99 = 5.000 ms
 - latency p99.9 = 5.000 ms
 - latency max = 5.000 ms
 - rows written = 0 (0.000000 per second)
 - statements = 20 (2.000000 per second)
 - bytes sent = 200 (20.000000 per second)
 - bytes received = 200 (20.000000 per second)
 - statement percentiles in milliseconds, p50 p90 p95 p99 p99.9 max:
            -          -          -          -          -          -  select 2;
 - statement latencies in milliseconds, failures and retries:
         0.000           0           0  select 2;
`
	if diff := cmp.Diff(want, text(t, everything())); diff != "" {
		t.Error(diff)
	}
}

func TestTextOfOtherRuns(t *testing.T) {
	check := func(name, want string, change func(*output.Report)) {
		t.Run(name, func(t *testing.T) {
			r := plain()
			change(&r)
			if got := text(t, r); !strings.Contains(got, want) {
				t.Errorf("no %q in\n%s", want, got)
			}
		})
	}
	check("transactions", "number of transactions per client: 50\nnumber of transactions actually processed: 100/200\n",
		func(r *output.Report) {
			r.Asked.Duration, r.Asked.Transactions = 0, 50
		})
	check("neither transactions nor time", "number of transactions per client: 10\n", func(r *output.Report) {
		r.Asked.Duration = 0
	})
	check("a connection each", "average connection time = 30.000 ms\ntps = 49.504950 (including reconnection times)\n",
		func(r *output.Report) {
			r.Asked.Reconnect, r.Result.Connections, r.Result.Connecting = true, 101, 3030*time.Millisecond
		})
	check("progress", "latency average = 50.500 ms\nlatency stddev = 28.866 ms\n", func(r *output.Report) {
		r.Asked.ShowProgress = true
	})
	check("no bound of tries", "number of threads: 4\nduration: 2 s\n", func(r *output.Report) {
		r.Asked.Unlimited = true
	})
	check("not recorded", "(including failures)\nrows written", func(r *output.Report) {
		r.Result.Latency = engine.Durations{}
	})
	check("other failures", "number of other failures: 3 (2.885%)\n", func(r *output.Report) {
		r.Asked.FailuresDetailed, r.Asked.ContinueOnError, r.Result.Other = true, true, 3
	})
}

// A load without transactions divides by nothing.
func TestTextOfNothing(t *testing.T) {
	r := plain()
	r.Result = engine.Result{Record: engine.Record{Scripts: []engine.ScriptResult{{Name: "insert.sql"}}}}
	got := text(t, r)
	if !strings.HasSuffix(got, "number of transactions actually processed: 0\n") || strings.Contains(got, "NaN") {
		t.Error(got)
	}
}

// A histogram has whole microseconds: of two transactions of 10.9 us, none is shorter or longer.
func TestEvenLatencies(t *testing.T) {
	r := plain()
	h := hdrhistogram.New(1, int64(time.Hour/time.Microsecond), 3)
	_ = h.RecordValues(10, 2)
	r.Result.Latency = engine.Durations{Count: 2, Sum: 2 * 10.9, Sum2: 2 * 10.9 * 10.9, Least: 10.9, Most: 10.9, Histogram: h}
	for _, want := range []string{"latency p50 = 0.011 ms", "latency max = 0.011 ms"} {
		if got := text(t, r); !strings.Contains(got, want) {
			t.Errorf("no %q in %s", want, got)
		}
	}
}
