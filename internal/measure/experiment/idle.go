package experiment

import (
	"context"
	"errors"
	"sync"

	"github.com/jackc/pgx/v5"
)

// idle has as many sessions as the load with the most clients, which do nothing. A server counts a transaction for each
// that comes, and more besides; so what clients cost by being there is part of the background, and no load's.
func (e *Experiment) idle(ctx context.Context) error {
	most := 0
	for _, load := range e.Plan.Loads {
		if !load.Idle() {
			most = max(most, load.Clients+1) // and the one that its load opens to learn how
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

// connectAll gives the sessions that could be opened, also where not all could.
func (e *Experiment) connectAll(ctx context.Context, n int) ([]*pgx.Conn, error) {
	var opening sync.WaitGroup
	var mu sync.Mutex
	var sessions []*pgx.Conn
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
