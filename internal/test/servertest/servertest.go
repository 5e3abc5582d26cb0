// Package servertest gives tests a real PostgreSQL of any version that realiops knows.
//
// A package whose tests use it passes its TestMain to [Main], because a second process of the same
// program cleans up after our servers.
package servertest

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net/url"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/realiops/realiops/internal/measure/postgres"
	"github.com/realiops/realiops/internal/measure/role"
	"github.com/realiops/realiops/internal/measure/server/embedded"
	"github.com/realiops/realiops/internal/measure/supervisor"
)

// next is a version without published binaries. $REALIOPS_PG_NEXT is the directory of its programs,
// which scripts/postgres-next prints.
const next = "19"

// Released returns the major versions that can be downloaded.
func Released() []string { return []string{"13", "14", "15", "16", "17", "18"} }

// Versions returns the major versions to run tests on that must hold on each.
func Versions() []string {
	all := Released()
	if os.Getenv("REALIOPS_PG_NEXT") != "" {
		all = append(all, next)
	}
	return all
}

// Matrix returns the versions for a long test: only the representative in a run of all tests, and each one, by
// default of all versions, if scripts/test-versions asks for it.
func Matrix(representative string, versions ...string) []string {
	switch {
	case !Thorough():
		return []string{representative}
	case len(versions) > 0:
		return versions
	default:
		return Versions()
	}
}

// Thorough reports whether long tests run on every version.
func Thorough() bool { return os.Getenv("REALIOPS_TEST_VERSIONS") == "all" }

// Main runs the tests, or plays the role that this process was started for, and returns the exit code.
func Main(m interface{ Run() int }, roles ...role.Role) int {
	if status, played := role.Main(os.Args, append(roles, supervisor.Role())...); played {
		return status
	}
	// Otherwise the race detector makes every program that a test starts sleep for a second at its end.
	_ = os.Setenv("GORACE", "atexit_sleep_ms=0")
	code := m.Run()
	if err := shared.stop(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return max(code, 1)
	}
	return code
}

// shared holds the servers that the tests of a package share, by version.
var shared pool

type pool struct {
	mu      sync.Mutex
	servers map[string]*embedded.Server
}

func (p *pool) get(version string) (*embedded.Server, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if s := p.servers[version]; s != nil {
		return s, nil
	}
	// Autovacuum would run at random times and write.
	s, err := start(embedded.Options{Version: version, Settings: []string{"autovacuum=off"}, Unsynced: true})
	if err == nil && p.servers == nil {
		p.servers = map[string]*embedded.Server{}
	}
	if err == nil {
		p.servers[version] = s
	}
	return s, err
}

func (p *pool) stop() (err error) {
	for _, s := range p.servers {
		err = errors.Join(err, s.Stop(context.Background()))
	}
	return err
}

// Database creates a database for a test on the package's shared server of that version.
func Database(t testing.TB, version string) *postgres.Endpoint {
	t.Helper()
	long(t)
	s, err := shared.get(version)
	if err != nil {
		t.Fatal(err)
	}
	return DatabaseOn(t, s, "")
}

// DatabaseOn creates a database on a server, with options of CREATE DATABASE.
func DatabaseOn(t testing.TB, s *embedded.Server, options string) *postgres.Endpoint {
	t.Helper()
	boss := Connect(t, Endpoint(t, s.DSN()))
	name := "test_" + strings.ToLower(rand.Text()[:8])
	Exec(t, boss, "create database "+name+" "+options)
	Report(t, boss)
	t.Cleanup(func() {
		_, err := boss.Exec(context.Background(), "drop database "+name+" with (force)")
		if err != nil {
			t.Error(err)
		}
	})
	u, err := url.Parse(s.DSN())
	if err != nil {
		t.Fatal(err)
	}
	u.Path = "/" + name
	return Endpoint(t, u.String())
}

// Report makes a session report its work so far. Otherwise it may do so up to ten seconds later, in the middle of a test.
func Report(t testing.TB, conn *pgx.Conn) {
	t.Helper()
	Exec(t, conn, `do $$ begin perform pg_stat_force_next_flush();
		exception when undefined_function then null; -- before 15
		end $$`)
}

// start takes the binaries from the commands' source.
func start(o embedded.Options) (*embedded.Server, error) {
	o.Repository = os.Getenv("REALIOPS_PG_REPOSITORY")
	if bin := os.Getenv("REALIOPS_PG_NEXT"); o.Version == next && bin != "" {
		o.Version, o.BinDir = "", bin
	}
	return embedded.Start(context.Background(), o)
}

// long skips a test that needs a server in short mode.
func long(t testing.TB) {
	if testing.Short() {
		t.Skip("wants a server, which -short leaves out")
	}
}

// Start starts a server that stops with the test.
func Start(t testing.TB, o embedded.Options) *embedded.Server {
	t.Helper()
	long(t)
	s, err := start(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Stop(context.Background()); err != nil {
			t.Error(err)
		}
	})
	return s
}

// Alone returns a server that only the test uses, for commands that refuse others at work.
func Alone(t testing.TB, version string) *postgres.Endpoint {
	t.Helper()
	return Endpoint(t, Start(t, embedded.Options{Version: version}).DSN())
}

// Endpoint parses a valid connection string.
func Endpoint(t testing.TB, dsn string) *postgres.Endpoint {
	t.Helper()
	endpoint, err := postgres.Parse(dsn)
	if err != nil {
		t.Fatal(err)
	}
	return endpoint
}

// Connect opens a session for a test's statements, which ends with the test. It counts as one of our own.
func Connect(t testing.TB, endpoint *postgres.Endpoint) *pgx.Conn {
	t.Helper()
	config := endpoint.UserConfig()
	config.RuntimeParams["application_name"] = "realiops"
	conn, err := pgx.ConnectConfig(t.Context(), config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := conn.Close(context.Background()); err != nil {
			t.Log(err)
		}
	})
	return conn
}

// Exec runs statements that must succeed.
func Exec(t testing.TB, conn *pgx.Conn, sql string) {
	t.Helper()
	if _, err := conn.Exec(t.Context(), sql, pgx.QueryExecModeSimpleProtocol); err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
}

// Value returns the one value of a query.
func Value[T any](t testing.TB, conn *pgx.Conn, query string) T {
	t.Helper()
	var v T
	if err := conn.QueryRow(t.Context(), query).Scan(&v); err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	return v
}
