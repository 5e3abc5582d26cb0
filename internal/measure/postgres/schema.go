package postgres

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"regexp"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// SchemaName is where all objects of ours live.
const SchemaName = "realiops"

// schemaMark tells a schema that we made from one that only has the same name.
const schemaMark = "made by realiops, which drops it at the end of a run"

// TableMark tells a table that we made from one that somebody else put into the schema.
const TableMark = "made by realiops, which drops it with the schema"

// schemaLock keeps two runs on one database apart: the first eight bytes of the word realiops.
const schemaLock = 0x7265616c696f7073

// Schema is the schema of ours on a server, held by one session for the length of a run.
type Schema struct {
	conn   *pgx.Conn
	locked bool
}

// ClaimSchema makes the schema empty and ours until Release. It refuses one that somebody else made, and one that
// another run is using; what an earlier run left behind is dropped. Behind a pooler nothing keeps two runs apart: a
// lock would stay with the server's session, which the pooler gives to somebody else.
func (f Facts) ClaimSchema(ctx context.Context, conn *pgx.Conn) (*Schema, error) {
	s := &Schema{conn: conn, locked: !f.Pooler}
	if err := s.lock(ctx); err != nil {
		return nil, err
	}
	ours, err := mayReplace(ctx, conn)
	if err != nil {
		return nil, err
	}
	if !ours {
		return nil, errNotOurs
	}
	if err := s.recreate(ctx); err != nil {
		return nil, err
	}
	return s, nil
}

// Why the schema cannot be claimed.
var (
	errNotOurs = errors.New("a schema named " + SchemaName + " exists that realiops did not make: rename it, or use another database")
	errInUse   = errors.New("another run of realiops is using this database: wait for it")
)

// mayReplace tells whether the name is free or of a schema that we made.
func mayReplace(ctx context.Context, conn *pgx.Conn) (bool, error) {
	var mark *string
	err := QueryRow(ctx, conn, `/* realiops */
		select d.description from pg_catalog.pg_namespace n left join pg_catalog.pg_description d
		on d.objoid = n.oid and d.classoid = 'pg_catalog.pg_namespace'::pg_catalog.regclass and d.objsubid = 0
		where n.nspname = $1`, SchemaName).Scan(&mark)
	if errors.Is(err, pgx.ErrNoRows) {
		return true, nil
	}
	if err != nil {
		return false, fmt.Errorf("look for the schema %s: %w", SchemaName, err)
	}
	return mark != nil && *mark == schemaMark, nil
}

// RefuseSchema says in its first result why ClaimSchema would be refused, or nothing. It only looks, and so may be
// wrong a moment later.
func (f Facts) RefuseSchema(ctx context.Context, conn *pgx.Conn) (refusal, err error) {
	ours, err := mayReplace(ctx, conn)
	if err != nil {
		return nil, err
	}
	var may bool
	var here string
	err = QueryRow(ctx, conn, `/* realiops */
		select pg_catalog.has_database_privilege(pg_catalog.current_database(), 'create'),
			`+Named("pg_catalog.current_database()")).Scan(&may, (*Name)(&here))
	if err != nil {
		return nil, fmt.Errorf("ask whether the schema %s can be made: %w", SchemaName, err)
	}
	elsewhere, err := lockedElsewhere(ctx, conn)
	switch {
	case err != nil:
		return nil, fmt.Errorf("ask whether the schema %s can be made: %w", SchemaName, err)
	case !ours:
		return errNotOurs, nil
	case elsewhere != "" && elsewhere == here && !f.Pooler:
		return errInUse, nil
	case elsewhere != "" && !f.Pooler:
		return runsElsewhere(elsewhere), nil
	case !may:
		return fmt.Errorf("this user may not create the schema %s: grant create on database %s to %s; or use another one",
			SchemaName, Typed(f.Database, "DATABASE"), Typed(f.User, "ROLE")), nil
	}
	return nil, nil
}

