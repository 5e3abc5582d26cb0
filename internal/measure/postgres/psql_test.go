//go:build unix

package postgres_test

import (
	"context"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/realiops/realiops/internal/measure/postgres"
	"github.com/realiops/realiops/internal/test/servertest"
)

// reachedQuery asks a session where it leads.
const reachedQuery = `select pg_catalog.concat_ws('|', current_database(), current_user, coalesce(host(inet_server_addr()), 'socket'),
	current_setting('port'), replace(current_setting('application_name'), 'psql', 'realiops load'), current_setting('search_path'),
	current_setting('DateStyle'), current_setting('TimeZone'), current_setting('geqo'), current_setting('client_encoding'))`

// libpqCase is a connection that psql and realiops must make alike.
type libpqCase struct {
	name                       string
	dsn                        string
	env                        map[string]string
	service, system            string // content of the user's and the system's service file
	passfile                   string // content of ~/.pgpass
	mode                       os.FileMode
	fails                      string // both errors, if neither connects
	alone                      bool   // PG* variables name neither server, user nor password
	realiopsSays, realiopsDoes string // where realiops differs on purpose: its error, or its answer
}

// realPsql finds the real psql: Debian's /usr/bin/psql is a wrapper that sets PGHOST.
func realPsql(t *testing.T) string {
	t.Helper()
	if found, _ := filepath.Glob("/usr/lib/postgresql/*/bin/psql"); len(found) > 0 {
		return found[len(found)-1]
	}
	found, err := exec.LookPath("psql")
	if err != nil {
		t.Skip("there is no psql")
	}
	return found
}

