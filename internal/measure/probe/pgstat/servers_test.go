package pgstat

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/realiops/realiops/internal/measure/server/embedded"
	"github.com/realiops/realiops/internal/runfile"
)

// versions are those that realiops knows. The tests run on a real server of each, which they share.
var versions = []string{"13", "14", "15", "16", "17", "18"}

// servers starts each version once, when the first test asks for it.
var servers = func() map[string]func() (*embedded.Server, error) {
	starts := map[string]func() (*embedded.Server, error){}
	for _, v := range versions {
		starts[v] = sync.OnceValues(func() (*embedded.Server, error) {
			// Autovacuum analyzes tables at a time of its own and writes what it finds: rows that no test made.
			return embedded.Start(context.Background(), embedded.Options{Version: v, Settings: []string{"autovacuum=off"}})
		})
	}
	return starts
}()

var started sync.Map // *embedded.Server by version

func TestMain(m *testing.M) {
	if embedded.IsKeeper(os.Args) {
		if embedded.Keep(os.Stdin, os.Stdout) != nil {
			os.Exit(1)
		}
		return
	}
	code := m.Run()
	if err := stopAll(); err != nil {
		fmt.Fprintln(os.Stderr, "stop the servers:", err)
		code = 1
	}
	os.Exit(code)
}

func stopAll() error {
	var all sync.WaitGroup
	var failed sync.Map
	started.Range(func(version, s any) bool {
		all.Go(func() { failed.Store(version, s.(*embedded.Server).Stop(context.Background())) })
		return true
	})
	all.Wait()
	var err error
	failed.Range(func(_, e any) bool {
		if e != nil {
			err = errors.Join(err, e.(error))
		}
		return true
	})
	return err
}

// onEach runs a test on every version.
func onEach(t *testing.T, test func(t *testing.T, s server)) {
	for _, version := range versions {
		t.Run(version, func(t *testing.T) {
			t.Parallel() // most of the time they wait for counters
			test(t, serverOf(t, version))
		})
	}
}

// server is a running PostgreSQL and its superuser's session, in a database of the test's own.
type server struct {
	config *pgx.ConnConfig
	boss   *pgx.Conn
	number int // 170011
}

func serverOf(t *testing.T, version string) server {
	t.Helper()
	running, err := servers[version]()
	if err != nil {
		t.Skipf("no PostgreSQL %s here: %v", version, err)
	}
	started.Store(version, running)
	return server{config: configOf(t, running.DSN())}.database(t)
}

// database gives the test a database for itself.
func (s server) database(t *testing.T) server {
	t.Helper()
	s.config = s.config.Copy()
	admin := login(t, s.config)
	s.config.Database = "test_" + strings.ToLower(rand.Text())
	exec(t, admin, "create database "+s.config.Database)
	admin.Close(t.Context())
	s.boss = login(t, s.config)
	row(t, s.boss, "select current_setting('server_version_num')::int", &s.number)
	return s
}

func configOf(t *testing.T, dsn string) *pgx.ConnConfig {
	t.Helper()
	config, err := pgx.ParseConfig(dsn)
	if err != nil {
		t.Fatal(err)
	}
	return config
}

// login opens a session that ends with the test.
func login(t *testing.T, config *pgx.ConnConfig) *pgx.Conn {
	t.Helper()
	conn, err := pgx.ConnectConfig(t.Context(), config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close(context.Background()) })
	return conn
}

func exec(t *testing.T, conn *pgx.Conn, sql string, arguments ...any) {
	t.Helper()
	if _, err := conn.Exec(t.Context(), sql, arguments...); err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
}

func row(t *testing.T, conn *pgx.Conn, sql string, targets ...any) {
	t.Helper()
	if err := conn.QueryRow(t.Context(), sql).Scan(targets...); err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
}

// sampler is one of the test's database and its schema.
func (s server) sampler(t *testing.T) *Sampler {
	t.Helper()
	sampler, err := New(t.Context(), s.config, "load")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { sampler.Close(context.Background()) })
	return sampler
}

// work runs statements in a session of its own and waits until the server has ended it.
func (s server) work(t *testing.T, statements ...string) {
	t.Helper()
	config := s.config.Copy()
	config.RuntimeParams["application_name"] = "worker"
	worker := login(t, config)
	for _, sql := range statements {
		exec(t, worker, sql)
	}
	worker.Close(t.Context())
	for left, deadline := 1, time.Now().Add(5*time.Second); left > 0; {
		row(t, s.boss, "select count(*) from pg_stat_activity where application_name = 'worker' and datname = current_database()", &left)
		if time.Now().After(deadline) {
			t.Fatal("the worker's session does not end")
		}
	}
}

// settled reads once the counters have caught up.
func settled(t *testing.T, s *Sampler) map[string]float64 {
	t.Helper()
	if err := s.Quiesce(t.Context()); err != nil {
		t.Fatalf("quiesce: %v", err)
	}
	return read(t, s)
}

func read(t *testing.T, s *Sampler) map[string]float64 {
	t.Helper()
	sample, err := s.Sample(t.Context())
	if err != nil {
		t.Fatalf("sample: %v", err)
	}
	return sample.Values
}

// gapsOf reads once and gives the gaps by metric.
func gapsOf(t *testing.T, s *Sampler) map[string]runfile.Gap {
	t.Helper()
	sample, err := s.Sample(t.Context())
	if err != nil {
		t.Fatalf("sample: %v", err)
	}
	gaps := map[string]runfile.Gap{}
	for _, g := range sample.Gaps {
		gaps[g.Metric] = g
	}
	return gaps
}
