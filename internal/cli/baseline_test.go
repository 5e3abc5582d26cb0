package cli

import (
	"bytes"
	"testing"
	"time"

	"github.com/realiops/realiops/internal/measure/fio"
)

// A job goes on until storage has slowed down for good, and has been slow for half a minute.
func TestBaselineWaitsUntilThrottled(t *testing.T) {
	m := baselineRun{}
	at := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	var before, now fio.Status
	for i := range 200 {
		rate := int64(3000 + i%5) // so that ranks differ
		if i >= 60 {
			rate = int64(300 + i%5)
		}
		at = at.Add(time.Second)
		now.At, now.Seconds = at, now.Seconds+1
		now.Write.Operations += rate
		now.Write.Bytes += rate * 8192
		now.Write.Time += 16 // seconds, of 16 in flight
		stop := m.throttled(before, now)
		if before = now; stop {
			if seconds := i + 1; seconds < 90 || seconds > 95 {
				t.Errorf("stopped after %d s", seconds)
			}
			return
		}
	}
	t.Error("never stopped")
}

func TestBaselineDoesNotStopASteadyJob(t *testing.T) {
	m := baselineRun{}
	var before, now fio.Status
	for i := range 300 {
		now.Seconds++
		now.Write.Operations += int64(3000 + 100*(i*7919%11))
		now.Write.Time += 16
		if m.throttled(before, now) {
			t.Fatalf("stopped after %d s", i+1)
		}
		before = now
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
	check(`unknown format "x": there are text and json`, "--format", "x")
	check(`--until-throttled is 1s: from 30s to 24h0m0s`, "--until-throttled=1s")
	check("--show-buffered goes with the jobs of a set alone", "--show-buffered", "--job", "x")
	check("--show-buffered goes with the jobs of a set alone", "--show-buffered", "--until-throttled")
	check(`--progress is "x" and can be auto, bar, plain or none`, "--progress", "x")
}
