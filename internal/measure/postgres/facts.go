package postgres

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/realiops/realiops/internal/runfile"
)

// Oldest is the oldest supported version, as server_version_num.
const Oldest = 130000

// Flavors of PostgreSQL. The same counter may mean something else on another flavor.
const (
	FlavorPostgres = "postgres"
	FlavorRDS      = "rds"
	FlavorAurora   = "aurora"
)

// Facts describes a server and this user's privileges on it.
type Facts struct {
	Version    string // 17.11
	VersionNum int    // 170011
	Flavor     string
	// Service is the other cloud's service that runs the server, where no user is a superuser: Cloud SQL,
	// AlloyDB or Azure; empty: none.
	Service           string
	Instance          string // AWS's name of the instance that answers; only Aurora reports it
	Database          string
	User              string // who connected
	ActsAs            string // current_user; differs from User if a pooler ignored our role=none
	Standby, ReadOnly bool
	Pooler            bool // another program answers for the server
	MayCheckpoint     bool
	MaySeeOthers      bool // other sessions' states; if not, only sessions in a transaction seem busy
	BusySessions      int  // other sessions at work, in any database
	Unconfirmed       bool // commits would hang: the required synchronous standbys are missing
	BackendPID        int
	ClientPort        int    // ours, as the server sees it; 0: a socket
	Connections       int    // that this user can have now, including this one
	DataDirectory     string // empty if this user may not see it
	Settings          map[string]string
	// SystemIdentifier identifies the server's data; empty if this user may not see it.
	SystemIdentifier string
	Clock            runfile.Clock
}

// BehindPooler reports whether a pooler answers for the server: then conn's process
// differs from the server's backend.
func BehindPooler(conn *pgx.Conn, backend int) bool { return int(conn.PgConn().PID()) != backend }

// Inspect asks the server about itself. It needs no privilege; what a plain user may not see stays empty.
func Inspect(ctx context.Context, conn *pgx.Conn) (Facts, error) {
	f := Facts{Flavor: FlavorPostgres}
	err := QueryRow(ctx, conn, `/* realiops */
		select pg_catalog.current_setting('server_version_num')::int,
		       pg_catalog.split_part(pg_catalog.current_setting('server_version'), ' ', 1),
		       `+Named("pg_catalog.current_database()")+", "+Named("session_user")+`, pg_catalog.pg_is_in_recovery(),
		       pg_catalog.current_setting('transaction_read_only')::boolean, pg_catalog.pg_backend_pid(),
		       coalesce(pg_catalog.inet_client_port(), 0), pg_catalog.current_setting('max_connections')::int`).Scan(
		&f.VersionNum, &f.Version, (*Name)(&f.Database), (*Name)(&f.User), &f.Standby, &f.ReadOnly, &f.BackendPID,
		&f.ClientPort, &f.Connections)
	if err != nil {
		return f, fmt.Errorf("identify the server: %w", err)
	}
	// Not in a transaction that sets the role, since some statements, such as VACUUM, cannot run in one.
	var actor uint32
	if err := conn.QueryRow(ctx, "/* realiops */ select pg_catalog.to_regrole(pg_catalog.quote_ident("+
		"current_user::pg_catalog.text))::pg_catalog.oid").Scan(&actor); err != nil {
		return f, fmt.Errorf("read the session's user: %w", err)
	}
	if err := QueryRow(ctx, conn, "/* realiops */ select "+Named("pg_catalog.pg_get_userbyid($1)"), actor).Scan(
		(*Name)(&f.ActsAs)); err != nil {
		return f, fmt.Errorf("read the session's user: %w", err)
	}
	f.Pooler = BehindPooler(conn, f.BackendPID)
	if f.VersionNum < Oldest {
		return f, nil // Refuse reports it; the other queries need a known version
	}
	if f.Settings, err = Settings(ctx, conn); err != nil {
		return f, err
	}
	for _, ask := range []func(context.Context, *pgx.Conn) error{f.askRights, f.askIdentity, f.askFlavor, f.askBusy,
		f.askStandbys, f.askConnections} {
		if err := ask(ctx, conn); err != nil {
			return f, err
		}
	}
	f.Clock, err = CompareClocks(ctx, conn)
	return f, err
}

// askIdentity reads the system identifier, if this user may.
func (f *Facts) askIdentity(ctx context.Context, conn *pgx.Conn) error {
	err := QueryRow(ctx, conn,
		"/* realiops */ select system_identifier::text from pg_catalog.pg_control_system()").Scan(&f.SystemIdentifier)
	return wrap(unlessRefused(err), "read the system identifier")
}

// unlessRefused returns an error, except for the server's refusal: this user may not know, or the function is missing.
func unlessRefused(err error) error {
	if _, refused := errors.AsType[*pgconn.PgError](err); refused {
		return nil
	}
	return err
}

