package anatomy

import (
	"context"
	"fmt"
	"os"
	"sync"
	"testing"
	"time"

	"github.com/realiops/realiops/internal/test/servertest"
)

// TestReadingUnderLoadCostsLittle measures the processor time of the sampler's backend while others write as fast as
// they can. It stays below 1 % of a core, even with ten readings a second. If other tests keep the processors busy,
// the same work takes up to twice the time.
func TestReadingUnderLoadCostsLittle(t *testing.T) {
	d := databaseOf(t, "17")
	servertest.Exec(t, d.boss, "create table t (id bigserial, value int)")
	for _, interval := range []time.Duration{time.Second, 100 * time.Millisecond} {
		s := d.sampler(t)
		s.course.speed = 1e9 // as it measures after some readings
		stop := load(t, d)
		before, began := processorTime(t, s), time.Now()
		for range int(3 * time.Second / interval) {
			time.Sleep(interval)
			if _, err := s.Sample(t.Context()); err != nil {
				t.Error(err)
			}
		}
		cost := (processorTime(t, s) - before).Seconds() / time.Since(began).Seconds()
		stop()
		t.Logf("every %v: %.2f%% of one core, %.0f MB read of %.0f MB", interval, 100*cost, s.counted[covered]/1e6,
			s.counted[passed]/1e6)
		if cost > 0.02 || s.counted[covered] == 0 {
			t.Errorf("every %v: reading costs %.2f%% of one core", interval, 100*cost)
		}
	}
}

// load writes until stop is called.
func load(t *testing.T, d database) (stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	var clients sync.WaitGroup
	for range 2 {
		conn := servertest.Connect(t, servertest.Endpoint(t, d.config.ConnString()))
		clients.Go(func() {
			for ctx.Err() == nil {
				_, _ = conn.Exec(ctx, "insert into t (value) select generate_series(1, 1000)") // the end interrupts one
			}
		})
	}
	return func() { cancel(); clients.Wait() }
}

// processorTime returns the backend's processor time so far.
func processorTime(t *testing.T, s *Sampler) time.Duration {
	t.Helper()
	var nanoseconds int64
	content, err := os.ReadFile(fmt.Sprintf("/proc/%d/schedstat", s.session.conn.PgConn().PID()))
	if err == nil {
		_, err = fmt.Sscan(string(content), &nanoseconds)
	}
	if err != nil {
		t.Skip(err)
	}
	return time.Duration(nanoseconds)
}
