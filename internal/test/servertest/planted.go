package servertest

import (
	_ "embed"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/realiops/realiops/internal/measure/postgres"
)

// plant makes, in a schema of the database, a copy of every function, operator, type and view that pg_catalog has.
//
//go:embed planted.sql
var plant string

// Planted holds objects that an attacker created where unqualified names would find them.
type Planted struct{ boss *pgx.Conn }

// Plant does the worst that the database's owner and users who may create in it can do. A schema with a copy of
// everything in pg_catalog precedes it in the search_path of the database and of its superuser. In public, which
// follows pg_catalog in most paths, functions and operators match arguments better than the system's own.
func Plant(t testing.TB, endpoint *postgres.Endpoint) *Planted {
	t.Helper()
	boss := Connect(t, endpoint)
	if _, err := boss.Exec(t.Context(), plant, pgx.QueryExecModeSimpleProtocol); err != nil {
		t.Fatal(err)
	}
	return &Planted{boss}
}

// Called returns the planted functions that a session has called.
func (p *Planted) Called(t testing.TB) []string {
	t.Helper()
	return Value[[]string](t, p.boss,
		`select coalesce(pg_catalog.array_agg(schemaname || '.' || funcname order by funcname), '{}')
		from (select distinct schemaname, funcname::pg_catalog.text collate "C" as funcname from pg_catalog.pg_stat_user_functions
			where schemaname in ('planted', 'public')) called`)
}
