//go:build unix

package postgres_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/jackc/pgx/v5"

	"github.com/realiops/realiops/internal/measure/load"
	"github.com/realiops/realiops/internal/measure/load/engine"
	"github.com/realiops/realiops/internal/measure/postgres"
	"github.com/realiops/realiops/internal/runfile"
	"github.com/realiops/realiops/internal/test/servertest"
)

// loads does the work of a run on a database: it inspects, creates the schema, and runs two
// loads that insert and look up rows.
func loads(t *testing.T, endpoint *postgres.Endpoint) (postgres.Facts, error) {
	t.Helper()
	conn, err := endpoint.Connect(t.Context())
	if err != nil {
		return postgres.Facts{}, err
	}
	defer conn.Close(t.Context())
	facts, err := postgres.Inspect(t.Context(), conn)
	if err == nil {
		err = facts.Refuse(postgres.Permissions{Shared: true, Pooler: true})
	}
	if err != nil {
		return facts, err
	}
	schema, err := facts.ClaimSchema(t.Context(), conn)
	if err != nil {
		return facts, err
	}
	defer func() {
		if err := schema.Release(t.Context()); err != nil {
			t.Error(err)
		}
	}()
	for _, l := range []runfile.Load{
		{Name: "multi", Method: load.Insert, RowsPerTx: 2, Indexes: 1, Clients: 2},
		{Name: "looked", Method: load.Lookup, RowsPerTx: 1, Indexes: 2, Width: 10, TableRows: 1000, Clients: 2},
	} {
		w, err := load.NewWorkload(l, postgres.SchemaName)
		if err != nil {
			return facts, err
		}
		if facts.Pooler {
			if err := w.ThroughPooler(); err != nil {
				return facts, err
			}
		}
		if err := w.Create(t.Context(), conn); err != nil {
			return facts, err
		}
		if n := servertest.Value[int](t, conn,
			"select pg_catalog.count(*) from pg_catalog.pg_class c join pg_catalog.pg_am a on a.oid = c.relam "+
				"where c.relnamespace = 'realiops'::pg_catalog.regnamespace and c.relkind = 'r' and "+
				"(a.amname <> 'heap' or pg_catalog.pg_get_userbyid(c.relowner) <> session_user)"); n != 0 {
			t.Errorf("%d tables have another owner, or another form", n)
		}
		if err := w.Begin(t.Context(), conn); err != nil {
			return facts, err
		}
		nothing := func(runfile.Work) error { return nil }
		if err := w.Run(t.Context(), endpoint.ConnectClient, engine.Run, 20*time.Millisecond, nothing); err != nil {
			return facts, err
		}
		if err := facts.AwaitClientsGone(t.Context(), conn); err != nil {
			return facts, err
		}
	}
	return facts, nil
}

// same compares two answers of Inspect, except connections: a closed session counts until the server has noticed.
func same(t *testing.T, want, got postgres.Facts) {
	t.Helper()
	varies := cmpopts.IgnoreFields(postgres.Facts{}, "Settings", "Clock", "BackendPID", "Connections")
	if diff := cmp.Diff(want, got, varies); diff != "" {
		t.Error(diff)
	}
}

// The owner of a database may set unprivileged settings for all who connect to it, and a role for itself. That
// changes neither what our statements do nor with whose privileges.
func TestNoSettingOfADatabaseChangesWhatOursDo(t *testing.T) {
	for _, version := range servertest.Matrix("18", "13", "18") {
		t.Run(version, func(t *testing.T) {
			endpoint := servertest.Database(t, version)
			boss, name := servertest.Connect(t, endpoint), endpoint.Config().Database
			settings, err := servertest.Hostile(t.Context(), boss)
			if err != nil || len(settings) < 120 {
				t.Fatalf("%d settings, %v", len(settings), err)
			}
			servertest.Exec(t, boss, "create access method theirs type table handler heap_tableam_handler")
			mallory := roleOf(t, boss)
			settings = append(settings,
				servertest.Setting{Name: "role", Values: []string{mallory}},
				servertest.Setting{Name: "session_authorization", Values: []string{mallory}},
				servertest.Setting{Name: "default_table_access_method", Values: []string{"theirs"}})
			clean, err := loads(t, endpoint)
			if err != nil {
				t.Fatal(err)
			}
			set := func(scope string, s servertest.Setting, value string) {
				servertest.Exec(t, boss, fmt.Sprintf("alter %s set %s = '%s'", scope, s.Name, value))
			}
			tried := func(what string) {
				facts, err := loads(t, endpoint)
				if err != nil {
					t.Errorf("%s: %v", what, err)
					return
				}
				same(t, clean, facts)
			}
			scopes := []string{"database " + name, "role postgres in database " + name}
			// the lowest, middle and highest
			for i, scope := range []string{scopes[0], scopes[1], scopes[0]} {
				for _, s := range settings {
					set(scope, s, s.Values[min(i, 1)*(len(s.Values)-1)/max(1, 2-i)])
				}
				tried(fmt.Sprintf("all at once (%d)", i))
				servertest.Exec(t, boss, "alter "+scope+" reset all")
			}
			for _, s := range settings {
				if !postgres.Pinned(s.Name) && s.Name != "session_authorization" {
					continue
				}
				set(scopes[0], s, s.Values[len(s.Values)/2])
				tried(s.Name + " = " + s.Values[len(s.Values)/2])
				servertest.Exec(t, boss, "alter database "+name+" reset "+s.Name)
			}
		})
	}
}