// TestAsPsqlConnects compares each variable, each service keyword and the order of sources with psql.
func TestAsPsqlConnects(t *testing.T) {
	psql := realPsql(t)
	for _, variable := range os.Environ() {
		if name, _, _ := strings.Cut(variable, "="); strings.HasPrefix(name, "PG") {
			t.Setenv(name, "") // so that it is restored afterwards
			os.Unsetenv(name)
		}
	}
	one, other := servertest.Database(t, "17"), servertest.Database(t, "16")
	boss := servertest.Connect(t, one)
	servertest.Exec(t, boss, `drop role if exists ann; create role ann login password 'a:n\n'`)
	t.Cleanup(func() {
		_, _ = boss.Exec(context.Background(), "drop database ann")
		_, _ = boss.Exec(context.Background(), "drop role ann")
	})
	servertest.Exec(t, boss, "create database ann")
	c, o := one.Config(), other.Config()
	var (
		db, port, password   = c.Database, fmt.Sprint(c.Port), c.Password
		db2, port2, otherPwd = o.Database, fmt.Sprint(o.Port), o.Password
		socket               = one.Host()
	)
	set := func(pairs ...string) map[string]string {
		m := map[string]string{}
		for i := 0; i < len(pairs); i += 2 {
			m[pairs[i]] = pairs[i+1]
		}
		return m
	}
	toOther := "host=127.0.0.1\nport=" + port2 + "\ndbname=" + db2 + "\npassword=" + otherPwd + "\n"
	all := []libpqCase{
		{name: "nothing but the server"},
		{name: "PGDATABASE", env: set("PGDATABASE", db)},
		{name: "PGDATABASE of a database that there is not", env: set("PGDATABASE", "nosuchdb"),
			fails: `database "nosuchdb" does not exist`},
		{name: "PGDATABASE is empty", env: set("PGDATABASE", "")},
		{name: "PGDATABASE is not a connection string", env: set("PGDATABASE", "dbname="+db), fails: "does not exist"},
		{name: "a name wins over PGDATABASE", dsn: db, env: set("PGDATABASE", "ann")},
		{name: "keywords without dbname", dsn: "connect_timeout=9", env: set("PGDATABASE", db)},
		{name: "dbname= wins over PGDATABASE", dsn: "dbname=" + db, env: set("PGDATABASE", "ann")},
		{name: "an empty dbname= is the user's name", dsn: "dbname=", env: set("PGDATABASE", db)},
		{name: "an empty dbname='' is the user's name", dsn: "dbname='' user=ann password='a:n\\\\n'",
			env: set("PGDATABASE", db)},
		{name: "database= of pgx", dsn: "database=" + db, env: set("PGDATABASE", "ann"), realiopsDoes: db},
		{name: "a URL without a database", dsn: "postgres://", env: set("PGDATABASE", db)},
		{name: "a URL that ends with a slash", dsn: "postgresql:///", env: set("PGDATABASE", db)},
		{name: "a URL with a query alone", dsn: "postgres:///?connect_timeout=9", env: set("PGDATABASE", db)},
		{name: "a URL with an empty dbname", dsn: "postgres:///?dbname=", env: set("PGDATABASE", db)},
		{name: "a URL with two names", dsn: "postgres:///ann?dbname=" + db},
		{name: "two values of a keyword", dsn: "dbname=ann dbname=" + db},
		{name: "the database is the user's", env: set("PGUSER", "ann", "PGPASSWORD", `a:n\n`)},
		{name: "user= wins over PGUSER, and names the database", dsn: `user=ann password=a:n\\n`},
		{name: "an empty user= is the system's", dsn: "user='' dbname=" + db, fails: "authentication failed"},
		{name: "PGHOSTADDR wins over the host's name", dsn: "host=nowhere.invalid", env: set("PGHOSTADDR", "127.0.0.1")},
		{name: "a socket in PGHOST", env: set("PGHOST", socket)},
		{name: "several hosts", env: set("PGHOST", "127.0.0.1,127.0.0.1", "PGPORT", "1,"+port)},
		{name: "PGOPTIONS", env: set("PGOPTIONS", "-c search_path=elsewhere")},
		{name: "options= wins over PGOPTIONS", dsn: "options='-c search_path=here'",
			env: set("PGOPTIONS", "-c search_path=elsewhere -c geqo=off")},
		{name: "PGAPPNAME", env: set("PGAPPNAME", "mine")},
		{name: "PGDATESTYLE", env: set("PGDATESTYLE", "German")},
		{name: "PGDATESTYLE=default", env: set("PGDATESTYLE", "Default")},
		{name: "PGTZ", env: set("PGTZ", "Asia/Tokyo")},
		{name: "PGTZ=default", env: set("PGTZ", "default")},
		{name: "PGGEQO", env: set("PGGEQO", "off")},
		{name: "PGGEQO=default", env: set("PGGEQO", "DEFAULT")},
		{name: "PGCLIENTENCODING", env: set("PGCLIENTENCODING", "LATIN1")},
		{name: "PGCONNECT_TIMEOUT", env: set("PGCONNECT_TIMEOUT", "7")},
		{name: "PGSSLMODE", env: set("PGSSLMODE", "require"), fails: "SSL", realiopsSays: "the server does not support TLS"},
		{name: "PGREQUIRESSL", env: set("PGREQUIRESSL", "1"), fails: "SSL", realiopsSays: "the server does not support TLS"},
		{name: "PGREQUIRESSL is weaker than PGSSLMODE", env: set("PGREQUIRESSL", "1", "PGSSLMODE", "disable")},
		{name: "PGREQUIRESSL=0", env: set("PGREQUIRESSL", "0")},
		{name: "requiressl=1", dsn: "requiressl=1", fails: "SSL", realiopsSays: "the server does not support TLS"},
		{name: "PGTARGETSESSIONATTRS", env: set("PGTARGETSESSIONATTRS", "standby"), fails: "standby"},
		{name: "PGREQUIREPEER", env: set("PGHOST", socket, "PGREQUIREPEER", "nobody-at-all"), fails: "nobody-at-all"},
		{name: "variables that change nothing here", env: set("PGSSLCOMPRESSION", "1", "PGSSLSNI", "0",
			"PGCHANNELBINDING", "prefer",
			"PGGSSENCMODE", "disable", "PGKRBSRVNAME", "x", "PGGSSLIB", "gssapi", "PGLOCALEDIR", "/nowhere",
			"PGSSLCERT", "/nowhere",
			"PGSSLMINPROTOCOLVERSION", "TLSv1.2", "PGSSLMAXPROTOCOLVERSION", "TLSv1.3", "PGSSLMODE", "disable",
			"PGSSLROOTCERT", "/nowhere", "PGLOADBALANCEHOSTS", "disable", "PGREQUIREAUTH", "scram-sha-256")},

		{name: "PGSERVICE", service: "[s]\n" + toOther, env: set("PGSERVICE", "s")},
		{name: "a service wins over variables", service: "[s]\n" + toOther,
			env: set("PGSERVICE", "s", "PGDATABASE", db)},
		{name: "a service without a database", service: "[s]\napplication_name=x\n",
			env: set("PGSERVICE", "s", "PGDATABASE", db)},
		{name: "a service with an empty database", service: "[s]\ndbname=\n",
			env: set("PGSERVICE", "s", "PGDATABASE", db)},
		{name: "a service with an empty user", service: "[s]\nuser=\n", env: set("PGSERVICE", "s", "PGDATABASE", db),
			fails: "authentication failed"},
		{name: "the connection string wins over a service", dsn: "dbname=ann", service: "[s]\ndbname=" + db + "\n",
			env: set("PGSERVICE", "s")},
		{name: "an empty dbname wins over a service", dsn: "dbname=", service: "[s]\ndbname=" + db + "\n",
			env: set("PGSERVICE", "s")},
		{name: "service= wins over PGSERVICE", dsn: "service=s", service: "[t]\ndbname=ann\n[s]\ndbname=" + db + "\n",
			env: set("PGSERVICE", "t")},
		{name: "a service in a URL", dsn: "postgres:///?service=s", service: "[s]\ndbname=" + db + "\n"},
		{name: "a URL's database and a service", dsn: "postgres:///ann?service=s", service: "[s]\ndbname=" + db + "\n"},
		{name: "a service that there is not", env: set("PGSERVICE", "none"), service: "[s]\n",
			fails: `definition of service "none" not found`},
		{name: "the first of two services", service: "[s]\ndbname=" + db +
			"\n[s]\ndbname=ann\napplication_name=second\n", env: set("PGSERVICE", "s")},
		{name: "the first of two values", service: "[s]\ndbname=" + db + "\ndbname=ann\n", env: set("PGSERVICE", "s")},
		{name: "comments, spaces and other services", service: "# x\n\n  [t]\ndbname=ann\n   [s] \n  dbname=" + db +
			"  \n#dbname=ann\n", env: set("PGSERVICE", "s")},
		{name: "a space before the sign", service: "[s]\ndbname =" + db + "\n", env: set("PGSERVICE", "s"),
			fails: "syntax error in service file"},
		{name: "a space behind the sign", service: "[s]\ndbname= " + db + "\n", env: set("PGSERVICE", "s"),
			fails: "does not exist"},
		{name: "a setting that is none of libpq's", service: "[s]\nsearch_path=x\n", env: set("PGSERVICE", "s"),
			fails: "syntax error in service file"},
		{name: "a service in a service", service: "[s]\nservice=t\n[t]\n", env: set("PGSERVICE", "s"),
			fails: "nested service"},
		{name: "keywords of a service", env: set("PGSERVICE", "s"),
			service: "[s]\noptions=-c search_path=mine -c geqo=off\nuser=ann\npassword=a:n\\n\n" +
				"application_name=served\nclient_encoding=LATIN1\nconnect_timeout=8\nkeepalives=0\nsslmode=disable\ngssencmode=disable\n"},
		{name: "the system's services", env: set("PGSERVICE", "s"), system: "[s]\ndbname=" + db + "\n"},
		{name: "the user's services are looked at first", env: set("PGSERVICE", "s"), service: "[s]\ndbname=" + db +
			"\n", system: "[s]\ndbname=ann\n"},
		{name: "the system's, where the user's has it not", env: set("PGSERVICE", "s"), service: "[t]\n",
			system: "[s]\ndbname=" + db + "\n"},

		{name: "the password file", alone: true, passfile: "127.0.0.1:" + port + ":" + db + ":postgres:" +
			password + "\n",
			dsn: "host=127.0.0.1 user=postgres dbname=" + db + " port=" + port},
		{name: "stars, comments and other lines", alone: true,
			passfile: "#*:*:*:*:no\nother:*:*:*:no\n127.0.0.1:1:*:*:no\n*:*:*:postgres:" + password + "\n",
			dsn:      "host=127.0.0.1 user=postgres dbname=" + db + " port=" + port},
		{name: "escapes", alone: true, passfile: `*:*:a\nn:ann:a\:n\\n` + "\r\n",
			dsn: "host=127.0.0.1 user=ann port=" + port},
		{name: "the rest of a password behind a colon", alone: true, passfile: "*:*:*:postgres:" + password + ":more\n",
			dsn: "host=127.0.0.1 user=postgres port=" + port},
		{name: "a line with a space in front", alone: true, passfile: " *:*:*:*:" + password + "\n",
			dsn: "host=127.0.0.1 user=postgres port=" + port, fails: "password"},
		{name: "the first line that matches", alone: true, passfile: "*:*:*:postgres:wrong\n*:*:*:postgres:" +
			password + "\n", dsn: "host=127.0.0.1 user=postgres port=" + port, fails: "password"},
		{name: "an empty password in the first line", alone: true, passfile: "*:*:*:postgres:\n*:*:*:postgres:" +
			password + "\n", dsn: "host=127.0.0.1 user=postgres port=" + port, fails: "password"},
		{name: "the database that is the user's name", alone: true, passfile: "*:*:postgres:postgres:" + password +
			"\n", dsn: "host=127.0.0.1 user=postgres port=" + port},
		{name: "localhost is no directory of sockets but the default", alone: true, passfile: "localhost:*:*:*:" +
			password + "\n", dsn: "host=" + socket + " user=postgres port=" + port, fails: "password"},
		{name: "a directory of sockets", alone: true, passfile: socket + ":*:*:*:" + password + "\n", dsn: "host=" +
			socket + " user=postgres port=" + port},
		{name: "hostaddr alone", alone: true, passfile: "127.0.0.1:*:*:*:" + password + "\n",
			dsn: "hostaddr=127.0.0.1 user=postgres port=" + port},
		{name: "hostaddr is not looked for beside a host", alone: true, passfile: "127.0.0.1:*:*:*:" + password + "\n",
			dsn: "host=db.invalid hostaddr=127.0.0.1 user=postgres port=" + port, fails: "password"},
		{name: "each host has its password", alone: true, passfile: "127.0.0.1:1:*:*:no\n" + socket + ":*:*:*:" +
			password + "\n", dsn: "host=127.0.0.1," + socket + " port=1," + port + " user=postgres"},
		{name: "each name has its password", alone: true, passfile: "127.0.0.1:*:*:*:no\nlocalhost:*:*:*:" + password +
			"\n", dsn: "host=127.0.0.1,localhost port=1," + port + " user=postgres"},
		{name: "a password wins over the file", alone: true, passfile: "*:*:*:*:no\n",
			dsn: "host=127.0.0.1 user=postgres port=" + port + " password=" + password},
		{name: "an empty password does not, and wins over PGPASSWORD", passfile: "*:*:*:*:no\n", dsn: "password=''",
			fails: "password"},
		{name: "PGPASSWORD wins over the file", passfile: "*:*:*:*:no\n"},
		{name: "others may read the file", alone: true, mode: 0o640, passfile: "*:*:*:*:" + password + "\n",
			dsn: "host=127.0.0.1 user=postgres port=" + port, fails: "password"},
		{name: "everybody may read the file", alone: true, mode: 0o604, passfile: "*:*:*:*:" + password + "\n",
			dsn: "host=127.0.0.1 user=postgres port=" + port, fails: "password"},
		{name: "others may read the file, and there is a password", mode: 0o644, passfile: "*:*:*:*:no\n"},
		{name: "others may read the file, and a service has one", alone: true, mode: 0o644, passfile: "*:*:*:*:no\n",
			dsn: "service=s", service: "[s]\n" + toOther + "user=postgres\n"},
		{name: "a directory in place of the file", alone: true,
			dsn: "host=127.0.0.1 user=postgres passfile=/tmp port=" + port, fails: "password"},
		{name: "the owner may do anything with the file", alone: true, mode: 0o700, passfile: "*:*:*:*:" + password +
			"\n", dsn: "host=127.0.0.1 user=postgres port=" + port},
	}
	for _, c := range all {
		t.Run(c.name, func(t *testing.T) {
			env := set("HOME", t.TempDir(), "PGSYSCONFDIR", t.TempDir())
			if !c.alone {
				maps.Copy(env, set("PGHOST", "127.0.0.1", "PGPORT", port, "PGUSER", "postgres", "PGPASSWORD", password))
			}
			maps.Copy(env, c.env)
			for path, text := range map[string]string{
				filepath.Join(env["HOME"], ".pg_service.conf"):        c.service,
				filepath.Join(env["PGSYSCONFDIR"], "pg_service.conf"): c.system,
				filepath.Join(env["HOME"], ".pgpass"):                 c.passfile,
			} {
				if text == "" {
					continue
				}
				mode := os.FileMode(0o600)
				if strings.HasSuffix(path, ".pgpass") && c.mode != 0 {
					mode = c.mode
				}
				if err := os.WriteFile(path, []byte(text), mode); err != nil {
					t.Fatal(err)
				}
			}
			for name, value := range env {
				t.Setenv(name, value)
			}
			c.compare(t, psql)
		})
	}
}

