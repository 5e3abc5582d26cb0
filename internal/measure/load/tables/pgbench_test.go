package tables_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"

	"github.com/realiops/realiops/internal/measure/load/tables"
	"github.com/realiops/realiops/internal/measure/postgres"
	"github.com/realiops/realiops/internal/test/servertest"
)

func TestMain(m *testing.M) { os.Exit(servertest.Main(m)) }

// pgbench runs the real pgbench -i and returns its standard error.
func pgbench(t *testing.T, endpoint *postgres.Endpoint, args ...string) string {
	t.Helper()
	path, err := exec.LookPath("pgbench")
	if err != nil {
		t.Skip("no pgbench in PATH to compare with")
	}
	c := endpoint.Config()
	dsn := fmt.Sprintf("host=%s port=%d user=%s password='%s' dbname=%s", c.Host, c.Port, c.User, c.Password, c.Database)
	cmd := exec.CommandContext(t.Context(), path, append(append([]string{"-i"}, args...), dsn)...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	if err := cmd.Run(); err != nil {
		t.Fatalf("pgbench %q: %v\n%s", args, err, &stderr)
	}
	return stderr.String()
}

// initialize runs ours and returns its output.
func initialize(t *testing.T, conn *pgx.Conn, o tables.Options) string {
	t.Helper()
	var progress bytes.Buffer
	o.Progress = &progress
	if err := tables.Initialize(t.Context(), conn, o); err != nil {
		t.Fatal(err)
	}
	return progress.String()
}

// catalog selects everything that pg_dump would show of the tables, and the results of vacuum, a line for each. It
// leaves out how much of the small tables is frozen: before 17, pgbench inserts their rows instead of copying them.
const catalog = `
	with mine as (select * from pg_class where relname like 'pgbench%')
	select concat_ws(' ', 'relation', relname, relkind, 'persistence', relpersistence, reloptions::text, 'in', spcname,
		pg_get_partkeydef(c.oid), pg_get_expr(relpartbound, c.oid), 'pages', relpages, 'rows', reltuples,
		'frozen', case when relname like '%accounts%' then relallvisible end)
	from mine c left join pg_tablespace s on s.oid = reltablespace
	union all
	select concat_ws(' ', 'column', relname, attnum, attname, format_type(atttypid, atttypmod), attnotnull, attstorage, atthasdef)
	from mine c join pg_attribute on attrelid = c.oid where attnum > 0
	union all
	select concat_ws(' ', 'constraint', conrelid::regclass, conname, convalidated, pg_get_constraintdef(k.oid))
	from mine c join pg_constraint k on conrelid = c.oid
	union all
	select concat_ws(' ', 'index', indexdef, tablespace) from pg_indexes where tablename like 'pgbench%'
	union all
	select concat_ws(' ', 'statistics', tablename, attname, null_frac, avg_width, n_distinct) from pg_stats
	where tablename in ('pgbench_branches', 'pgbench_tellers')
	order by 1`

// contents selects the tables' rows in physical order.
const contents = `
	select 'branches', count(*), md5(string_agg(t::text, '|' order by ctid)) from pgbench_branches t
	union all
	select 'tellers', count(*), md5(string_agg(t::text, '|' order by ctid)) from pgbench_tellers t
	union all
	select 'accounts', count(*), md5(string_agg(t::text, '|' order by tableoid::regclass::text, ctid)) from pgbench_accounts t
	union all
	select 'history', count(*), md5(string_agg(t::text, '|' order by ctid)) from pgbench_history t`

// state is a database's content of the tables.
type state struct {
	Catalog  []string
	Contents []table
}

type table struct {
	Name string
	Rows int64
	Sum  *string
}

func stateOf(t *testing.T, conn *pgx.Conn) state {
	t.Helper()
	lines, err := conn.Query(t.Context(), catalog)
	if err != nil {
		t.Fatal(err)
	}
	var s state
	if s.Catalog, err = pgx.CollectRows(lines, pgx.RowTo[string]); err != nil {
		t.Fatal(err)
	}
	sums, err := conn.Query(t.Context(), contents)
	if err != nil {
		t.Fatal(err)
	}
	if s.Contents, err = pgx.CollectRows(sums, pgx.RowToStructByPos[table]); err != nil {
		t.Fatal(err)
	}
	return s
}

// same checks that pgbench and we leave the same state in two databases of one server.
func same(t *testing.T, version string, o tables.Options, args ...string) {
	t.Helper()
	theirs, mine := servertest.Database(t, version), servertest.Database(t, version)
	pgbench(t, theirs, args...)
	conn := servertest.Connect(t, mine)
	initialize(t, conn, o)
	if diff := cmp.Diff(stateOf(t, servertest.Connect(t, theirs)), stateOf(t, conn)); diff != "" {
		t.Errorf("PostgreSQL %s, pgbench -i %s: -theirs +ours\n%s", version, strings.Join(args, " "), diff)
	}
}

func TestInitializeLeavesWhatPgbenchLeaves(t *testing.T) {
	for _, version := range []string{"13", "14", "18"} { // 13 cannot freeze; 17 is below
		same(t, version, tables.Options{Steps: "dtgp"}, "-I", "dtgp", "-q")
	}
}

func TestEveryOptionLeavesWhatPgbenchLeaves(t *testing.T) {
	const version = "17"
	boss := servertest.Connect(t, servertest.Database(t, version))
	servertest.Exec(t, boss, `set allow_in_place_tablespaces = on`)
	servertest.Exec(t, boss, `create tablespace "a table's ""space""" location ''`)
	servertest.Exec(t, boss, `create tablespace indexes location ''`)
	t.Cleanup(func() {
		for _, space := range []string{`"a table's ""space"""`, "indexes"} {
			if _, err := boss.Exec(context.Background(), "drop tablespace "+space); err != nil {
				t.Error(err)
			}
		}
	})
	check := func(o tables.Options, args ...string) {
		t.Helper()
		same(t, version, o, args...)
	}
	check(tables.Options{Scale: 2, Fillfactor: 70, ForeignKeys: true}, "-s", "2", "-F", "70", "--foreign-keys")
	check(tables.Options{Unlogged: true, NoVacuum: true}, "--unlogged-tables", "-n")
	check(tables.Options{Steps: "t p fgv", ForeignKeys: true}, "-I", "t p fgv", "--foreign-keys")
	check(tables.Options{Steps: "dtGvpf"}, "-I", "dtGvpf")
	check(tables.Options{Steps: "dt", Scale: 20_000}, "-I", "dt", "-s", "20000")
	check(tables.Options{Steps: "dtp", Scale: 19_999, Partitions: 7}, "-I", "dtp", "-s", "19999", "--partitions=7")
	check(tables.Options{Steps: "dtGvp", Partitions: 3, Fillfactor: 90, PartitionMethod: tables.Range},
		"-I", "dtGvp", "--partitions=3", "-F", "90", "--partition-method=range")
	check(tables.Options{Scale: 2, Partitions: 4, PartitionMethod: tables.Hash, ForeignKeys: true, Unlogged: true},
		"-s", "2", "--partitions=4", "--partition-method=hash", "--foreign-keys", "--unlogged-tables")
	check(tables.Options{Tablespace: `a table's "space"`, IndexTablespace: "indexes", Partitions: 2},
		"--tablespace", `a table's "space"`, "--index-tablespace", "indexes", "--partitions=2")
}

// Differences between lines of progress: times, and the name of the table, which pgbench shows since 17.
var (
	seconds = regexp.MustCompile(`\d+\.\d\d s`)
	ofTable = regexp.MustCompile(` of pgbench_\w+ done`)
)

// steps returns the lines of progress without those differences and without notices.
func steps(progress string) (lines []string) {
	for line := range strings.Lines(ofTable.ReplaceAllString(seconds.ReplaceAllString(progress, "T s"), " done")) {
		if !strings.HasPrefix(line, "NOTICE:") {
			lines = append(lines, line)
		}
	}
	return lines
}

func TestProgressReadsLikePgbenchs(t *testing.T) {
	check := func(o tables.Options, args ...string) {
		t.Helper()
		theirs := pgbench(t, servertest.Database(t, "17"), args...)
		ours := initialize(t, servertest.Connect(t, servertest.Database(t, "17")), o)
		if diff := cmp.Diff(steps(theirs), steps(ours)); diff != "" {
			t.Errorf("%q: -theirs +ours\n%s", args, diff)
		}
	}
	check(tables.Options{Scale: 3, Steps: "dtgvpf"}, "-s", "3", "-I", "dtgvpf")
	check(tables.Options{Scale: 2, Quiet: true, Partitions: 2}, "-s", "2", "-q", "--partitions=2")
	check(tables.Options{Steps: "dtG"}, "-I", "dtG")
}
