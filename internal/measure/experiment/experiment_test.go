package experiment_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"

	"github.com/realiops/realiops/internal/measure/experiment"
	"github.com/realiops/realiops/internal/measure/load"
	"github.com/realiops/realiops/internal/measure/load/engine"
	"github.com/realiops/realiops/internal/measure/postgres"
	"github.com/realiops/realiops/internal/runfile"
	"github.com/realiops/realiops/internal/test/servertest"
)

func TestMain(m *testing.M) { os.Exit(servertest.Main(m)) }

// trial is an experiment on a real server that notes events in order.
type trial struct {
	experiment.Experiment
	endpoint *postgres.Endpoint
	conn     *pgx.Conn
	diary    []string
	rows     map[string]int64 // by load, as the load reported
}

func newTrial(t *testing.T, loads ...runfile.Load) *trial {
	t.Helper()
	return newTrialOn(t, "17", loads...)
}

func newTrialOn(t *testing.T, version string, loads ...runfile.Load) *trial {
	t.Helper()
	endpoint := servertest.Database(t, version)
	conn := servertest.Connect(t, endpoint)
	schema, err := (postgres.Facts{}).ClaimSchema(t.Context(), conn)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := schema.Release(context.Background()); err != nil && !conn.IsClosed() {
			t.Error(err)
		}
	})
	r := &trial{endpoint: endpoint, conn: conn, rows: map[string]int64{}}
	r.Experiment = experiment.Experiment{
		Plan:            runfile.Plan{Loads: loads, Repetitions: 2, LoadSeconds: 0.5, Seed: 1},
		Control:         conn,
		Connect:         endpoint.ConnectClient,
		Engine:          engine.Run,
		Schema:          postgres.SchemaName,
		Checkpoint:      true,
		Gone:            func(context.Context) error { r.note("gone"); return nil },
		WaitForCounters: func(context.Context) error { r.note("wait"); return nil },
		ReadAll:         func(context.Context) error { r.note("read"); return nil },
		Sync:            func() error { r.note("sync"); return nil },
		Record:          r.record,
		Doing:           func(string) {},
		SoFar:           func() {},
	}
	return r
}

func (r *trial) note(what string) { r.diary = append(r.diary, what) }

func (r *trial) record(line runfile.Record) error {
	switch line := line.(type) {
	case runfile.LoadEvent:
		text := fmt.Sprint(line.Load, " ", line.Repetition, " ", line.Event)
		if line.Failed != "" {
			text += " failed"
		}
		r.note(text)
	case runfile.Work:
		r.rows[line.Load] += line.Rows
	}
	return nil
}

var (
	idle = runfile.Load{Name: "idle"}
	bulk = runfile.Load{Name: "bulk", Method: load.InsertSelect, RowsPerTx: 100, Clients: 2}
)

func TestARepetitionIsReadOnBothSidesOfItsWork(t *testing.T) {
	r := newTrial(t, bulk)
	before := servertest.Value[int64](t, r.conn, "select num_requested from pg_stat_checkpointer")
	if err := r.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	want := []string{"gone"} // the clients of the warm-up
	for repetition := range 2 {
		name := fmt.Sprint("bulk ", repetition+1, " ")
		want = append(want, name+"settle", "read", "wait", "read", name+"begin", "gone", "read", "wait", "read",
			name+"end", "sync")
	}
	if diff := cmp.Diff(want, r.diary); diff != "" {
		t.Error(diff)
	}
	if r.rows["bulk"] == 0 {
		t.Error("no load was reported")
	}
	// The checkpointer reports when it wakes, and this wakes it.
	servertest.Exec(t, r.conn, "checkpoint")
	after := servertest.Value[int64](t, r.conn, "select num_requested from pg_stat_checkpointer")
	if after-before < 4 {
		t.Errorf("%d checkpoints were asked for, want one on each side of two repetitions", after-before)
	}
	if tables := servertest.Value[int](t, r.conn,
		"select count(*) from pg_tables where schemaname = 'realiops'"); tables != 0 {
		t.Errorf("%d tables are left", tables)
	}
}

// SoFar runs once after each repetition, in the pause and never during a load.
func TestSoFarRunsBetweenLoads(t *testing.T) {
	r := newTrial(t, idle, bulk)
	var looking, told atomic.Int64
	r.SoFar = func() {
		looking.Add(1)
		time.Sleep(100 * time.Millisecond) // longer than the pause here
		told.Add(1)
		looking.Add(-1)
	}
	record := r.Record
	r.Record = func(line runfile.Record) error {
		if event, ok := line.(runfile.LoadEvent); ok && event.Event == runfile.Begin && looking.Load() != 0 {
			t.Errorf("%s %d begins while somebody looks on", event.Load, event.Repetition)
		}
		return record(line)
	}
	if err := r.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	if want := int64(r.Plan.Steps()); told.Load() != want {
		t.Errorf("told %d times of %d repetitions", told.Load(), want)
	}
}

// TestARunRestsBeforeItDoesAnything: the rest keeps earlier work out of a source with long periods. The collector
// does the same at the other end.
func TestARunRestsBeforeItDoesAnything(t *testing.T) {
	r := newTrial(t, idle)
	r.Plan.RestSeconds = 0.01
	r.Doing = func(what string) { r.note("doing: " + what) }
	r.Tell = func(text string) { r.note("told: " + text) }
	if err := r.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	if r.diary[0] != "doing: resting" || !strings.HasPrefix(r.diary[1], "told: Resting for ") {
		t.Errorf("it began with %q", r.diary[:2])
	}
	if n := len(r.diary); slices.Contains(r.diary[2:], "doing: resting") || n < 10 {
		t.Errorf("after the rest came %q", r.diary[2:])
	}
}

