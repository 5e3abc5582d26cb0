//go:build unix

package main

import (
	"context"
	"errors"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/realiops/realiops/internal/test/servertest"
)

// Other sessions' work never makes a gate fail: another test worker in the same database, whose sessions come and go
// like the command's, makes the result uncertain or prevents the measurement. So does a pooler in transaction mode.
func TestGateBesideOthers(t *testing.T) {
	t.Parallel()
	endpoint := servertest.Alone(t, "17")
	boss := servertest.Connect(t, endpoint)
	servertest.Exec(t, boss, "create table t (id int)")
	if err := boss.Close(t.Context()); err != nil { // an open session might report its work up to ten seconds later
		t.Fatal(err)
	}
	dsn, base := endpoint.Config().ConnString(), filepath.Join(t.TempDir(), "base.jsonl")
	gate := func(dsn string, flags ...string) (code int, said string) {
		args := append([]string{"measure", "--dsn", dsn, "-q", "-r", "3", "--background", "200ms"}, flags...)
		return ended(t, append(args, "--", "psql", "-q", "-c", "insert into t values (1)")...)
	}
	if code, said := gate(dsn, "-o", base); code != 0 {
		t.Fatalf("the base: exit status %d\n%s", code, said)
	}
	if code, said := gate(dsn, "--compare", base, "--max", "rows=base,wal_fsyncs=base+1"); code != 0 {
		t.Errorf("alone: exit status %d\n%s", code, said)
	}
	pooler := servertest.Pooler(t, endpoint, "transaction").Config().ConnString()
	if code, said := gate(pooler, "--compare", base, "--max", "rows=base"); code != 1 ||
		!strings.Contains(said, "--allow-pooler") {
		t.Errorf("behind a pooler: exit status %d\n%s", code, said)
	}
	// A pooler's sessions serve any client, and hold back their counts.
	for _, rows := range []string{"base", "100"} {
		if code, said := gate(pooler, "--allow-pooler", "--compare", base, "--max", "rows="+rows); code != 3 ||
			!strings.Contains(said, "is unknown") {
			t.Errorf("behind a pooler that is allowed, at most %s rows: exit status %d\n%s", rows, code, said)
		}
	}
	if code, said := ended(t, "measure", "--dsn", pooler, "--allow-pooler", "-q", "-r", "3", "--background", "200ms",
		"--max", "rows=1", "--sql", "insert into t values (1)"); code != 3 || !strings.Contains(said, "is unknown") {
		t.Errorf("statements behind a pooler that is allowed: exit status %d\n%s", code, said)
	}
	ctx, stop := context.WithCancel(t.Context())
	worked := make(chan struct{})
	go func() {
		defer close(worked)
		for ctx.Err() == nil {
			if conn, err := pgx.Connect(ctx, dsn); err == nil {
				_, _ = conn.Exec(ctx, "insert into t values (2), (3); select pg_sleep(0.05)")
				_ = conn.Close(context.WithoutCancel(ctx))
			}
		}
	}()
	for _, flags := range [][]string{{}, {"--shared"}} {
		if code, said := gate(dsn, append(flags, "--compare", base, "--max", "rows=base")...); code != 3 && code != 1 {
			t.Errorf("beside another worker, %v: exit status %d\n%s", flags, code, said)
		}
	}
	stop()
	<-worked
}

// ended runs the program, and returns its exit status and all that it printed.
func ended(t *testing.T, arguments ...string) (code int, said string) {
	t.Helper()
	out, err := realiops(t, arguments...).CombinedOutput()
	if ended, failed := errors.AsType[*exec.ExitError](err); failed {
		return ended.ExitCode(), string(out)
	}
	return 0, string(out)
}

// A process that a command leaves behind is waited for. If it goes on, a count over its limit is certain, and one
// within it is not. A service that clears its environment and closes inherited files is not waited for.
func TestGateOfACommandThatLeavesAProcess(t *testing.T) {
	t.Parallel()
	dsn := servertest.Alone(t, "17").Config().ConnString()
	if out, err := exec.CommandContext(t.Context(), "psql", "-q", "-c", "create table t (id int)",
		dsn).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	const over = "over the budget: rows: 1 a run; the budget is 0"
	for left, within := range map[string]string{
		"": "::warning title=realiops measure::rows: whether it is at most 1 a run is unknown: " +
			"sessions that are or may be the operation's stayed open",
		"unset REALIOPS_MEASURED; exec 3>&- 9>&-": "::notice title=realiops measure::rows: 1 a run; the budget is 1",
	} {
		pid := filepath.Join(t.TempDir(), "pid")
		t.Cleanup(func() { _ = exec.Command("sh", "-c", "kill $(cat "+pid+")").Run() })
		script := "psql -q -c 'insert into t values (1)'; (" + left + "\nexec sleep 600) >/dev/null 2>&1 & echo $! >" +
			pid
		out, err := realiops(t, "measure", "--dsn", dsn, "-q", "--warmup", "0", "-r", "1", "--background", "200ms",
			"--max", "rows=1,rows=0", "--format", "github", "--", "sh", "-c", script).CombinedOutput()
		ended, failed := errors.AsType[*exec.ExitError](err)
		if !failed || ended.ExitCode() != 4 || !strings.Contains(string(out), over) ||
			!strings.Contains(string(out), within) {
			t.Errorf("%q: %v\n%s", left, err, out)
		}
	}
}