// askRights reads the user's privileges. data_directory shows only to pg_read_all_settings, hence the subselect.
func (f *Facts) askRights(ctx context.Context, conn *pgx.Conn) error {
	err := QueryRow(ctx, conn, `/* realiops */
		select coalesce((select setting from pg_catalog.pg_settings where name = 'data_directory'), ''),
		       (select rolsuper from pg_catalog.pg_roles where rolname = current_user)
		       or exists (select from pg_catalog.pg_roles
		                  where rolname = 'pg_checkpoint' and pg_catalog.pg_has_role(current_user, oid, 'usage')),
		       pg_catalog.pg_has_role(current_user, 'pg_read_all_stats', 'usage')`).Scan(
		&f.DataDirectory, &f.MayCheckpoint, &f.MaySeeOthers)
	return wrap(err, "read this user's privileges")
}

// askConnections computes how many sessions the limits of server, role and database leave to this user beside other
// sessions. Behind a pooler, where sessions are reused, it is the server's limit.
func (f *Facts) askConnections(ctx context.Context, conn *pgx.Conn) error {
	if f.Pooler {
		return nil
	}
	err := QueryRow(ctx, conn, `/* realiops */
		with others as (select usesysid, datid from pg_catalog.pg_stat_activity where pid <> pg_catalog.pg_backend_pid()
		                and coalesce(backend_type = 'client backend', usesysid is not null and datid is not null))
		select least($1 - (select pg_catalog.count(*) from others) - case when r.rolsuper then 0 else
		           pg_catalog.current_setting('superuser_reserved_connections')::pg_catalog.int4
		           + case when exists (select from pg_catalog.pg_roles where rolname = 'pg_use_reserved_connections'
		                               and pg_catalog.pg_has_role(current_user, oid, 'usage')) then 0
		             else coalesce(pg_catalog.current_setting('reserved_connections', true)::pg_catalog.int4, 0) end end,
		       case when not r.rolsuper and r.rolconnlimit >= 0
		           then r.rolconnlimit - (select pg_catalog.count(*) from others where usesysid = r.oid) end,
		       case when not r.rolsuper and d.datconnlimit >= 0
		           then d.datconnlimit - (select pg_catalog.count(*) from others where datid = d.oid) end)
		from pg_catalog.pg_roles r, pg_catalog.pg_database d
		where r.rolname = current_user and d.datname = pg_catalog.current_database()`, f.Connections).Scan(&f.Connections)
	return wrap(err, "count the free connections")
}

// services maps the role of a service's database administrators to its name.
var services = map[string]string{"cloudsqlsuperuser": "Cloud SQL", "alloydbsuperuser": "AlloyDB",
	"azure_pg_admin": "Azure"}

// askFlavor recognizes managed servers: Aurora by a function, other services by their administrators' role.
func (f *Facts) askFlavor(ctx context.Context, conn *pgx.Conn) error {
	var aurora, rds bool
	var administrators string
	err := QueryRow(ctx, conn, `/* realiops */
		select exists (select from pg_catalog.pg_proc
		               where proname = 'aurora_version' and pronamespace = 'pg_catalog'::pg_catalog.regnamespace),
		       exists (select from pg_catalog.pg_roles where rolname = 'rds_superuser'),
		       coalesce((select pg_catalog.min(rolname::pg_catalog.text) from pg_catalog.pg_roles
		                 where rolname::pg_catalog.text = any($1)), '')`, slices.Sorted(maps.Keys(services))).Scan(&aurora, &rds, &administrators)
	switch {
	case err != nil:
		return fmt.Errorf("identify the PostgreSQL service: %w", err)
	case aurora:
		f.Flavor = FlavorAurora
		return f.askInstance(ctx, conn)
	case rds:
		f.Flavor = FlavorRDS
	default:
		f.Service = services[administrators]
	}
	return nil
}

// askInstance asks Aurora which instance answers, if it has that function and this user may call it.
func (f *Facts) askInstance(ctx context.Context, conn *pgx.Conn) error {
	err := QueryRow(ctx, conn, "/* realiops */ select coalesce(pg_catalog.aurora_db_instance_identifier(), '')").Scan(
		&f.Instance)
	return wrap(unlessRefused(err), "identify the Aurora instance")
}

// CompareClocks asks the server for the time a few times and keeps the fastest answer,
// whose error is half its round trip.
func CompareClocks(ctx context.Context, conn *pgx.Conn) (best runfile.Clock, err error) {
	const tries = 5
	for range tries {
		var there time.Time
		sent := time.Now()
		err := QueryRow(ctx, conn, "/* realiops */ select pg_catalog.clock_timestamp()").Scan(&there)
		if err != nil {
			return best, fmt.Errorf("compare clocks: %w", err)
		}
		if half := time.Since(sent) / 2; best.Source == "" || half.Seconds() < best.Error {
			best = runfile.Clock{Source: "server", Offset: there.Sub(sent.Add(half)).Seconds(), Error: half.Seconds()}
		}
	}
	return best, nil
}

// Describe describes the server in one phrase.
func (f Facts) Describe() string {
	parts := []string{"PostgreSQL " + f.Version}
	if f.Flavor != FlavorPostgres {
		parts = append(parts, "("+f.Flavor+")")
	}
	return strings.Join(parts, " ")
}
