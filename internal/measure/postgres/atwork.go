package postgres

import (
	"context"
	"fmt"
	"slices"
	"time"

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

// Backend is a session of the server.
type Backend struct {
	PID   int32
	Since time.Time
}

// firstWithBackendWAL is the first version that counts the WAL of each session.
const firstWithBackendWAL = 180000

// WALOfOthers is how many bytes of WAL sessions that are not ours have written so far, none where the server does not tell. It
// is asked while no clients of ours are there.
func (f Facts) WALOfOthers(ctx context.Context, conn *pgx.Conn) (map[Backend]int64, error) {
	if f.VersionNum < firstWithBackendWAL {
		return nil, nil
	}
	wrote := map[Backend]int64{}
	var b Backend
	var bytes *int64
	err := ForEachRow(ctx, conn, []any{&b.PID, &b.Since, &bytes}, func() error {
		if bytes != nil {
			wrote[b] = *bytes
		}
		return nil
	}, `/* realiops */
		select a.pid, a.backend_start, w.wal_bytes::bigint
		from pg_catalog.pg_stat_activity a cross join lateral pg_catalog.pg_stat_get_backend_wal(a.pid) w
		where a.backend_type in ('client backend', 'parallel worker') and a.application_name <> '`+applicationName+"'")
	if err != nil {
		return nil, fmt.Errorf("ask how much WAL others have written: %w", err)
	}
	return wrote, nil
}
