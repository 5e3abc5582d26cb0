package pgstat

import (
	"context"
	"slices"
	"time"

	"github.com/realiops/realiops/internal/measure/postgres"
)

const (
	// quietWithin bounds the wait: counters that still move by then are moved by somebody else.
	quietWithin = 2 * time.Second
	// lookEvery is the time between two looks, each a transaction of its own.
	lookEvery = 50 * time.Millisecond

	// withoutCollector is the first version in which sessions show their counters to all by themselves.
	withoutCollector = 150000
	// A session then reports its counters before it is gone, at which they are there for all to see. The checkpointer
	// does so when it has answered: two to three milliseconds later, also where all CPUs are busy.
	quietFor = lookEvery
	// Up to 14 it sends them to a collector, whose file a reader takes as long as it is no older than half a second
	// (PGSTAT_STAT_INTERVAL in pgstat.c): only what is read later than that is sure to be newer.
	quietForCollector = 600 * time.Millisecond
)

// moving are the counters of finished work.
var moving = [...]string{
	Name + ".database/tup_inserted", Name + ".database/tup_updated", Name + ".database/tup_deleted",
	Name + ".tables/n_tup_ins", Name + ".tables/n_tup_upd", Name + ".tables/n_tup_del",
}

// hasMoving picks the statements that read them.
func hasMoving(ask statement) bool {
	return slices.ContainsFunc(ask.answers, func(a answer) bool { return slices.Contains(moving[:], a.metric) })
}

// WaitForCounters waits until the counters of rows have stood still for as long as the server may take to show what
// sessions that are gone have done. If others keep them moving, it gives up without an error after two seconds. The
// sessions of the load must be gone by then: one that only sits idle may keep its last counts to itself for ten
// seconds.
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

// report has the server count what our own session wrote: a few WAL records, when it clears pages of the
// system's tables. By itself it would do so up to ten seconds later, in a load that has nothing to do with it.
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
