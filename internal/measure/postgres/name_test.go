package postgres_test

import (
	"context"
	"maps"
	"net/url"
	"strings"
	"testing"

	"github.com/realiops/realiops/internal/measure/postgres"
	"github.com/realiops/realiops/internal/measure/server/embedded"
	"github.com/realiops/realiops/internal/test/servertest"
)

// TestNamesOfAnyBytes: names in a SQL_ASCII database may hold any bytes. They are written out, and no query fails.
func TestNamesOfAnyBytes(t *testing.T) {
	for _, version := range []string{"13", "18"} {
		t.Run(version, func(t *testing.T) {
			s := servertest.Start(t, embedded.Options{Version: version})
			ascii := servertest.DatabaseOn(t, s, "encoding 'SQL_ASCII' template template0 lc_collate 'C' lc_ctype 'C'")
			boss := servertest.Connect(t, ascii)
			servertest.Exec(t, boss, "set client_encoding = 'SQL_ASCII'")
			servertest.Exec(t, boss, "create role \"r\xff\" login superuser")
			servertest.Exec(t, boss,
				"create database \"d\xffé\" encoding 'SQL_ASCII' template template0 lc_collate 'C' lc_ctype 'C'")
			t.Cleanup(func() {
				_, _ = boss.Exec(context.Background(), "drop database if exists \"d\xffé\" with (force)")
			})
			u, err := url.Parse(s.DSN())
			if err != nil {
				t.Fatal(err)
			}
			u.Path = "/d\xffé"
			there := servertest.Endpoint(t, u.String())
			password, _ := u.User.Password()
			servertest.Exec(t, boss, "alter role \"r\xff\" password '"+password+"'")
			// The role can connect only in the database's encoding.
			u.User = url.UserPassword("r\xff", password)
			worker := servertest.Connect(t, servertest.Endpoint(t, u.String()))
			servertest.Exec(t, worker, "set application_name = 'other'")
			servertest.Exec(t, worker, "begin; create table t (id int)")

			conn, err := there.Connect(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			defer conn.Close(context.WithoutCancel(t.Context())) //nolint:errcheck // nothing was changed
			facts, err := postgres.Inspect(t.Context(), conn)
			if err != nil || facts.Database != `d\xFFé` || facts.User == "" {
				t.Errorf("it is %q in %q, %v", facts.User, facts.Database, err)
			}
			const who = `other of "r\xFF" in "d\xFFé"`
			if all, err := facts.AtWork(t.Context(), conn); err != nil || len(all) != 1 || all[0] != who {
				t.Errorf("at work are %q, %v, want %s", all, err, who)
			}
			writing, err := postgres.Writing(t.Context(), conn)
			if err != nil || len(writing) != 1 || !strings.Contains(strings.Join(values(writing), ""), who) {
				t.Errorf("%q write, %v, want %s", writing, err, who)
			}
			if err := postgres.PrepareLooks(t.Context(), conn); err != nil {
				t.Fatal(err)
			}
			if again, err := postgres.Writing(t.Context(), conn); err != nil || !maps.Equal(again, writing) {
				t.Errorf("prepared, %q write, %v, want %q", again, err, writing)
			}
			used := "count(*) filter (where generic_plans + custom_plans > 0)"
			if version == "13" { // it counts no plans
				used = "count(*)"
			}
			if n := servertest.Value[int](t, conn, "select "+used+" from pg_prepared_statements "+
				"where statement like '%virtualtransaction%'"); n != 1 {
				t.Errorf("%d prepared statements were used", n)
			}
			watch, err := facts.Watch(t.Context(), conn, postgres.Sessions{})
			if err != nil {
				t.Fatal(err)
			}
			if _, err := watch.Autovacuumed(t.Context(), conn); err != nil {
				t.Error(err)
			}
		})
	}
}

func values(of map[string]string) (all []string) {
	for _, v := range of {
		all = append(all, v)
	}
	return all
}

// TestNamesInOtherEncodings: names arrive with the right letters, also those of roles and databases that were created in
// a database with another encoding.
func TestNamesInOtherEncodings(t *testing.T) {
	const user, shared = "é", "é€𝄞"
	s := servertest.Start(t, embedded.Options{Version: "17"})
	u, err := url.Parse(s.DSN())
	if err != nil {
		t.Fatal(err)
	}
	password, _ := u.User.Password()
	u.User = url.UserPassword(user, password)
	servertest.Exec(t, servertest.Connect(t, servertest.Endpoint(t, s.DSN())),
		`create role "`+shared+`"; create role "`+user+`" login superuser password '`+password+`'; alter role "`+user+
			`" set role = '`+shared+`'`)
	for _, encoding := range []string{"UTF8", "LATIN1", "WIN1252", "SQL_ASCII"} {
		u.Path = "/" + servertest.DatabaseOn(t, s, "encoding '"+encoding+
			"' template template0 lc_collate 'C' lc_ctype 'C'").Config().Database
		conn, err := servertest.Endpoint(t, u.String()).Connect(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close(context.WithoutCancel(t.Context())) //nolint:errcheck // nothing was changed
		read := func(text string, arguments ...any) (string, error) {
			var got postgres.Name
			err := postgres.QueryRow(t.Context(), conn, "select "+postgres.Named(text), arguments...).Scan(&got)
			return string(got), err
		}
		for _, name := range []string{"plain", "é", "tab", "hex", `a\b`, "t", "h", ""} {
			if got, err := read("$1::pg_catalog.text", name); err != nil || got != name {
				t.Errorf("%s: %q comes as %q, %v", encoding, name, got, err)
			}
		}
		if got, err := read("select max(rolname collate \"C\") from pg_catalog.pg_roles"); err != nil || got != shared {
			t.Errorf("%s: the role %q comes as %q, %v", encoding, shared, got, err)
		}
		facts, err := postgres.Inspect(t.Context(), conn)
		if err != nil || facts.User != user || facts.ActsAs != user {
			t.Errorf("%s: the user is %q, acting as %q, %v", encoding, facts.User, facts.ActsAs, err)
		}
		acting, err := servertest.Endpoint(t, u.String()+"&client_encoding=UTF8").ConnectUser(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		defer acting.Close(context.WithoutCancel(t.Context())) //nolint:errcheck // nothing was changed
		if facts, err := postgres.Inspect(t.Context(), acting); err != nil || facts.User != user || facts.ActsAs != shared {
			t.Errorf("%s: the user is %q, acting as %q, %v", encoding, facts.User, facts.ActsAs, err)
		}
	}
}
