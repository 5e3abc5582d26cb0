package postgres

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/realiops/realiops/internal/printable"
)

const (
	// leaveWithin bounds the wait for our clients' sessions to be gone; leaving takes a server some milliseconds.
	leaveWithin = 5 * time.Second
	// firstLook and seldomLook are after how long it is looked for them again, first and at last: each look is a
	// transaction, which the server counts among those of the load.
	firstLook  = 2 * time.Millisecond
	seldomLook = 50 * time.Millisecond
)

// AwaitClientsGone returns when the server has ended the sessions of our clients. A session reports its counters
// before it disappears, so from then on nothing they did is missing (on 13 and 14: nothing but the collector's delay).
// Behind a pooler there is nothing to wait for: it keeps the sessions.
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
			return fmt.Errorf("wait for our clients to leave: %w", err)
		case left == 0:
			return nil
		case time.Now().After(until):
			return fmt.Errorf("%d sessions of our clients are still there %s after they left", left,
				printable.Duration(leaveWithin))
		}
		time.Sleep(pause)
	}
}

// ReportCounters has a session of ours report what it did itself, such as making a table, before a load begins: left
// to itself it would do so up to a second later, inside the load. Servers before 15 cannot be asked to; there it is a
// few rows of the catalogue.
func (f Facts) ReportCounters(ctx context.Context, conn *pgx.Conn) error {
	const firstThatCan = 150000
	if f.VersionNum < firstThatCan {
		return nil
	}
	return wrap(Exec(ctx, conn, "/* realiops */ select pg_catalog.pg_stat_force_next_flush()"),
		"have our own counters reported")
}
