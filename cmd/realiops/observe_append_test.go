package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/realiops/realiops/internal/analyze/counts"
	"github.com/realiops/realiops/internal/analyze/tally"
	"github.com/realiops/realiops/internal/measure/server/embedded"
	"github.com/realiops/realiops/internal/runfile"
	"github.com/realiops/realiops/internal/test/process"
	"github.com/realiops/realiops/internal/test/runfiletest"
	"github.com/realiops/realiops/internal/test/servertest"
)

// watched is a server with other users, and an observation of it.
type watched struct {
	url  url.URL
	boss *pgx.Conn
	file string
	said process.Output // of all observations
}

// secretWork holds other users' statements, with literals that the server keeps in their texts.
var secretWork = []string{
	"insert into worked values (1, 'planted-in-a-statement')",
	"do $$ begin insert into worked values (1, 'planted-in-a-block'); end $$",
	"alter role other password 'planted-in-a-role'",
}

func startWatched(t *testing.T) *watched {
	t.Helper()
	s := servertest.Start(t,
		embedded.Options{Version: "17", Settings: []string{"shared_preload_libraries=pg_stat_statements"}})
	w := &watched{boss: servertest.Connect(t, servertest.Endpoint(t, s.DSN())),
		file: filepath.Join(t.TempDir(), "observed.jsonl.zst")}
	u, err := url.Parse(s.URL())
	if err != nil {
		t.Fatal(err)
	}
	w.url = *u
	for _, sql := range []string{
		"create extension pg_stat_statements", "create table worked (x int, what text)", "create role other",
		"create role watcher login password 'planted-password' in role pg_monitor",
	} {
		servertest.Exec(t, w.boss, sql)
	}
	return w
}

// work runs statements in its own session at each pause, until stop is called.
func (w *watched) work(t *testing.T, pause time.Duration, statements ...string) (stop func()) {
	t.Helper()
	conn := servertest.Connect(t, servertest.Endpoint(t, w.url.String()))
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() {
		for tick := time.NewTicker(pause); ; <-tick.C {
			for _, sql := range statements {
				if _, err := conn.Exec(ctx, sql, pgx.QueryExecModeSimpleProtocol); err != nil {
					ended <- err
					return
				}
			}
		}
	}()
	return func() {
		cancel()
		if err := <-ended; !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
	}
}

// observe prepares an observation as watcher, whose password is in the URL or in a password file.
func (w *watched) observe(t *testing.T, passfile bool, flags ...string) *process.Process {
	t.Helper()
	as := w.url
	as.User = url.UserPassword("watcher", "planted-password")
	if passfile {
		as.User = url.User("watcher")
		passwords := filepath.Join(t.TempDir(), "passwords")
		if err := os.WriteFile(passwords, []byte("*:*:*:watcher:planted-password\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		as.RawQuery = "passfile=" + url.QueryEscape(passwords)
	}
	c := realiops(t, append([]string{"observe", "--dsn", as.String(), "-o", w.file}, flags...)...)
	c.Stdout, c.Stderr = &w.said, &w.said
	return start(t, c)
}

// awaitWhole waits until n windows are complete.
func (w *watched) awaitWhole(t *testing.T, n int) *counts.Observation {
	t.Helper()
	for range 240 { // two minutes
		run, err := tally.FromFile(w.file)
		if err == nil && run.Observed != nil && run.Observed.Whole >= n {
			return run.Observed
		}
		time.Sleep(time.Second / 2)
	}
	t.Fatalf("there were never %d whole windows: %s", n, &w.said)
	return nil
}

// Two observations, the first of them killed, make one with a gap. No window has the writes in between. The second
// ends when it learns nothing more, and neither shows private data.
func TestObserveGoesOn(t *testing.T) {
	t.Parallel()
	w := startWatched(t)
	stop := w.work(t, time.Second/200, "insert into worked values (1, '')")
	killed := w.observe(t, false, "--for", "3m")
	before := w.awaitWhole(t, 2)
	must(t, killed.Process.Kill())
	killed.Wait()
	stop()
	const unseen = 300_000
	servertest.Exec(t, w.boss, "insert into worked select g from generate_series(1, 300000) g")
	// Otherwise a session would report these rows ten seconds later, and they would be seen.
	servertest.Exec(t, w.boss, "select pg_stat_force_next_flush()")

	stop = w.work(t, time.Second, secretWork...)
	if status := w.observe(t, true, "--for", "3m", "--append", "--until-settled", "--at-least",
		"11s").Wait(); status != 0 {
		t.Fatalf("status %d: %s", status, &w.said)
	}
	stop()
	run, err := tally.FromFile(w.file)
	if err != nil {
		t.Fatal(err)
	}
	after := run.Observed
	if after.Whole <= before.Whole || after.Whole == after.Windows {
		t.Errorf("%d of %d windows are whole, after %d of %d: the first are to be kept, and the gap costs one at least",
			after.Whole, after.Windows, before.Whole, before.Windows)
	}
	if rows := after.RowsPerSecond["inserted"] * float64(after.Whole) * after.Window.Seconds(); !(rows > 0 &&
		rows < unseen/2) {
		t.Errorf("%.0f rows were inserted in whole windows: those of the gap are among them, or there are none", rows)
	}
	if run.Ended == nil || run.Ended.Status != runfile.Complete ||
		!regexp.MustCompile(`(?m)^Settled after \d+ s: `).MatchString(w.said.String()) {
		t.Errorf("it ended %+v, and said %s", run.Ended, &w.said)
	}
	w.keepsSecrets(t)
}

// keepsSecrets looks for planted secrets in all output and records, once the server has them.
func (w *watched) keepsSecrets(t *testing.T) {
	t.Helper()
	record, err := json.Marshal(runfiletest.Records(t, w.file))
	if err != nil {
		t.Fatal(err)
	}
	for _, of := range []string{"block", "role"} { // the extension itself removes other statements' literals
		if n := servertest.Value[int](t, w.boss,
			"select count(*) from pg_stat_statements where query like '%planted-in-a-"+of+"%'"); n == 0 {
			t.Errorf("the server does not have what was planted in a %s", of)
		}
	}
	if !bytes.Contains(record, []byte("alter role other password ?")) {
		t.Error("what changed a role is not among the statements of the record")
	}
	for line := range strings.Lines(w.said.String() + string(record)) {
		if i := strings.Index(line, "planted"); i >= 0 {
			t.Errorf("a secret is shown: %s", line[max(0, i-100):min(len(line), i+50)])
		}
	}
}
