package run_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/realiops/realiops/internal/measure/experiment"
	"github.com/realiops/realiops/internal/measure/load"
	"github.com/realiops/realiops/internal/measure/load/workers"
	"github.com/realiops/realiops/internal/measure/run"
	"github.com/realiops/realiops/internal/measure/server/embedded"
	"github.com/realiops/realiops/internal/measure/target"
	"github.com/realiops/realiops/internal/runfile"
	"github.com/realiops/realiops/internal/test/runfiletest"
	"github.com/realiops/realiops/internal/test/servertest"
)

func TestMain(m *testing.M) {
	os.Exit(servertest.Main(m, workers.Role()))
}

// told is a display that records its calls.
type told struct {
	mu       sync.Mutex
	messages []string
	begun    chan struct{} // closed when the first load has begun
	once     sync.Once
}

func (s *told) Stage(string) {}

func (s *told) Doing(string) {}

func (s *told) Lasts(time.Duration) {}

func (s *told) Message(text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.messages = append(s.messages, text)
}

func (s *told) Record(r runfile.Record) {
	if e, is := r.(runfile.LoadEvent); is && e.Event == runfile.Begin {
		s.once.Do(func() { close(s.begun) })
	}
}

// trial is a run of the loads on a server, without a command line.
type trial struct {
	options run.Options
	show    *told
}

func newTrial(t *testing.T, dsn string, repetitions int, loads ...runfile.Load) *trial {
	t.Helper()
	return newTrialOf(t, dsn, runfile.Plan{Name: "test", Loads: loads, Repetitions: repetitions,
		LoadSeconds: 1, Seed: 1})
}

func newTrialOf(t *testing.T, dsn string, plan runfile.Plan) *trial {
	t.Helper()
	limits := experiment.Limits{Budget: time.Minute, Pause: experiment.DefaultPause()}
	program, err := run.NewProgram(plan, experiment.DefaultSizes(), limits, false)
	if err != nil {
		t.Fatal(err)
	}
	show := &told{begun: make(chan struct{})}
	return &trial{show: show, options: run.Options{
		Head: runfile.Run{Schema: runfile.Schema, ID: "test", Start: time.Now()},
		Path: filepath.Join(t.TempDir(), "run.jsonl"), Program: program, Interval: time.Second, Show: show,
		Target:   target.Options{Yours: true, DSN: dsn},
		Agree:    func(question string) error { return fmt.Errorf("asked: %s", question) },
		Required: func([]runfile.Metric) ([]string, error) { return nil, nil },
		Next:     func(string, []string, []runfile.Load) (string, string) { return "", "" },
	}}
}

// ends runs it and returns the end event of each repetition.
func (r *trial) ends(t *testing.T) (ends []runfile.LoadEvent) {
	t.Helper()
	if recorded, err := run.Do(t.Context(), r.options); err != nil || !recorded {
		t.Fatalf("recorded %v, %v, told %q", recorded, err, r.show.messages)
	}
	for _, record := range runfiletest.Records(t, r.options.Path) {
		if e, is := record.(runfile.LoadEvent); is && e.Event == runfile.End {
			ends = append(ends, e)
		}
	}
	return ends
}

var (
	idle   = runfile.Load{Name: "idle"}
	single = runfile.Load{Name: "single", Method: load.Insert, RowsPerTx: 1, Clients: 2}
	bulk   = runfile.Load{Name: "bulk", Method: load.InsertSelect, RowsPerTx: 1000, Indexes: 1, Clients: 2}
)

// The server's own work and realiops's queries are not taken for other sessions' work, on any version.
func TestIdleServerHasNoOthers(t *testing.T) {
	for _, version := range servertest.Matrix("18") {
		t.Run(version, func(t *testing.T) {
			s := servertest.Start(t, embedded.Options{Version: version, Settings: []string{"autovacuum_naptime=1s"}})
			for _, end := range newTrial(t, s.DSN(), 2, idle, single, bulk).ends(t) {
				if end.Failed != "" || end.Others != nil {
					t.Errorf("%s %d: %s, %+v", end.Load, end.Repetition, end.Failed, end.Others)
				}
			}
		})
	}
}

// otherSession inserts twenty rows at a time into a table of its own, in another database of the server, from the
// first load until the test ends.
func otherSession(t *testing.T, dsn string, begun <-chan struct{}, pause time.Duration) {
	t.Helper()
	sessionThat(t, dsn, begun, pause, "insert into orders select pg_catalog.generate_series(1, 20)")
}

