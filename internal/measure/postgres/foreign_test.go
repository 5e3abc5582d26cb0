//go:build unix

package postgres_test

import (
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/realiops/realiops/internal/measure/load"
	"github.com/realiops/realiops/internal/measure/postgres"
	"github.com/realiops/realiops/internal/runfile"
	"github.com/realiops/realiops/internal/test/servertest"
)

// evil creates a function for a trigger, and one for an event trigger.
const evil = `create function public.evil() returns trigger language plpgsql as 'begin return new; end';
	create function public.fires() returns event_trigger language plpgsql as 'begin end';`

// The owner of a schema named realiops may put anything there, whatever its comment says.
// A claim and a look refuse it.
func TestASchemaOfAnotherRoleIsRefused(t *testing.T) {
	endpoint := servertest.Database(t, "17")
	boss := servertest.Connect(t, endpoint)
	mallory := roleOf(t, boss)
	servertest.Exec(t, boss, "create schema realiops authorization "+mallory+
		"; comment on schema realiops is 'made by realiops, which drops it at the end of a run'")
	refused(t, endpoint, "the schema realiops belongs to "+mallory)
	servertest.Exec(t, boss, "alter schema realiops owner to postgres")
	if _, err := loads(t, endpoint); err != nil {
		t.Errorf("a schema that an earlier run of ours left: %v", err)
	}
}

