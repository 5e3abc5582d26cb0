package operation

import (
	"context"
	"time"

	"github.com/realiops/realiops/internal/measure/experiment"
	"github.com/realiops/realiops/internal/measure/postgres"
	"github.com/realiops/realiops/internal/runfile"
)

const (
	// reportedWithin is how long a session that stays open, and does nothing, may keep its last counts to itself:
	// PGSTAT_IDLE_INTERVAL of PostgreSQL's pgstat.c, ten seconds, and a little.
	reportedWithin = 11 * time.Second
	askEvery       = 20 * time.Millisecond
)

// awaitReported waits until the sessions of the operation are gone or have told what they did.
func (m *measurement) awaitReported(ctx context.Context, watch *postgres.Watch) (postgres.Seen, error) {
	for until := time.Now().Add(reportedWithin); ; {
		s, err := watch.Look(ctx, m.Control)
		if err != nil || s.Staying == 0 || time.Now().After(until) {
			return s, err
		}
		if err := experiment.Wait(ctx, askEvery); err != nil {
			return s, err
		}
	}
}

// othersOf are those who were at work during a repetition, and what of the operation goes on; nil: nobody, and nothing.
func othersOf(seen postgres.Seen, outcome Outcome) *runfile.Others {
	if len(seen.Others) == 0 && seen.Silent == 0 && !outcome.GoesOn {
		return nil
	}
	o := &runfile.Others{Who: seen.Others, Staying: seen.Silent, GoesOn: outcome.GoesOn}
	if w := seen.Wrote; w != nil {
		o.WALBytes, o.WALWrites, o.WALFsyncs = w.WALBytes, &w.WALWrites, &w.WALFsyncs
	}
	return o
}
