package tally_test

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/realiops/realiops/internal/analyze/counts"
	"github.com/realiops/realiops/internal/analyze/tally"
	"github.com/realiops/realiops/internal/runfile"
	"github.com/realiops/realiops/internal/series"
	"github.com/realiops/realiops/internal/test/runfiletest"
)

func TestCountMissing(t *testing.T) {
	check := func(what, want string, records []runfile.Record) {
		t.Helper()
		load, _ := fromRecords(t, records...).Load("busy")
		if len(load.Repetitions) != 1 {
			t.Fatalf("%s: left out: %v", what, load.LeftOut)
		}
		value, err := load.Repetitions[0].Count("p/x")
		missing, isMissing := errors.AsType[*series.Missing](err)
		got := fmt.Sprint(value)
		if isMissing {
			got = string(missing.Reason) + ": " + missing.Error()
		}
		if got != want {
			t.Errorf("%s: %s, want %s", what, got, want)
		}
	}
	gap := func(s float64, metric string, reason runfile.Reason) runfile.Gap {
		return runfile.Gap{At: sec(s), Probe: "p", Metric: metric, Reason: reason, Code: "E1", Detail: "why"}
	}
	check("as it is", "100", small())
	check("gap before begin", "permission: why (E1)", append(small(), gap(9.5, "p/x", runfile.Permission)))
	check("gap of the probe before end", "late: why (E1)", append(small(), gap(14.5, "", runfile.Late)))
	check("gap of another metric", "100", append(small(), gap(14.5, "p/y", runfile.Late)))
	check("gap in the middle", "100", append(small(), gap(12, "p/x", runfile.Failed)))
	check("reset in the middle", "reset: why (E1)", append(small(), gap(12, "p/x", runfile.Reset)))
	check("fell", "reset: the counter was reset: it fell from 18 to 5 by 00:00:14.000",
		without(small(), isReadingAt(14), runfile.Reading{At: sec(14), Probe: "p",
			Values: map[string]float64{"p/x": 5}}))
	check("not read at the end", "never-read: nothing was read between 00:00:10.000 and 00:00:15.000",
		without(small(), isReadingAt(14)))
	check("never read, and never said why", "never-read: nothing was read",
		without(small(), func(r runfile.Record) bool { return r.Kind() == runfile.KindRead }))
	check("probe that never read", "not-local: why (E1)", append(without(small(), func(r runfile.Record) bool {
		return r.Kind() == runfile.KindRead
	}), gap(0, "", runfile.NotLocal)))
	check("never announced", "not-recorded: this run did not read p/x",
		without(small(), func(r runfile.Record) bool { return r.Kind() == runfile.KindMetric }))
	check("read too early", "late: last read at 00:00:12.500, while its load still ran",
		without(small(), isReadingAt(14), runfile.Reading{At: sec(12.5), Probe: "p", Values: map[string]float64{
			"p/x": 100}}))

	lacking := func(s float64) runfile.Reading {
		return runfile.Reading{At: sec(s), Probe: "p", Values: map[string]float64{"p/y": 1}}
	}
	check("missing before begin", "late: last read at 00:00:09.000, and not in later readings",
		append(small(), lacking(9.5)))
	check("missing before end", "late: last read at 00:00:14.000, and not in later readings",
		append(small(), lacking(14.5)))
	check("missing now and then", "100", append(small(), lacking(12)))
	check("read more seldom than others", "100", append(small(), lacking(1), lacking(2), lacking(3), lacking(4),
		lacking(5), lacking(6), lacking(7), lacking(8), lacking(9.5), lacking(11), lacking(12), lacking(13)))

	resetAt := func(s, when float64) runfile.Reading {
		return runfile.Reading{At: sec(s), Probe: "p", Values: map[string]float64{"p/stats_reset": when}}
	}
	announced := append(small(), runfile.Metric{Name: "p/stats_reset", Unit: "seconds", Type: runfile.Gauge})
	check("a reset that growth hides", "reset: its view says that it was reset",
		append(slices.Clip(announced), resetAt(9, 0), resetAt(14, 1767225610)))
	check("a reset long ago", "100", append(slices.Clip(announced), resetAt(0, 5), resetAt(9, 7), resetAt(14, 7)))

	other := []runfile.Record{
		runfile.LoadEvent{At: sec(8), Load: "busy", Repetition: 2, Event: runfile.Begin},
		runfile.Work{From: sec(8.5), To: sec(9.2), Load: "busy", Repetition: 2, Rows: 1, Transactions: 1},
		runfile.LoadEvent{At: sec(9.5), Load: "busy", Repetition: 2, Event: runfile.End, Failed: "cut"},
	}
	check("another load since the reading", "late: last read at 00:00:09.000, while another load still ran",
		append(small(), other...))
}

