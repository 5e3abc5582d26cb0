package postgres

import (
	"context"
	"errors"
	"fmt"
	"regexp"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// SchemaName is where all objects of ours live.
const SchemaName = "realiops"

// schemaMark tells a schema that we made from one that only has the same name.
const schemaMark = "made by realiops, which drops it at the end of a run"

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
	errInUse   = errors.New("another run of realiops is using this database: wait for it, or use another database")
)

// mayReplace tells whether the name is free or of a schema that we made.
func mayReplace(ctx context.Context, conn *pgx.Conn) (bool, error) {
	var mark *string
	err := conn.QueryRow(ctx, `/* realiops */
		select obj_description(oid, 'pg_namespace') from pg_catalog.pg_namespace where nspname = $1`, SchemaName).Scan(&mark)
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
	var may, locked bool
	err = conn.QueryRow(ctx, `/* realiops */
		select has_database_privilege(current_database(), 'create'),
		       exists (select from pg_catalog.pg_locks
		               where locktype = 'advisory' and objsubid = 1 and (classid::int8 << 32) | objid::int8 = $1
		                 and database = (select oid from pg_catalog.pg_database where datname = current_database()))`,
		int64(schemaLock)).Scan(&may, &locked)
	switch {
	case err != nil:
		return nil, fmt.Errorf("ask whether the schema %s can be made: %w", SchemaName, err)
	case !ours:
		return errNotOurs, nil
	case locked && !f.Pooler:
		return errInUse, nil
	case !may:
		return fmt.Errorf("this user may not create the schema %s: grant create on database %s to %s; or use another one",
			SchemaName, Quoted(f.Database), Quoted(f.User)), nil
	}
	return nil, nil
}

func (s *Schema) lock(ctx context.Context) error {
	if !s.locked {
		return nil
	}
	var mine bool
	if err := s.conn.QueryRow(ctx, "/* realiops */ select pg_try_advisory_lock($1)", int64(schemaLock)).Scan(&mine); err != nil {
		return fmt.Errorf("lock the schema %s: %w", SchemaName, err)
	}
	if !mine {
		return errInUse
	}
	return nil
}

func (s *Schema) recreate(ctx context.Context) error {
	_, err := s.conn.Exec(ctx, fmt.Sprintf(`/* realiops */
		begin;
		set local client_min_messages = warning;
		drop schema if exists %[1]s cascade;
		create schema %[1]s;
		comment on schema %[1]s is '%[2]s';
		commit`, SchemaName, schemaMark), pgx.QueryExecModeSimpleProtocol)
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
	unlock := ""
	if s.locked {
		unlock = fmt.Sprintf("select pg_advisory_unlock(%d)", int64(schemaLock))
	}
	_, err := s.conn.Exec(ctx, fmt.Sprintf(`/* realiops */
		begin;
		set local client_min_messages = warning;
		drop schema if exists %s cascade;
		commit;
		%s`, SchemaName, unlock), pgx.QueryExecModeSimpleProtocol)
	if err != nil {
		return fmt.Errorf("drop the schema %s: %w", SchemaName, err)
	}
	return nil
}

// plainName is what SQL takes without quotes, but for its own words.
var plainName = regexp.MustCompile(`^[a-z_][a-z0-9_]*$`)

// Quoted is a name as it stands in a statement that people are told to type.
func Quoted(name string) string {
	if plainName.MatchString(name) {
		return name
	}
	return pgx.Identifier{name}.Sanitize()
}