// sessionThat executes the statement does over and over in another session.
func sessionThat(t *testing.T, dsn string, begun <-chan struct{}, pause time.Duration, does string) {
	t.Helper()
	boss := servertest.Connect(t, servertest.Endpoint(t, dsn))
	servertest.Exec(t, boss, "create database shop")
	servertest.Report(t, boss)
	config := servertest.Endpoint(t, dsn).UserConfig()
	config.Database = "shop"
	config.RuntimeParams["application_name"] = "the shop"
	conn, err := pgx.ConnectConfig(t.Context(), config)
	if err != nil {
		t.Fatal(err)
	}
	servertest.Exec(t, conn, "create table orders (id int)")
	servertest.Report(t, conn)
	over, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		defer conn.Close(context.Background()) //nolint:errcheck // the server goes anyway
		<-begun
		for {
			select {
			case <-over:
				return
			case <-time.After(pause):
				if _, err := conn.Exec(context.Background(), does); err != nil {
					return
				}
			}
		}
	}()
	t.Cleanup(func() {
		close(over)
		_ = conn.PgConn().CancelRequest(context.Background())
		<-done
	})
}

// limited makes a role that may run realiops but not see other sessions, and returns its connection string.
func limited(t *testing.T, dsn string) string {
	t.Helper()
	boss := servertest.Connect(t, servertest.Endpoint(t, dsn))
	servertest.Exec(t, boss, "create role plain login password 'x'")
	servertest.Exec(t, boss, "create database test owner plain")
	c := servertest.Endpoint(t, dsn).Config()
	return fmt.Sprintf("host=%s port=%d dbname=test user=plain password=x", c.Host, c.Port)
}

// A role without pg_monitor does not see another session that begins to write during the
// run, but the server's counters do.
func TestHiddenSession(t *testing.T) {
	s := servertest.Start(t, embedded.Options{Version: "17"})
	r := newTrial(t, limited(t, s.DSN()), 2, single)
	otherSession(t, s.DSN(), r.show.begun, time.Millisecond)
	ends := r.ends(t)
	if len(ends) < 3 || len(ends) > 2+5 {
		t.Errorf("%d repetitions of two that were disturbed", len(ends))
	}
	for _, end := range ends {
		if end.Others == nil || end.Others.RowsShare < 0.01 ||
			!strings.Contains(end.Failed, "other sessions made") {
			t.Errorf("%s %d was used: %q, %+v", end.Load, end.Repetition, end.Failed, end.Others)
		}
	}
	if !slices.ContainsFunc(r.show.messages, func(m string) bool {
		return strings.Contains(m, "grant pg_monitor to plain")
	}) {
		t.Errorf("nobody was told that the role does not see who is at work: %q", r.show.messages)
	}
}

// On a server declared shared, the run is measured and marked with the work of other sessions.
func TestASharedServerIsMeasuredAndMarked(t *testing.T) {
	s := servertest.Start(t, embedded.Options{Version: "17"})
	r := newTrial(t, s.DSN(), 2, single)
	r.options.Target.Allowed.Shared = true
	otherSession(t, s.DSN(), r.show.begun, time.Millisecond)
	ends := r.ends(t)
	if len(ends) != 2 {
		t.Errorf("%d repetitions, want the two of the plan", len(ends))
	}
	for _, end := range ends {
		if end.Failed != "" || end.Others == nil || end.Others.Rows < 10 {
			t.Errorf("%s %d: %q, %+v", end.Load, end.Repetition, end.Failed, end.Others)
		}
	}
}

// WAL without rows or many commits, as from an index build, shows if the server counts WAL by session.
func TestTheWALOfAnotherSession(t *testing.T) {
	for version, load := range map[string]runfile.Load{"18": single, "17": idle} {
		t.Run(version, func(t *testing.T) {
			s := servertest.Start(t, embedded.Options{Version: version})
			r := newTrial(t, s.DSN(), 1, load)
			r.options.Target.Allowed.Shared = true
			sessionThat(t, s.DSN(), r.show.begun, 100*time.Millisecond,
				"select pg_catalog.pg_logical_emit_message(false, 'x', pg_catalog.repeat('x', 3000000))")
			for _, end := range r.ends(t) {
				if end.Failed != "" || end.Others == nil || end.Others.Rows != 0 || end.Others.Commits != 0 ||
					end.Others.WALBytes < 1e6 || end.Others.WALShare < 0.01 {
					t.Errorf("%s %d: %q, %+v", end.Load, end.Repetition, end.Failed, end.Others)
				}
			}
		})
	}
}

// No counter shows the writes of an open transaction, such as a long COPY. Every role sees that it is writing.
func TestASessionThatDoesNotEnd(t *testing.T) {
	for _, version := range servertest.Matrix("13", "13", "17") {
		t.Run(version, func(t *testing.T) {
			s := servertest.Start(t, embedded.Options{Version: version})
			r := newTrialOf(t, limited(t, s.DSN()), runfile.Plan{Name: "test", Loads: []runfile.Load{single},
				Repetitions: 1, LoadSeconds: 4, Seed: 1})
			sessionThat(t, s.DSN(), r.show.begun, 0,
				"with written as (insert into orders values (1) returning 1) select "+
					"pg_catalog.pg_sleep(60) from written")
			r.options.Target.Allowed.Shared = true
			for _, end := range r.ends(t) {
				if end.Failed != "" || end.Others == nil ||
					!slices.Equal(end.Others.Writing, []string{"the shop of postgres in shop"}) {
					t.Errorf("%s %d: %q, %+v", end.Load, end.Repetition, end.Failed, end.Others)
				}
			}
		})
	}
}

