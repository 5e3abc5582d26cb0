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

// Planted holds objects that somebody created where statements without schema names would find them.
type Planted struct{ boss *pgx.Conn }

// Plant has the database's owner and whoever may create in it do their worst. In the path of the database and of its
// superuser there comes, before pg_catalog, a schema with a copy of everything in it; and in public, which the path of
// most has behind pg_catalog, lie functions and operators whose arguments fit better than the system's own.
func Plant(t testing.TB, endpoint *postgres.Endpoint) *Planted {
	t.Helper()
	boss := Connect(t, endpoint)
	if _, err := boss.Exec(t.Context(), plant, pgx.QueryExecModeSimpleProtocol); err != nil {
		t.Fatal(err)
	}
	return &Planted{boss}
}

// Called returns the planted functions that somebody's session has called, by their names.
func (p *Planted) Called(t testing.TB) []string {
	t.Helper()
	return Value[[]string](t, p.boss,
		`select coalesce(pg_catalog.array_agg(schemaname || '.' || funcname order by funcname), '{}')
		from (select distinct schemaname, funcname::pg_catalog.text collate "C" as funcname from pg_catalog.pg_stat_user_functions
			where schemaname in ('planted', 'public')) called`)
}