// TestMillionGaps: a source that fails a million times costs only the memory of its gaps, and no more time than any
// file.
func TestMillionGaps(t *testing.T) {
	const million = 1_000_000
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	begin := time.Now()
	run, err := tally.FromRun(func(yield func(runfile.Record, error) bool) {
		for _, r := range small() {
			if !yield(r, nil) {
				return
			}
		}
		for i := range million {
			at := sec(12).Add(time.Duration(i) * time.Microsecond)
			gap := runfile.Gap{At: at, Probe: "p", Metric: "p/x", Reason: runfile.Late, Detail: "no answer within " +
				fmt.Sprint(1) + " s"}
			if !yield(gap, nil) {
				return
			}
		}
	})
	took := time.Since(begin)
	if err != nil {
		t.Fatal(err)
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	if grown := (after.HeapAlloc - before.HeapAlloc) >> 20; after.HeapAlloc > before.HeapAlloc && grown > 400 ||
		took > time.Minute {
		t.Errorf("a million gaps take %d MB and %v", grown, took)
	}
	load, _ := run.Load("busy")
	if count := load.Repetitions[0].Counts["p/x"]; count.Missing != nil || count.Amount != 100 {
		t.Errorf("read again after all gaps, and yet %+v", count) // at 14 s, before the end
	}
}

func TestNotes(t *testing.T) {
	check := func(want []counts.Note, records []runfile.Record) {
		t.Helper()
		if diff := cmp.Diff(want, fromRecords(t, records...).Notes); diff != "" {
			t.Error(diff)
		}
	}
	note := func(code, text string) []counts.Note { return []counts.Note{{Code: code, Text: text}} }
	check(note("metric-contradictory",
		"p/x is announced as a counter in operations and again as a gauge in bytes; the first is used"),
		append(small(), runfile.Metric{Name: "p/x", Unit: "bytes", Type: runfile.Gauge}))
	check(nil, append(small(), runfile.Metric{Name: "p/x", Unit: "operations", Type: runfile.Counter, Help: "again"}))
	check(note("metric-contradictory", "p/x is read by p and by q; only the first was used"),
		append(small(), runfile.Reading{At: sec(12), Probe: "q", Values: map[string]float64{"p/x": 1}}))
	undescribed := append(small(), runfile.Reading{At: sec(20), Probe: "p", Values: map[string]float64{"p/new": 1}})
	const want = "The file has readings but no description of p/new, so they are left out."
	if got := fromRecords(t, undescribed...).Undescribed; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	check(note("clock-stepped", "The readings of p go back in time by 13.5 s: the clock was set during the run, or "+
		"lines of its file were moved"),
		append(small(), runfile.Reading{At: sec(0.5), Probe: "p", Values: map[string]float64{"p/x": 1}}))
	check(note("load-unplanned", "The load new is not in the plan, so its indexes are not known"),
		append(small(), event(20, "new", runfile.Begin)))
	planTwice := small()
	head := planTwice[0].(runfile.Run)
	head.Plan.Loads = append(head.Plan.Loads, runfile.Load{Name: "busy", Method: "other"})
	planTwice[0] = head
	check(note("load-twice", "The plan names the load busy twice; the first is used"), planTwice)
	drifting := without(small(), func(r runfile.Record) bool { return r.Kind() == runfile.KindEnd },
		runfile.Ended{At: sec(16), Status: runfile.Complete, Clocks: []runfile.Clock{
			{Source: "server", Offset: 1.5, Error: 0.01}}})
	drifting[0] = func(r runfile.Run) runfile.Run {
		r.Clocks = []runfile.Clock{{Source: "server", Offset: 1, Error: 0.01}}
		return r
	}(drifting[0].(runfile.Run))
	check(note("clock-drifted", "The clock of the server moved by 0.5 s against this machine's during the run"), drifting)
	long := without(small(), isWork, runfile.Work{From: sec(10), To: sec(14), Load: "busy", Repetition: 1,
		Transactions: 1, Rows: 1})
	long[0] = func(r runfile.Run) runfile.Run { r.Plan.LoadSeconds = 1; return r }(long[0].(runfile.Run))
	check(note("load-length", "The load of busy 1 lasted 4 s instead of 1"), long)
	bad := append(small(), runfile.Work{From: sec(13), To: sec(14), Load: "busy", Repetition: 1, Latency: "rubbish"})
	if got := fromRecords(t, bad...).Notes; len(got) != 1 || got[0].Code != "latency-unreadable" {
		t.Errorf("%v", got)
	}

	many := small()
	for i := range 1000 {
		name := fmt.Sprint("p/", i)
		many = append(many, runfile.Metric{Name: name, Type: runfile.Counter},
			runfile.Reading{At: sec(20), Probe: "p", Values: map[string]float64{name: 1}},
			runfile.Reading{At: sec(20), Probe: "q", Values: map[string]float64{name: 1}})
	}
	notes := fromRecords(t, many...).Notes
	if len(notes) != 4 || notes[3].Text != "and 997 more of this kind" {
		t.Errorf("a thousand of a kind: %v", notes)
	}
}

func TestTornAndCutOff(t *testing.T) {
	content, err := os.ReadFile(shippedRun)
	if err != nil {
		t.Fatal(err)
	}
	run, err := tally.FromRun(runfile.Read(bytes.NewReader(content[:len(content)/2])))
	if err != nil || run.Torn == nil || run.Ended != nil {
		t.Fatalf("half a file: %v, torn %v, ended %v", err, run.Torn, run.Ended)
	}
	used := 0
	for _, load := range run.Loads {
		used += len(load.Repetitions)
	}
	if used < 10 || used > 17 {
		t.Errorf("half of 27 repetitions are %d", used)
	}
}

func TestNotAFile(t *testing.T) {
	check := func(content string, want error) {
		t.Helper()
		if run, err := tally.FromRun(runfile.Read(strings.NewReader(content))); !errors.Is(err, want) {
			t.Errorf("%.20q: %v, %v", content, run, err)
		}
	}
	check("", runfile.ErrEmpty)
	check("junk\n", runfile.ErrNotRunFile)
	if _, err := tally.FromRun(runfiletest.Sequence(nil)); !errors.Is(err, runfile.ErrNotRunFile) {
		t.Errorf("no records: %v", err)
	}
	if _, err := tally.FromRun(runfile.Read(strings.NewReader(`{"kind":"run","schema":"realio`))); err == nil {
		t.Error("nothing but a torn run line gave a run")
	}
}

// FuzzFromRun mixes up the lines of small and adds lines from the fuzzer: no file may make it panic, and every count is
// finite.
func FuzzFromRun(f *testing.F) {
	f.Add(uint64(1), `{"kind":"load","load":"busy","repetition":1,"event":"end","at":"2026-01-01T00:00:15Z"}`)
	f.Add(uint64(2), `{"kind":"read","probe":"p","at":"0001-01-01T00:00:00Z","values":{"p/x":-1e308}}`)
	f.Add(uint64(3), `{"kind":"work","load":"busy","repetition":1,"rows":9223372036854775807,"latency":"HISTFAAA"}`)
	f.Add(uint64(4), `{"kind":"gap","probe":"p","reason":"reset","at":"9999-01-01T00:00:00Z"}`)
	f.Fuzz(func(t *testing.T, seed uint64, line string) {
		random := rand.New(rand.NewPCG(seed, 0))
		records := small()
		for record, err := range runfile.Read(strings.NewReader(`{"kind":"run","schema":"realiops.run/1"}` +
			"\n" + line)) {
			if err == nil && record.Kind() != runfile.KindRun {
				records = append(records, record)
			}
		}
		for range random.IntN(4) {
			i, j := 1+random.IntN(len(records)-1), 1+random.IntN(len(records)-1)
			records[i], records[j] = records[j], records[i]
			if random.IntN(2) == 0 {
				records = append(records, records[i])
			}
		}
		run, err := tally.FromRun(runfiletest.Sequence(records))
		if err != nil {
			t.Fatal(err)
		}
		for _, load := range run.Loads {
			for _, r := range load.Repetitions {
				for metric := range r.Counts {
					if v, err := r.Count(metric); err == nil && math.IsNaN(v) {
						t.Fatalf("%s of %s %d is %v", metric, load.Name, r.Number, v)
					}
				}
			}
		}
	})
}
