package experiment_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/realiops/realiops/internal/measure/experiment"
	"github.com/realiops/realiops/internal/runfile"
	"github.com/realiops/realiops/internal/test/servertest"
)

// settles collects the settle events of the trial.
func (r *trial) settles() *[]runfile.LoadEvent {
	var all []runfile.LoadEvent
	record := r.Record
	r.Record = func(line runfile.Record) error {
		if event, ok := line.(runfile.LoadEvent); ok && event.Event == runfile.Settle {
			event.At = time.Time{}
			all = append(all, event)
		}
		return record(line)
	}
	r.Tell = func(text string) { r.note("told: " + text) }
	return &all
}

func TestAdditionsTakeTheNextNumberAndBringTheirFactors(t *testing.T) {
	r := newTrial(t, bulk)
	r.Plan.Repetitions = 1
	added := bulk
	added.Name = "more"
	wanted := []experiment.Addition{{bulk, "to be surer"}, {added, "to know"}, {added, "still"}}
	r.Until = time.Now().Add(time.Minute)
	r.Next = func() (experiment.Addition, bool) {
		if len(wanted) == 0 {
			return experiment.Addition{}, false
		}
		next := wanted[0]
		wanted = wanted[1:]
		return next, true
	}
	settles := r.settles()
	if err := r.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	want := []runfile.LoadEvent{
		{Load: "bulk", Repetition: 1, Event: runfile.Settle},
		{Load: "bulk", Repetition: 2, Event: runfile.Settle, Added: "to be surer"},
		{Load: "more", Repetition: 1, Event: runfile.Settle, Added: "to know", Factors: &added},
		{Load: "more", Repetition: 2, Event: runfile.Settle, Added: "still", Factors: &added},
	}
	if diff := cmp.Diff(want, *settles); diff != "" {
		t.Error(diff)
	}
}

func TestALoadThatCannotBeAddedEndsNothing(t *testing.T) {
	r := newTrial(t, idle)
	r.Plan.Repetitions, r.Checkpoint = 1, false
	r.Until = time.Now().Add(time.Minute)
	r.Next = func() (experiment.Addition, bool) { return experiment.Addition{Load: bulk, Why: "to know"}, true }
	settles := r.settles()
	servertest.Exec(t, r.conn, "create table realiops.bulk ()")
	defer servertest.Exec(t, r.conn, "drop table realiops.bulk") // not our table, but in the way
	if err := r.Run(t.Context()); err != nil || len(*settles) != 1 {
		t.Errorf("%d repetitions, %v", len(*settles), err)
	}
	if last := r.diary[len(r.diary)-1]; !strings.Contains(last, "that failed: create the table of the load bulk") {
		t.Errorf("told last: %q", last)
	}
}

// halfALoad is too short for a repetition on any machine.
const halfALoad = 250 * time.Millisecond

// leaves sets the time left once that many repetitions have ended; until then there is plenty.
func (r *trial) leaves(after int, left time.Duration) {
	ended := 0
	r.Until = time.Now().Add(time.Hour)
	r.Sync = func() error {
		if ended++; ended == after {
			r.Until = time.Now().Add(left)
		}
		return nil
	}
}

func TestNothingIsAddedBeyondTheBudget(t *testing.T) {
	check := func(name string, set func(*trial), want int) {
		t.Helper()
		t.Run(name, func(t *testing.T) {
			r := newTrial(t, idle)
			r.Plan.Repetitions, r.Checkpoint = 1, false
			set(r)
			r.Next = func() (experiment.Addition, bool) { return experiment.Addition{Load: idle, Why: "why not"}, true }
			settles := r.settles()
			if err := r.Run(t.Context()); err != nil || len(*settles) != want {
				t.Errorf("%d repetitions, %v, want %d", len(*settles), err, want)
			}
		})
	}
	check("no budget: the plan as it is", func(*trial) {}, 1)
	check("no time for another", func(r *trial) { r.leaves(1, halfALoad) }, 1)
	check("time for two more", func(r *trial) { r.leaves(3, halfALoad) }, 3)
}

func TestRepetitionsWithoutTimeAreLeftOut(t *testing.T) {
	check := func(name string, after int, left time.Duration, want int) {
		t.Helper()
		t.Run(name, func(t *testing.T) {
			r := newTrial(t, idle)
			r.Plan.Repetitions, r.Checkpoint = 4, false
			r.leaves(after, left)
			r.Next = func() (experiment.Addition, bool) { return experiment.Addition{}, false }
			settles := r.settles()
			if err := r.Run(t.Context()); err != nil || len(*settles) != want {
				t.Errorf("%d repetitions, %v, want %d", len(*settles), err, want)
			}
		})
	}
	check("one alone would show nothing", 1, -halfALoad, 2)
	check("a fourth would end more than a tenth too late", 3, 0, 3) // after four loads where there is time for three
	check("time for all", 4, halfALoad, 4)
}

func TestCalibrateMeasuresWhatLiesBetweenLoads(t *testing.T) {
	r := newTrial(t, idle)
	r.Checkpoint = false
	r.WaitForCounters = func(context.Context) error { time.Sleep(50 * time.Millisecond); return nil }
	began := time.Now()
	got, err := r.Calibrate(t.Context())
	const besides = 100 * time.Millisecond
	if err != nil || got.Fixed < besides+100*time.Millisecond || got.Fixed > besides+time.Since(began) ||
		got.Share != experiment.DefaultPause().Share {
		t.Errorf("%+v, %v: two settles of 50 ms and 100 ms besides", got, err)
	}
}

func TestCalibrateLeavesOutWhatWasInMemory(t *testing.T) {
	r := newTrial(t, idle)
	r.Checkpoint = false
	const first = 2 * time.Second
	flushes := 0
	r.Flush = func() error {
		if flushes++; flushes == 1 {
			time.Sleep(first)
		}
		return nil
	}
	if got, err := r.Calibrate(t.Context()); err != nil || got.Fixed >= first || flushes != 3 {
		t.Errorf("%+v, %v, %d flushes: want a pause without the first flush, and two more", got, err, flushes)
	}
}
