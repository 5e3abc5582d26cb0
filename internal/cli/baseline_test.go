package cli

import (
	"bytes"
	"testing"
	"time"

	"github.com/realiops/realiops/internal/measure/baseline"
)

// A job goes on until storage has slowed down for good, and has been slow for half a minute.
func TestBaselineWaitsUntilThrottled(t *testing.T) {
	stop, second := throttled(), baseline.Second{At: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)}
	for i := range 200 {
		second.Operations = float64(3000 + i%5) // so that ranks differ
		if i >= 60 {
			second.Operations = float64(300 + i%5)
		}
		second.At, second.Seconds = second.At.Add(time.Second), second.Seconds+1
		second.Bytes, second.Latency = second.Operations*8192, 16/second.Operations // of 16 in flight
		if stop(second) {
			if seconds := i + 1; seconds < 90 || seconds > 95 {
				t.Errorf("stopped after %d s", seconds)
			}
			return
		}
	}
	t.Error("never stopped")
}

func TestBaselineDoesNotStopASteadyJob(t *testing.T) {
	stop, second := throttled(), baseline.Second{}
	for i := range 300 {
		second.Seconds++
		second.Operations = float64(3000 + 100*(i*7919%11))
		second.Latency = 16 / second.Operations
		if stop(second) {
			t.Fatalf("stopped after %d s", i+1)
		}
	}
}

func TestBaselineRefuses(t *testing.T) {
	check := func(want string, args ...string) {
		t.Helper()
		var out, err bytes.Buffer
		code := Main(Env{Out: &out, Err: &err, Now: time.Now, Getenv: func(string) string { return "" }}, append([]string{"baseline"}, args...))
		if code != exitUsage || err.String() != "realiops: "+want+"\n" {
			t.Errorf("%q: %d, %s", args, code, &err)
		}
	}
	check(`--format "x": want text or json (see realiops baseline --help)`, "--format", "x")
	check(`--until-throttled is 1s: from 30s to 24h0m0s`, "--until-throttled=1s")
	check("--show-buffered goes with the jobs of a set alone", "--show-buffered", "--job", "x")
	check("--show-buffered goes with the jobs of a set alone", "--show-buffered", "--until-throttled")
	check(`--progress is "x" and can be auto, bar, plain or none`, "--progress", "x")
}
