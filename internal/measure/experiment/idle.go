package experiment

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/realiops/realiops/internal/series"
)

// idle opens as many sessions as the load with the most clients uses, and leaves them idle. Servers count a
// transaction and more for each connection, so the cost of connected clients becomes background.
func (e *Experiment) idle(ctx context.Context) error {
	most := 0
	for _, load := range e.Plan.Loads {
		if !load.Idle() {
			most = max(most, load.Clients+1) // and the session in which the load plans its rows
		}
	}
	sessions, err := e.connectAll(ctx, most)
	if err == nil {
		err = Wait(ctx, e.loadLength())
	}
	var leaving sync.WaitGroup
	for _, session := range sessions {
		leaving.Go(func() { _ = session.Close(context.WithoutCancel(ctx)) })
	}
	leaving.Wait()
	return err
}

// connectAll opens n sessions, and returns those that it could open along with any error.
func (e *Experiment) connectAll(ctx context.Context, n int) (sessions []*pgx.Conn, err error) {
	var opening sync.WaitGroup
	var mu sync.Mutex
	var failed error
	for range n {
		opening.Go(func() {
			session, err := e.Connect(ctx)
			mu.Lock()
			defer mu.Unlock()
			if err != nil {
				failed = errors.Join(failed, err)
				return
			}
			sessions = append(sessions, session)
		})
	}
	opening.Wait()
	if failed != nil && ctx.Err() != nil {
		failed = context.Cause(ctx)
	}
	return sessions, failed
}

// align waits until the load would hold whole periods, then reads again what the wait may have changed.
func (e *Experiment) align(ctx context.Context) error {
	if e.Period == 0 {
		return nil
	}
	e.Doing("waiting for the next period")
	if err := Wait(ctx, untilLead(time.Now(), e.Period)); err != nil {
		return err
	}
	return e.ReadAll(ctx)
}

// untilLead returns the time until Lead before the next period.
func untilLead(now time.Time, period time.Duration) time.Duration {
	ahead := time.Duration(Lead * float64(period))
	soon := now.Add(ahead)
	return series.PeriodUp(soon, period).Sub(soon)
}
