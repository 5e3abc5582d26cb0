package output_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/realiops/realiops/internal/measure/load/engine"
	"github.com/realiops/realiops/internal/measure/load/output"
)

func TestProgress(t *testing.T) {
	tick := func(from, to time.Duration, change func(*engine.Tick)) engine.Tick {
		x := engine.Tick{From: at(from), To: at(to)}
		x.Transactions, x.Latency = 2, durations(2000, 4000)
		x.Serialization, x.Deadlocks, x.Skipped, x.Retried, x.Retries = 1, 1, 3, 4, 5
		x.Lag = durations(500, 1500)
		if change != nil {
			change(&x)
		}
		return x
	}
	check := func(name string, p output.Progress, want string, ticks ...engine.Tick) {
		t.Run(name, func(t *testing.T) {
			var b strings.Builder
			p.W, p.Asked.Every = &b, time.Second
			for _, x := range ticks {
				if err := p.Tick(x); err != nil {
					t.Fatal(err)
				}
			}
			if diff := cmp.Diff(want, b.String()); diff != "" {
				t.Error(diff)
			}
		})
	}
	nothing := func(x *engine.Tick) { x.Totals = engine.Totals{} }
	check("plain", output.Progress{}, `progress: 1.0 s, 2.0 tps, lat 3.000 ms stddev 1.000, 2 failed
progress: 1.5 s, 0.0 tps, lat 0.000 ms stddev 0.000, 0 failed
`, tick(0, time.Second, nil), tick(time.Second, 1500*ms, nothing))
	check("epoch", output.Progress{Timestamp: true},
		"progress: 1001.250 s, 1.6 tps, lat 3.000 ms stddev 1.000, 2 failed\n", tick(0, 1250*ms, nil))
	check("everything",
		output.Progress{Asked: output.Asked{Options: engine.Options{Rate: 1, LatencyLimit: ms, MaxTries: 2}}},
		"progress: 1.0 s, 2.0 tps, lat 3.000 ms stddev 1.000, 2 failed, lag 1.000 ms, 3 skipped, 4 "+
			"retried, 5 retries\n", tick(0, time.Second, nil))
	check("warm-up", output.Progress{}, `progress: 1.0 s, 0.0 tps, lat 0.000 ms stddev 0.000, 0 failed, warming up
progress: 2.0 s, 2.0 tps, lat 3.000 ms stddev 1.000, 2 failed
`, tick(0, time.Second, func(x *engine.Tick) { x.Totals, x.Warmup = engine.Totals{}, true }), tick(time.Second, 2*time.Second, nil))
	last := func(x *engine.Tick) { x.Last = true }
	check("a short rest", output.Progress{}, "", tick(0, 900*ms, last))
	check("a last whole one", output.Progress{}, "progress: 1.0 s, 2.0 tps, lat 3.000 ms stddev 1.000, 2 failed\n",
		tick(0, 999*ms, last))
}