// roleOf makes a role with the privileges of the database's owner.
func roleOf(t *testing.T, boss *pgx.Conn) string {
	t.Helper()
	database := servertest.Value[string](t, boss, "select current_database()")
	mallory := "mallory_" + database
	servertest.Exec(t, boss, fmt.Sprintf("create role %s login password 'mallory'; alter database %s owner to %[1]s",
		mallory, database))
	t.Cleanup(func() {
		_, err := boss.Exec(context.Background(),
			fmt.Sprintf("set session authorization default; alter database %s owner to current_user; drop owned by "+
				"%s cascade; drop role %[2]s", database, mallory), pgx.QueryExecModeSimpleProtocol)
		if err != nil {
			t.Error(err)
		}
	})
	return mallory
}

// Behind a pooler a session has only the database's settings, and each transaction sets ours. If the database sets
// the role, nothing is created, since statements outside a transaction would run with another role's privileges.
func TestBehindAPooler(t *testing.T) {
	for _, mode := range []string{"session", "transaction"} {
		t.Run(mode, func(t *testing.T) {
			endpoint := servertest.Database(t, "17")
			boss, name := servertest.Connect(t, endpoint), endpoint.Config().Database
			mallory := roleOf(t, boss)
			for setting, value := range map[string]string{
				"search_path": "nowhere", "row_security": "on", "bytea_output": "escape", "exit_on_error": "on",
				"restrict_nonsystem_relation_kind": "view",
			} {
				servertest.Exec(t, boss, fmt.Sprintf("alter database %s set %s = '%s'", name, setting, value))
			}
			if _, err := loads(t, servertest.Pooler(t, endpoint, mode)); err != nil {
				t.Error(err)
			}
			servertest.Exec(t, boss, "alter database "+name+" set role = "+mallory)
			_, err := loads(t, servertest.Pooler(t, endpoint, mode))
			if want := "statements of postgres run as " + mallory; err == nil || !strings.HasPrefix(err.Error(), want) {
				t.Errorf("%v, want %q", err, want)
			}
		})
	}
}

// A parameter of the connection string in other case does not override ours.
func TestConnectionStringsDoNotUnpin(t *testing.T) {
	endpoint := servertest.Database(t, "17")
	c := endpoint.Config()
	for _, given := range []string{"ROLE=pg_monitor", "options='-c role=pg_monitor'", "Search_Path=public",
		"datestyle=German"} {
		dsn := fmt.Sprintf("host=%s port=%d dbname=%s user=postgres password=%s %s", c.Host, c.Port, c.Database,
			c.Password, given)
		for range 8 { // parameters are sent in random order
			conn, err := servertest.Endpoint(t, dsn).Connect(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			got := servertest.Value[string](t, conn,
				"select pg_catalog.concat(current_user, ' ', pg_catalog.current_setting('search_path'), ' ', "+
					"pg_catalog.current_setting('DateStyle'))")
			if err := conn.Close(t.Context()); err != nil {
				t.Error(err)
			}
			if want := "postgres pg_catalog, pg_temp ISO, MDY"; got != want {
				t.Fatalf("%s: %q instead of %q", given, got, want)
			}
		}
	}
}

// Where a right that PUBLIC has by default was revoked, the error names the grant that helps.
func TestRevokedRights(t *testing.T) {
	endpoint := servertest.Database(t, "17")
	boss := servertest.Connect(t, endpoint)
	mallory, config := roleOf(t, boss), endpoint.Config()
	theirs := servertest.Endpoint(t, fmt.Sprintf("host=%s port=%d dbname=%s user=%s password=mallory", config.Host,
		config.Port, config.Database, mallory))
	for _, right := range []string{
		"select on pg_stat_activity", "select on pg_stat_replication", "select on pg_settings", "select on pg_locks",
		"select on pg_roles", "execute on function pg_stat_get_activity",
	} {
		servertest.Exec(t, boss, "revoke "+right+" from public")
		_, err := loads(t, theirs)
		if want := "; grant " + right + " to " + mallory; err == nil || !strings.HasSuffix(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
		servertest.Exec(t, boss, "grant "+right+" to public")
	}
	if _, err := loads(t, theirs); err != nil {
		t.Error(err)
	}
	if got := postgres.MissingGrant("keine Berechtigung für Tabelle konten", "me"); got != "" {
		t.Errorf("%q for a table that is not PostgreSQL's", got)
	}
}
