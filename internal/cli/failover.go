package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/realiops/realiops/internal/measure/experiment"
	"github.com/realiops/realiops/internal/measure/load/session"
	"github.com/realiops/realiops/internal/measure/rds"
	"github.com/realiops/realiops/internal/runfile"
)

// How long a failover may take, and how often it is looked whether it is over: AWS speaks of one or two minutes.
const (
	failoverWithin = 10 * time.Minute
	failoverLook   = 2 * time.Second
)

// recover waits until the server that was lost takes writes again, claims the schema there and gives the new session. What
// failed for another reason stays failed.
func (m *measurement) recover(ctx context.Context, failed error) (*pgx.Conn, error) {
	if !m.lost(ctx, failed) {
		return nil, failed
	}
	_ = m.held.control.Close(ctx) // it is lost, or leads to a server that takes no writes
	m.show.Message("The server was lost: waiting until one takes writes again, as after a failover")
	ctx, cancel := context.WithTimeoutCause(ctx, failoverWithin, fmt.Errorf("no server took writes again within %v: %w", failoverWithin, failed))
	defer cancel()
	for {
		again, err := m.target.claim(ctx)
		if err == nil {
			m.held = again
			if m.moved = m.target.aws.movedTo(ctx, again.facts.Instance); m.moved != nil {
				m.show.Message("The load goes on, on " + m.moved.Instance + " now")
			}
			return again.control, nil
		}
		if experiment.Wait(ctx, failoverLook) != nil {
			return nil, context.Cause(ctx)
		}
	}
}

// lost tells whether the server was taken from us: it ended our sessions, or takes no writes any more.
func (m *measurement) lost(ctx context.Context, failed error) bool {
	if _, cut := errors.AsType[*session.LostError](failed); cut {
		return true
	}
	var standby bool
	err := m.held.control.QueryRow(ctx, "/* realiops */ select pg_is_in_recovery()").Scan(&standby)
	return err != nil || standby
}

// movedTo is what AWS says of the instance that the load is on by now, where that is another than the one it began on. What
// AWS does not say right after a failover is taken to be as it was, but for what is the instance's own.
func (a *awsTarget) movedTo(ctx context.Context, instance string) *runfile.Cloud {
	if instance == "" || strings.EqualFold(instance, a.cloud.Instance) {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, askWithin)
	defer cancel()
	moved := *a.cloud
	if found, err := rds.Find(ctx, a.account.Config(), rds.Query{Host: a.host, Answering: instance}); err == nil {
		moved = found.Cloud
	} else {
		moved.Resource, moved.Insights = "", false
	}
	moved.Instance, moved.Role = instance, rds.RoleWriter
	return &moved
}
