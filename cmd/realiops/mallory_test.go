package main

import (
	"context"
	"net/url"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/realiops/realiops/internal/test/servertest"
)

// mallory owns a database on which a superuser runs realiops, and wants to become a superuser.
type mallory struct {
	boss *pgx.Conn
	dsn  string // the database, as the superuser types it
	own  string // the same for mallory
}

func newMallory(t *testing.T, version string) mallory {
	t.Helper()
	server := servertest.Alone(t, version)
	boss := servertest.Connect(t, server)
	servertest.Exec(t, boss, "create role mallory login password 'mallory'")
	servertest.Exec(t, boss, "create database shop owner mallory")
	u, err := url.Parse(server.Config().ConnString())
	if err != nil {
		t.Fatal(err)
	}
	u.Path = "/shop"
	m := mallory{dsn: u.String()}
	u.User = url.UserPassword("mallory", "mallory")
	m.own = u.String()
	m.boss = servertest.Connect(t, servertest.Endpoint(t, m.dsn))
	servertest.Exec(t, servertest.Connect(t, servertest.Endpoint(t, m.own)),
		`create schema theirs; grant usage on schema theirs to public;
		create function theirs.evil() returns trigger language plpgsql as $$ begin
			execute 'set role postgres'; execute 'alter role mallory superuser'; return new; end $$;
		create function theirs.seizes() returns event_trigger language plpgsql as $$ begin
			if session_user <> 'mallory' then execute 'set role postgres'; execute 'alter role mallory superuser'; end if; end $$`)
	return m
}

// lurks makes mallory try to put a trigger and a rule on every table of the schema, until the test ends.
func (m mallory) lurks(t *testing.T) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), m.own+"&application_name=realiops") // otherwise the run would wait for it
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	left := make(chan struct{})
	go func() {
		defer close(left)
		defer conn.Close(context.Background())
		for ctx.Err() == nil {
			_, _ = conn.Exec(ctx, `do $$ declare t record; begin
				for t in select relname from pg_class where relnamespace = (select oid from pg_namespace where nspname = 'realiops') and relkind = 'r' loop
					begin
						execute format('create trigger evil before insert or update or delete on realiops.%I for each row execute function theirs.evil()', t.relname);
					exception when others then null; end;
				end loop; end $$`)
			select {
			case <-ctx.Done():
			case <-time.After(5 * time.Millisecond):
			}
		}
	}()
	t.Cleanup(func() { stop(); <-left })
}

// types runs a command, which may refuse in one line, and checks that mallory has gained nothing.
func (m mallory) types(t *testing.T, want string, command ...string) {
	t.Helper()
	c := realiops(t, append(command, "--dsn", m.dsn)...)
	var said strings.Builder
	c.Stdout, c.Stderr = &said, &said
	err := c.Run()
	switch {
	case want == "" && err != nil:
		t.Errorf("%s: %v\n%s", command[0], err, said.String())
	case want != "" && (err == nil || !strings.Contains(strings.Join(strings.Fields(said.String()), " "), want)):
		t.Errorf("%s: %v, want %q:\n%s", command[0], err, want, said.String())
	}
	if servertest.Value[bool](t, m.boss, "select rolsuper from pg_roles where rolname = 'mallory'") {
		t.Fatalf("after %s mallory is a superuser", command[0])
	}
	if n := servertest.Value[int](t, m.boss,
		`select count(*) from pg_class c join pg_namespace n on n.oid = c.relnamespace where n.nspname = 'realiops'`); n > 0 {
		t.Errorf("%s leaves %d things in the schema realiops", command[0], n)
	}
}

func (m mallory) exec(t *testing.T, dsn, sql string) {
	t.Helper()
	servertest.Exec(t, servertest.Connect(t, servertest.Endpoint(t, dsn)), sql)
}

