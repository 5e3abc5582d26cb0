//go:build unix

package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/realiops/realiops/internal/runfile"
	"github.com/realiops/realiops/internal/test/runfiletest"
	"github.com/realiops/realiops/internal/test/servertest"
)

// A database's owner, and users who may create in it, have planted functions that a superuser's command could call
// with its privileges (CVE-2018-1058). None is called.
func TestNothingPlantedIsCalled(t *testing.T) {
	t.Parallel()
	loads := `{"name": "copy", "method": "copy", "rows_per_tx": 100, "indexes": 2, "clients": 1},
		{"name": "wide", "method": "insert-values", "rows_per_tx": 10, "width": 100, "clients": 1},
		{"name": "bulk", "method": "insert-select", "rows_per_tx": 10, "width": 100, "clients": 1},
		{"name": "single", "method": "insert", "rows_per_tx": 1, "width": 100, "synchronous_commit": "off", "clients": 1},
		{"name": "looked", "method": "lookup", "rows_per_tx": 1, "indexes": 2, "width": 100, "table_rows": 5000, "cold": true, "clients": 1},
		{"name": "replaced", "method": "replace", "rows_per_tx": 10, "indexes": 1, "width": 100, "table_rows": 5000, "clients": 1}`
	plan := planFile(t, loads, "1")
	script := filepath.Join(t.TempDir(), "nothing.sql")
	if err := os.WriteFile(script, []byte("select;\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	binary := filepath.Join(t.TempDir(), "binary.sql")
	if err := os.WriteFile(binary,
		[]byte("\\copy_rows pgbench_history (tid, bid) rows 10 values (1, 1) format binary\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, version := range servertest.Matrix("18") {
		t.Run(version, func(t *testing.T) {
			database := servertest.Alone(t, version)
			planted := servertest.Plant(t, database)
			dsn := database.Config().ConnString()
			types := func(command ...string) {
				t.Helper()
				runs(t, command...)
				if called := planted.Called(t); len(called) > 0 {
					t.Fatalf("%s calls %q", command[0], called)
				}
			}
			types("doctor", "--dsn", dsn)
			types("observe", "--dsn", dsn, "--for", "3s", "-o", filepath.Join(t.TempDir(), "observed.jsonl"))
			types("run", "--dsn", dsn, "--yes", "--plan", plan, "-o", filepath.Join(t.TempDir(), "run.jsonl"))
			types("load", "-i", "-I", "dtgvp", dsn)
			types("load", "-i", "-I", "G", dsn)
			types("load", "-f", script, "-t", "1", dsn+"&target_session_attrs=primary")
			types("load", "-n", "-f", binary, "-t", "1", dsn)
		})
	}
}

// Behind a pooler we own no session, and its settings would reach other clients: each transaction is safe by itself.
func TestNothingPlantedIsCalledBehindAPooler(t *testing.T) {
	t.Parallel()
	database := servertest.Alone(t, "17")
	planted := servertest.Plant(t, database)
	dsn := servertest.Pooler(t, database, "transaction").Config().ConnString()
	runs(t, "doctor", "--dsn", dsn+" target_session_attrs=primary", "--allow-pooler")
	runs(t, "observe", "--dsn", dsn, "--for", "3s", "-o", filepath.Join(t.TempDir(), "observed.jsonl"))
	if called := planted.Called(t); len(called) > 0 {
		t.Errorf("called: %q", called)
	}
}

// Behind a pooler every load of the built-in plan works, since each transaction makes its settings. Late reports of
// the pooler's sessions are not taken for other sessions' work.
func TestLoadsThroughAPooler(t *testing.T) {
	t.Parallel()
	dsn := servertest.Pooler(t, servertest.Alone(t, "17"), "transaction").Config().ConnString()
	plan := filepath.Join(t.TempDir(), "plan.json")
	text := `{"loads": [{"name": "copy", "method": "copy", "rows_per_tx": 10, "clients": 2},
		{"name": "async", "method": "insert", "rows_per_tx": 1, "synchronous_commit": "off", "clients": 2},
		{"name": "asyncs", "method": "copy", "rows_per_tx": 10, "synchronous_commit": "off", "clients": 1},
		{"name": "values", "method": "insert-values", "rows_per_tx": 3, "clients": 2},
		{"name": "inserts", "method": "insert", "rows_per_tx": 3, "clients": 2}], "repetitions": 1, "load_seconds": 1}`
	if err := os.WriteFile(plan, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "run.jsonl")
	runs(t, "run", "--dsn", dsn, "--allow-pooler", "--plan", plan, "-o", file)
	for _, record := range runfiletest.Records(t, file) {
		if event, is := record.(runfile.LoadEvent); is && (event.Repetition > 1 || event.Others != nil) {
			t.Errorf("%+v", event)
		}
		if proof, is := record.(runfile.Proof); is && (proof.Missing != "" || proof.Rows == 0) {
			t.Errorf("%+v", proof)
		}
		if line, is := record.(runfile.Work); is && line.Load == "async" && (line.Statements != line.Transactions ||
			line.Failures > 0) {
			t.Errorf("%+v", line)
		}
	}
	script := filepath.Join(t.TempDir(), "script.sql")
	if err := os.WriteFile(script, []byte("insert into pgbench_history (tid) values (1);\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	runs(t, "load", "-i", dsn)
	for _, protocol := range []string{"simple", "extended"} {
		runs(t, "load", "-n", "-M", protocol, "-c", "2", "-t", "5", dsn)
		runs(t, "load", "-n", "-M", protocol, "-c", "2", "-t", "5", "-f", script, dsn)
	}
}

// runs runs the program, which must succeed.
func runs(t *testing.T, command ...string) {
	t.Helper()
	if printed, err := realiops(t, command...).CombinedOutput(); err != nil {
		t.Fatalf("%v: %v\n%s", command, err, printed)
	}
}