// refused claims the schema and looks whether it could. Both must be refused in the same words and create nothing.
func refused(t *testing.T, endpoint *postgres.Endpoint, words string) {
	t.Helper()
	_, claimed := loads(t, endpoint)
	conn, err := endpoint.Connect(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(t.Context())
	looked, err := (postgres.Facts{}).RefuseSchema(t.Context(), conn)
	if claimed == nil || !strings.Contains(claimed.Error(), words) || err != nil || len(looked) == 0 ||
		looked[0].Error() != claimed.Error() {
		t.Errorf("claim: %v; look: %v, %v; want %q", claimed, looked, err, words)
	}
}

// An event trigger runs with the privileges of the user that creates a table. A superuser's is harmless; one that
// belongs to a former superuser, or whose function such a role can replace, is refused.
func TestEventTriggersOfOthersAreRefused(t *testing.T) {
	for _, version := range []string{"13", "18"} {
		t.Run(version, func(t *testing.T) {
			endpoint := servertest.Database(t, version)
			boss := servertest.Connect(t, endpoint)
			mallory := roleOf(t, boss)
			servertest.Exec(t, boss,
				evil+"create event trigger fires on ddl_command_end execute function public.fires()")
			if _, err := loads(t, endpoint); err != nil {
				t.Errorf("a superuser's: %v", err)
			}
			all, err := postgres.EventTriggers(t.Context(), boss)
			if err != nil || len(all) != 1 || !all[0].Trusted ||
				all[0].String() != "the event trigger fires, which calls public.fires() and belongs to postgres" {
				t.Errorf("%v, %v", all, err)
			}
			servertest.Exec(t, boss, "alter function public.fires() owner to "+mallory)
			refused(t, endpoint, "the event trigger fires, which calls public.fires() and belongs to "+mallory)
			servertest.Exec(t, boss, "alter function public.fires() owner to postgres; alter role "+mallory+
				" superuser; alter event trigger fires owner to "+mallory)
			if _, err := loads(t, endpoint); err != nil {
				t.Errorf("another superuser's: %v", err)
			}
			servertest.Exec(t, boss, "alter role "+mallory+" nosuperuser")
			refused(t, endpoint, "the event trigger fires, which calls public.fires() and belongs to "+mallory)
			servertest.Exec(t, boss, "alter event trigger fires disable")
			if _, err := loads(t, endpoint); err != nil {
				t.Errorf("one that is disabled: %v", err)
			}
			servertest.Exec(t, boss, "drop event trigger fires")
		})
	}
}

// A publication of all tables reaches subscribers that lack our tables, and stops them.
func TestADatabaseThatPublishesAllTablesIsRefused(t *testing.T) {
	for _, version := range servertest.Matrix("17", "13", "18") {
		t.Run(version, func(t *testing.T) {
			endpoint := servertest.Database(t, version)
			boss := servertest.Connect(t, endpoint)
			servertest.Exec(t, boss, `create table theirs (); create publication one for table theirs`)
			if _, err := loads(t, endpoint); err != nil {
				t.Errorf("a publication of another table: %v", err)
			}
			servertest.Exec(t, boss, `create publication everything for all tables`)
			refused(t, endpoint, "the publication everything is for all tables")
		})
	}
}

// Default privileges may grant other roles access to all new objects. No other role can read our
// tables or put triggers on them.
func TestOthersCannotReachTheSchema(t *testing.T) {
	for _, version := range []string{"13", "18"} {
		t.Run(version, func(t *testing.T) {
			endpoint := servertest.Database(t, version)
			boss := servertest.Connect(t, endpoint)
			mallory := roleOf(t, boss)
			servertest.Exec(t, boss, evil+"grant all on function public.evil() to public;"+
				"alter default privileges grant all on tables to "+mallory+
				", public; alter default privileges grant all on schemas to "+mallory+", public")
			conn, err := endpoint.Connect(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			defer conn.Close(t.Context())
			schema, err := (postgres.Facts{}).ClaimSchema(t.Context(), conn)
			if err != nil {
				t.Fatal(err)
			}
			w, err := load.NewWorkload(runfile.Load{Name: "bulk", Method: load.Copy, RowsPerTx: 10, Clients: 1},
				postgres.SchemaName)
			if err != nil {
				t.Fatal(err)
			}
			if err := w.Create(t.Context(), conn); err != nil {
				t.Fatal(err)
			}
			servertest.Exec(t, boss, "set session authorization "+mallory)
			for _, sql := range []string{
				"create trigger planted before insert on realiops.bulk for each row execute function public.evil()",
				"create table realiops.planted ()", "insert into realiops.bulk (value) values (1)",
				"table realiops.bulk", "do $$ begin lock table realiops.bulk; end $$",
				"create table public.refers (id bigint references realiops.bulk)",
			} {
				if _, err := boss.Exec(t.Context(), sql, pgx.QueryExecModeSimpleProtocol); err == nil ||
					!strings.Contains(err.Error(), "permission denied for schema realiops") {
					t.Errorf("%s: %v", sql, err)
				}
			}
			servertest.Exec(t, boss, "set session authorization default")
			if err := schema.Release(t.Context()); err != nil {
				t.Error(err)
			}
		})
	}
}

// Additions that other users make to our table before the load are found and named.
func TestOthersAdditionsToATableAreRefused(t *testing.T) {
	for _, version := range []string{"13", "18"} {
		t.Run(version, func(t *testing.T) {
			endpoint := servertest.Database(t, version)
			boss := servertest.Connect(t, endpoint)
			mallory := roleOf(t, boss)
			servertest.Exec(t, boss, evil+"alter function public.evil() owner to "+mallory+
				"; create function public.f(bigint) returns bigint language sql immutable as 'select $1'; create "+
				"domain public.d as int check (value > 0)")
			conn, err := endpoint.Connect(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			defer conn.Close(t.Context())
			schema, err := (postgres.Facts{}).ClaimSchema(t.Context(), conn)
			if err != nil {
				t.Fatal(err)
			}
			defer func() {
				if err := schema.Release(t.Context()); err != nil {
					t.Error(err)
				}
			}()
			w, err := load.NewWorkload(runfile.Load{Name: "bulk", Method: load.Copy, RowsPerTx: 10, Indexes: 2,
				Width: 10, Clients: 1}, postgres.SchemaName)
			if err != nil {
				t.Fatal(err)
			}
			for _, c := range []struct{ plant, uproot, names string }{
				{"create trigger planted before insert on realiops.bulk for each row execute function public.evil()",
					"", "the trigger planted, which calls public.evil() of " + mallory},
				{"create rule planted as on insert to realiops.bulk do also select 1", "", "the rule planted"},
				{"create policy planted on realiops.bulk", "", "the policy planted"},
				{"alter table realiops.bulk force row level security", "", "row security"},
				{"alter table realiops.bulk add constraint planted check (public.f(id) > 0)", "",
					"the constraint planted"},
				{"create table public.child () inherits (realiops.bulk)", "drop table public.child",
					"the inheritance between public.child and realiops.bulk"},
				{"alter table realiops.bulk alter value set default public.f(1)", "", "the default of the column value"},
				{"alter table realiops.bulk alter id set default public.f(nextval('realiops.bulk_id_seq'))", "",
					"the default of the column id"},
				{"alter table realiops.bulk add planted int generated always as (1 + public.f(1)) stored", "",
					"the default of the column planted"},
				{"alter table realiops.bulk alter value type public.d", "", "the type of the column value"},
				{"create index planted on realiops.bulk (public.f(id))", "", "the index realiops.planted"},
				{"create index planted on realiops.bulk (id) where public.f(id) > 0", "", "the index realiops.planted"},
				{"create statistics public.planted on id, value from realiops.bulk", "", "the statistics planted"},
				{"create table public.refers (id bigint references realiops.bulk)", "drop table public.refers",
					"the trigger "},
				{"alter table realiops.bulk owner to " + mallory, "", "the owner " + mallory},
			} {
				if err := w.Create(t.Context(), conn); err != nil {
					t.Fatal(err)
				}
				servertest.Exec(t, boss, c.plant)
				err := w.Begin(t.Context(), conn)
				if err == nil || !strings.Contains(err.Error(), " has "+c.names) {
					t.Errorf("%s: %v", c.plant, err)
				}
				servertest.Exec(t, boss, c.uproot)
				if err := w.Drop(t.Context(), conn); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}

// A superuser's event trigger may put a trigger on each new table: then nothing is loaded.
func TestAReadyMadeTriggerIsRefused(t *testing.T) {
	endpoint := servertest.Database(t, "17")
	boss := servertest.Connect(t, endpoint)
	servertest.Exec(t, boss, evil+`create function public.audits() returns event_trigger language plpgsql as $$ begin
			if tg_tag = 'CREATE TABLE' then execute 'create trigger audited before insert on realiops.multi for each row execute function public.evil()'; end if; end $$;
		create event trigger audits on ddl_command_end execute function public.audits()`)
	_, err := loads(t, endpoint)
	if want := `the table "realiops"."multi" of this run has the trigger audited, which calls public.evil() of postgres, which realiops did not`; err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("%v, want %q", err, want)
	}
}

// The schema is dropped last, in whatever order the server lists its objects.
func TestTheSchemaIsDroppedAfterWhatIsInIt(t *testing.T) {
	endpoint := servertest.Database(t, "17")
	boss := servertest.Connect(t, endpoint)
	for _, settings := range []string{
		"min_parallel_table_scan_size = 0", "parallel_setup_cost = 0; alter database # set parallel_tuple_cost = 0",
		"enable_hashjoin = off; alter database # set enable_nestloop = off",
	} {
		name := endpoint.Config().Database
		servertest.Exec(t, boss, strings.ReplaceAll("alter database # set "+settings, "#", name))
		for range 2 {
			conn, err := endpoint.ConnectUser(t.Context()) // with the database's settings
			if err != nil {
				t.Fatal(err)
			}
			schema, err := (postgres.Facts{}).ClaimSchema(t.Context(), conn)
			if err != nil {
				t.Fatalf("%s: %v", settings, err)
			}
			servertest.Exec(t, boss, "create extension pg_walinspect schema realiops; create extension "+
				"pg_buffercache schema realiops; create table realiops.bulk (); "+
				"comment on table realiops.bulk is '"+postgres.TableMark+"'")
			if err := schema.Release(t.Context()); err != nil {
				t.Errorf("%s: %v", settings, err)
			}
			conn.Close(t.Context())
		}
		servertest.Exec(t, boss, "alter database "+name+" reset all")
	}
}

// A session to other data, or to data without the schema, says so.
func TestSchemaLeftBehind(t *testing.T) {
	endpoint := servertest.Database(t, "17")
	conn, err := endpoint.Connect(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(t.Context())
	facts, err := postgres.Inspect(t.Context(), conn)
	if err != nil {
		t.Fatal(err)
	}
	schema, err := facts.ClaimSchema(t.Context(), conn)
	if err != nil {
		t.Fatal(err)
	}
	says := func(now postgres.Facts, want string) {
		t.Helper()
		if why, err := schema.LeftBehind(t.Context(), conn, now); why != want || err != nil {
			t.Errorf("%q, %v; want %q", why, err, want)
		}
	}
	says(facts, "")
	other := facts
	other.SystemIdentifier = "7"
	says(other, "another server answers now, with other data (system identifier 7 instead of "+
		facts.SystemIdentifier+")")
	servertest.Exec(t, conn, "drop schema realiops; create schema realiops")
	says(facts, "the server that answers now does not have it")
}

// A login event trigger that works with the database's search_path may fail with ours.
func TestALoginTriggerThatFails(t *testing.T) {
	endpoint := servertest.Database(t, "17")
	servertest.Exec(t, servertest.Connect(t, endpoint), `create table seen (who text);
		create function note() returns event_trigger language plpgsql as 'begin insert into seen values (user); end';
		create event trigger begun on login execute function note()`)
	const want = `the login event trigger failed: relation "seen" does not exist (PL/pgSQL function public.note() line 1 at ` +
		`SQL statement); qualify the names in it, since realiops sets search_path = pg_catalog, pg_temp, or as a superuser: ` +
		`alter role postgres set event_triggers = off`
	if _, err := endpoint.Connect(t.Context()); err == nil || !strings.HasSuffix(err.Error(), want) {
		t.Errorf("%v, want %s", err, want)
	}
}