// lock takes the lock of this database, which keeps it, and gives it back where another run has that of another database of
// the server: the counters and the disks are the server's. Of two that come at once both may give way; then chance has one
// of them come back first. A session that has just ended keeps its lock for a moment, too.
func (s *Schema) lock(ctx context.Context) error {
	if !s.locked {
		return nil
	}
	const tries = 3
	for try := 1; ; try++ {
		var mine bool
		if err := QueryRow(ctx, s.conn, "/* realiops */ select pg_catalog.pg_try_advisory_lock($1)", int64(schemaLock)).Scan(&mine); err != nil {
			return fmt.Errorf("lock the schema %s: %w", SchemaName, err)
		}
		refusal := errInUse
		if mine {
			elsewhere, err := lockedElsewhere(ctx, s.conn)
			if err != nil || elsewhere == "" {
				return err
			}
			if err := QueryRow(ctx, s.conn, "/* realiops */ select pg_catalog.pg_advisory_unlock($1)", int64(schemaLock)).Scan(&mine); err != nil {
				return fmt.Errorf("give back the lock of the schema %s: %w", SchemaName, err)
			}
			refusal = runsElsewhere(elsewhere)
		}
		if try == tries {
			return refusal
		}
		select {
		case <-time.After(100*time.Millisecond + rand.N(400*time.Millisecond)): //nolint:gosec // chance, not a secret
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// schemaLocks are the locks of runs in any database of the server, as $1.
const schemaLocks = `from pg_catalog.pg_locks l left join pg_catalog.pg_database d on d.oid = l.database
	where l.locktype = 'advisory' and l.granted and l.objsubid = 1 and (l.classid::bigint << 32) | l.objid::bigint = $1
	  and l.pid <> pg_catalog.pg_backend_pid()`

// lockedElsewhere is the database in which another run is at work; empty: in none.
func lockedElsewhere(ctx context.Context, conn *pgx.Conn) (database string, err error) {
	where := Named("coalesce((select d.datname " + schemaLocks + " limit 1), '')")
	err = QueryRow(ctx, conn, "/* realiops */ select "+where, int64(schemaLock)).Scan((*Name)(&database))
	if err != nil {
		return "", fmt.Errorf("ask whether another run is at work on the server: %w", err)
	}
	return database, nil
}

func runsElsewhere(database string) error {
	return fmt.Errorf("another run of realiops is at work on this server, in the database %s: wait for it, because each would count what the other does",
		Quoted(database))
}

func (s *Schema) recreate(ctx context.Context) error {
	if err := s.drop(ctx); err != nil {
		return fmt.Errorf("drop what an earlier run left: %w", err)
	}
	err := Exec(ctx, s.conn, fmt.Sprintf(`create schema %[1]s; comment on schema %[1]s is '%[2]s'`, SchemaName, schemaMark))
	if refused, ok := errors.AsType[*pgconn.PgError](err); ok && refused.Code == "42501" { // insufficient_privilege
		return fmt.Errorf("this user may not create the schema %s (%s): grant create on the database, or use another one",
			SchemaName, refused.Message)
	}
	if err != nil {
		return fmt.Errorf("create the schema %s: %w", SchemaName, err)
	}
	return nil
}

// Release drops the schema and lets others have it.
func (s *Schema) Release(ctx context.Context) error {
	err := s.drop(ctx)
	if s.locked && !s.conn.IsClosed() {
		err = errors.Join(err, Exec(ctx, s.conn, fmt.Sprintf("select pg_catalog.pg_advisory_unlock(%d)", int64(schemaLock))))
	}
	return err
}

// drop drops by their names the things in the schema that we made, and then the schema. What others made, and what they
// made of ours, such as a view of a table, stays and is named: nothing is dropped because it depends on something.
func (s *Schema) drop(ctx context.Context) error {
	var statement string
	var statements []string
	err := ForEachRow(ctx, s.conn, []any{&statement}, func() error {
		statements = append(statements, statement)
		return nil
	}, `/* realiops */
		select pg_catalog.format('drop table %I.%I', n.nspname, c.relname)
		from pg_catalog.pg_namespace n join pg_catalog.pg_class c on c.relnamespace = n.oid and c.relkind = 'r'
		join pg_catalog.pg_description d
		on d.objoid = c.oid and d.classoid = 'pg_catalog.pg_class'::pg_catalog.regclass and d.objsubid = 0 and d.description = $2
		where n.nspname = $1
		union all select pg_catalog.format('drop extension %I', e.extname)
		from pg_catalog.pg_namespace n join pg_catalog.pg_extension e on e.extnamespace = n.oid where n.nspname = $1
		union all select pg_catalog.format('drop schema %I', nspname) from pg_catalog.pg_namespace where nspname = $1`,
		SchemaName, TableMark)
	if err != nil {
		return fmt.Errorf("look into the schema %s: %w", SchemaName, err)
	}
	for _, sql := range statements {
		err = errors.Join(err, s.explained(ctx, sql, Exec(ctx, s.conn, sql)))
		if s.conn.IsClosed() {
			break
		}
	}
	if err != nil && len(statements) > 0 {
		return fmt.Errorf("the schema %s stays, with what stands in the way: %w", SchemaName, first(err))
	}
	return nil
}

// first is the first of joined errors: those after it mostly follow from it.
func first(err error) error {
	if all, ok := err.(interface{ Unwrap() []error }); ok { //nolint:errorlint // as errors.Join made it
		return first(all.Unwrap()[0])
	}
	return err
}

// explained says of a drop that failed whose things stand in the way, and what to do.
func (s *Schema) explained(ctx context.Context, sql string, err error) error {
	refused, ok := errors.AsType[*pgconn.PgError](err)
	switch {
	case err == nil:
		return nil
	case ok && refused.Code == "2BP01": // dependent_objects_still_exist
		return fmt.Errorf("%s (drop that, and the next run drops the rest)", strings.Join(strings.Fields(refused.Detail), " "))
	case ok && refused.Code == "55P03": // lock_not_available
		return fmt.Errorf("%s: %s holds a lock, and was waited for %s; let it end, and the next run drops the rest",
			sql, s.holder(ctx), sessionSettings["lock_timeout"])
	default:
		return fmt.Errorf("%s: %w", sql, err)
	}
}

// holder names a session that has something in the schema locked, as far as this user may know.
func (s *Schema) holder(ctx context.Context) string {
	var pid int
	var user, program string
	err := QueryRow(ctx, s.conn, `/* realiops */
		select l.pid, `+Named("coalesce(a.usename, '')")+", "+Named("coalesce(a.application_name, '')")+`
		from pg_catalog.pg_locks l left join pg_catalog.pg_stat_activity a on a.pid = l.pid
		where l.granted and l.pid <> pg_catalog.pg_backend_pid() and l.relation in (
			select c.oid from pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid = c.relnamespace where n.nspname = $1)
		order by a.xact_start limit 1`, SchemaName).Scan(&pid, (*Name)(&user), (*Name)(&program))
	if err != nil {
		return "somebody"
	}
	return fmt.Sprintf("session %d of %s (%s)", pid, user, program)
}

// plainName is what SQL takes without quotes, but for its own words.
var plainName = regexp.MustCompile(`^[a-z_][a-z0-9_]*$`)

// Quoted is a name as messages show it: with the quotes that SQL needs.
func Quoted(name string) string {
	if plainName.MatchString(name) {
		return name
	}
	return pgx.Identifier{name}.Sanitize()
}
