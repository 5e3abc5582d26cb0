package postgres

import (
	"context"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"
)

// atWork are the sessions that work on the server, in any database, and are not ours. Those of other runs of realiops that
// put a load on it are among them, and those that only read its counters are not. A role without pg_read_all_stats sees the
// state of its own sessions alone.
const atWork = `from pg_catalog.pg_stat_activity
	where backend_type = 'client backend' and pid <> pg_catalog.pg_backend_pid() and application_name <> '` + applicationName + `'
	  and state in ('active', 'idle in transaction')`

// askBusy counts sessions at work that are not ours.
func (f *Facts) askBusy(ctx context.Context, conn *pgx.Conn) error {
	if err := QueryRow(ctx, conn, "/* realiops */ select pg_catalog.count(*) "+atWork).Scan(&f.BusySessions); err != nil {
		return fmt.Errorf("ask who else is at work: %w", err)
	}
	return nil
}

// mostNamed bounds who is named.
const mostNamed = 5

// AtWork names those who are at work by what they call themselves, while no clients of ours are.
func (f Facts) AtWork(ctx context.Context, conn *pgx.Conn) (who []string, err error) {
	var program, role, database string
	err = ForEachRow(ctx, conn, []any{&program, &role, &database}, func() error {
		if program == "" {
			program = "a session"
		}
		if name := fmt.Sprintf("%s of %s in %s", program, Quoted(role), Quoted(database)); !slices.Contains(who, name) && len(who) < mostNamed {
			who = append(who, name)
		}
		return nil
	}, "/* realiops */ select application_name::text, coalesce(usename, '')::text, coalesce(datname, '')::text "+atWork)
	if err != nil {
		return nil, fmt.Errorf("ask who else is at work: %w", err)
	}
	return who, nil
}
