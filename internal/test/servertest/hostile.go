package servertest

import (
	"context"

	"github.com/jackc/pgx/v5"
)

// Setting is a setting that a database's owner may set for all who connect to it.
type Setting struct {
	Name   string
	Values []string // other than the current value, the lowest first
}

// hostile selects the settings that need no privilege, with all values of an enumeration, and the bounds and 1 for
// numbers; 1 is the worst timeout. Names, such as roles, get an attacker's choice.
const hostile = `select name, array_agg(value order by place)
	from (
		select name, value, 1 as place from pg_settings, unnest(array['on', 'off']) value where context = 'user' and vartype = 'bool'
		union all select name, value, 1 from pg_settings, unnest(enumvals) value where context = 'user' and vartype = 'enum'
		union all select name, min_val, 1 from pg_settings where context = 'user' and vartype in ('integer', 'real')
		union all select name, '1', 2 from pg_settings where context = 'user' and vartype in ('integer', 'real') and min_val::numeric < 1 and max_val::numeric > 1
			and name <> 'vacuum_buffer_usage_limit'
		union all select name, max_val, 3 from pg_settings where context = 'user' and vartype in ('integer', 'real')
		union all select name, value, 1 from (values
			('DateStyle', 'German, DMY'), ('TimeZone', 'Asia/Kathmandu'), ('timezone_abbreviations', 'India'), ('client_encoding', 'LATIN1'),
			('default_tablespace', 'nowhere'), ('temp_tablespaces', 'nowhere'), ('default_text_search_config', 'pg_catalog.simple'),
			('local_preload_libraries', 'nothing'), ('restrict_nonsystem_relation_kind', 'view, foreign-table'), ('search_path', 'nowhere'),
			('lc_monetary', 'C'), ('lc_numeric', 'C'), ('lc_time', 'C'), ('createrole_self_grant', 'set, inherit'), ('application_name', 'realiops load')
		) v (name, value) where name in (select name from pg_settings where context = 'user')
	) v join pg_settings s using (name)
	where value is distinct from s.setting and name not like 'transaction\_%' and name <> 'default_transaction_read_only'
		or name = 'transaction_timeout' and value <> '0'
	group by name order by name`

// Hostile returns a server's settings with values to set for a database. It leaves out settings that make a database
// read-only, which is a protection.
func Hostile(ctx context.Context, conn *pgx.Conn) (all []Setting, err error) {
	rows, err := conn.Query(ctx, hostile)
	if err != nil {
		return nil, err
	}
	var s Setting
	_, err = pgx.ForEachRow(rows, []any{&s.Name, &s.Values}, func() error {
		all = append(all, s)
		s = Setting{}
		return nil
	})
	return all, err
}
