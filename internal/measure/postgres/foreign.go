package postgres

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"
)

// EventTrigger is an event trigger that fires in our sessions.
type EventTrigger struct {
	Name, Function string
	Owner          string // of the trigger, or of its function if that owner is not trusted
	Login          bool   // fires at the start of a session, not for DDL
	// Trusted is set if superusers or this user own both trigger and function: these owners gain nothing by them.
	Trusted bool
}

func (t EventTrigger) String() string {
	return fmt.Sprintf("the event trigger %s, which calls %s and belongs to %s", Quoted(t.Name), t.Function,
		Quoted(t.Owner))
}

// Fired returns a sentence about the triggers that a run's DDL fires, and one about those that each session
// fires at its start; empty: none.
func Fired(all []EventTrigger) (ddl, login string) {
	var made, begun []string
	for _, t := range all {
		if t.Login {
			begun = append(begun, t.String())
		} else {
			made = append(made, t.String())
		}
	}
	if len(made) > 0 {
		ddl = "The schema and the tables of a run fire " + strings.Join(made, "; ") + "."
	}
	if len(begun) > 0 {
		login = "Each session of realiops fires " + strings.Join(begun, "; ") + ". Its writes count as others' work."
	}
	return ddl, login
}

// OfExtension returns an SQL condition: the object belongs to the extension, and only superusers or this user may
// replace it. The arguments give the object's catalog, OID and owner.
func OfExtension(catalog, oid, owner, extension string) string {
	return "(" + trusted(owner) +
		" and exists (select from pg_catalog.pg_depend d join pg_catalog.pg_extension e on e.oid = d.refobjid " +
		"where d.refclassid = 'pg_catalog.pg_extension'::pg_catalog.regclass and d.classid = 'pg_catalog." + catalog +
		"'::pg_catalog.regclass " +
		"and d.objid = " + oid + " and d.deptype = 'e' and e.extname = " + extension + "))"
}

// trusted returns an SQL condition: the role may safely act with our privileges.
func trusted(owner string) string {
	return "exists (select from pg_catalog.pg_roles o where o.oid = " + owner +
		" and (o.rolsuper or o.rolname = current_user))"
}

// EventTriggers returns the database's event triggers that are enabled for this user.
func EventTriggers(ctx context.Context, conn *pgx.Conn) (all []EventTrigger, err error) {
	var t EventTrigger
	err = ForEachRow(ctx, conn, []any{(*Name)(&t.Name), (*Name)(&t.Function), (*Name)(&t.Owner), &t.Login, &t.Trusted},
		func() { all = append(all, t) }, `/* realiops */
		select `+Named("t.evtname")+", "+Named("p.oid::pg_catalog.regprocedure")+`,
			`+Named("pg_catalog.pg_get_userbyid(case when "+trusted("t.evtowner")+" then p.proowner else t.evtowner end)")+`, t.evtevent = 'login',
			`+trusted("t.evtowner")+" and "+trusted("p.proowner")+`
		from pg_catalog.pg_event_trigger t join pg_catalog.pg_proc p on p.oid = t.evtfoid
		where t.evtenabled <> 'D' and coalesce(pg_catalog.current_setting('event_triggers', true), 'on') <> 'off'
		order by t.evtname`)
	return all, wrap(err, "list event triggers")
}

// foreignEventTrigger refuses a database whose event trigger runs another user's function with our privileges.
func foreignEventTrigger(ctx context.Context, conn *pgx.Conn) (refusal, err error) {
	all, err := EventTriggers(ctx, conn)
	for _, t := range all {
		if !t.Trusted {
			return fmt.Errorf("%s, who is not a superuser, would run with this user's privileges; drop or disable it "+
				"(alter event trigger %s disable), or use another database", t, Quoted(t.Name)), nil
		}
	}
	return nil, err
}

// published refuses a database that publishes all its tables. A subscriber without our table stops replicating until
// somebody creates it, while the server keeps its WAL.
func published(ctx context.Context, conn *pgx.Conn) (refusal, err error) {
	var name string
	err = QueryRow(ctx, conn, "/* realiops */ select "+Named("pubname")+
		" from pg_catalog.pg_publication where puballtables order by pubname limit 1").Scan((*Name)(&name))
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return nil, nil
	case err != nil:
		return nil, fmt.Errorf("list publications: %w", err)
	}
	return fmt.Errorf("the publication %s is for all tables, and its subscribers would fail because they lack the "+
		"tables of a run; use another database of this server", Quoted(name)), nil
}

