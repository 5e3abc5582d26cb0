package output_test

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/realiops/realiops/internal/measure/load/engine"
	"github.com/realiops/realiops/internal/measure/load/output"
)

// at returns a time in the second 1000 of the epoch.
func at(offset time.Duration) time.Time { return time.Unix(1000, 0).Add(offset) }

const ms = time.Millisecond

// logged logs transactions and returns the file's content.
func logged(t *testing.T, asked output.Asked, interval time.Duration, end time.Time,
	transactions ...engine.Transaction) string {
	t.Helper()
	prefix := filepath.Join(t.TempDir(), "log")
	l, err := output.CreateLog(prefix+".4711", asked, interval)
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range transactions {
		if err := l.Transaction(x); err != nil {
			t.Fatal(err)
		}
	}
	if err := l.Close(end); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(prefix + ".4711")
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func someTransactions() []engine.Transaction {
	return []engine.Transaction{
		{Client: 0, Number: 0, Latency: 2500 * time.Microsecond, Lag: 1500 * time.Nanosecond, Ended: at(500 * ms)},
		{Client: 1, Number: 0, Script: 1, Outcome: engine.Skipped, Ended: at(600 * ms)},
		{Client: 1, Number: 1, Outcome: engine.FailedSerializing, Retries: 2, Ended: at(700 * ms)},
		{Client: 0, Number: 1, Outcome: engine.FailedByDeadlock, Retries: 1, Ended: at(800 * ms)},
		{Client: 0, Number: 2, Latency: 500 * time.Microsecond, Retries: 3, Ended: at(3200 * ms)},
	}
}

func TestLogOfTransactions(t *testing.T) {
	check := func(name, want string, asked output.Asked) {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(want, logged(t, asked, 0, at(4*time.Second), someTransactions()...)); diff != "" {
				t.Error(diff)
			}
		})
	}
	check("plain", `0 1 2500 0 1000 500000
1 1 skipped 1 1000 600000
1 2 failed 0 1000 700000
0 2 failed 0 1000 800000
0 3 500 0 1003 200000
`, output.Asked{})
	check("rate, tries, details", `0 1 2500 0 1000 500000 1 0
1 1 skipped 1 1000 600000 0 0
1 2 serialization 0 1000 700000 0 2
0 2 deadlock 0 1000 800000 0 1
0 3 500 0 1003 200000 0 3
`, output.Asked{Options: engine.Options{Rate: 5, MaxTries: 3}, FailuresDetailed: true})
}

// 2500 squared is 6250000. Like pgbench, the log leaves out an interval that the end of the load cuts short.
func TestLogOfIntervals(t *testing.T) {
	asked := output.Asked{Options: engine.Options{Rate: 5, LatencyLimit: ms, MaxTries: 4}, FailuresDetailed: true}
	want := `1000 1 2500 6250000 2500 2500 1 1 1 1 1 2 3 1 1
1001 0 0 0 0 0 0 0 0 0 0 0 0 0 0
1002 0 0 0 0 0 0 0 0 0 0 0 0 0 0
1003 1 500 250000 500 500 0 0 0 0 0 1 3 0 0
`
	if diff := cmp.Diff(want, logged(t, asked, time.Second, at(4500*ms), someTransactions()...)); diff != "" {
		t.Error(diff)
	}
	if got := logged(t, asked, time.Second, at(4500*ms)); got != "" {
		t.Errorf("without transactions there is %q", got)
	}
}

func TestIntervalsBeginWithTheLoad(t *testing.T) {
	prefix := filepath.Join(t.TempDir(), "log")
	l, err := output.CreateLog(prefix+".1", output.Asked{}, 2*time.Second)
	if err != nil {
		t.Fatal(err)
	}
	l.Begin(at(900 * ms))
	l.Begin(at(5 * time.Second))
	if err := l.Transaction(engine.Transaction{Latency: ms, Ended: at(2100 * ms)}); err != nil {
		t.Fatal(err)
	}
	if err := l.Close(at(4 * time.Second)); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(prefix + ".1")
	if err != nil {
		t.Fatal(err)
	}
	want := `1000 0 0 0 0 0 0 0 0 0 0 0 0 0 0
1002 1 1000 1000000 1000 1000 0 0 0 0 0 0 0 0 0
`
	if diff := cmp.Diff(want, string(text)); diff != "" {
		t.Error(diff)
	}
}

func TestLogThatCannotBeWritten(t *testing.T) {
	if _, err := output.CreateLog(filepath.Join(t.TempDir(), "no", "log"), output.Asked{}, 0); err == nil {
		t.Error("a log file in a directory that is not there")
	}
	prefix := filepath.Join(t.TempDir(), "log")
	if err := os.Symlink("/dev/full", prefix+".1"); err != nil {
		t.Fatal(err)
	}
	l, err := output.CreateLog(prefix+".1", output.Asked{}, 0)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(l.Transaction(engine.Transaction{}), l.Close(at(0))); !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("on a full disk: %v", err)
	}
}
