package postgres

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"
)

// atWork selects other sessions at work in any database: active or in a transaction. Sessions of other realiops runs
// that load the server count, sessions that read its counters do not. If this role may not see another session's
// state, or track_activities is off, a session counts if it holds the lock of a transaction, which every role sees.
const atWork = `from pg_catalog.pg_stat_activity a
		where coalesce(backend_type = 'client backend', usename is not null and datname is not null)
		and pid <> pg_catalog.pg_backend_pid() and application_name <> '` + applicationName + `'
		and (state in ('active', 'idle in transaction') or coalesce(state, 'disabled') = 'disabled' and exists (
			select from pg_catalog.pg_locks l where l.pid = a.pid and l.locktype = 'virtualxid' and l.mode = 'ExclusiveLock'))`

// names selects a session's program, role and database, as [Name]s.
var names = Named("application_name") + ", " + Named("coalesce(usename, '')") + ", " + Named("coalesce(datname, '')")

func (f *Facts) askBusy(ctx context.Context, conn *pgx.Conn) error {
	err := QueryRow(ctx, conn, "/* realiops */ select pg_catalog.count(*) "+atWork).Scan(&f.BusySessions)
	return wrap(err, "list other sessions")
}

var writing = `/* realiops */
		select l.virtualtransaction, ` + names + `
		from pg_catalog.pg_locks l join pg_catalog.pg_stat_activity a on a.pid = l.pid
		where l.granted and a.usesysid is not null and a.application_name <> '` + applicationName + "' and a.application_name <> '" + clientName + `'
			and (l.locktype = 'transactionid' and l.mode = 'ExclusiveLock'
				or l.locktype = 'relation' and l.mode in ('ShareUpdateExclusiveLock', 'ShareLock', 'ShareRowExclusiveLock', 'AccessExclusiveLock'))`

// PrepareLooks prepares the queries of Writing, WaitingForStandby and Followers.
func PrepareLooks(ctx context.Context, conn *pgx.Conn) error {
	return wrap(Prepare(ctx, conn, SafeTransaction, writing, waitingForStandby, followers), "prepare queries")
}

// Writing returns the sessions, by transaction, whose open transaction has written, builds an index or
// vacuums. No counter shows their work before they end. Their locks show them to every role; autovacuum is
// left out, since it has no user.
func Writing(ctx context.Context, conn *pgx.Conn) (map[string]string, error) {
	transactions := map[string]string{}
	var transaction, program, role, database string
	err := ForEachRow(ctx, conn, []any{&transaction, (*Name)(&program), (*Name)(&role), (*Name)(&database)},
		func() { transactions[transaction] = called(program, role, database) }, writing)
	return transactions, wrap(err, "list other writers")
}

// mostNamed bounds how many sessions are named.
const mostNamed = 5

// parties lists sessions at work, by program, role and database.
type parties []string

func (p *parties) add(program, role, database string) {
	if who := called(program, role, database); !slices.Contains(*p, who) && len(*p) < mostNamed {
		*p = append(*p, who)
	}
}

func called(program, role, database string) string {
	return fmt.Sprintf("%s of %s in %s", cmp.Or(program, "a session"), Quoted(role), Quoted(database))
}

// AtWork names the other sessions at work. It is called while no clients of ours are connected.
func (f Facts) AtWork(ctx context.Context, conn *pgx.Conn) ([]string, error) {
	var who parties
	var program, role, database string
	err := ForEachRow(ctx, conn, []any{(*Name)(&program), (*Name)(&role), (*Name)(&database)}, func() {
		who.add(program, role, database)
	}, "/* realiops */ select "+names+" "+atWork)
	return who, wrap(err, "list other sessions")
}

// Backend is a session of the server.
type Backend struct {
	PID   int32
	Since time.Time
}

// firstWithBackendWAL is the first version that counts the WAL of each session.
const firstWithBackendWAL = 180000

// WALOfOthers returns the bytes of WAL that each other session has written so far, or nil if the server does not say.
// It is called while no clients of ours are connected.
func (f Facts) WALOfOthers(ctx context.Context, conn *pgx.Conn) (map[Backend]int64, error) {
	if f.VersionNum < firstWithBackendWAL {
		return nil, nil
	}
	wrote := map[Backend]int64{}
	var b Backend
	var bytes *int64
	err := ForEachRow(ctx, conn, []any{&b.PID, &b.Since, &bytes}, func() {
		if bytes != nil {
			wrote[b] = *bytes
		}
	}, `/* realiops */
		select a.pid, a.backend_start, w.wal_bytes::bigint
		from pg_catalog.pg_stat_activity a cross join lateral pg_catalog.pg_stat_get_backend_wal(a.pid) w
		where a.backend_type in ('client backend', 'parallel worker') and a.application_name <> '`+applicationName+"'")
	return wrote, wrap(err, "read the WAL of other sessions")
}

// StatisticsRows returns how many rows of planner statistics have been written in our database so far: in
// pg_statistic, pg_statistic_ext_data and their TOAST tables. ANALYZE writes them, and so does autovacuum.
func StatisticsRows(ctx context.Context, conn *pgx.Conn) (rows int64, err error) {
	err = QueryRow(ctx, conn, `/* realiops */
		select coalesce(pg_catalog.sum(pg_catalog.pg_stat_get_tuples_inserted(t) + pg_catalog.pg_stat_get_tuples_updated(t)
			+ pg_catalog.pg_stat_get_tuples_deleted(t)), 0)::bigint
		from pg_catalog.unnest(array[2619, 2840, 3429, 3430]::pg_catalog.oid[]) t`).Scan(&rows)
	return rows, wrap(err, "read autovacuum's work")
}
