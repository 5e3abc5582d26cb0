package pgstat

import (
	"context"
	"os"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/realiops/realiops/internal/runfile"
	"github.com/realiops/realiops/internal/test/servertest"
)

func TestMain(m *testing.M) { os.Exit(servertest.Main(m)) }

// onEach runs a test on every version.
func onEach(t *testing.T, test func(t *testing.T, s server)) {
	for _, version := range servertest.Versions() {
		t.Run(version, func(t *testing.T) {
			t.Parallel() // most of the time they wait for counters
			test(t, serverOf(t, version))
		})
	}
}

// server is a running PostgreSQL, with a superuser's session in the test's own database.
type server struct {
	config *pgx.ConnConfig
	boss   *pgx.Conn
	number int // 170011

	directory string // its data directory, if the server is the test's own
}

func serverOf(t *testing.T, version string) server {
	t.Helper()
	s := server{config: servertest.Database(t, version).Config()}
	s.boss = login(t, s.config)
	row(t, s.boss, "select current_setting('server_version_num')::int", &s.number)
	return s
}

// login opens a session for the test's statements, and closes it at the end.
func login(t *testing.T, config *pgx.ConnConfig) *pgx.Conn {
	t.Helper()
	config = config.Copy()
	delete(config.RuntimeParams, "search_path")
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

// sampler returns a sampler of the test's database and schema.
func (s server) sampler(t *testing.T) *Sampler {
	t.Helper()
	sampler, err := New(t.Context(), s.config, "load")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { sampler.Close(context.Background()) })
	return sampler
}

// work runs statements in a new session and waits until the server has ended it.
func (s server) work(t *testing.T, statements ...string) {
	t.Helper()
	config := s.config.Copy()
	config.RuntimeParams["application_name"] = "worker"
	worker := login(t, config)
	for _, sql := range statements {
		exec(t, worker, sql)
	}
	worker.Close(t.Context())
	s.gone(t, "worker")
}

// gone waits until the server has ended the sessions of that name, except the test's own.
func (s server) gone(t *testing.T, name string) {
	t.Helper()
	for left, deadline := 1, time.Now().Add(time.Minute); left > 0; {
		row(t, s.boss, "select count(*) from pg_stat_activity where application_name = '"+name+
			"' and datname = current_database() "+
			"and pid <> pg_backend_pid()", &left)
		if time.Now().After(deadline) {
			t.Fatalf("the session of %s does not end", name)
		}
	}
}

// settled reads once the counters have caught up.
func settled(t *testing.T, s *Sampler) map[string]float64 {
	t.Helper()
	if err := s.WaitForCounters(t.Context()); err != nil {
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

// gapsOf reads once and returns the gaps by metric.
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
