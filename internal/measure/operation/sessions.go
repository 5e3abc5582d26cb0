package operation

import (
	"context"
	"time"

	"github.com/realiops/realiops/internal/measure/experiment"
	"github.com/realiops/realiops/internal/measure/postgres"
	"github.com/realiops/realiops/internal/runfile"
)

const (
	// reportedWithin is the longest that an idle session holds back its last counts: PGSTAT_IDLE_INTERVAL in
	// PostgreSQL's pgstat.c, ten seconds, and a little.
	reportedWithin = 11 * time.Second
	// reportEvery is the shortest interval between a session's reports at the end of a transaction:
	// PGSTAT_MIN_INTERVAL, one second, and a little.
	reportEvery = 1020 * time.Millisecond
	askEvery    = 20 * time.Millisecond
)

// awaitReported waits until the operation's sessions have ended or reported their work. Only others count as staying.
func (m *measurement) awaitReported(ctx context.Context, watch *postgres.Watch, within time.Duration) (postgres.Seen,
	error) {
	for until := time.Now().Add(within); ; {
		s, err := watch.Look(ctx, m.Control)
		if err != nil || s.Staying == 0 {
			return s, err
		}
		if s, err = m.unreported(ctx, watch, s); err != nil || s.Staying == 0 || time.Now().After(until) {
			m.reported = time.Now()
			return s, err
		}
		if err := experiment.Wait(ctx, askEvery); err != nil {
			return s, err
		}
	}
}

// unreported returns the sessions seen, without idle ones if all writes are counted.
func (m *measurement) unreported(ctx context.Context, watch *postgres.Watch, s postgres.Seen) (postgres.Seen, error) {
	if m.Ledger == nil || s.Silent > 0 {
		return s, nil
	}
	if err := m.Facts.ReportCounters(ctx, m.Control); err != nil {
		return s, err
	}
	all, err := m.Ledger.Reported(ctx, m.mark)
	if err != nil || !all {
		return s, err
	}
	after, err := watch.Look(ctx, m.Control) // sessions that began work meanwhile have not reported it
	if err == nil && after.Staying == s.Staying && after.Silent == 0 {
		after.Staying = 0
	}
	return after, err
}

// awaitReadiness waits until open sessions will report at the end of their next transaction.
func (m *measurement) awaitReadiness(ctx context.Context) error {
	if m.Ledger == nil || m.reported.IsZero() {
		return nil
	}
	return experiment.Wait(ctx, time.Until(m.reported.Add(reportEvery)))
}

// othersOf returns the other sessions at work during a repetition, and the parts of the
// operation that go on; nil: none.
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
