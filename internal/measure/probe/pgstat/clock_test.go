//go:build unix

package pgstat

import (
	"slices"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/realiops/realiops/internal/measure/probe"
	"github.com/realiops/realiops/internal/measure/server/embedded"
	"github.com/realiops/realiops/internal/runfile"
	"github.com/realiops/realiops/internal/test/servertest"
)

// tape keeps a clock's records.
type tape struct {
	mu      sync.Mutex
	records []runfile.Record
}

func (t *tape) sink(r runfile.Record) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.records = append(t.records, r)
	return nil
}

// await returns the first wanted record from the given one on, and the number of records up to it.
func (t *tape) await(tb testing.TB, from int, what string, wanted func(runfile.Record) bool) int {
	tb.Helper()
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) {
		t.mu.Lock()
		at := slices.IndexFunc(t.records[from:], wanted)
		t.mu.Unlock()
		if at >= 0 {
			return from + at + 1
		}
	}
	tb.Fatalf("not recorded: %s", what)
	return 0
}

func isReset(metric string) func(runfile.Record) bool {
	return func(r runfile.Record) bool {
		gap, ok := r.(runfile.Gap)
		return ok && gap.Reason == runfile.Reset && gap.Metric == metric
	}
}

func isReading(r runfile.Record) bool { return r.Kind() == runfile.KindRead }

// A server that crashes ends our session and, from 15 on, loses its statistics.
func TestResetsAndCrashesAreRecorded(t *testing.T) {
	own := servertest.Start(t,
		embedded.Options{Version: "17", Settings: []string{"autovacuum=off", "restart_after_crash=on"}})
	endpoint := servertest.Endpoint(t, own.DSN())
	worker, boss := servertest.Connect(t, endpoint), servertest.Connect(t, endpoint)
	servertest.Exec(t, worker, "create table t as select generate_series(1, 1000)")
	worker.Close(t.Context())
	sampler, err := New(t.Context(), endpoint.Config())
	if err != nil {
		t.Fatal(err)
	}
	var tape tape
	clock := probe.NewClock(100*time.Millisecond, tape.sink, sampler)
	clock.Start(t.Context())
	at := tape.await(t, 0, "the rows of the worker", func(r runfile.Record) bool {
		reading, ok := r.(runfile.Reading)
		return ok && reading.Values["pgstat.database/tup_inserted"] >= 1000
	})

	servertest.Exec(t, boss, "select pg_stat_reset_shared('wal')")
	at = tape.await(t, at, "the reset of pg_stat_wal", isReset("pgstat.wal/wal_records"))

	servertest.Exec(t, boss, "select pg_stat_reset()")
	at = tape.await(t, at, "the reset of the database's statistics", isReset("pgstat.database/tup_inserted"))
	at = tape.await(t, at, "that they count again", func(r runfile.Record) bool {
		reading, ok := r.(runfile.Reading)
		return ok && reading.Values["pgstat.database/xact_commit"] >= 3
	})

	pid := servertest.Value[int](t, boss, "select pg_backend_pid()")
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	at = tape.await(t, at, "that the session is lost", func(r runfile.Record) bool {
		gap, ok := r.(runfile.Gap)
		return ok && gap.Metric == "" && gap.Reason == runfile.Failed
	})
	at = tape.await(t, at, "the loss of pg_stat_database", isReset("pgstat.database/xact_commit"))
	tape.await(t, at, "readings after the crash", isReading)
	if err := clock.Stop(); err != nil {
		t.Error(err)
	}
	sampler.Close(t.Context())
}
