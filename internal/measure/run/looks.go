package run

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/realiops/realiops/internal/measure/experiment"
	"github.com/realiops/realiops/internal/measure/postgres"
)

// looksEvery is the interval between two looks. The counters show shorter activity of other sessions.
const looksEvery = time.Second

// watchServer watches other sessions' writes, our waiting commits and who follows the WAL, in a session of
// its own, until ctx ends. It calls end with the reason if the run cannot go on. Without a session it does nothing: the counters
// still show other sessions' work.
func (m *measurement) watchServer(ctx context.Context, end func(error)) {
	for experiment.Wait(ctx, looksEvery) == nil {
		conn, err := m.connectForLooks(ctx)
		if err != nil {
			continue
		}
		for err == nil {
			if err = m.standbys.look(ctx, conn, m.Show.Message, end); err == nil {
				err = m.writers.look(ctx, conn)
			}
			if err == nil {
				err = m.followed.look(ctx, conn, end)
			}
			if err == nil {
				err = experiment.Wait(ctx, looksEvery)
			}
		}
		_ = conn.Close(context.WithoutCancel(ctx)) // it only asked
	}
}

// connectForLooks opens the session of the looks, which repeat the same queries and so cache their plans.
func (m *measurement) connectForLooks(ctx context.Context) (*pgx.Conn, error) {
	conn, err := m.target.Endpoint.Connect(ctx)
	if err != nil || m.session.Facts.Pooler {
		return conn, err
	}
	if err := postgres.PrepareLooks(ctx, conn); err != nil {
		_ = conn.Close(context.WithoutCancel(ctx)) // the earlier error is the one to report
		return nil, err
	}
	return conn, nil
}
