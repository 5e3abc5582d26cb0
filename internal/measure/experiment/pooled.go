package experiment

import (
	"context"
	"sync"
	"time"

	"github.com/realiops/realiops/internal/measure/postgres"
)

const (
	// reportsAfter is longer than the least time between two reports of a session (PGSTAT_MIN_INTERVAL in pgstat.c).
	reportsAfter = 1100 * time.Millisecond
	// held is how long each session is kept, so that as many others are reached beside it. Opening one takes
	// milliseconds.
	held = "/* realiops */ select pg_catalog.pg_sleep(0.3)"
	// besideClients is how many sessions of a pooler the run uses at once in addition to its clients'.
	besideClients = 5
)

// catchUp waits until the server has counted what was done.
func (e *Experiment) catchUp(ctx context.Context) error {
	if e.Pooled {
		if err := Wait(ctx, reportsAfter); err != nil {
			return err
		}
		e.report(ctx)
	}
	return e.WaitForCounters(ctx)
}

// report has the sessions that a pooler keeps count what they did for us. A session does so at the end of a transaction,
// if it has not within the last second; without one it takes ten seconds, and up to 14 it never does. As many
// transactions at once as there were sessions at work reach each of them. One that is refused leaves the counts of its
// session missing, which the proof of the rows shows.
func (e *Experiment) report(ctx context.Context) {
	sessions := besideClients
	for _, l := range e.Plan.Loads {
		sessions = max(sessions, l.Clients+besideClients)
	}
	own, cancel := context.WithTimeout(context.WithoutCancel(ctx), answerWithin)
	defer cancel()
	var asked sync.WaitGroup
	for range sessions {
		asked.Go(func() {
			conn, err := e.Connect(own)
			if err != nil {
				return
			}
			defer conn.Close(own) //nolint:errcheck // it has done its work
			_ = postgres.Exec(own, conn, held)
		})
	}
	asked.Wait()
}
