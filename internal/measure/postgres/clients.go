package postgres

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/realiops/realiops/internal/printable"
)

const (
	// leaveWithin bounds the wait for our clients' sessions to end, which takes a server some milliseconds.
	leaveWithin = 5 * time.Second
	// firstLook and seldomLook are the first and the longest interval between looks. Each look is a transaction,
	// which the server counts with the load's.
	firstLook  = 2 * time.Millisecond
	seldomLook = 50 * time.Millisecond
)

// AwaitClientsGone waits until the server has ended our clients' sessions. A session reports its counters before it
// disappears, so afterwards they are complete (on 13 and 14, except for the collector's delay). Behind a pooler it
// returns immediately, since the pooler keeps the sessions.
func (f Facts) AwaitClientsGone(ctx context.Context, conn *pgx.Conn) error {
	if f.Pooler {
		return nil
	}
	pause := firstLook
	for until := time.Now().Add(leaveWithin); ; pause = min(2*pause, seldomLook) {
		var left int
		err := QueryRow(ctx, conn, `/* realiops */
			select pg_catalog.count(*) from pg_catalog.pg_stat_activity
			where application_name = $1 and datname = pg_catalog.current_database()`, clientName).Scan(&left)
		switch {
		case err != nil:
			return fmt.Errorf("wait for our clients to disconnect: %w", err)
		case left == 0:
			return nil
		case time.Now().After(until):
			return fmt.Errorf("%d sessions of our clients are still open %s after they disconnected", left,
				printable.Duration(leaveWithin))
		}
		time.Sleep(pause)
	}
}

// ReportCounters makes our session report its own work, such as creating a table, before a load begins:
// otherwise it would report up to a second later, during the load. Before PostgreSQL 15 this is not possible;
// there it is a few catalog rows.
func (f Facts) ReportCounters(ctx context.Context, conn *pgx.Conn) error {
	const firstThatCan = 150000
	if f.VersionNum < firstThatCan {
		return nil
	}
	return wrap(Exec(ctx, conn, "/* realiops */ select pg_catalog.pg_stat_force_next_flush()"),
		"flush our own counters")
}
