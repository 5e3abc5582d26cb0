package experiment

import (
	"context"
	"sync"
	"time"

	"github.com/realiops/realiops/internal/measure/postgres"
)

const (
	// reportsAfter exceeds the least time between two reports of a session (PGSTAT_MIN_INTERVAL in pgstat.c).
	reportsAfter = 1100 * time.Millisecond
	// held keeps each session busy for a while, so that parallel queries reach as many others.
	// Opening one takes milliseconds.
	held = "/* realiops */ select pg_catalog.pg_sleep(0.3)"
	// besideClients is how many sessions of a pooler the run itself uses at once.
	besideClients = 5
)

// catchUp waits until the server's counters include all work done.
func (e *Experiment) catchUp(ctx context.Context) error {
	if e.Pooled {
		if err := Wait(ctx, reportsAfter); err != nil {
			return err
		}
		e.report(ctx)
	}
	return e.WaitForCounters(ctx)
}

// report makes the sessions of a pooler report what they did for us. A session reports at the end of a transaction
// if it has not in the last second; an idle one does after ten seconds, and never up to PostgreSQL 14. So report
// runs as many transactions at once as the load had sessions. If one is refused, its session's counts are missing,
// which the proof of the rows shows.
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