// A database's owner may make every session act as them (alter database ... set role): a superuser's
// run would create their objects, with their trigger, which would make them a superuser. No command
// creates or calls anything of theirs.
func TestTheOwnerOfADatabaseGainsNothing(t *testing.T) {
	t.Parallel()
	plan := planFile(t, `{"name": "bulk", "method": "copy", "rows_per_tx": 10, "clients": 2},
		{"name": "looked", "method": "lookup-update", "rows_per_tx": 1, "indexes": 2, "width": 100, "table_rows": 1000, "clients": 1}`, "1")
	for _, version := range servertest.Matrix("18", "13", "18") {
		t.Run(version, func(t *testing.T) {
			m := newMallory(t, version)
			m.exec(t, m.own, "alter database shop set role = 'mallory'; alter database shop set "+
				"session_authorization = 'mallory'; alter database shop set search_path = theirs")
			m.exec(t, m.dsn+"&role=none", "alter role postgres in database shop set role = 'mallory'")
			m.lurks(t)
			place := t.TempDir()
			m.types(t, "", "run", "--yes", "--plan", plan, "-o", filepath.Join(place, "run.jsonl"))
			m.types(t, "", "doctor")
			m.types(t, "", "observe", "--for", "2s", "-o", filepath.Join(place, "observed.jsonl"))
			m.types(t, "", "measure", "-r", "1", "--background", "200ms", "--sql", "select 1")
			if n := servertest.Value[int](t, m.boss,
				"select count(*) from pg_namespace where nspname = 'realiops'"); n != 0 {
				t.Error("the schema stays")
			}
		})
	}
}

// Other traps by an owner, or by a former superuser, are refused in one line, by a run and
// by doctor, or have no effect.
func TestTrapsForARun(t *testing.T) {
	t.Parallel()
	m := newMallory(t, "17")
	plan := planFile(t, `{"name": "bulk", "method": "copy", "rows_per_tx": 10, "clients": 1}`, "1")
	both := func(want string) {
		t.Helper()
		m.types(t, want, "run", "--yes", "--plan", plan, "-o", filepath.Join(t.TempDir(), "run.jsonl"))
		m.types(t, want, "doctor")
	}
	m.lurks(t)

	m.exec(t, m.own, "create schema realiops; comment on schema realiops is 'made by realiops, which drops it at the "+
		"end of a run'; grant all on schema realiops to public")
	both("the schema realiops belongs to mallory, who controls its contents")
	m.exec(t, m.own, "drop schema realiops")

	m.exec(t, m.dsn, "alter default privileges grant all on tables to mallory; alter default privileges grant all on "+
		"schemas to mallory; "+
		"alter default privileges grant all on sequences to mallory")
	both("")

	m.exec(t, m.dsn, "alter role mallory superuser")
	m.exec(t, m.own, "create event trigger seizes on ddl_command_end execute function theirs.seizes()")
	m.exec(t, m.dsn,
		"alter event trigger seizes disable; alter role mallory nosuperuser; alter event trigger seizes enable")
	both("the event trigger seizes, which calls theirs.seizes() and belongs to mallory, who is not a superuser")
	m.exec(t, m.dsn, "set event_triggers = off; alter function theirs.seizes() owner to postgres; alter event "+
		"trigger seizes owner to postgres; alter event trigger seizes disable")

	for _, setting := range []string{
		"restrict_nonsystem_relation_kind = 'view, foreign-table'", "default_tablespace = nowhere",
		"temp_tablespaces = nowhere", "row_security = on",
		"local_preload_libraries = nothing",
	} {
		m.exec(t, m.own, "alter database shop set "+setting)
	}
	both("")
}

// doctor lists the settings of the database and the role, with their effects. An
// application's own setting may be a secret.
func TestDoctorListsSettings(t *testing.T) {
	t.Parallel()
	m := newMallory(t, "17")
	m.exec(t, m.dsn,
		`alter database shop set role = 'mallory'; alter database shop set "app.key" = 'zqzx'; alter database shop set synchronous_commit = off;
		alter role all set work_mem = '8MB'; alter role postgres in database shop set row_security = off; alter role mallory set lc_time = 'C'`)
	printed, err := realiops(t, "doctor", "--dsn", m.dsn).CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, printed)
	}
	said := strings.Join(strings.Fields(string(printed)), " ")
	for _, want := range []string{
		"role = mallory, of database shop: realiops sets its own value in its sessions",
		"app.key, of database shop: it stays",
		"synchronous_commit = off, of database shop: it changes what is measured",
		"work_mem = 8MB, of all roles: it stays",
		"row_security = off, of role postgres in database shop: realiops sets its own value in its sessions",
		"user postgres, database shop",
	} {
		if !strings.Contains(said, want) {
			t.Errorf("doctor does not say %q", want)
		}
	}
	for _, not := range []string{"zqzx", "lc_time", "grant pg_"} {
		if strings.Contains(said, not) {
			t.Errorf("doctor says %q", not)
		}
	}
	if t.Failed() {
		t.Log(string(printed))
	}
}