// A setting that changes during a run spoils the repetition in which it changed and all later ones, and is recorded.
func TestASettingChangesUnderTheRun(t *testing.T) {
	s := servertest.Start(t, embedded.Options{Version: "17"})
	r := newTrial(t, s.DSN(), 2, single)
	boss := servertest.Connect(t, servertest.Endpoint(t, s.DSN()))
	done := make(chan struct{})
	go func() {
		defer close(done)
		<-r.show.begun
		_, _ = boss.Exec(t.Context(), "set allow_in_place_tablespaces = on")
		_, _ = boss.Exec(t.Context(), "create tablespace late location ''")
		_, _ = boss.Exec(t.Context(), "alter system set fsync = off")
		_, _ = boss.Exec(t.Context(), "select pg_catalog.pg_reload_conf()")
	}()
	ends := r.ends(t)
	<-done
	for _, end := range ends {
		if !strings.Contains(end.Failed, "fsync") || strings.Contains(end.Failed, "tablespaces") {
			t.Errorf("%s %d was used: %q", end.Load, end.Repetition, end.Failed)
		}
	}
	var changes []string
	for _, record := range runfiletest.Records(t, r.options.Path) {
		if c, is := record.(runfile.SettingChange); is {
			changes = append(changes, c.Setting+" "+c.From+" "+strings.TrimRight(c.To, "0123456789)"))
		}
	}
	if !slices.Equal(changes, []string{"fsync on off", "tablespaces none late ("}) {
		t.Errorf("the file says that %q changed", changes)
	}
}

// A setting of a role applies only to later connections, so the session that asks does not have it.
func TestARolesSettingIsSeen(t *testing.T) {
	s := servertest.Start(t, embedded.Options{Version: "17"})
	r := newTrial(t, s.DSN(), 1, single)
	boss := servertest.Connect(t, servertest.Endpoint(t, s.DSN()))
	done := make(chan struct{})
	go func() {
		defer close(done)
		<-r.show.begun
		_, _ = boss.Exec(t.Context(), "alter role current_user set synchronous_commit = off")
	}()
	ends := r.ends(t)
	<-done
	if len(ends) < 2 || !strings.Contains(ends[0].Failed, "synchronous_commit changed from on to off") {
		t.Errorf("%+v", ends)
	}
}

// The role's DateStyle does not change how its dates are read.
func TestDateStyle(t *testing.T) {
	for _, style := range []string{"German", "SQL, DMY", "Postgres, MDY"} {
		t.Run(style, func(t *testing.T) {
			s := servertest.Start(t, embedded.Options{Version: "17"})
			boss := servertest.Connect(t, servertest.Endpoint(t, s.DSN()))
			servertest.Exec(t, boss, "alter role current_user set datestyle = '"+style+"'")
			servertest.Exec(t, boss, "alter role current_user set intervalstyle = 'sql_standard'")
			servertest.Exec(t, boss, "alter role current_user set timezone = 'Asia/Kathmandu'")
			r := newTrial(t, s.DSN(), 1, idle, single)
			for _, end := range r.ends(t) {
				if end.Failed != "" {
					t.Errorf("%s: %s", end.Load, end.Failed)
				}
			}
			for _, record := range runfiletest.Records(t, r.options.Path) {
				if head, is := record.(runfile.Run); is && (len(head.Clocks) != 1 || head.Clocks[0].Off(1)) {
					t.Errorf("the server's clock was read as %+v", head.Clocks)
				}
			}
		})
	}
}

// A scraper of counters does not disturb.
func TestAScraperIsPassedOver(t *testing.T) {
	s := servertest.Start(t, embedded.Options{Version: "17"})
	r := newTrial(t, s.DSN(), 1, idle, single)
	scraper := servertest.Connect(t, servertest.Endpoint(t, s.DSN()))
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() {
		defer close(done)
		for ctx.Err() == nil {
			for range 20 {
				_, _ = scraper.Exec(ctx, "select pg_catalog.sum(xact_commit) from pg_catalog.pg_stat_database")
			}
			_ = experiment.Wait(ctx, 5*time.Second)
		}
	}()
	ends := r.ends(t)
	cancel()
	<-done
	for _, end := range ends {
		if end.Failed != "" || end.Others != nil {
			t.Errorf("%s: %s, %+v", end.Load, end.Failed, end.Others)
		}
	}
}
