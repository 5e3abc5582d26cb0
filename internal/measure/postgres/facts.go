package postgres

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/realiops/realiops/internal/runfile"
)

// Oldest is the first version whose counters we know, as server_version_num.
const Oldest = 130000

// Flavors of PostgreSQL: the same counter may mean something else on another.
const (
	FlavorPostgres = "postgres"
	FlavorRDS      = "rds"
	FlavorAurora   = "aurora"
)

// Facts is what a server says of itself, and of what this user may do.
type Facts struct {
	Version       string // 17.11
	VersionNum    int    // 170011
	Flavor        string
	Instance      string // what AWS calls the one that answers; only Aurora says it
	Database      string
	User          string
	Standby       bool
	ReadOnly      bool
	Pooler        bool // another program answers in the server's name
	MayCheckpoint bool
	MaySeeOthers  bool // what their sessions do; without it nobody seems to be at work
	BusySessions  int  // of other people, in any database
	BackendPID    int
	DataDirectory string // empty where this user may not know it
	Settings      map[string]string
	Clock         runfile.Clock
}

// ioSettings change how much I/O the same work makes, or what a counter of it means.
var ioSettings = []string{
	"fsync", "synchronous_commit", "full_page_writes", "wal_level", "wal_compression", "wal_sync_method",
	"wal_buffers", "wal_segment_size", "commit_delay", "max_wal_size", "min_wal_size", "checkpoint_timeout",
	"checkpoint_completion_target", "shared_buffers", "block_size", "data_checksums", "autovacuum",
	"bgwriter_lru_maxpages", "track_io_timing", "track_wal_io_timing", "track_counts", "archive_mode",
	"effective_io_concurrency", "io_method", "temp_tablespaces", "default_tablespace", "server_version",
}

// Inspect asks the server about itself. It needs no privilege; what a plain user may not know stays empty.
func Inspect(ctx context.Context, conn *pgx.Conn) (Facts, error) {
	f := Facts{Flavor: FlavorPostgres}
	err := conn.QueryRow(ctx, `/* realiops */
		select current_setting('server_version_num')::int, split_part(current_setting('server_version'), ' ', 1),
		       current_database(), session_user, pg_is_in_recovery(),
		       current_setting('transaction_read_only')::bool, pg_backend_pid()`).Scan(
		&f.VersionNum, &f.Version, &f.Database, &f.User, &f.Standby, &f.ReadOnly, &f.BackendPID)
	if err != nil {
		return f, fmt.Errorf("ask the server what it is: %w", err)
	}
	f.Pooler = int(conn.PgConn().PID()) != f.BackendPID
	if f.VersionNum < Oldest {
		return f, nil // Refuse says so; the questions below are for servers we know
	}
	for _, ask := range []func(context.Context, *pgx.Conn) error{
		f.askSettings, f.askRights, f.askFlavor, f.askBusy, f.askClock,
	} {
		if err := ask(ctx, conn); err != nil {
			return f, err
		}
	}
	return f, nil
}

func (f *Facts) askSettings(ctx context.Context, conn *pgx.Conn) error {
	rows, err := conn.Query(ctx, `/* realiops */
		select name, current_setting(name) from pg_catalog.pg_settings where name = any($1)`, ioSettings)
	if err != nil {
		return fmt.Errorf("read the server's settings: %w", err)
	}
	f.Settings = map[string]string{}
	var name, value string
	_, err = pgx.ForEachRow(rows, []any{&name, &value}, func() error {
		f.Settings[name] = value
		return nil
	})
	if err != nil {
		return fmt.Errorf("read the server's settings: %w", err)
	}
	return nil
}

// askRights finds out what the user may do. data_directory shows only to pg_read_all_settings, hence the subselect.
func (f *Facts) askRights(ctx context.Context, conn *pgx.Conn) error {
	err := conn.QueryRow(ctx, `/* realiops */
		select coalesce((select setting from pg_catalog.pg_settings where name = 'data_directory'), ''),
		       (select rolsuper from pg_catalog.pg_roles where rolname = current_user)
		       or exists (select from pg_catalog.pg_roles
		                  where rolname = 'pg_checkpoint' and pg_has_role(current_user, oid, 'usage')),
		       pg_has_role(current_user, 'pg_read_all_stats', 'usage')`).Scan(
		&f.DataDirectory, &f.MayCheckpoint, &f.MaySeeOthers)
	if err != nil {
		return fmt.Errorf("ask what this user may do: %w", err)
	}
	return nil
}

// askFlavor tells managed servers by what only they have: a function of Aurora's, the administrator's role of RDS.
func (f *Facts) askFlavor(ctx context.Context, conn *pgx.Conn) error {
	var aurora, rds bool
	err := conn.QueryRow(ctx, `/* realiops */
		select exists (select from pg_catalog.pg_proc where proname = 'aurora_version'),
		       exists (select from pg_catalog.pg_roles where rolname = 'rds_superuser')`).Scan(&aurora, &rds)
	switch {
	case err != nil:
		return fmt.Errorf("ask which flavor of PostgreSQL it is: %w", err)
	case aurora:
		f.Flavor = FlavorAurora
		return f.askInstance(ctx, conn)
	case rds:
		f.Flavor = FlavorRDS
	}
	return nil
}

// askInstance asks Aurora which instance answers, where it has the function for that and this user may call it.
func (f *Facts) askInstance(ctx context.Context, conn *pgx.Conn) error {
	err := conn.QueryRow(ctx, "/* realiops */ select coalesce(aurora_db_instance_identifier(), '')").Scan(&f.Instance)
	if _, refused := errors.AsType[*pgconn.PgError](err); err != nil && !refused {
		return fmt.Errorf("ask Aurora which instance answers: %w", err)
	}
	return nil
}

// askBusy counts sessions at work that are not ours. A plain user sees state only of its own sessions and NULL of
// others', which then do not count.
func (f *Facts) askBusy(ctx context.Context, conn *pgx.Conn) error {
	err := conn.QueryRow(ctx, `/* realiops */
		select count(*) from pg_catalog.pg_stat_activity
		where backend_type = 'client backend' and pid <> pg_backend_pid() and application_name <> all($1)
		  and state in ('active', 'idle in transaction')`, []string{applicationName, clientName}).Scan(&f.BusySessions)
	if err != nil {
		return fmt.Errorf("ask who else is at work: %w", err)
	}
	return nil
}

func (f *Facts) askClock(ctx context.Context, conn *pgx.Conn) (err error) {
	f.Clock, err = CompareClocks(ctx, conn)
	return err
}

// CompareClocks asks the server for the time a few times and keeps the quickest answer, whose error is half its round
// trip.
func CompareClocks(ctx context.Context, conn *pgx.Conn) (runfile.Clock, error) {
	const tries = 5
	var best runfile.Clock
	for range tries {
		var there time.Time
		sent := time.Now()
		err := conn.QueryRow(ctx, "/* realiops */ select clock_timestamp()").Scan(&there)
		if err != nil {
			return best, fmt.Errorf("compare clocks: %w", err)
		}
		half := time.Since(sent) / 2
		if best.Source == "" || half.Seconds() < best.Error {
			best = runfile.Clock{Source: "server", Offset: there.Sub(sent.Add(half)).Seconds(), Error: half.Seconds()}
		}
	}
	return best, nil
}

// Describe names the server in one phrase.
func (f Facts) Describe() string {
	parts := []string{"PostgreSQL " + f.Version}
	if f.Flavor != FlavorPostgres {
		parts = append(parts, "("+f.Flavor+")")
	}
	return strings.Join(parts, " ")
}