func (c libpqCase) compare(t *testing.T, psql string) {
	p := exec.CommandContext(t.Context(), psql, "-XAtqw", "-c", reachedQuery, c.dsn)
	var refused strings.Builder
	p.Stderr = &refused
	out, err := p.Output()
	want := strings.TrimSpace(string(out))
	got, warning, failed := reached(t, c.dsn)
	said := refused.String()
	if slices.ContainsFunc([]string{warning, said}, func(s string) bool {
		return strings.Contains(s, "WARNING")
	}) && !strings.Contains(said, warning+"\n") {
		t.Errorf("psql warns %q, realiops %q", said, warning)
	}
	if (warning != "") != strings.Contains(said, "WARNING: password file") {
		t.Errorf("psql says %q, realiops %q", said, warning)
	}
	switch {
	case c.realiopsDoes != "":
		if database, _, _ := strings.Cut(got, "|"); database != c.realiopsDoes {
			t.Errorf("realiops: %s, %v", got, failed)
		}
	case c.fails != "":
		ours := c.fails
		if c.realiopsSays != "" {
			ours = c.realiopsSays
		}
		if err == nil || !strings.Contains(said, c.fails) {
			t.Errorf("psql: %s %q, not %q", out, said, c.fails)
		}
		if failed == nil || !strings.Contains(failed.Error(), ours) {
			t.Errorf("realiops: %q, %v, not %q", got, failed, ours)
		}
	case err != nil:
		t.Errorf("psql: %v: %s", err, said)
	case failed != nil:
		t.Errorf("realiops: %v, psql: %s", failed, want)
	case got != want:
		t.Errorf("realiops: %s\npsql:     %s", got, want)
	}
}

// reached returns where realiops connects.
func reached(t *testing.T, dsn string) (found, warning string, err error) {
	endpoint, err := postgres.Parse(dsn)
	if err != nil {
		return "", "", err
	}
	conn, err := endpoint.ConnectUser(t.Context())
	if err != nil {
		return "", endpoint.Warning(), err
	}
	defer conn.Close(context.Background())
	err = conn.QueryRow(t.Context(), reachedQuery).Scan(&found)
	return found, endpoint.Warning(), err
}

// TestAPipeIsNoPasswordFile: libpq would wait for a writer that never comes.
func TestAPipeIsNoPasswordFile(t *testing.T) {
	pipe := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PGPASSWORD", "")
	t.Setenv("PGPASSFILE", pipe)
	endpoint, err := postgres.Parse("host=127.0.0.1 user=u")
	if err != nil {
		t.Fatal(err)
	}
	if want := `WARNING: password file "` + pipe + `" is not a plain file`; endpoint.Warning() != want {
		t.Errorf("%q, want %q", endpoint.Warning(), want)
	}
}
