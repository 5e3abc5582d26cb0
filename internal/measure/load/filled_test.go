package load_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/realiops/realiops/internal/measure/load"
	"github.com/realiops/realiops/internal/runfile"
	"github.com/realiops/realiops/internal/test/servertest"
)

// filled returns the loads that read or change rows, with tables small enough to fill quickly.
func filled() (all []runfile.Load) {
	for _, l := range append(load.ReadLoads(), load.ChangeLoads()...) {
		l.Clients, l.TableRows = max(1, min(l.Clients, 2)), 10_000
		all = append(all, l)
	}
	return all
}

// perTransaction holds the work of one transaction of each load.
var perTransaction = map[string]runfile.Work{
	"point-hot":      {Returned: 1, Lookups: 1},
	"point-warm":     {Returned: 1, Lookups: 1},
	"point-cold":     {Returned: 1, Lookups: 1},
	"range-cold":     {Returned: 1000, Lookups: 1},
	"bitmap-cold":    {Returned: 200, Lookups: 1},
	"join-cold":      {Returned: 100, Lookups: 100},
	"scan-cold":      {Returned: 10_000},
	"spill":          {Returned: 10_000},
	"update-hot":     {Rows: 1, Updated: 1, Returned: 1, Lookups: 1},
	"update-indexed": {Rows: 1, Updated: 1, Returned: 1, Lookups: 1},
	"delete-vacuum":  {Rows: 200, Deleted: 100, Returned: 100, Lookups: 1},
	"mixed":          {Rows: 1, Updated: 1, Returned: 2, Lookups: 2},
}

// The clients' counts agree with arithmetic, and with the server's own counters of the table.
func TestReadsAndChangesAreCountedThreeTimes(t *testing.T) {
	b := newBench(t)
	for _, load := range filled() {
		w := b.workload(t, load)
		if err := w.Create(t.Context(), b.conn); err != nil {
			t.Fatal(err)
		}
		servertest.Exec(t, b.conn, "select pg_stat_force_next_flush()")
		if err := w.Begin(t.Context(), b.conn); err != nil {
			t.Fatal(err)
		}
		l := b.run(t, load, 100*time.Millisecond)
		each, n := perTransaction[load.Name], l.Transactions
		want := []int64{n * each.Rows, n * each.Updated, n * each.Deleted, n * each.Returned, n * each.Lookups}
		if diff := cmp.Diff(want, []int64{l.Rows, l.Updated, l.Deleted, l.Returned, l.Lookups}); diff != "" || n == 0 {
			t.Errorf("%s, %d transactions: -want +got\n%s", load.Name, n, diff)
		}
		written, err := w.Written(t.Context(), b.conn)
		if err != nil || written != l.Rows {
			t.Errorf("%s: the server wrote %d rows of %d, %v", load.Name, written, l.Rows, err)
		}
		// The planner reads some rows at the ends of an index.
		lookedAt, err := w.LookedAt(t.Context(), b.conn)
		if err != nil || lookedAt < l.Returned || lookedAt > l.Returned+l.Returned/100+1000 {
			t.Errorf("%s: the server looked at %d rows of %d, %v", load.Name, lookedAt, l.Returned, err)
		}
	}
}

func TestReadsAndChangesWorkOnEveryVersion(t *testing.T) {
	for _, version := range []string{"13", "18"} {
		b := bench{endpoint: servertest.Database(t, version)}
		b.conn = servertest.Connect(t, b.endpoint)
		servertest.Exec(t, b.conn, "create schema realiops")
		for _, load := range filled() {
			if err := b.workload(t, load).Rehearse(t.Context(), b.conn); err != nil {
				t.Errorf("PostgreSQL %s: %v", version, err)
			}
		}
		if left := servertest.Value[int](t, b.conn,
			"select count(*) from pg_tables where schemaname = 'realiops'"); left != 0 {
			t.Errorf("PostgreSQL %s: %d tables are left", version, left)
		}
	}
}

// A load serves its purpose only if the server chooses the expected plan.
func TestServerChoosesTheLoadsPlans(t *testing.T) {
	b := newBench(t)
	for _, load := range filled() {
		w := b.workload(t, load)
		if err := w.Create(t.Context(), b.conn); err != nil {
			t.Fatal(err)
		}
	}
	before := servertest.Value[int64](t, b.conn,
		"select temp_bytes from pg_stat_database where datname = current_database()")
	for _, load := range filled() {
		if load.Name == "spill" {
			b.run(t, load, 10*time.Millisecond)
		}
	}
	after := servertest.Value[int64](t, b.conn,
		"select temp_bytes from pg_stat_database where datname = current_database()")
	if after-before < 500*10_000 {
		t.Errorf("the sort wrote %d bytes to temporary files", after-before)
	}
}
