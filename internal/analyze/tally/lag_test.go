package tally_test

import (
	"math"
	"testing"
	"time"

	"github.com/realiops/realiops/internal/analyze/counts"
	"github.com/realiops/realiops/internal/runfile"
)

// phase is one repetition of a made-up run, in seconds: its table is made, its load runs, it is closed.
type phase struct {
	load                 string
	making, work, closed float64
}

// playedOut returns a run of three rounds of the phases, read every half second. grown returns each metric's value at a
// moment.
func playedOut(t *testing.T, phases []phase,
	grown func(made, loaded map[string]float64) map[string]float64) *counts.Run {
	t.Helper()
	const rounds, step = 3, 0.5
	plan := runfile.Plan{Repetitions: rounds, LoadSeconds: 5}
	for _, p := range phases {
		plan.Loads = append(plan.Loads, runfile.Load{Name: p.load, Method: "copy"})
	}
	records := []runfile.Record{runfile.Run{Schema: runfile.Schema, Start: midnight, Plan: plan}}
	made, loaded := map[string]float64{}, map[string]float64{}
	for name := range grown(made, loaded) {
		records = append(records, runfile.Metric{Name: name, Unit: "operations", Type: runfile.Counter})
	}
	at := 0.0
	read := func(until float64, what map[string]float64, load string) {
		for ; at < until; at += step {
			records = append(records, runfile.Reading{At: sec(at), Probe: "p", Values: grown(made, loaded)})
			if what != nil {
				what[load] += step
			}
		}
	}
	mark := func(load string, repetition int, e runfile.Event) {
		records = append(records, runfile.LoadEvent{At: sec(at), Load: load, Repetition: repetition, Event: e})
	}
	for repetition := 1; repetition <= rounds; repetition++ {
		for _, p := range phases {
			mark(p.load, repetition, runfile.Settle)
			read(at+p.making, made, p.load)
			read(at+1, nil, "")
			mark(p.load, repetition, runfile.Begin)
			from := at
			read(at+p.work, loaded, p.load)
			records = append(records, runfile.Work{From: sec(from), To: sec(at), Load: p.load, Repetition: repetition,
				Transactions: 100, Statements: 100, Rows: 100})
			read(at+p.closed, nil, "")
			mark(p.load, repetition, runfile.End)
		}
	}
	read(at+10, nil, "")
	return fromRecords(t, records...)
}

// TestLagNeedsWorkInsideRepetitions: a counter that grows only while the tables of some loads are made has no lag. A
// counter that shows each load two seconds late has one.
func TestLagNeedsWorkInsideRepetitions(t *testing.T) {
	type moment struct{ a, b float64 }
	var past []moment
	run := playedOut(t, []phase{{"write", 0, 5, 1}, {"scan", 8, 5, 1}},
		func(made, loaded map[string]float64) map[string]float64 {
			past = append(past, moment{loaded["write"], loaded["scan"]})
			late := past[max(0, len(past)-1-4)] // two seconds of readings ago
			return map[string]float64{
				"p/made": 300 * made["scan"],
				"p/some": 300*made["scan"] + 3*loaded["write"],
				"p/late": 40*late.a + 900*late.b,
			}
		})
	for name, want := range map[string]float64{"p/made": 0, "p/some": 0, "p/late": 2} {
		if _, view := run.Over(name); math.Abs(view.Lag.Seconds()-want) > 0.3 {
			t.Errorf("%s is counted %v late, want %g s", name, view.Lag.Round(time.Millisecond), want)
		}
	}
}

// TestServerCountersHaveNoLag: PostgreSQL updates these counters immediately. In the shipped runs they move in one
// load and while tables are made, at times that some lag fits.
func TestServerCountersHaveNoLag(t *testing.T) {
	for file, names := range map[string][]string{
		"default-pg17.jsonl.zst": {"pgstat.bgwriter/buffers_clean", "pgstat.bgwriter/maxwritten_clean"},
		"local-pg18.jsonl.zst":   {"pgstat.io/wal_init_writes", "pgstat.io/wal_init_write_bytes"},
	} {
		run := fromFile(t, "../../../testdata/runs/"+file)
		for _, name := range names {
			if _, view := run.Over(name); view.Lag != 0 {
				t.Errorf("%s: %s is counted %v late", file, name, view.Lag)
			}
		}
	}
}

// TestStepsLongerThanLoads: a metric that shows the work of short loads every 40 s or every minute has no count for any
// of them, and the reason names loads that would do. A metric that moves with each load has no steps, nor has one that
// moves while tables are made, or as some loads are closed.
func TestStepsLongerThanLoads(t *testing.T) {
	snapshots, read := map[string]float64{}, 0
	run := playedOut(t, []phase{
		{"a", 0, 3, 1}, {"b", 0, 3, 1}, {"c", 0, 3, 1}, {"d", 0, 3, 1}, {"e", 0, 3, 1}, {"f", 0, 3, 1}, {"g", 0, 3, 1},
		{"scan", 8, 3, 1},
	}, func(made, loaded map[string]float64) map[string]float64 {
		whole, total := 0.0, 0.0
		for _, seconds := range loaded {
			whole, total = whole+500*seconds, total+seconds
		}
		closed := 0.0
		for _, load := range []float64{1, 2, 5, 8, 14, 16, 22} {
			if total >= 3*load {
				closed += 40
			}
		}
		for name, every := range map[string]int{"p/40": 80, "p/60": 120} { // in readings, two per second
			if read%every == 0 || snapshots[name] == 0 && read == 0 {
				snapshots[name] = whole
			}
		}
		read++
		return map[string]float64{"p/40": snapshots["p/40"], "p/60": snapshots["p/60"], "p/whole": whole,
			"p/made": 300 * made["scan"], "p/closed": closed}
	})
	for name, want := range map[string]string{
		"p/40": "it moves every 40 s: loads of 120 s would tell",
		"p/60": "it moves every 60 s: loads of 180 s would tell", "p/whole": "", "p/made": "", "p/closed": "",
	} {
		over, view := run.Over(name)
		a, _ := over.Load("a")
		said := ""
		if missing := a.Repetitions[0].Counts[name].Missing; missing != nil {
			said = missing.Detail
		}
		if said != want || (view.Stepped > 0) != (want != "") {
			t.Errorf("%s: %q, %+v", name, said, view)
		}
	}
}
