package pgstat

import (
	"context"
	"slices"
	"time"

	"github.com/realiops/realiops/internal/measure/postgres"
)

const (
	// quietWithin bounds the wait: counters that still move then are other sessions'.
	quietWithin = 2 * time.Second
	// lookEvery is the time between two looks, each its own transaction.
	lookEvery = 50 * time.Millisecond

	// withoutCollector is the first version in which sessions' counters are in shared memory.
	withoutCollector = 150000
	// There a session reports its counters before it ends, and they are visible immediately. The checkpointer reports
	// two to three milliseconds after its answer, even if all CPUs are busy.
	quietFor = lookEvery
	// Up to 14 sessions send them to a collector, whose file a reader uses up to half a second long
	// (PGSTAT_STAT_INTERVAL in pgstat.c). Only a later reading is sure to be newer.
	quietForCollector = 600 * time.Millisecond
)

// moving lists the counters of finished work.
var moving = [...]string{
	Name + ".database/tup_inserted", Name + ".database/tup_updated", Name + ".database/tup_deleted",
	Name + ".tables/n_tup_ins", Name + ".tables/n_tup_upd", Name + ".tables/n_tup_del",
}

// hasMoving selects the statements that read them.
func hasMoving(ask statement) bool {
	return slices.ContainsFunc(ask.answers, func(a answer) bool { return slices.Contains(moving[:], a.metric) })
}

// WaitForCounters waits until the counters of rows have stood still for as long as the server may take to show the
// work of ended sessions. If other sessions keep them moving, it returns without an error after two seconds. The
// load's sessions must have ended: an idle one may hold back its last counts for ten seconds.
func (s *Sampler) WaitForCounters(ctx context.Context) error {
	began := time.Now()
	last, still := map[string]float64(nil), began
	for time.Since(began) < quietWithin {
		asked := time.Now()
		sample, server, err := s.sample(ctx, hasMoving)
		if err != nil {
			return err
		}
		moved := slices.ContainsFunc(moving[:], func(name string) bool { return last[name] != sample.Values[name] })
		if last == nil || moved {
			last, still = sample.Values, time.Now()
		}
		quiet := quietFor
		if server.number < withoutCollector {
			quiet = quietForCollector
		}
		if asked.Sub(still) >= quiet {
			return s.report(ctx, server)
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-time.After(lookEvery):
		}
	}
	return nil
}

// report makes our own session report its WAL, a few records from pruning catalog pages. It would otherwise report up
// to ten seconds later, during a load.
func (s *Sampler) report(ctx context.Context, server catalog) error {
	if server.number < withoutCollector {
		return nil
	}
	if err := s.turn.Take(ctx); err != nil {
		return err
	}
	defer s.turn.Release()
	if s.session == nil {
		return nil
	}
	return postgres.Exec(ctx, s.session.conn, mark+"select pg_catalog.pg_stat_force_next_flush()")
}
