package realiopstest_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/realiops/realiops/internal/measure/server/embedded"
	"github.com/realiops/realiops/internal/test/servertest"
	"github.com/realiops/realiops/realiopstest"
)

func TestMain(m *testing.M) { os.Exit(servertest.Main(m)) }

// told takes what a test would have failed with.
type told struct {
	testing.TB
	errors []string
}

func (t *told) Errorf(format string, args ...any) {
	t.errors = append(t.errors, fmt.Sprintf(format, args...))
}
func (t *told) Helper() {}

// execute opens a session for some statements.
func execute(t *testing.T, dsn string, statements ...string) {
	t.Helper()
	client, err := pgx.Connect(t.Context(), dsn)
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close(context.Background())
	for _, s := range statements {
		if _, err := client.Exec(t.Context(), s); err != nil {
			t.Fatal(err)
		}
	}
}

// orders is a database with a table of two indexes.
func orders(t *testing.T, version string) (dsn string) {
	t.Helper()
	dsn = servertest.Start(t, embedded.Options{Version: version}).URL()
	setUp := []string{"create table orders (id int generated always as identity primary key, customer int)", "create index on orders (customer)"}
	if version >= "15" {
		setUp = append(setUp, "create extension pg_walinspect")
	}
	execute(t, dsn, setUp...)
	return dsn
}

// Three commits of one row each, in a table with two indexes: three rows, three fsyncs, and for each row a record of its own,
// one of each index entry and one of the commit.
func TestWhatAnOperationCosts(t *testing.T) {
	for _, version := range []string{"13", "15", "18"} {
		t.Run(version, func(t *testing.T) {
			dsn := orders(t, version)
			db := realiopstest.Open(t, dsn)
			insert := "insert into orders (customer) values (7)"
			got := db.Measure(t, func() { execute(t, dsn, insert, insert, insert) })
			want := map[string]float64{"rows": 3, "wal_fsyncs": 3, "commits": 3, "own_wal_records": 12}
			if version == "13" {
				want = map[string]float64{"rows": 3} // it counts no fsyncs, and its WAL cannot be asked for
			}
			for name, n := range want {
				if each, counted := got.Count(name); each != n || !counted {
					t.Errorf("%s: %v (%v), want %v\n%s", name, each, counted, n, got)
				}
			}
			if version == "13" {
				return
			}
			got.AtMost(t, realiopstest.Rows(3), realiopstest.Fsyncs(3), realiopstest.OwnWALRecords(12))
			var over told
			got.AtMost(&over, realiopstest.OwnWALRecords(11))
			if len(over.errors) != 1 || !strings.Contains(over.errors[0], "own_wal_records: 12 a run, and at most 11") {
				t.Errorf("over its limit: %q", over.errors)
			}
		})
	}
}

// Whoever imports it in tests gets no command line, no cloud and no containers with it.
func TestImportsLittle(t *testing.T) {
	out, err := exec.CommandContext(t.Context(), "go", "list", "-deps", ".").Output()
	if err != nil {
		t.Fatal(err)
	}
	for _, unwanted := range []string{"spf13/cobra", "aws-sdk-go", "testcontainers", "docker/docker", "moby/", "cilium/ebpf"} {
		if strings.Contains(string(out), unwanted) {
			t.Errorf("%s is imported", unwanted)
		}
	}
}
