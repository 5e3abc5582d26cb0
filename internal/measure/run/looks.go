package run

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/realiops/realiops/internal/measure/experiment"
	"github.com/realiops/realiops/internal/measure/postgres"
)

// looksEvery is the interval between two looks; the counters reveal what of others' is shorter.
const looksEvery = time.Second

// watchServer looks, by a session of its own until ctx ends, who else writes and whether our commits end. Where no
// session can be had, the counters tell of others all the same. It calls end with why the run cannot go on.
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
				err = experiment.Wait(ctx, looksEvery)
			}
		}
		_ = conn.Close(context.WithoutCancel(ctx)) // it only asked
	}
}

// connectForLooks opens the session of the looks. They ask the same every second, so the server plans it once.
func (m *measurement) connectForLooks(ctx context.Context) (*pgx.Conn, error) {
	conn, err := m.target.Endpoint.Connect(ctx)
	if err != nil || m.session.Facts.Pooler {
		return conn, err
	}
	if err := postgres.PrepareLooks(ctx, conn); err != nil {
		_ = conn.Close(context.WithoutCancel(ctx)) // the error before says it all
		return nil, err
	}
	return conn, nil
}
