package run

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/realiops/realiops/internal/measure/experiment"
	"github.com/realiops/realiops/internal/measure/load/session"
	"github.com/realiops/realiops/internal/measure/postgres"
	"github.com/realiops/realiops/internal/printable"
)

// How long a failover may take, and how often to check whether it is over. AWS says one or two minutes.
const (
	failoverWithin = 10 * time.Minute
	failoverLook   = 2 * time.Second
)

// recover waits until the lost server takes writes again, claims the schema there and returns the new session. It
// returns failed itself if the server was not lost.
func (m *measurement) recover(ctx context.Context, failed error) (*pgx.Conn, error) {
	if !m.lost(ctx, failed) {
		return nil, failed
	}
	m.session.Close(ctx) // the session is lost, or its server takes no writes
	m.Show.Message("The server was lost; waiting until one accepts writes, as after a failover")
	ctx, cancel := context.WithTimeoutCause(ctx, failoverWithin,
		fmt.Errorf("no server accepted writes within %s: %w", printable.Duration(failoverWithin), failed))
	defer cancel()
	for m.session.Reclaim(ctx) != nil {
		if experiment.Wait(ctx, failoverLook) != nil {
			return nil, context.Cause(ctx)
		}
	}
	m.say(m.session.LeftBehind)
	if m.moved = m.target.AWS.MovedTo(ctx, m.session.Facts.Instance); m.moved != nil {
		m.Show.Message("The load continues on " + m.moved.Instance)
	}
	return m.session.Control, nil
}

// lost reports whether the server was lost: it ended our sessions, or takes no writes any more.
func (m *measurement) lost(ctx context.Context, failed error) bool {
	if _, cut := errors.AsType[*session.LostError](failed); cut {
		return true
	}
	var standby bool
	err := postgres.QueryRow(ctx, m.session.Control,
		"/* realiops */ select pg_catalog.pg_is_in_recovery()").Scan(&standby)
	return err != nil || standby
}
