//go:build unix

package main

import (
	"errors"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/realiops/realiops/internal/measure/server/embedded"
	"github.com/realiops/realiops/internal/test/servertest"
)

// doctor runs realiops doctor and returns its output and exit code.
func doctor(t *testing.T, dsn string, flags ...string) (printed string, code int) {
	t.Helper()
	out, err := realiops(t, append([]string{"doctor", "--dsn", dsn}, flags...)...).CombinedOutput()
	if ended, ok := errors.AsType[*exec.ExitError](err); ok {
		return string(out), ended.ExitCode()
	}
	if err != nil {
		t.Fatal(err)
	}
	return string(out), 0
}

// doctor finds an extension that was not updated with the server.
func TestDoctorSeesAnOldExtension(t *testing.T) {
	endpoint := servertest.Database(t, "17")
	boss := servertest.Connect(t, endpoint)
	servertest.Exec(t, boss, "create extension pg_walinspect version '1.0'")
	const want = "! A run cannot tell which tables and indexes the WAL belongs to: pg_walinspect is older than this " +
		"server; run alter extension pg_walinspect update."
	for said := range 2 {
		printed, _ := doctor(t, endpoint.Config().ConnString())
		if found := strings.Count(strings.Join(strings.Fields(printed), " "), want); found != 1-said {
			t.Errorf("said %d times, after %d updates\n%s", found, said, printed)
		}
		servertest.Exec(t, boss, "alter extension pg_walinspect update")
	}
}

// doctor names subscribers of the slot's own database only.
func TestDoctorSeesLogicalReplication(t *testing.T) {
	s := servertest.Start(t, embedded.Options{Version: "17", Settings: []string{"wal_level=logical"}})
	other := servertest.DatabaseOn(t, s, "")
	boss := servertest.Connect(t, servertest.Endpoint(t, s.DSN()))
	servertest.Exec(t, boss, "select pg_create_logical_replication_slot('cdc', 'test_decoding')")
	const kept, readers = "The server retains all WAL of a run", "sent to consumers of logical replication"
	for dsn, want := range map[string]bool{s.DSN(): true, other.Config().ConnString(): false} {
		printed, _ := doctor(t, dsn)
		text := strings.Join(strings.Fields(printed), " ")
		if !strings.Contains(text, kept) || strings.Contains(text, readers) != want {
			t.Errorf("want %q: %v\n%s", readers, want, printed)
		}
	}
}

func TestDoctorSeesAPooler(t *testing.T) {
	server := servertest.Alone(t, "17")
	pooled := servertest.Pooler(t, server, "transaction").Config().ConnString()
	check := func(code int, words string, flags ...string) {
		t.Helper()
		printed, got := doctor(t, pooled, flags...)
		if got != code || !strings.Contains(strings.Join(strings.Fields(printed), " "), words) {
			t.Errorf("%v: exit code %d, want %d and %q\n%s", flags, got, code, words, printed)
		}
	}
	check(3, "NO RUN WOULD BEGIN HERE: a connection pooler keeps our sessions open")
	check(0, "! realiops reached the server through a connection pooler", "--allow-pooler")
	pooled = servertest.Pooler(t, server, "statement").Config().ConnString()
	check(3, "NO RUN WOULD BEGIN HERE: the connection pooler allows no transactions", "--allow-pooler")
}

// The commands name a superuser's triggers on our sessions or tables, until the superuser exempts our role.
func TestEventTriggersAreNamed(t *testing.T) {
	t.Parallel()
	endpoint := servertest.Alone(t, "17")
	dsn, boss := endpoint.Config().ConnString(), servertest.Connect(t, endpoint)
	servertest.Exec(t, boss, `create function audits() returns event_trigger language plpgsql as 'begin end';
		create event trigger made on ddl_command_end execute function audits();
		create event trigger begun on login execute function audits()`)
	const ddl = "The schema and the tables of a run fire the event trigger made, which calls public.audits() and belongs to postgres."
	const login = "Each session of realiops fires the event trigger begun, which calls public.audits() and belongs to postgres. " +
		"Its writes count as others' work."
	plan := planFile(t, `{"name": "copy", "method": "copy", "rows_per_tx": 100, "clients": 1}`, "1")
	check := func(ddls, logins int, command ...string) {
		t.Helper()
		printed, err := realiops(t, append(command, "--dsn", dsn)...).CombinedOutput()
		text := strings.Join(strings.Fields(string(printed)), " ")
		if err != nil || strings.Count(text, ddl) != ddls || strings.Count(text, login) != logins {
			t.Errorf("%v: %v, want %d and %d\n%s", command, err, ddls, logins, printed)
		}
	}
	check(1, 1, "doctor")
	check(0, 1, "observe", "--for", "3s", "-o", filepath.Join(t.TempDir(), "observed.jsonl"))
	check(1, 1, "run", "--plan", plan, "-o", filepath.Join(t.TempDir(), "run.jsonl"))
	servertest.Exec(t, boss, "alter role postgres set event_triggers = off")
	check(0, 0, "doctor")
}
