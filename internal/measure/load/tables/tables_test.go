package tables_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"

	"github.com/realiops/realiops/internal/measure/load/tables"
	"github.com/realiops/realiops/internal/test/servertest"
)

func TestEveryTableIsFrozenAsItIsFilled(t *testing.T) {
	conn := servertest.Connect(t, servertest.Database(t, "17"))
	servertest.Exec(t, conn, "create extension pg_visibility")
	initialize(t, conn, tables.Options{Steps: "dtg"})
	for _, table := range []string{"branches", "tellers", "accounts"} {
		frozen := servertest.Value[float64](t, conn,
			"select avg(all_frozen::int)::float8 from pg_visibility('pgbench_"+table+"')")
		if frozen < 0.99 { // the server leaves the last pages of accounts, with pgbench, too
			t.Errorf("%g of the pages of %s are frozen", frozen, table)
		}
	}
}

func TestUnloggedPartitionsWorkOnEighteen(t *testing.T) {
	conn := servertest.Connect(t, servertest.Database(t, "18"))
	initialize(t, conn, tables.Options{Unlogged: true, Partitions: 2})
	logged := servertest.Value[string](t, conn,
		`select string_agg(relname, ' ') from pg_class where relname like 'pgbench%' and relkind = 'r' and relpersistence <> 'u'`+
			` having count(*) > 0 union all select '' limit 1`)
	if logged != "" {
		t.Errorf("logged: %s", logged)
	}
	if rows := servertest.Value[int](t, conn, "select count(*) from pgbench_accounts"); rows != 100_000 {
		t.Errorf("%d accounts at scale 1", rows)
	}
}

func TestImpossibleOptionsAreRefusedBeforehand(t *testing.T) {
	check := func(o tables.Options, want string) {
		t.Helper()
		err := tables.Initialize(t.Context(), nil, o) // without a session, nothing may be sent
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want something about %q", err, want)
		}
	}
	check(tables.Options{Scale: -1}, "invalid scale -1")
	check(tables.Options{Fillfactor: 9}, "invalid fillfactor 9")
	check(tables.Options{Fillfactor: 101}, "invalid fillfactor 101")
	check(tables.Options{Partitions: -2}, "invalid number of partitions -2")
	check(tables.Options{PartitionMethod: tables.Hash}, "greater than zero")
	check(tables.Options{Partitions: 2, PartitionMethod: "list"}, `unknown partition method "list"`)
	check(tables.Options{Steps: "dtx"}, `unknown initialization step 'x'`)
}

func TestAnErrorNamesTheStepAndKeepsTheRows(t *testing.T) {
	conn := servertest.Connect(t, servertest.Database(t, "17"))
	initialize(t, conn, tables.Options{})
	servertest.Exec(t, conn, `alter table pgbench_accounts add check (aid < 99999) not valid`)
	before := stateOf(t, conn)
	err := tables.Initialize(t.Context(), conn, tables.Options{Steps: "g"})
	if err == nil || !strings.Contains(err.Error(), "initialize: client-side generate: fill pgbench_accounts: ") {
		t.Errorf("got %v", err)
	}
	if diff := cmp.Diff(before, stateOf(t, conn)); diff != "" { // in the same session, which is still usable
		t.Error(diff)
	}
}

func TestAnInterruptSaysWhy(t *testing.T) {
	conn := servertest.Connect(t, servertest.Database(t, "17"))
	ctx, stop := context.WithCancelCause(t.Context())
	enough := errors.New("enough")
	time.AfterFunc(300*time.Millisecond, func() { stop(enough) })
	began := time.Now()
	err := tables.Initialize(ctx, conn, tables.Options{Scale: 10_000})
	if !errors.Is(err, enough) || time.Since(began) > 30*time.Second {
		t.Errorf("after %v: %v", time.Since(began), err)
	}
}

func TestExistingTablesTellTheirScaleAndPartitions(t *testing.T) {
	conn := servertest.Connect(t, servertest.Database(t, "17"))
	if _, err := tables.Scale(t.Context(), conn); err == nil || !strings.Contains(err.Error(), "-i first") {
		t.Errorf("without tables: %v", err)
	}
	type found struct {
		Scale, Count int
		Method       tables.Method
	}
	check := func(o tables.Options, want found) {
		t.Helper()
		initialize(t, conn, o)
		var got found
		var err, errPartitions error
		got.Scale, err = tables.Scale(t.Context(), conn)
		got.Method, got.Count, errPartitions = tables.Partitions(t.Context(), conn)
		if diff := cmp.Diff(want, got); diff != "" || err != nil || errPartitions != nil {
			t.Errorf("%v %v\n%s", err, errPartitions, diff)
		}
	}
	check(tables.Options{Scale: 2, Steps: "dtg"}, found{Scale: 2})
	check(tables.Options{Steps: "dtg", Partitions: 3}, found{1, 3, tables.Range})
	check(tables.Options{Steps: "dtG", Partitions: 5, PartitionMethod: tables.Hash}, found{1, 5, tables.Hash})
}

func TestVacuumBeforeARun(t *testing.T) {
	conn := servertest.Connect(t, servertest.Database(t, "17"))
	vacuum := func(accounts bool) string {
		t.Helper()
		var progress bytes.Buffer
		if err := tables.Vacuum(t.Context(), conn, accounts, &progress); err != nil {
			t.Fatal(err)
		}
		return progress.String()
	}
	if said := vacuum(false); strings.Count(said, "does not exist (ignored)") != 3 {
		t.Errorf("without tables: %q", said)
	}
	initialize(t, conn, tables.Options{Steps: "dtg"})
	servertest.Exec(t, conn, `insert into pgbench_history values (1, 1, 1, 1, now())`)
	want := "starting vacuum...end.\nstarting vacuum pgbench_accounts...end.\n"
	if diff := cmp.Diff(want, vacuum(true)); diff != "" {
		t.Error(diff)
	}
	if rows := servertest.Value[int](t, conn, "select count(*) from pgbench_history"); rows != 0 {
		t.Errorf("the history has %d rows", rows)
	}
	unvacuumed := "select count(*) from pg_class where relname like 'pgbench%' and relkind = 'r' and " +
		"relallvisible < relpages"
	if n := servertest.Value[int](t, conn, unvacuumed); n != 0 {
		t.Errorf("%d tables are not vacuumed", n)
	}
}

func TestLostSessionIsNotIgnored(t *testing.T) {
	endpoint := servertest.Database(t, "17")
	conn, err := pgx.ConnectConfig(t.Context(), endpoint.UserConfig())
	if err != nil {
		t.Fatal(err)
	}
	servertest.Exec(t, servertest.Connect(t, endpoint), fmt.Sprintf("select pg_terminate_backend(%d)",
		conn.PgConn().PID()))
	err = tables.Vacuum(t.Context(), conn, false, &bytes.Buffer{})
	if err == nil || !conn.IsClosed() { // reported by the server or the kernel, whichever came first
		t.Errorf("the session is gone, and the error is %v", err)
	}
}