// foreign refuses a database in which other users control what happens to our objects.
func foreign(ctx context.Context, conn *pgx.Conn) (refusals []error, err error) {
	for _, look := range []func(context.Context, *pgx.Conn) (error, error){
		foreignEventTrigger, published, foreignSchema,
	} {
		refusal, err := look(ctx, conn)
		if err != nil {
			return nil, err
		}
		if refusal != nil {
			refusals = append(refusals, refusal)
		}
	}
	return refusals, nil
}

// foreignParts selects, in words, the objects attached to table $1 that would take part in
// our statements and are not ours.
var foreignParts = `/* realiops */
	with t as (select * from pg_catalog.pg_class where oid = $1::pg_catalog.text::pg_catalog.regclass)
	select ` + Named("part") + ` from (
		select 1, pg_catalog.format('the owner %I', pg_catalog.pg_get_userbyid(t.relowner))
			from t where t.relowner <> (select oid from pg_catalog.pg_roles where rolname = current_user)
		union all select 2, pg_catalog.format('the trigger %I, which calls %s of %I', g.tgname, p.oid::pg_catalog.regprocedure, pg_catalog.pg_get_userbyid(p.proowner))
			from t join pg_catalog.pg_trigger g on g.tgrelid = t.oid join pg_catalog.pg_proc p on p.oid = g.tgfoid
		union all select 3, pg_catalog.format('the rule %I', r.rulename) from t join pg_catalog.pg_rewrite r on r.ev_class = t.oid
		union all select 4, pg_catalog.format('the policy %I', p.polname) from t join pg_catalog.pg_policy p on p.polrelid = t.oid
		union all select 5, 'row security' from t where t.relrowsecurity or t.relforcerowsecurity
		union all select 6, pg_catalog.format('the constraint %I', c.conname)
			from t join pg_catalog.pg_constraint c on c.conrelid = t.oid or c.confrelid = t.oid
			where not (c.contype in ('p', 'n') and c.conrelid = t.oid)
		union all select 7, pg_catalog.format('the inheritance between %s and %s', i.inhrelid::pg_catalog.regclass, i.inhparent::pg_catalog.regclass)
			from t join pg_catalog.pg_inherits i on t.oid in (i.inhparent, i.inhrelid)
		union all select 8, pg_catalog.format('the default of the column %I', a.attname)
			from t join pg_catalog.pg_attrdef d on d.adrelid = t.oid join pg_catalog.pg_attribute a on a.attrelid = t.oid and a.attnum = d.adnum
			where pg_catalog.pg_get_expr(d.adbin, d.adrelid) is distinct from
				pg_catalog.format('nextval(%L::regclass)', pg_catalog.pg_get_serial_sequence($1::pg_catalog.text, a.attname::pg_catalog.text))
		union all select 9, pg_catalog.format('the type of the column %I', a.attname)
			from t join pg_catalog.pg_attribute a on a.attrelid = t.oid and a.attnum > 0 and not a.attisdropped
			join pg_catalog.pg_type y on y.oid = a.atttypid where y.typnamespace <> 'pg_catalog'::pg_catalog.regnamespace
		union all select 10, pg_catalog.format('the index %s', i.indexrelid::pg_catalog.regclass)
			from t join pg_catalog.pg_index i on i.indrelid = t.oid
			where i.indexprs is not null or i.indpred is not null or exists (select from pg_catalog.pg_opclass o
				where o.oid = any (i.indclass) and o.opcnamespace <> 'pg_catalog'::pg_catalog.regnamespace)
		union all select 11, pg_catalog.format('the statistics %I', s.stxname) from t join pg_catalog.pg_statistic_ext s on s.stxrelid = t.oid
	) as found (kind, part) order by kind, part`

// RefuseForeign returns an error that names other users' additions to our table: they would run with our
// privileges, or be measured with the load.
func RefuseForeign(ctx context.Context, conn Asker, table string) error {
	var part string
	var found []string
	err := ForEachRow(ctx, conn, []any{(*Name)(&part)}, func() {
		if len(found) < mostNamed {
			found = append(found, part)
		}
	}, foreignParts, table)
	if err != nil {
		return fmt.Errorf("inspect the table %s: %w", table, err)
	}
	if len(found) > 0 {
		return fmt.Errorf("the table %s of this run has %s, which realiops did not add; find out who alters new "+
			"tables, or use another database", table, strings.Join(found, "; "))
	}
	return nil
}
