package experiment_test

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"

	"github.com/realiops/realiops/internal/measure/layout"
	"github.com/realiops/realiops/internal/measure/load"
	"github.com/realiops/realiops/internal/runfile"
	"github.com/realiops/realiops/internal/test/servertest"
)

var cold = runfile.Load{Name: "point-cold", Method: load.Lookup, RowsPerTx: 1, Indexes: 2, Width: 500, Clients: 2,
	TableRows: 10_000, Cold: true}

// layoutOf returns the layout of a server without tablespaces.
func layoutOf(t *testing.T, data string) *layout.Layout {
	t.Helper()
	found, err := layout.Find(layout.Server{Data: data})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// begun returns the records of the cold loads at their begin, and the proof of each.
func (r *trial) begun(t *testing.T, ctx context.Context) (all []runfile.Cold, proofs []runfile.Proof, err error) {
	t.Helper()
	record := r.Record
	r.Record = func(line runfile.Record) error {
		if e, is := line.(runfile.LoadEvent); is && e.Event == runfile.Begin && e.Cold != nil {
			all = append(all, *e.Cold)
		}
		return record(line)
	}
	proofs, err = r.proofs(t, ctx, nil)
	return all, proofs, err
}

func TestAColdLoadForgetsItsOwnTable(t *testing.T) {
	t.Run("whose pg_buffercache is ours", func(t *testing.T) { forgetsItsOwnTable(t, newTrial(t, cold)) })
	t.Run("whose pg_buffercache was there", func(t *testing.T) {
		r := newTrial(t, cold)
		servertest.Exec(t, r.conn, "create schema theirs; create extension pg_buffercache schema theirs")
		forgetsItsOwnTable(t, r)
	})
}

func forgetsItsOwnTable(t *testing.T, r *trial) {
	t.Helper()
	r.Plan.Repetitions, r.Evicts = 1, true
	data := servertest.Value[string](t, r.conn, "show data_directory")
	r.Layout = layoutOf(t, data)
	looked := int64(0)
	record := r.Record
	r.Record = func(line runfile.Record) error {
		if l, is := line.(runfile.Work); is {
			looked += l.Returned
		}
		return record(line)
	}
	all, proofs, err := r.begun(t, t.Context())
	if err != nil || len(all) != 1 || !all[0].Forgotten || all[0].Missing+all[0].Buffered != "" || all[0].Evicted < 100 {
		t.Errorf("%+v, %v", all, err)
	}
	// The warm-up's rows do not count for the load.
	if len(proofs) != 1 || proofs[0].Rows != 10_000 || proofs[0].Returned < looked || looked == 0 {
		t.Errorf("proofs %+v of %d rows", proofs, looked)
	}
}

// The record says which part of the table stays in shared buffers because nothing evicts it.
func TestRestInSharedBuffersIsRecorded(t *testing.T) {
	for name, c := range map[string]struct{ before, after, want string }{
		"an old extension": {"create extension pg_buffercache version '1.3'", "",
			"pg_buffercache 1.3 cannot evict pages (run alter extension pg_buffercache update)"},
		"no right to make it": {
			"create role bare; grant all on schema realiops to bare; set session authorization bare",
			"reset session authorization",
			`pg_buffercache could not be created: ERROR: permission denied to create extension "pg_buffercache"`,
		},
		"no right to call it": {
			"create extension pg_buffercache; create role caller; grant all on schema realiops to caller; " +
				"set session authorization caller",
			"reset session authorization", "pg_buffercache could not evict pages: ERROR: permission denied",
		},
	} {
		t.Run(name, func(t *testing.T) {
			r := newTrial(t, cold)
			r.Plan.Repetitions, r.Evicts, r.Checkpoint, r.Unreadable = 1, true, false, "its files are elsewhere"
			servertest.Exec(t, r.conn, c.before)
			all, _, err := r.begun(t, t.Context())
			if err != nil || len(all) != 1 || all[0].Evicted != 0 || !strings.Contains(all[0].Buffered, c.want) {
				t.Errorf("%+v, %v", all, err)
			}
			if c.after != "" {
				servertest.Exec(t, r.conn, c.after)
			}
		})
	}
}

func TestReasonsForNoColdLoad(t *testing.T) {
	for name, where := range map[string]struct{ directory, unreadable, want string }{
		"elsewhere": {unreadable: "the server is on another machine", want: "the server is on another machine"},
		"not there": {directory: t.TempDir(), want: "no such file or directory"},
	} {
		t.Run(name, func(t *testing.T) {
			r := newTrial(t, cold)
			r.Plan.Repetitions, r.Unreadable = 1, where.unreadable
			if where.directory != "" {
				r.Layout = layoutOf(t, where.directory)
			}
			all, _, err := r.begun(t, t.Context())
			if err != nil || len(all) != 1 || all[0].Forgotten || !strings.Contains(all[0].Missing, where.want) ||
				all[0].Buffered != "PostgreSQL cannot evict pages before 17" {
				t.Errorf("%+v, %v", all, err)
			}
		})
	}
}

// A role that may not locate the table's files runs the load all the same, cold or warm, and
// is told why nothing is evicted.
func TestARoleThatMayNotAskForFiles(t *testing.T) {
	warm := cold
	warm.Name, warm.Cold = load.PointWarm, false
	r := newTrial(t, cold, warm)
	servertest.Exec(t, r.conn,
		`create role unasked; grant all on schema realiops to unasked; revoke execute on function pg_relation_filepath(regclass) from public;
		set session authorization unasked`)
	r.Plan.Repetitions, r.Checkpoint, r.Layout = 1, false, layoutOf(t, t.TempDir())
	r.Connect = func(ctx context.Context) (*pgx.Conn, error) {
		conn, err := r.endpoint.ConnectClient(ctx)
		if err == nil {
			_, err = conn.Exec(ctx, "set session authorization unasked")
		}
		return conn, err
	}
	all, proofs, err := r.begun(t, t.Context())
	if err != nil || len(proofs) != 2 || len(all) != 1 || all[0].Forgotten ||
		!strings.Contains(all[0].Missing, "permission denied for function pg_relation_filepath") {
		t.Errorf("%+v, %d proofs, %v", all, len(proofs), err)
	}
	servertest.Exec(t, r.conn, "reset session authorization")
}

// An interrupt ends a cold load immediately, and with it the evictions. Only the schema's own table stays, and no
// file of another table is evicted.
func TestAnInterruptedColdLoadEnds(t *testing.T) {
	r := newTrial(t, cold)
	r.Plan.LoadSeconds = 60
	data := servertest.Value[string](t, r.conn, "show data_directory")
	r.Layout = layoutOf(t, data)
	servertest.Exec(t, r.conn, "create table public.others as select generate_series(1, 100000)")
	servertest.Exec(t, r.conn, "checkpoint")
	others := filepath.Join(data, servertest.Value[string](t, r.conn, "select pg_relation_filepath('public.others')"))
	ctx, stop := context.WithCancelCause(t.Context())
	enough := errors.New("enough")
	record := r.Record
	r.Record = func(line runfile.Record) error {
		if e, is := line.(runfile.LoadEvent); is && e.Event == runfile.Begin {
			stop(enough)
		}
		return record(line)
	}
	if err := r.Run(ctx); !errors.Is(err, enough) {
		t.Error(err)
	}
	if left := servertest.Value[string](t, r.conn,
		"select string_agg(tablename, ' ') from pg_tables where schemaname = 'realiops'"); left != "_reads" {
		t.Errorf("beside the table of all loads that read, which goes with the schema, there is %s", left)
	}
	if pages, there := inMemory(t, others); pages < 400 || there < pages*9/10 {
		t.Errorf("of the %d pages of another table %d are in memory", pages, there)
	}
	want := []string{"point-cold 1 settle", "point-cold 1 begin", "point-cold 1 end failed"}
	var events []string
	for _, line := range r.diary {
		if strings.HasPrefix(line, "point-cold") {
			events = append(events, line)
		}
	}
	if diff := cmp.Diff(want, events); diff != "" {
		t.Error(diff)
	}
}
