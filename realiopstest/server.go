package realiopstest

import (
	"context"
	"os"
	"sync/atomic"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/realiops/realiops/internal/measure/role"
	"github.com/realiops/realiops/internal/measure/server/embedded"
	"github.com/realiops/realiops/internal/measure/supervisor"
)

// prepared records that this test binary checks its role. Otherwise it would run its tests again
// as the process that cleans up.
var prepared atomic.Bool

// Main runs the tests of a package that starts servers, and returns the exit status. The test binary starts itself
// again for each server, as the process that stops the server and removes its data, whatever happens to the tests:
//
//	func TestMain(m *testing.M) { os.Exit(realiopstest.Main(m)) }
func Main(m *testing.M) int {
	if status, played := role.Main(os.Args, supervisor.Role()); played {
		return status
	}
	prepared.Store(true)
	return m.Run()
}

// Start starts a PostgreSQL until the test ends: of a major version such as 17, or the newest if version is empty.
// Its programs are downloaded once into the user's cache directory; REALIOPS_PG_REPOSITORY names a mirror. Autovacuum
// is off, because it would run at random times.
func Start(t testing.TB, version string) *DB {
	t.Helper()
	if !prepared.Load() {
		t.Fatal("realiopstest.Start needs a TestMain in this package: func TestMain(m *testing.M) { " +
			"os.Exit(realiopstest.Main(m)) }")
	}
	s, err := embedded.Start(t.Context(), embedded.Options{
		Version: version, Repository: os.Getenv("REALIOPS_PG_REPOSITORY"),
		AllowRAM: true, Unsynced: true, // no count here is about the disk
		Settings: []string{"shared_preload_libraries=pg_stat_statements", "autovacuum=off"},
	})
	if err != nil {
		t.Fatal(inWords(err))
	}
	t.Cleanup(func() {
		if err := s.Stop(context.Background()); err != nil {
			t.Error(err)
		}
	})
	if err := extend(t.Context(), s.URL()); err != nil {
		t.Fatal(inWords(err))
	}
	return Open(t, s.URL())
}

// extend creates the extensions that separate statements and kinds of WAL, if the version has them.
func extend(ctx context.Context, dsn string) error {
	conn, err := pgx.Connect(ctx, dsn)
	if err != nil {
		return err
	}
	defer conn.Close(context.WithoutCancel(ctx)) //nolint:errcheck // the objects exist
	_, err = conn.Exec(ctx, `do $$ declare e name; begin
		for e in select name from pg_catalog.pg_available_extensions where name in ('pg_stat_statements', 'pg_walinspect') loop
			execute pg_catalog.format('create extension %I', e);
		end loop;
	end $$`)
	return err
}
