package servertest

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/realiops/realiops/internal/measure/postgres"
)

// AuroraRefuses is Aurora's error for reading pg_stat_wal (pgmetrics#55).
const AuroraRefuses = "Function pg_stat_get_wal() is currently not supported for Aurora"

// Aurora makes a database behave like Aurora PostgreSQL where they differ in SQL: it has the functions that identify
// Aurora and count I/O, with that instance's name, and pg_stat_wal is refused. behind must be a superuser's. The
// returned endpoint is for a role that may create schemas and has no other privilege, since Aurora has no superuser.
// The storage stays PostgreSQL's.
func Aurora(t testing.TB, behind *postgres.Endpoint, instance string) *postgres.Endpoint {
	t.Helper()
	boss := Connect(t, behind)
	Exec(t, boss, "set allow_system_table_mods = on")
	Exec(t, boss,
		fmt.Sprintf(`create function pg_catalog.aurora_version() returns text language sql as $$ select '%s.1' $$`,
			Value[string](t, boss, "show server_version")))
	name(t, boss, instance)
	Exec(t, boss,
		`create function pg_catalog.aurora_stat_database(out datid oid, out datname name, out blks_read bigint, out storage_blks_read bigint,
		out orcache_blks_hit bigint, out local_blks_read bigint, out storage_blk_read_time float8, out local_blk_read_time float8, out orcache_blk_read_time float8)
		returns setof record language sql as
		$$ select datid, datname, blks_read, blks_read, 0::bigint, 0::bigint, blk_read_time, 0::float8, 0::float8 from pg_catalog.pg_stat_database $$`)
	Exec(t, boss,
		`create function pg_catalog.aurora_stat_bgwriter(out buffers_alloc bigint, out orcache_blks_written bigint, out orcache_blk_write_time float8)
		returns setof record language sql as $$ select 7::bigint, 246522::bigint, 339276.404::float8 $$`)
	Exec(t, boss,
		`create function pg_catalog.aurora_stat_wait_event(out type_id int, out event_id int, out event_name text)
		returns setof record language sql as $$ values (1, 16777219, 'XidGenLock'), (10, 167772231, 'XactSync'), (10, 167772190, 'DataFileRead') $$`)
	Exec(t, boss,
		`create function pg_catalog.aurora_stat_system_waits(out type_id int, out event_id int, out waits bigint, out wait_time bigint)
		returns setof record language sql as $$ values (1, 16777219, 11::bigint, 12864::bigint), (10, 167772231, 187073, 597864000) $$`)
	Exec(t, boss,
		`create function pg_catalog.aurora_stat_logical_wal_cache(out name text, out cache_hit bigint, out cache_miss bigint, out blks_read bigint)
		returns setof record language sql as $$ values ('test_slot1', 24::bigint, 3::bigint, 27::bigint), ('test_slot2', 1, 0, 1) $$`)
	if Value[bool](t, boss, "select to_regclass('pg_catalog.pg_stat_wal') is not null") { // 13 has none
		definition := strings.TrimSuffix(
			strings.TrimSpace(Value[string](t, boss, "select pg_get_viewdef('pg_catalog.pg_stat_wal'::regclass)")), ";")
		Exec(t, boss, `create function pg_catalog.aurora_refuses() returns boolean language plpgsql as
			$$ begin raise exception using errcode = '0A000', message = '`+AuroraRefuses+`'; end $$`)
		Exec(t, boss, "drop view pg_catalog.pg_stat_wal")
		Exec(t, boss, "create view pg_catalog.pg_stat_wal as select * from ("+definition+
			") w where pg_catalog.aurora_refuses()")
		Exec(t, boss, "grant select on pg_catalog.pg_stat_wal to public")
	}
	c := behind.Config()
	role := "of_" + c.Database
	Exec(t, boss, "create role "+role+" login password 'secret'")
	Exec(t, boss, "grant create on database "+c.Database+" to "+role)
	t.Cleanup(func() {
		_, err := boss.Exec(context.Background(), "drop owned by "+role+" cascade; drop role "+role,
			pgx.QueryExecModeSimpleProtocol)
		if err != nil {
			t.Error(err)
		}
	})
	return Endpoint(t, fmt.Sprintf("host=%s port=%d dbname=%s user=%s password=secret", c.Host, c.Port,
		c.Database, role))
}

// name sets the instance's name that the server reports.
func name(t testing.TB, boss *pgx.Conn, instance string) {
	t.Helper()
	Exec(t, boss, "set allow_system_table_mods = on")
	Exec(t, boss, fmt.Sprintf(
		`create or replace function pg_catalog.aurora_db_instance_identifier() returns text language sql as $$ select '%s' $$`, instance))
}

// FailOver ends all sessions of [Aurora]'s role, as a failover does, and makes another instance answer.
func FailOver(t testing.TB, behind *postgres.Endpoint, instance string) {
	t.Helper()
	boss := Connect(t, behind)
	name(t, boss, instance)
	Exec(t, boss, "select pg_terminate_backend(pid) from pg_stat_activity where usename = 'of_' || current_database()")
}
