package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/realiops/realiops/internal/test/servertest"
)

// An owner of a database, and whoever may create in it, have planted what calls of their own would run with the rights of
// the superuser who types a command (CVE-2018-1058). None of it is called.
func TestNothingPlantedIsCalled(t *testing.T) {
	t.Parallel()
	arms := `{"name": "copy", "method": "copy", "rows_per_tx": 100, "indexes": 2, "clients": 1},
		{"name": "wide", "method": "insert-values", "rows_per_tx": 10, "width": 100, "clients": 1},
		{"name": "bulk", "method": "insert-select", "rows_per_tx": 10, "width": 100, "clients": 1},
		{"name": "single", "method": "insert", "rows_per_tx": 1, "width": 100, "synchronous_commit": "off", "clients": 1}`
	plan := planFile(t, arms, "1")
	script := filepath.Join(t.TempDir(), "nothing.sql")
	if err := os.WriteFile(script, []byte("select;\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	binary := filepath.Join(t.TempDir(), "binary.sql")
	if err := os.WriteFile(binary, []byte("\\copy_rows pgbench_history (tid, bid) rows 10 values (1, 1) format binary\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, version := range servertest.Versions() {
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
			types("load", "-f", script, "-t", "1", dsn)
			types("load", "-n", "-f", binary, "-t", "1", dsn)
		})
	}
}

// Behind a pooler no session is ours, and what we set for one would be somebody else's: each transaction is safe by itself.
func TestNothingPlantedIsCalledBehindAPooler(t *testing.T) {
	t.Parallel()
	database := servertest.Alone(t, "17")
	planted := servertest.Plant(t, database)
	dsn := servertest.Pooler(t, database, "transaction").Config().ConnString()
	runs(t, "doctor", "--dsn", dsn, "--allow-pooler")
	runs(t, "observe", "--dsn", dsn, "--for", "3s", "-o", filepath.Join(t.TempDir(), "observed.jsonl"))
	if called := planted.Called(t); len(called) > 0 {
		t.Errorf("called: %q", called)
	}
}

// runs the program, which must succeed.
func runs(t *testing.T, command ...string) {
	t.Helper()
	c := exec.CommandContext(t.Context(), os.Args[0], command...)
	c.Args[0] = "realiops" // which testscript.Main takes for the program
	if printed, err := c.CombinedOutput(); err != nil {
		t.Fatalf("%v: %v\n%s", command, err, printed)
	}
}
