//go:build unix

package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/realiops/realiops/internal/test/servertest"
)

// TestDatabaseIsPsqls: each command, and the measured program, uses psql's database.
func TestDatabaseIsPsqls(t *testing.T) {
	t.Parallel()
	psql := "/usr/bin/psql"
	if found, _ := filepath.Glob("/usr/lib/postgresql/*/bin/psql"); len(found) > 0 {
		psql = found[len(found)-1] // Debian's /usr/bin/psql is a wrapper that sets PGHOST
	}
	if _, err := os.Stat(psql); err != nil {
		t.Skip(err)
	}
	server := servertest.Alone(t, "17")
	for _, name := range []string{"variables", "services", "named"} {
		servertest.Exec(t, servertest.Connect(t, server), "create database "+name)
	}
	home := t.TempDir()
	c := server.Config()
	where := fmt.Sprintf("host=%s\nport=%d\nuser=postgres\npassword=%s\n", c.Host, c.Port, c.Password)
	write(t, filepath.Join(home, ".pg_service.conf"), "[s]\n"+where+"dbname=services\n[bare]\n"+where, 0o600)
	write(t, filepath.Join(home, ".pgpass"), "*:*:*:*:"+c.Password+"\n", 0o600)
	connect := []string{"PGHOST=" + c.Host, fmt.Sprintf("PGPORT=%d", c.Port), "PGUSER=postgres"}
	run := func(t *testing.T, env []string, path string, args ...string) string {
		t.Helper()
		command := exec.CommandContext(t.Context(), path, args...)
		if path == "realiops" {
			command = realiops(t, args...)
		}
		var said bytes.Buffer
		command.Env = append([]string{"HOME=" + home, "PATH=" + os.Getenv("PATH")}, env...)
		command.Stderr = &said
		out, err := command.Output()
		if err != nil {
			t.Errorf("%s %q: %v: %s", filepath.Base(path), args, err, said.String())
		}
		if strings.Contains(said.String(), c.Password) {
			t.Errorf("the password is shown: %s", said.String())
		}
		return strings.TrimSpace(string(out))
	}
	const ask = "select current_database()"
	mark := filepath.Join(home, "mark.sql")
	write(t, mark, "create table if not exists mark ();", 0o600)
	marked := func(t *testing.T, database string) bool {
		conn := servertest.Connect(t, servertest.Endpoint(t,
			fmt.Sprintf("host=%s port=%d user=postgres password=%s dbname=%s", c.Host, c.Port, c.Password, database)))
		is := servertest.Value[bool](t, conn, "select to_regclass('mark') is not null")
		servertest.Exec(t, conn, "drop table if exists mark")
		_ = conn.Close(context.Background())
		return is
	}
	for _, test := range []struct {
		name, dsn string
		env       []string
		given     bool // although the connection string is empty
		thorough  bool // each command
	}{
		{name: "PGDATABASE", thorough: true, env: append(connect, "PGDATABASE=variables")},
		{name: "no database", env: connect},
		{name: "empty PGDATABASE", env: append(connect, "PGDATABASE=")},
		{name: "empty connection string", thorough: true, env: append(connect, "PGDATABASE=variables"), given: true},
		{name: "PGSERVICE", env: []string{"PGSERVICE=s"}},
		{name: "PGSERVICE and PGDATABASE", thorough: true, env: []string{"PGSERVICE=s", "PGDATABASE=variables"}},
		{name: "PGSERVICE without a database, and PGDATABASE", env: []string{"PGSERVICE=bare", "PGDATABASE=variables"}},
		{name: "service=", dsn: "service=s", given: true, env: []string{"PGDATABASE=variables"}},
		{name: "service= and dbname=", dsn: "service=s dbname=named", given: true,
			env: []string{"PGDATABASE=variables"}},
		{name: "a name", dsn: "named", given: true, env: append(connect, "PGDATABASE=variables")},
		{name: "a name and PGSERVICE", dsn: "named", given: true, env: []string{"PGSERVICE=s"}},
		{name: "dbname=", dsn: "dbname=", given: true, env: append(connect, "PGDATABASE=variables")},
		{name: "a URL without a database", dsn: "postgres://", given: true,
			env: append(connect, "PGDATABASE=variables")},
		{name: "hostaddr", dsn: "host=nowhere.invalid hostaddr=127.0.0.1", given: true,
			env: append(connect, "PGDATABASE=variables")},
		{name: "several hosts", dsn: fmt.Sprintf("host=127.0.0.1,%s port=1,%d dbname=named", c.Host, c.Port),
			given: true, env: connect},
	} {
		t.Run(test.name, func(t *testing.T) {
			want := run(t, test.env, psql, "-XAtc", ask, test.dsn)
			var flag, argument []string
			if test.given {
				flag, argument = []string{"--dsn", test.dsn}, []string{test.dsn}
			}
			check := func(command string, args ...string) {
				t.Helper()
				run(t, test.env, "realiops", args...)
				if !marked(t, want) {
					t.Errorf("%s works elsewhere than in %s", command, want)
				}
			}
			check("load", append([]string{"load", "-n", "-t", "1", "-f", mark}, argument...)...)
			once := append([]string{"measure", "-q", "-r", "1", "--warmup", "0", "--background", "50ms"}, flag...)
			check("a program that is measured", append(once, "--", psql, "-Xqf", mark)...)
			found := run(t, test.env, "realiops", append(once, "--", "sh", "-c", `echo $PGDATABASE; exec `+psql+
				` -XAtc "$0" "$DATABASE_URL"`, ask)...)
			if found != want+"\n"+want {
				t.Errorf("the program that is measured finds PGDATABASE and DATABASE_URL of %s, not of %s", found, want)
			}
			if !test.thorough {
				return
			}
			check("load --dsn", append([]string{"load", "-n", "-t", "1", "-f", mark}, flag...)...)
			check("measure --file", append(once, "--file", mark)...)
			if said := run(t, test.env, "realiops", append([]string{"doctor", "--format", "json"},
				flag...)...); !strings.Contains(said, `"`+want+`"`) {
				t.Errorf("doctor does not look at %s: %s", want, said)
			}
		})
	}
	t.Run("a password file that others can read", func(t *testing.T) {
		open := filepath.Join(home, "open")
		write(t, open, "*:*:*:*:"+c.Password+"\n", 0o644)
		warning := `WARNING: password file "` + open +
			`" has group or world access; permissions should be u=rw (0600) or less`
		for _, args := range [][]string{
			{"load", "-n", "-t", "1", "-f", mark}, {"load", "-i", "-q"}, {"measure", "--sql", "select 1"},
			{"measure", "--", "true"}, {"doctor"},
			{"observe", "--for", "1s"}, {"run", "--dsn", "", "--yes"},
		} {
			command := realiops(t, args...)
			command.Dir = t.TempDir()
			command.Env = append([]string{"HOME=" + home, "PGPASSFILE=" + open}, connect...)
			out, err := command.CombinedOutput()
			if err == nil || strings.Count(string(out), warning+"\n") != 1 ||
				!strings.Contains(string(out), "password") {
				t.Errorf("%q: %v: %s", args, err, out)
			}
		}
	})
}

func write(t *testing.T, path, text string, mode os.FileMode) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), mode); err != nil {
		t.Fatal(err)
	}
}
