package postgres

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// SchemaName is the schema of all our objects.
const SchemaName = "realiops"

// schemaMark is the comment on schemas that we made, which tells them from others of the same name.
const schemaMark = "made by realiops, which drops it at the end of a run"

// TableMark is the comment on tables that we made.
const TableMark = "made by realiops, which drops it with the schema"

// schemaLock keeps two runs on one database apart: the first eight bytes of the word realiops.
const schemaLock = 0x7265616c696f7073

// Schema is our schema on a server, held by one session for the length of a run.
type Schema struct {
	conn   *pgx.Conn
	locked bool
	system string // the server's system identifier, if known
	oid    uint32
}

// ClaimSchema creates the schema, empty and ours until Release. It refuses a schema that another user made or another
// run uses, and drops an earlier run's leftovers. It also refuses a database in which another user's code would run
// with our privileges. Behind a pooler nothing keeps two runs apart, since the lock would stay with the server's
// session, which another client gets.
func (f Facts) ClaimSchema(ctx context.Context, conn *pgx.Conn) (*Schema, error) {
	if err := f.refuseRole(); err != nil {
		return nil, err
	}
	s := &Schema{conn: conn, locked: !f.Pooler, system: f.SystemIdentifier}
	if err := s.lock(ctx); err != nil {
		return nil, err
	}
	refusals, err := foreign(ctx, conn)
	if err := cmp.Or(append(refusals, err)...); err != nil {
		return nil, err
	}
	if err := s.recreate(ctx); err != nil {
		return nil, err
	}
	return s, nil
}

// Why the schema cannot be claimed.
var (
	errNotOurs = errors.New("a schema named " + SchemaName +
		" exists that realiops did not create; rename it, or use another database")
	errNoTransactions = errors.New("the connection pooler allows no transactions (pool_mode=statement), which loads " +
		"need; connect to the server itself, or set pool_mode=transaction")
	errInUse = errors.New("another realiops run is using this database; wait for it to finish")
)

// foreignSchema refuses a schema named realiops that we did not make, or that belongs to another role:
// its owner controls its content.
func foreignSchema(ctx context.Context, conn *pgx.Conn) (refusal, err error) {
	var mark *string
	var owner string
	var ours bool
	err = QueryRow(ctx, conn, `/* realiops */
		select d.description, `+Named("r.rolname")+`, r.rolname = current_user from pg_catalog.pg_namespace n
		join pg_catalog.pg_roles r on r.oid = n.nspowner left join pg_catalog.pg_description d
		on d.objoid = n.oid and d.classoid = 'pg_catalog.pg_namespace'::pg_catalog.regclass and d.objsubid = 0
		where n.nspname = $1`, SchemaName).Scan(&mark, (*Name)(&owner), &ours)
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return nil, nil
	case err != nil:
		return nil, fmt.Errorf("look up the schema %s: %w", SchemaName, err)
	case mark == nil || *mark != schemaMark:
		return errNotOurs, nil
	case !ours:
		return fmt.Errorf("the schema %[1]s belongs to %[2]s, who controls its contents; if a run as %[2]s left it, "+
			"drop it (drop schema %[1]s cascade), or use another database", SchemaName, Quoted(owner)), nil
	}
	return nil, nil
}

// RefuseSchema returns all reasons why ClaimSchema would fail. It only looks, so the answer may soon be out of date.
func (f Facts) RefuseSchema(ctx context.Context, conn *pgx.Conn) (refusals []error, err error) {
	if refusals, err = foreign(ctx, conn); err != nil {
		return nil, err
	}
	var may bool
	var here string
	err = QueryRow(ctx, conn, `/* realiops */
		select pg_catalog.has_database_privilege(pg_catalog.current_database(), 'create'),
			`+Named("pg_catalog.current_database()")).Scan(&may, (*Name)(&here))
	if err != nil {
		return nil, fmt.Errorf("check whether the schema %s can be created: %w", SchemaName, err)
	}
	elsewhere, err := lockedElsewhere(ctx, conn)
	switch {
	case err != nil:
		return nil, fmt.Errorf("check whether the schema %s can be created: %w", SchemaName, err)
	case elsewhere != "" && elsewhere == here && !f.Pooler:
		refusals = append(refusals, errInUse)
	case elsewhere != "" && !f.Pooler:
		refusals = append(refusals, runsElsewhere(elsewhere))
	}
	if !may {
		refusals = append(refusals, fmt.Errorf("this user may not create the schema %s; grant create on database %s to "+
			"%s; or use another database", SchemaName, Typed(f.Database, "DATABASE"), Typed(f.User, "ROLE")))
	}
	return refusals, nil
}

// refusesTransactions recognizes a pooler in statement mode: pgbouncer reports a protocol violation, "transaction
// blocks not allowed in statement pooling mode", and ends the session.
func refusesTransactions(err error) bool {
	refused, ok := errors.AsType[*pgconn.PgError](err)
	return ok && refused.Code == "08P01" && strings.Contains(refused.Message, "transaction blocks")
}

