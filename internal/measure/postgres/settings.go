package postgres

import (
	"context"
	"maps"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/realiops/realiops/internal/runfile"
)

// ioSettings change how much I/O the same work causes, or what a counter means.
var ioSettings = []string{
	"fsync", "synchronous_commit", "full_page_writes", "wal_level", "wal_compression", "wal_sync_method",
	"wal_buffers", "wal_segment_size", "commit_delay", "commit_siblings", "max_wal_size", "min_wal_size",
	"checkpoint_timeout",
	"checkpoint_completion_target", "checkpoint_flush_after", "shared_buffers", "block_size", "data_checksums",
	"autovacuum",
	"bgwriter_lru_maxpages", "track_io_timing", "track_wal_io_timing", "track_counts", "archive_mode",
	"effective_io_concurrency", "io_method", "io_workers", "io_min_workers", "io_max_workers", "io_combine_limit",
	"temp_tablespaces", "default_tablespace", "server_version",
}

// Settings returns the settings of a session's server that change the counts, by name, and [runfile.Tablespaces].
func Settings(ctx context.Context, conn *pgx.Conn) (map[string]string, error) {
	settings := map[string]string{}
	var name, value string
	err := ForEachRow(ctx, conn, []any{&name, (*Name)(&value)}, func() { settings[name] = value }, `/* realiops */
		select name, `+Named("value")+` from (
		select name, pg_catalog.current_setting(name) as value from pg_catalog.pg_settings where name = any($1)
		union all select $2, coalesce(pg_catalog.string_agg(pg_catalog.quote_ident(spcname) || ' (' || oid || ')', ', ' order by oid), 'none')
		from (select oid, spcname from pg_catalog.pg_tablespace where spcname not in ('pg_default', 'pg_global') order by oid limit 1000) s) settings`,
		ioSettings, runfile.Tablespaces)
	return settings, wrap(err, "read the server's settings")
}

// SettingsNow returns the settings of a new session, which clients that connect now get: role and database settings
// do not reach existing sessions. If none can be opened, it reads conn's.
func (e *Endpoint) SettingsNow(ctx context.Context, conn *pgx.Conn) (map[string]string, error) {
	fresh, err := e.Connect(ctx)
	if err != nil {
		return Settings(ctx, conn)
	}
	defer fresh.Close(context.WithoutCancel(ctx)) //nolint:errcheck // it only asked
	return Settings(ctx, fresh)
}

// Changes returns the settings whose values differ in later, by name.
func Changes(before map[string]string, since time.Time, later map[string]string,
	at time.Time) (changes []runfile.SettingChange) {
	for _, name := range slices.Sorted(maps.Keys(before)) {
		if now, known := later[name]; known && now != before[name] {
			changes = append(changes, runfile.SettingChange{At: at, Since: since, Setting: name,
				From: before[name], To: now})
		}
	}
	return changes
}

// Effects of a setting of the database or the role.
const (
	Overridden = "overridden" // realiops sets its own value in its sessions
	Measured   = "measured"   // it changes how much I/O the same work causes, and stays
	Kept       = "kept"       // it stays
)

// SessionSetting is a setting of the database, the role, or both, which our sessions would get.
type SessionSetting struct {
	Scope   string `json:"scope"` // database shop
	Setting string `json:"setting"`
	// Value is empty for custom settings, in which applications keep secrets.
	Value  string `json:"value,omitempty"`
	Effect string `json:"effect"`
}

// SessionSettings returns the settings that this user's sessions in this database get. Later ones win.
func SessionSettings(ctx context.Context, conn *pgx.Conn) (all []SessionSetting, err error) {
	var database, role, value string
	var s SessionSetting
	err = ForEachRow(ctx, conn, []any{(*Name)(&database), (*Name)(&role), (*Name)(&s.Setting), (*Name)(&value)},
		func() {
			s.Scope, s.Value, s.Effect = scope(database, role), value, Kept
			switch {
			case Pinned(s.Setting):
				s.Effect = Overridden
			case slices.Contains(ioSettings, s.Setting):
				s.Effect = Measured
			}
			all = append(all, s)
		}, `/* realiops */
		select `+Named("coalesce(d.datname, '')")+", "+Named("coalesce(r.rolname, '')")+`,
			`+Named("c.name")+", "+Named("case when c.name ~ '[.]' then '' else c.value end")+`
		from pg_catalog.pg_db_role_setting s
		left join pg_catalog.pg_database d on d.oid = s.setdatabase left join pg_catalog.pg_roles r on r.oid = s.setrole
		cross join lateral (select pg_catalog.split_part(one, '=', 1) as name, pg_catalog.substr(one, pg_catalog.strpos(one, '=') + 1) as value
			from pg_catalog.unnest(s.setconfig) as one) c
		where s.setdatabase in (0, (select oid from pg_catalog.pg_database where datname = pg_catalog.current_database()))
			and s.setrole in (0, (select oid from pg_catalog.pg_roles where rolname = session_user))
		order by s.setrole <> 0, s.setdatabase <> 0, c.name`)
	return all, wrap(err, "read the settings of the database and the role")
}

func scope(database, role string) string {
	switch {
	case role == "" && database == "":
		return "all roles"
	case role == "":
		return "database " + Quoted(database)
	case database == "":
		return "role " + Quoted(role)
	default:
		return "role " + Quoted(role) + " in database " + Quoted(database)
	}
}
