package operation

import (
	"context"
	"slices"
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

// awaitReported waits until the sessions of the operation, which began then, are gone or have told what they did.
func (m *measurement) awaitReported(ctx context.Context, began string) (postgres.Seen, error) {
	for until := time.Now().Add(reportedWithin); ; {
		s, err := m.Facts.AtWorkSince(ctx, m.Control, began, m.Ours)
		if err != nil || s.Staying == 0 || time.Now().After(until) {
			return s, err
		}
		if err := experiment.Wait(ctx, askEvery); err != nil {
			return s, err
		}
	}
}

// othersOf are those who were at work before a repetition or during it; nil: nobody was.
func othersOf(before []string, during postgres.Seen) *runfile.Others {
	who := before
	for _, name := range during.Others {
		if !slices.Contains(who, name) {
			who = append(who, name)
		}
	}
	if len(who) == 0 && during.Silent == 0 {
		return nil
	}
	return &runfile.Others{Who: who, Staying: during.Silent}
}
