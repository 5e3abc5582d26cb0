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

// prepared records that this test binary looks at its role. One that does not would run its tests again as the
// process that cleans up after a server.
var prepared atomic.Bool

// Main runs the tests of a package that starts servers, and gives the status to exit with. The test binary starts
// itself once more for each server, as the process that stops the server and removes its data, whatever becomes of the
// tests:
//
//	func TestMain(m *testing.M) { os.Exit(realiopstest.Main(m)) }
func Main(m *testing.M) int {
	if status, played := role.Main(os.Args, supervisor.Role()); played {
		return status
	}
	prepared.Store(true)
	return m.Run()
}

// Start starts a PostgreSQL for as long as the test lasts: of a major version such as 17, or of the newest where that
// is empty. Its programs are fetched once and kept in the user's cache directory; REALIOPS_PG_REPOSITORY names a
// mirror. Autovacuum is off, because it comes at times of its own.
func Start(t testing.TB, version string) *DB {
	t.Helper()
	if !prepared.Load() {
		t.Fatal("realiopstest.Start needs a TestMain in this package: func TestMain(m *testing.M) { " +
			"os.Exit(realiopstest.Main(m)) }")
	}
	s, err := embedded.Start(t.Context(), embedded.Options{
		Version: version, Repository: os.Getenv("REALIOPS_PG_REPOSITORY"),
		AllowRAM: true, Unsynced: true, // no count here is of the disk
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

// extend makes the extensions that tell statements and kinds of WAL apart, as far as the version has them.
func extend(ctx context.Context, dsn string) error {
	conn, err := pgx.Connect(ctx, dsn)
	if err != nil {
		return err
	}
	defer conn.Close(context.WithoutCancel(ctx)) //nolint:errcheck // what was made is there
	_, err = conn.Exec(ctx, `do $$ declare e name; begin
		for e in select name from pg_catalog.pg_available_extensions where name in ('pg_stat_statements', 'pg_walinspect') loop
			execute pg_catalog.format('create extension %I', e);
		end loop;
	end $$`)
	return err
}