// Connecting and disconnecting is background work: the sessions of an idle load do nothing else.
func TestIdleLoadsHaveSessionsThatDoNothing(t *testing.T) {
	r := newTrial(t, idle, runfile.Load{Name: "bulk", Method: load.Copy, RowsPerTx: 1, Clients: 3})
	var connected atomic.Int64
	connect := r.Connect
	r.Connect = func(ctx context.Context) (*pgx.Conn, error) { connected.Add(1); return connect(ctx) }
	began := map[string]int64{}
	record := r.Record
	r.Record = func(line runfile.Record) error {
		if event, ok := line.(runfile.LoadEvent); ok && event.Load == "idle" {
			began[string(event.Event)] = connected.Load()
		}
		return record(line)
	}
	r.Plan.Repetitions = 1
	if err := r.Run(t.Context()); err != nil {
		t.Error(err)
	}
	if opened := began["end"] - began["begin"]; opened != 4 || r.rows["idle"] != 0 {
		t.Errorf("%d sessions in an idle load, want as many as in one with load; %d rows", opened, r.rows["idle"])
	}
}

func TestAnInterruptMarksItsRepetitionAndClearsUp(t *testing.T) {
	r := newTrial(t, bulk)
	r.Plan.LoadSeconds = 2
	ctx, stop := context.WithCancelCause(t.Context())
	enough := errors.New("enough")
	record := r.Record
	r.Record = func(line runfile.Record) error {
		if event, ok := line.(runfile.LoadEvent); ok && event.Event == runfile.Begin {
			time.AfterFunc(200*time.Millisecond, func() { stop(enough) })
		} else if ok && event.Event == runfile.End && event.Failed != "enough" {
			t.Errorf("the repetition failed because of %q", event.Failed)
		}
		return record(line)
	}
	if err := r.Run(ctx); !errors.Is(err, enough) {
		t.Errorf("got %v", err)
	}
	want := []string{"gone", "bulk 1 settle", "read", "wait", "read", "bulk 1 begin", "bulk 1 end failed", "sync"}
	if diff := cmp.Diff(want, r.diary); diff != "" {
		t.Error(diff)
	}
	if tables := servertest.Value[int](t, r.conn,
		"select count(*) from pg_tables where schemaname = 'realiops'"); tables != 0 {
		t.Errorf("%d tables are left", tables)
	}
}

// TestAnInterruptIsWhyARepetitionFailed, also if it comes while the load's work is counted: probes say only that they
// were stopped.
func TestAnInterruptIsWhyARepetitionFailed(t *testing.T) {
	r := newTrial(t, bulk)
	ctx, stop := context.WithCancelCause(t.Context())
	begun, failed, record := false, "", r.Record
	r.Record = func(line runfile.Record) error {
		if e, is := line.(runfile.LoadEvent); is {
			begun, failed = e.Event == runfile.Begin, e.Failed
		}
		return record(line)
	}
	r.ReadAll = func(ctx context.Context) error {
		if begun {
			stop(errors.New("enough"))
		}
		return errors.Join(ctx.Err(), ctx.Err())
	}
	if err := r.Run(ctx); err == nil || failed != "enough" {
		t.Errorf("the repetition failed because of %q, and the run of %v", failed, err)
	}
}

func TestARecordThatCannotBeWrittenEndsTheRun(t *testing.T) {
	full := errors.New("no space left")
	for _, event := range []runfile.Event{runfile.Settle, runfile.Begin, runfile.End} {
		t.Run(string(event), func(t *testing.T) {
			r := newTrial(t, bulk)
			record := r.Record
			r.Record = func(line runfile.Record) error {
				if load, ok := line.(runfile.LoadEvent); ok && load.Event == event {
					return full
				}
				return record(line)
			}
			if err := r.Run(t.Context()); !errors.Is(err, full) {
				t.Error(err)
			}
		})
	}
}

func TestAProbeThatCannotBeReadFailsTheRepetition(t *testing.T) {
	r := newTrial(t, bulk)
	blind := errors.New("blind")
	readings := 0
	r.ReadAll = func(context.Context) error {
		if readings++; readings == 3 { // the first after the load
			return blind
		}
		return nil
	}
	if err := r.Run(t.Context()); !errors.Is(err, blind) {
		t.Errorf("got %v", err)
	}
	if last := r.diary[len(r.diary)-2]; last != "bulk 1 end failed" {
		t.Errorf("it ends with %q", last)
	}
}

func TestRehearseTriesEveryLoad(t *testing.T) {
	r := newTrial(t, idle, bulk, runfile.Load{Name: "copy", Method: load.Copy, RowsPerTx: 10, Clients: 1, Indexes: 2})
	if err := r.Rehearse(t.Context()); err != nil {
		t.Error(err)
	}
	servertest.Exec(t, r.conn, "create table realiops.copy ()")
	defer servertest.Exec(t, r.conn, "drop table realiops.copy") // another table in the way
	if err := r.Rehearse(t.Context()); err == nil {
		t.Error("a load that cannot work is not found")
	}
}
