//go:build unix

package main

import (
	"os"
	"strings"
	"testing"

	"github.com/realiops/realiops/internal/measure/server/embedded"
	"github.com/realiops/realiops/internal/test/servertest"
)

// load runs realiops load with more in its environment, and returns its output and exit code.
func load(t *testing.T, env []string, args ...string) (printed string, code int) {
	t.Helper()
	c := realiops(t, append([]string{"load"}, args...)...)
	c.Env = append(os.Environ(), env...)
	out, _ := c.CombinedOutput()
	return string(out), c.ProcessState.ExitCode()
}

// Session settings of a role, a database or PGOPTIONS apply to the load as to pgbench's, and do not change the tables
// and transactions of the built-in scripts.
func TestLoadUnderOtherSettings(t *testing.T) {
	t.Parallel()
	for _, setting := range []string{
		"client_encoding=LATIN1", "client_encoding=SQL_ASCII", "standard_conforming_strings=off", "DateStyle=German",
		"quote_all_identifiers=on", "extra_float_digits=-15", "IntervalStyle=iso_8601",
	} {
		t.Run(setting, func(t *testing.T) {
			database := servertest.Database(t, "17")
			boss := servertest.Connect(t, database)
			dsn, env := database.Config().ConnString(), []string{"PGOPTIONS=-c " + setting}
			if printed, code := load(t, env, "-i", "--partitions", "2", dsn); code != 0 {
				t.Fatalf("exit code %d\n%s", code, printed)
			}
			if rows := servertest.Value[int](t, boss, "select count(*) from pgbench_accounts"); rows != 100_000 {
				t.Errorf("%d accounts", rows)
			}
			for _, mode := range []string{"simple", "prepared"} {
				printed, code := load(t, env, "-t", "2", "-M", mode, dsn)
				if code != 0 || !strings.Contains(printed, "2/2") || !strings.Contains(printed, "partitions: 2") {
					t.Errorf("%s: exit code %d\n%s", mode, code, printed)
				}
			}
		})
	}
}

// A database keeps its encoding whatever the client's is.
func TestLoadOnDatabasesOfOtherEncodings(t *testing.T) {
	t.Parallel()
	alone := servertest.Start(t, embedded.Options{Version: "17"}) // doctor says whether a run would begin there
	for _, encoding := range []string{"SQL_ASCII", "LATIN1", "EUC_JP"} {
		t.Run(encoding, func(t *testing.T) {
			dsn := servertest.DatabaseOn(t, alone, "template template0 lc_collate 'C' lc_ctype 'C' encoding '"+encoding+
				"'").Config().ConnString()
			for _, command := range [][]string{{"-i", dsn}, {"-i", "-I", "dtGv", dsn}, {"-t", "2", dsn}} {
				if printed, code := load(t, nil, command...); code != 0 {
					t.Fatalf("%v: exit code %d\n%s", command, code, printed)
				}
			}
			runs(t, "doctor", "--dsn", dsn)
		})
	}
}

// Existing tables survive if their replacements cannot be made.
func TestNothingIsDroppedInVain(t *testing.T) {
	t.Parallel()
	database := servertest.Database(t, "17")
	boss := servertest.Connect(t, database)
	dsn := database.Config().ConnString()
	if printed, code := load(t, nil, "-i", dsn); code != 0 {
		t.Fatal(printed)
	}
	for _, command := range [][]string{
		{"-i", "--tablespace", "nowhere"}, {"-i", "--index-tablespace", "nowhere"}, {"-i", "-I", "dtgpt"},
		{"-i", "-I", ""},
	} {
		printed, code := load(t, nil, append(command, dsn)...)
		if code != 1 {
			t.Errorf("%q: exit code %d\n%s", command, code, printed)
		}
		if rows := servertest.Value[int](t, boss, "select count(*) from pgbench_accounts"); rows != 100_000 {
			t.Errorf("%q: %d accounts are left", command, rows)
		}
	}
}

// A server's details are shown in psql's words; invalid scripts are refused as by pgbench.
func TestLoadTellsAllThatTheServerSays(t *testing.T) {
	t.Parallel()
	database := servertest.Database(t, "17")
	boss := servertest.Connect(t, database)
	dsn := database.Config().ConnString()
	servertest.Exec(t, boss, `create table demo (id int primary key); insert into demo values (1);
		create function inner_one() returns int language plpgsql as 'begin return 1 / 0; end'`)
	script := func(text string) string {
		path := t.TempDir() + "/script.sql"
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	check := func(want string, code int, args ...string) {
		t.Helper()
		printed, got := load(t, nil, append(args, dsn)...)
		if got != code || !strings.Contains(printed, want) {
			t.Errorf("%.100q: exit code %d, want %d and %q\n%s", args, got, code, want, printed)
		}
	}
	check("realiops: DETAIL: Key (id)=(1) already exists.\n", 2, "-n", "-f", script("insert into demo values (1);\n"))
	check("PL/pgSQL function inner_one() line 1 at RETURN\n", 2, "-n", "-f", script("select inner_one();\n"))
	for _, mode := range []string{"simple", "prepared"} {
		check("realiops: LINE 2: from nowhere; (at nowhere", 2, "-n", "-M", mode, "-f",
			script("select 1\nfrom nowhere;\n"))
	}
	check("realiops: HINT: Perhaps you meant", 2, "-n", "-f", script("select demo.ids from demo;\n"))
	check("line 2 contains a NUL byte", 1, "-n", "-f", script("select 1;\nselect '\x00';\n"))
	check("setting random seed to 18446744073709551615", 0, "-n", "--random-seed=-1", "-t", "1", "-f",
		script("select 1;\n"))
	one, many := script("select 1;\n"), []string{"-n", "-t", "1"}
	for range 129 {
		many = append(many, "-f", one)
	}
	check("at most 128 scripts are allowed", 1, many...)
	check("- total number of retries: 0\n", 0, "-n", "-t", "1", "--max-tries", "3", "-f", one+"@1", "-f", one+"@0")
}
