package postgres

import (
	"context"
	"slices"

	"github.com/jackc/pgx/v5"
)

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
		func() error {
			s.Scope, s.Value, s.Effect = scope(database, role), value, Kept
			switch {
			case Pinned(s.Setting):
				s.Effect = Overridden
			case slices.Contains(ioSettings, s.Setting):
				s.Effect = Measured
			}
			all = append(all, s)
			return nil
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