// RefuseTransactions returns as refusal why a pooler would make ClaimSchema fail, or nil. It uses a new
// session, which the pooler may end.
func (e *Endpoint) RefuseTransactions(ctx context.Context) (refusal, err error) {
	conn, err := e.Connect(ctx)
	if err != nil {
		return nil, err
	}
	defer conn.Close(context.WithoutCancel(ctx)) //nolint:errcheck // it has done its work
	err = pgx.BeginFunc(ctx, conn, func(pgx.Tx) error { return nil })
	if refusesTransactions(err) {
		return errNoTransactions, nil
	}
	return nil, wrap(err, "begin a transaction")
}

// lock takes this database's advisory lock, and releases it if another run holds the lock of another database: the
// counters and disks belong to the server. Two runs may both release theirs; a random pause decides who is first
// then. A session that has just ended keeps its lock for a moment.
func (s *Schema) lock(ctx context.Context) error {
	if !s.locked {
		return nil
	}
	const tries = 3
	for try := 1; ; try++ {
		var mine bool
		if err := QueryRow(ctx, s.conn, "/* realiops */ select pg_catalog.pg_try_advisory_lock($1)",
			int64(schemaLock)).Scan(&mine); err != nil {
			return fmt.Errorf("lock the schema %s: %w", SchemaName, err)
		}
		refusal := errInUse
		if mine {
			elsewhere, err := lockedElsewhere(ctx, s.conn)
			if err != nil || elsewhere == "" {
				return err
			}
			if err := QueryRow(ctx, s.conn, "/* realiops */ select pg_catalog.pg_advisory_unlock($1)",
				int64(schemaLock)).Scan(&mine); err != nil {
				return fmt.Errorf("release the lock of the schema %s: %w", SchemaName, err)
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

// schemaLocks selects the locks of runs in any database of the server. $1 is the key.
const schemaLocks = `from pg_catalog.pg_locks l left join pg_catalog.pg_database d on d.oid = l.database
	where l.locktype = 'advisory' and l.granted and l.objsubid = 1 and (l.classid::bigint << 32) | l.objid::bigint = $1
	  and l.pid <> pg_catalog.pg_backend_pid()`

// lockedElsewhere returns the database of another run, or "".
func lockedElsewhere(ctx context.Context, conn *pgx.Conn) (database string, err error) {
	where := Named("coalesce((select d.datname " + schemaLocks + " limit 1), '')")
	err = QueryRow(ctx, conn, "/* realiops */ select "+where, int64(schemaLock)).Scan((*Name)(&database))
	return database, wrap(err, "check for another run on the server")
}

func runsElsewhere(database string) error {
	return fmt.Errorf("another realiops run is using this server, in the database %s, and each would count the "+
		"other's work; wait for it to finish", Quoted(database))
}

func (s *Schema) recreate(ctx context.Context) error {
	if err := s.drop(ctx); err != nil {
		return fmt.Errorf("drop the leftovers of an earlier run: %w", err)
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	ctx = context.WithoutCancel(ctx) // an interrupt could leave a schema behind
	err := pgx.BeginFunc(ctx, s.conn, func(tx pgx.Tx) (err error) {
		s.oid, err = create(ctx, tx)
		return err
	})
	switch refused, ok := errors.AsType[*pgconn.PgError](err); {
	case err == nil:
		return nil
	case ok && refused.Code == "42501": // insufficient_privilege
		return fmt.Errorf("this user may not create the schema %s (%s); grant create on the database, or use another "+
			"database", SchemaName, refused.Message)
	case !ok:
		return fmt.Errorf("create the schema %s: %w; if it exists now, the next run drops it", SchemaName, err)
	case refusesTransactions(err):
		return errNoTransactions
	default:
		return fmt.Errorf("create the schema %s: %w", SchemaName, err)
	}
}

// create creates the schema and revokes others' access, in one transaction, and returns its OID. Default privileges
// may let other roles use new schemas and put triggers on new tables; without access to the schema they cannot.
func create(ctx context.Context, tx pgx.Tx) (oid uint32, err error) {
	statements := []string{SafeTransaction, unconfirmed, fmt.Sprintf("create schema %s", SchemaName),
		fmt.Sprintf("comment on schema %s is '%s'", SchemaName, schemaMark)}
	if err := each(ctx, tx, statements); err != nil {
		return 0, err
	}
	if err := QueryRow(ctx, tx, "/* realiops */ select oid from pg_catalog.pg_namespace where nspname = $1",
		SchemaName).Scan(&oid); err != nil {
		return 0, err
	}
	var revoke string
	var revokes []string
	err = ForEachRow(ctx, tx, []any{&revoke}, func() { revokes = append(revokes, revoke) }, `/* realiops */
		select distinct pg_catalog.format('revoke all on schema %I from ', n.nspname)
			|| case a.grantee when 0 then 'public' else pg_catalog.quote_ident(pg_catalog.pg_get_userbyid(a.grantee)) end as revoke
		from pg_catalog.pg_namespace n, pg_catalog.aclexplode(n.nspacl) a
		where n.nspname = $1 and a.grantee <> n.nspowner order by revoke`, SchemaName)
	if err != nil {
		return 0, err
	}
	return oid, each(ctx, tx, revokes)
}

// LeftBehind says why the schema is not in the data that a session leads to, for example
// after a failover, or returns "".
func (s *Schema) LeftBehind(ctx context.Context, conn *pgx.Conn, now Facts) (why string, err error) {
	if s.system != now.SystemIdentifier {
		return fmt.Sprintf("another server answers now, with other data (system identifier %s instead of %s)",
			cmp.Or(now.SystemIdentifier, "unknown"), cmp.Or(s.system, "unknown")), nil
	}
	var there bool
	err = QueryRow(ctx, conn, "/* realiops */ select exists (select from pg_catalog.pg_namespace where nspname = $1 "+
		"and oid = $2)", SchemaName, s.oid).Scan(&there)
	if err != nil {
		return "", fmt.Errorf("look up the schema %s: %w", SchemaName, err)
	}
	if !there {
		return "the server that answers now does not have it", nil
	}
	return "", nil
}

func each(ctx context.Context, tx pgx.Tx, statements []string) error {
	for _, sql := range statements {
		if _, err := tx.Exec(ctx, sql); err != nil {
			return err
		}
	}
	return nil
}

// Release drops the schema and releases its lock.
func (s *Schema) Release(ctx context.Context) error {
	err := s.drop(ctx)
	if s.locked && !s.conn.IsClosed() {
		err = errors.Join(err,
			Exec(ctx, s.conn, fmt.Sprintf("select pg_catalog.pg_advisory_unlock(%d)", int64(schemaLock))))
	}
	return err
}

// drop drops our objects in the schema by name, and then the schema. Other users' objects, such as a view of our
// table, stay and are named: nothing is dropped by CASCADE.
func (s *Schema) drop(ctx context.Context) error {
	var statement string
	var statements []string
	err := ForEachRow(ctx, s.conn, []any{&statement}, func() {
		statements = append(statements, statement)
	}, `/* realiops */
		select statement from (
			select 1, pg_catalog.format('drop table %I.%I', n.nspname, c.relname)
			from pg_catalog.pg_namespace n join pg_catalog.pg_class c on c.relnamespace = n.oid and c.relkind = 'r'
			join pg_catalog.pg_description d
			on d.objoid = c.oid and d.classoid = 'pg_catalog.pg_class'::pg_catalog.regclass and d.objsubid = 0 and d.description = $2
			where n.nspname = $1
			union all select 2, pg_catalog.format('drop extension %I', e.extname)
			from pg_catalog.pg_namespace n join pg_catalog.pg_extension e on e.extnamespace = n.oid
			where n.nspname = $1 and e.extname in ('pg_walinspect', 'pg_buffercache')
			union all select 3, pg_catalog.format('drop schema %I', nspname) from pg_catalog.pg_namespace where nspname = $1
		) as drops (step, statement) order by step, statement`, SchemaName, TableMark)
	if err != nil {
		return fmt.Errorf("list the objects in the schema %s: %w", SchemaName, err)
	}
	for _, sql := range statements {
		err = errors.Join(err, s.explained(ctx, sql, Exec(ctx, s.conn, sql)))
		if s.conn.IsClosed() {
			break
		}
	}
	if err != nil && len(statements) > 0 {
		return fmt.Errorf("the schema %s could not be dropped: %w", SchemaName, first(err))
	}
	return nil
}

// first returns the first of joined errors; the others mostly follow from it.
func first(err error) error {
	if all, ok := err.(interface{ Unwrap() []error }); ok { //nolint:errorlint // as errors.Join made it
		return first(all.Unwrap()[0])
	}
	return err
}

// explained adds the object or session that blocks a drop, and the remedy, to its error.
func (s *Schema) explained(ctx context.Context, sql string, err error) error {
	switch refused, ok := errors.AsType[*pgconn.PgError](err); {
	case err == nil:
		return nil
	case ok && refused.Code == "2BP01": // dependent_objects_still_exist
		return fmt.Errorf("%s; drop that, and the next run drops the rest",
			strings.Join(strings.Fields(refused.Detail), " "))
	case ok && refused.Code == "55P03": // lock_not_available
		return fmt.Errorf("%s: %s held a lock for more than %s; end it, and the next run drops the rest",
			sql, s.holder(ctx), lockTimeout)
	default:
		return fmt.Errorf("%s: %w", sql, err)
	}
}

// holder names a session that holds a lock in the schema, as far as this user may see it.
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
		return "another session"
	}
	return fmt.Sprintf("session %d of %s (%s)", pid, user, program)
}
