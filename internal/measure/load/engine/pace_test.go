//go:build unix

package engine

import (
	"math"
	"testing"
	"testing/synctest"
	"time"

	"github.com/realiops/realiops/internal/measure/load/script"
)

// The mean of n exponential intervals has a relative error of 1/sqrt(n), and a share of 1/e is longer than the mean.
func TestScheduleIsPoisson(t *testing.T) {
	const n = 200_000
	for _, rate := range []float64{0.5, 100, 20_000} {
		start := 3 * time.Second
		s := newSchedule(script.NewRandom(1), rate, start)
		mean := time.Duration(float64(time.Second) / rate)
		last, long := start, 0
		for range n {
			due := s.next()
			if due-last > mean {
				long++
			}
			last = due
		}
		if got := float64(n) / (last - start).Seconds(); math.Abs(got/rate-1) > 4/math.Sqrt(n) {
			t.Errorf("asked for %v a second, got %v", rate, got)
		}
		if share := float64(long) / n; math.Abs(share-1/math.E) > 0.01 {
			t.Errorf("rate %v: %v of the intervals are longer than the mean", rate, share)
		}
	}
}

func TestTurn(t *testing.T) {
	check := func(due, now, limit, end time.Duration, want turn) {
		t.Helper()
		if got := turnOf(due, now, limit, end); got != want {
			t.Errorf("due %d, now %d, limit %d, end %d: %d, not %d", due, now, limit, end, got, want)
		}
	}
	check(10, 5, 0, 100, waits)
	check(10, 50, 0, 100, waits) // late, but without a limit
	check(10, 50, 40, 100, waits)
	check(10, 51, 40, 100, skips)
	check(101, 99, 0, 100, ends)
	check(100, 99, 40, 100, waits)
	check(101, 200, 40, 100, skips) // skipped like in pgbench, which checks the limit before the end
	check(101, 5, 0, never, waits)
}

// Clients in fake time begin each transaction exactly when it is due.
func TestClientsWaitForTheirTurn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := &load{clock: clock{time.Now()}, over: 100 * time.Second, stopping: make(chan struct{})}
		l.Rate = 50
		th := &thread{schedule: newSchedule(script.NewRandom(3), l.Rate, 0)}
		c := &client{load: l, thread: th, alarm: newTimer()}
		want := newSchedule(script.NewRandom(3), l.Rate, 0)
		begun := 0
		for c.await(nil) {
			if due := want.next(); c.time() != due || c.due != due {
				t.Fatalf("transaction %d was due at %s and began at %s", begun, due, c.time())
			}
			begun++
			c.now = 0
		}
		if begun < 4700 || begun > 5300 { // 5,000, four deviations of 71
			t.Errorf("%d transactions", begun)
		}
	})
}

// A client that was held up begins its next transaction immediately, and records the delay as lag.
func TestLateClientCatchesUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := &load{clock: clock{time.Now()}, over: never, stopping: make(chan struct{})}
		l.Rate = 1000
		c := &client{load: l, thread: &thread{schedule: newSchedule(script.NewRandom(3), l.Rate, 0)}, alarm: newTimer()}
		time.Sleep(time.Second)
		late := 0
		for c.await(nil) && c.time() == time.Second {
			late++
		}
		if late < 870 || late > 1130 {
			t.Errorf("%d transactions were due in the first second", late)
		}
	})
}

func TestSilencedAlarm(t *testing.T) {
	check := func(name string, a alarm) {
		t.Run(name, func(t *testing.T) {
			defer a.close()
			from := time.Now()
			if !a.sleep(20*time.Millisecond) || time.Since(from) < 20*time.Millisecond {
				t.Errorf("slept %s", time.Since(from))
			}
			time.AfterFunc(30*time.Millisecond, a.silence)
			for range 2 { // the current sleep, and a later one
				if a.sleep(time.Minute) || time.Since(from) > patience {
					t.Errorf("woke after %s", time.Since(from))
				}
			}
		})
	}
	check("kernel", newAlarm())
	check("language", newTimer())
}
