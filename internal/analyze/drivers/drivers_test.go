package drivers_test

import (
	"bytes"
	"errors"
	"fmt"
	"iter"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/realiops/realiops/internal/analyze/drivers"
	"github.com/realiops/realiops/internal/runfile"
	"github.com/realiops/realiops/internal/series"
)

func sequence(records []runfile.Record) iter.Seq2[runfile.Record, error] {
	return func(yield func(runfile.Record, error) bool) {
		for _, r := range records {
			if !yield(r, nil) {
				return
			}
		}
	}
}

func fromRecords(t *testing.T, records ...runfile.Record) *drivers.Run {
	t.Helper()
	run, err := drivers.FromRun(sequence(records))
	if err != nil {
		t.Fatal(err)
	}
	return run
}

func fromFile(t *testing.T, path string) *drivers.Run {
	t.Helper()
	records, file, err := runfile.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	run, err := drivers.FromRun(records)
	if err != nil {
		t.Fatal(err)
	}
	return run
}

// TestShippedRunGivesItsSourceBack compares every count of every replicate with the row it was made of.
func TestShippedRunGivesItsSourceBack(t *testing.T) {
	run := fromFile(t, shippedRun)
	if len(run.Notes) > 0 || len(run.Counters) != 16 || run.Idle.Replicates != 3 {
		t.Errorf("notes %v, %d counters, idle %d times", run.Notes, len(run.Counters), run.Idle.Replicates)
	}
	rows := source(t)
	idle := map[string]float64{} // per second; readings of an idle arm lie its 5 s and 0.22 s of edges apart
	for _, r := range rows {
		for _, grew := range r.grew() {
			for metric, grown := range grew {
				if r.Arm == "idle" {
					idle[metric] += grown / (r.Wall + 0.22) / 3
				}
			}
		}
	}
	for _, r := range rows {
		arm, _ := run.Arm(r.Arm)
		if len(arm.Replicates) != 3 || len(arm.LeftOut) != 0 {
			t.Fatalf("%s: %d replicates, left out %v", r.Arm, len(arm.Replicates), arm.LeftOut)
		}
		got := arm.Replicates[r.Rep]
		if r.Arm != "idle" && math.Abs(got.Seconds-r.Wall) > 1e-9 {
			t.Errorf("%s %d: %g s, want %g", r.Arm, r.Rep, got.Seconds, r.Wall)
		}
		work := drivers.Work{Transactions: r.Tx, Statements: r.Stmts, Rows: r.Rows}
		if diff := cmp.Diff(work, got.Work); diff != "" {
			t.Errorf("%s %d: %s", r.Arm, r.Rep, diff)
		}
		want := map[string]drivers.Count{}
		for _, grew := range r.grew() {
			for metric, grown := range grew {
				c := drivers.Count{Amount: grown, Raw: grown, Seconds: r.Wall + 0.22}
				if r.Arm != "idle" {
					c.Amount -= idle[metric] * c.Seconds
				}
				want[metric] = c
			}
		}
		if r.Arm != "idle" && len(got.Variants) != 3 {
			t.Errorf("%s %d: %d variants", r.Arm, r.Rep, len(got.Variants))
		}
		if diff := cmp.Diff(want, got.Counts, cmpopts.EquateApprox(1e-9, 1e-6)); diff != "" {
			t.Errorf("%s %d: %s", r.Arm, r.Rep, diff)
		}
	}
}

// background is what the device does when idle, in requests or in flushes per second: at most 20 writes in 5 s.
const background = 2.2

// TestShippedRunGivesThePublishedTable checks against docs that were computed from the source by other means: the
// table of the method's design. It does not take the background off, hence the tolerance.
func TestShippedRunGivesThePublishedTable(t *testing.T) {
	run := fromFile(t, shippedRun)
	check := func(armName string, rowsPerSecond, recordsPerRow, bytesPerRow, recordsPerSecond, flushes, megabytes, recordsPerRequest float64) {
		t.Helper()
		arm, _ := run.Arm(armName)
		mean := func(name string, perName string) float64 {
			total := 0.0
			for _, r := range arm.Replicates {
				per := r.Seconds
				if perName != "" {
					per = count(t, arm, r, perName)
				}
				total += count(t, arm, r, name) / per
			}
			return total / float64(len(arm.Replicates))
		}
		near := func(what string, got, want, within float64) {
			t.Helper()
			if math.Abs(got-want) > within {
				t.Errorf("%s: %s is %g, published is %g", armName, what, got, want)
			}
		}
		const exact = 0.0002 // sums of rates there, means of them here
		near("rows/s", mean("rows", ""), rowsPerSecond, exact*rowsPerSecond)
		near("records per row", mean("wal_records", "rows"), recordsPerRow, max(exact*recordsPerRow, 0.00005))
		near("WAL bytes per row", mean("wal_bytes", "rows"), bytesPerRow, max(0.1, 0.0005*bytesPerRow))
		near("records/s", mean("wal_records", ""), recordsPerSecond, exact*recordsPerSecond)
		near("flushes/s", mean("device_flushes", ""), flushes, 0.6+background)
		near("MB/s", mean("device_bytes", "")/1e6, megabytes, 0.6)
		requests := recordsPerSecond / recordsPerRequest
		near("records per request", mean("wal_records", "device_requests"), recordsPerRequest, 0.5+recordsPerRequest*(0.01+background/(requests-background)))
	}
	check("bulk", 1_679_972, 1.0313, 75.4, 1_732_561, 733, 207, 1_975)
	check("bulk-indexed", 534_198, 3.0472, 208.6, 1_627_823, 398, 196, 3_081)
	check("copy", 1_159_374, 0.0377, 23.8, 43_700, 451, 84, 63)
	check("copy-indexed", 574_269, 2.0541, 163.7, 1_179_605, 249, 144, 2_400)
	check("single", 18_726, 2.0304, 115.6, 38_021, 4_740, 42, 8)
	check("async", 86_405, 2.0303, 115.5, 175_432, 17, 14, 5_498)
	check("multi", 83_626, 1.0403, 75.8, 86_997, 820, 17, 104)
	check("wide", 252_478, 2.0430, 1_169, 515_820, 1_317, 727, 293)
}

func count(t *testing.T, arm drivers.Arm, r drivers.Replicate, name string) float64 {
	t.Helper()
	d, known := drivers.Named(name)
	if !known {
		t.Fatalf("no driver %s", name)
	}
	value, err := d.Count(arm, r)
	if err != nil {
		t.Fatalf("%s of %s %d: %v", name, arm.Name, r.Number, err)
	}
	return value
}

// small is a run of one idle and one loaded arm, as an experiment writes it; tests change it one way each. The load
// writes 1000 rows in 2 s from second 11 on; x grows by 2 a second always and by 100 more under load.
func small() []runfile.Record {
	x := func(s, value float64) runfile.Record {
		return runfile.Reading{At: sec(s), Probe: "p", Values: map[string]float64{"p/x": value}}
	}
	return []runfile.Record{
		runfile.Run{Schema: runfile.Schema, Plan: runfile.Plan{
			Arms: []runfile.Arm{{Name: "idle"}, {Name: "busy", Method: "copy", Indexes: 2}}, Replicates: 1, ArmSeconds: 2,
		}},
		runfile.Metric{Name: "p/x", Unit: "operations", Type: runfile.Counter},
		runfile.Metric{Name: "p/level", Unit: "bytes", Type: runfile.Gauge},
		x(0, 0), event(1, "idle", runfile.Begin), x(5, 10), event(6, "idle", runfile.End),
		event(7, "busy", runfile.Settle), x(9, 18), event(10, "busy", runfile.Begin),
		runfile.Load{From: sec(11), To: sec(12), Arm: "busy", Replicate: 1, Transactions: 5, Statements: 10, Rows: 500, Failures: 1},
		runfile.Load{From: sec(12), To: sec(13), Arm: "busy", Replicate: 1, Transactions: 5, Statements: 10, Rows: 500, Late: 2},
		x(14, 128), event(15, "busy", runfile.End),
		runfile.Ended{At: sec(16), Status: runfile.Complete},
	}
}

func sec(s float64) time.Time { return midnight.Add(time.Duration(s * float64(time.Second))) }

func event(s float64, arm string, e runfile.Event) runfile.ArmEvent {
	return runfile.ArmEvent{At: sec(s), Arm: arm, Replicate: 1, Event: e}
}

func TestSmallRun(t *testing.T) {
	run := fromRecords(t, small()...)
	want := []drivers.Arm{
		{
			Arm: runfile.Arm{Name: "idle"},
			Replicates: []drivers.Replicate{{
				Number: 1, Begin: sec(1), End: sec(6), Seconds: 5,
				Counts: map[string]drivers.Count{"p/x": {Amount: 10, Raw: 10, Seconds: 5}},
			}},
		},
		{
			Arm: runfile.Arm{Name: "busy", Method: "copy", Indexes: 2},
			Replicates: []drivers.Replicate{{
				Number: 1, Begin: sec(10), End: sec(15), Seconds: 2,
				Work:   drivers.Work{Transactions: 10, Statements: 20, Rows: 1000, Failures: 1, Late: 2},
				Counts: map[string]drivers.Count{"p/x": {Amount: 100, Raw: 110, Seconds: 5}},
			}},
		},
	}
	if diff := cmp.Diff(want, run.Arms); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(drivers.Background{Replicates: 1, PerSecond: map[string]float64{"p/x": 2}}, run.Idle); diff != "" {
		t.Error(diff)
	}
	if run.Notes != nil || run.Torn != nil || run.Ended.Status != runfile.Complete {
		t.Errorf("notes %v, torn %v, ended %v", run.Notes, run.Torn, run.Ended)
	}
}

// without drops the records that match, replaced what replace gives for them.
func without(records []runfile.Record, match func(runfile.Record) bool, instead ...runfile.Record) []runfile.Record {
	var kept []runfile.Record
	for _, r := range records {
		if !match(r) {
			kept = append(kept, r)
			continue
		}
		kept, instead = append(kept, instead...), nil
	}
	return kept
}

func isEvent(arm string, e runfile.Event) func(runfile.Record) bool {
	return func(r runfile.Record) bool {
		event, ok := r.(runfile.ArmEvent)
		return ok && event.Arm == arm && event.Event == e
	}
}

func isLoad(r runfile.Record) bool { return r.Kind() == runfile.KindLoad }

func isReadingAt(s float64) func(runfile.Record) bool {
	return func(r runfile.Record) bool {
		reading, ok := r.(runfile.Reading)
		return ok && reading.At.Equal(sec(s))
	}
}

// TestLeftOut: what must not be used is left out with the reason, and the rest stays.
func TestLeftOut(t *testing.T) {
	check := func(arm, want string, records []runfile.Record) {
		t.Helper()
		run := fromRecords(t, records...)
		got, _ := run.Arm(arm)
		diff := cmp.Diff([]drivers.LeftOut{{Replicate: 1, Why: want}}, got.LeftOut)
		if diff != "" || len(got.Replicates) > 0 {
			t.Errorf("%d replicates, left out: %s", len(got.Replicates), diff)
		}
	}
	begin, end := isEvent("busy", runfile.Begin), isEvent("busy", runfile.End)
	check("busy", "it never ended: the run was cut off", without(small(), end))
	check("busy", "it ended without having begun", without(small(), begin))
	check("busy", "nothing but its load was recorded", without(without(small(), begin), end))
	check("busy", "no load was recorded", without(small(), isLoad))
	const twice = "it was begun or ended twice, so what belongs to which cannot be told"
	check("busy", twice, append(small(), event(20, "busy", runfile.Begin)))
	check("busy", twice, append(small(), event(20, "busy", runfile.Begin), event(30, "busy", runfile.End)))
	check("busy", "it ended before it began: the clock was set", without(small(), end, event(9.5, "busy", runfile.End)))
	failed := event(15, "busy", runfile.End)
	failed.Failed = "the server died"
	check("busy", "the server died", without(small(), end, failed))
	load := func(from, to float64, rows int64) runfile.Load {
		return runfile.Load{From: sec(from), To: sec(to), Arm: "busy", Replicate: 1, Rows: rows, Transactions: 1}
	}
	const outside = "its load lies outside of it: the clock was set"
	check("busy", outside, without(small(), isLoad, load(9.9, 12, 1)))
	check("busy", outside, without(small(), isLoad, load(11, 15.1, 1)))
	check("busy", outside, without(small(), isLoad, load(12, 11, 1)))
	check("busy", outside, without(small(), isLoad, load(11, 12, -1)))
	check("busy", "its load took no time", without(small(), isLoad, load(11, 11, 1)))
	idleLoad := load(2, 3, 1)
	idleLoad.Arm = "idle"
	check("idle", "it should be idle, and yet load was recorded", append(small(), idleLoad))

	overlapping := without(small(), isEvent("busy", runfile.Begin), event(5.5, "busy", runfile.Begin))
	check("busy", "it overlaps with replicate 1 of idle", overlapping)
	check("idle", "it overlaps with replicate 1 of busy", overlapping)
}

// TestOverlapsOfMany: one long replicate spoils all that ran inside it, and touching is not overlapping.
func TestOverlapsOfMany(t *testing.T) {
	records := []runfile.Record{runfile.Run{Schema: runfile.Schema, Plan: runfile.Plan{Arms: []runfile.Arm{{Name: "idle"}}}}}
	for i, window := range [][2]float64{{0, 10}, {1, 2}, {3, 4}, {10, 11}, {11, 12}} {
		for j, e := range []runfile.Event{runfile.Begin, runfile.End} {
			records = append(records, runfile.ArmEvent{At: sec(window[j]), Arm: "idle", Replicate: i + 1, Event: e})
		}
	}
	arm, _ := fromRecords(t, records...).Arm("idle")
	want := []drivers.LeftOut{
		{Replicate: 1, Why: "it overlaps with replicate 2 of idle"},
		{Replicate: 2, Why: "it overlaps with replicate 1 of idle"},
		{Replicate: 3, Why: "it overlaps with replicate 1 of idle"},
	}
	if diff := cmp.Diff(want, arm.LeftOut); diff != "" || len(arm.Replicates) != 2 {
		t.Errorf("%d used; %s", len(arm.Replicates), diff)
	}
}

// TestCountMissing: a count that is hidden is missing with the reason, never a number.
func TestCountMissing(t *testing.T) {
	check := func(what, want string, records []runfile.Record) {
		t.Helper()
		arm, _ := fromRecords(t, records...).Arm("busy")
		if len(arm.Replicates) != 1 {
			t.Fatalf("%s: left out: %v", what, arm.LeftOut)
		}
		value, err := arm.Replicates[0].Count("p/x")
		missing, isMissing := errors.AsType[*series.Missing](err)
		got := fmt.Sprint(value)
		if isMissing {
			got = missing.Error()
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
	check("fell", "reset: fell from 18 to 5 by 00:00:14.000",
		without(small(), isReadingAt(14), runfile.Reading{At: sec(14), Probe: "p", Values: map[string]float64{"p/x": 5}}))
	check("not read at the end", "never-read: nothing was read between 00:00:10.000 and 00:00:15.000",
		without(small(), isReadingAt(14)))
	check("never read, and never said why", "never-read: nothing was read before 00:00:10.000",
		without(small(), func(r runfile.Record) bool { return r.Kind() == runfile.KindRead }))
	check("probe that never read", "not-local: why (E1)",
		append(without(small(), func(r runfile.Record) bool { return r.Kind() == runfile.KindRead }), gap(0, "", runfile.NotLocal)))
	check("never announced", "not-recorded: this run did not read p/x",
		without(small(), func(r runfile.Record) bool { return r.Kind() == runfile.KindMetric }))
	check("read too early", "late: last read at 00:00:12.500, while its load still ran",
		without(small(), isReadingAt(14), runfile.Reading{At: sec(12.5), Probe: "p", Values: map[string]float64{"p/x": 100}}))

	resetAt := func(s, when float64) runfile.Reading {
		return runfile.Reading{At: sec(s), Probe: "p", Values: map[string]float64{"p/stats_reset": when}}
	}
	announced := append(small(), runfile.Metric{Name: "p/stats_reset", Unit: "seconds", Type: runfile.Gauge})
	check("a reset that growth hides", "reset: its view says that it was reset",
		append(slices.Clip(announced), resetAt(9, 0), resetAt(14, 1767225610)))
	check("a reset long ago", "100", append(slices.Clip(announced), resetAt(0, 5), resetAt(9, 7), resetAt(14, 7)))

	other := []runfile.Record{
		runfile.ArmEvent{At: sec(8), Arm: "busy", Replicate: 2, Event: runfile.Begin},
		runfile.Load{From: sec(8.5), To: sec(9.2), Arm: "busy", Replicate: 2, Rows: 1, Transactions: 1},
		runfile.ArmEvent{At: sec(9.5), Arm: "busy", Replicate: 2, Event: runfile.End, Failed: "cut"},
	}
	check("another load since the reading", "late: last read at 00:00:09.000, while another arm's load still ran",
		append(small(), other...))
}

// TestVariants: with two idle replicates, each is taken off by itself as well.
func TestVariants(t *testing.T) {
	records := append(small(),
		runfile.ArmEvent{At: sec(20), Arm: "idle", Replicate: 2, Event: runfile.Begin},
		runfile.Reading{At: sec(24), Probe: "p", Values: map[string]float64{"p/x": 188}}, // 60 in 10 s
		runfile.ArmEvent{At: sec(25), Arm: "idle", Replicate: 2, Event: runfile.End})
	arm, _ := fromRecords(t, records...).Arm("busy")
	r := arm.Replicates[0]
	got := []float64{r.Counts["p/x"].Amount}
	for _, v := range r.Variants {
		got = append(got, v.Counts["p/x"].Amount)
	}
	// 110 in 5 s, less 4, 2 or 6 a second.
	if diff := cmp.Diff([]float64{90, 100, 80}, got); diff != "" {
		t.Error(diff)
	}
}

func TestBackgroundIsOptional(t *testing.T) {
	noIdle := without(small(), func(r runfile.Record) bool {
		e, ok := r.(runfile.ArmEvent)
		return ok && e.Arm == "idle"
	})
	run := fromRecords(t, noIdle...)
	arm, _ := run.Arm("busy")
	if got := arm.Replicates[0].Counts["p/x"]; got.Amount != 110 || run.Idle.Replicates != 0 {
		t.Errorf("without idle: %+v, idle %+v", got, run.Idle)
	}
	run = fromRecords(t, without(small(), isReadingAt(0))...)
	arm, _ = run.Arm("busy")
	if got := arm.Replicates[0].Counts["p/x"]; got.Amount != 110 || run.Idle.Replicates != 1 {
		t.Errorf("idle that could not be read: %+v, idle %+v", got, run.Idle)
	}
}

// TestOrderDoesNotMatter: probes and load write on their own, so lines may come in any order after the run line.
func TestOrderDoesNotMatter(t *testing.T) {
	want := fromRecords(t, small()...)
	random := rand.New(rand.NewPCG(1, 2))
	for range 100 {
		shuffled := small()
		rest := shuffled[1:]
		random.Shuffle(len(rest), func(i, j int) { rest[i], rest[j] = rest[j], rest[i] })
		got := fromRecords(t, shuffled...)
		if diff := cmp.Diff(want, got, cmpopts.IgnoreFields(drivers.Run{}, "Notes")); diff != "" {
			t.Fatal(diff)
		}
	}
}

func TestNotes(t *testing.T) {
	check := func(want []drivers.Note, records []runfile.Record) {
		t.Helper()
		if diff := cmp.Diff(want, fromRecords(t, records...).Notes); diff != "" {
			t.Error(diff)
		}
	}
	note := func(code, text string) []drivers.Note { return []drivers.Note{{Code: code, Text: text}} }
	check(note("metric-contradictory", "p/x is announced as a counter in operations and again as a gauge in bytes; the first was believed"),
		append(small(), runfile.Metric{Name: "p/x", Unit: "bytes", Type: runfile.Gauge}))
	check(nil, append(small(), runfile.Metric{Name: "p/x", Unit: "operations", Type: runfile.Counter, Help: "again"}))
	check(note("metric-contradictory", "p/x is read by p and by q; only the first was used"),
		append(small(), runfile.Reading{At: sec(12), Probe: "q", Values: map[string]float64{"p/x": 1}}))
	check(note("metric-unannounced", "p/new was read but never announced, so nothing tells what it is; it was left out"),
		append(small(), runfile.Reading{At: sec(20), Probe: "p", Values: map[string]float64{"p/new": 1}}))
	check(note("clock-stepped", "The readings of p go back in time by 13.5 s: the clock was set during the run"),
		append(small(), runfile.Reading{At: sec(0.5), Probe: "p", Values: map[string]float64{"p/x": 1}}))
	check(note("arm-unplanned", "The arm new is not in the plan, so its indexes are not known"),
		append(small(), event(20, "new", runfile.Begin)))
	planTwice := small()
	head := planTwice[0].(runfile.Run)
	head.Plan.Arms = append(head.Plan.Arms, runfile.Arm{Name: "busy", Method: "other"})
	planTwice[0] = head
	check(note("arm-twice", "The plan names the arm busy twice; the first was believed"), planTwice)
	long := without(small(), isLoad, runfile.Load{From: sec(10), To: sec(14), Arm: "busy", Replicate: 1, Transactions: 1, Rows: 1})
	long[0] = func(r runfile.Run) runfile.Run { r.Plan.ArmSeconds = 1; return r }(long[0].(runfile.Run))
	check(note("load-length", "The load of busy 1 lasted 4 s instead of 1"), long)
	bad := append(small(), runfile.Load{From: sec(12), To: sec(13), Arm: "busy", Replicate: 1, Latency: "rubbish"})
	if got := fromRecords(t, bad...).Notes; len(got) != 1 || got[0].Code != "latency-unreadable" {
		t.Errorf("%v", got)
	}

	many := small()
	for i := range 1000 {
		many = append(many, runfile.Reading{At: sec(20), Probe: "p", Values: map[string]float64{fmt.Sprint("p/", i): 1}})
	}
	notes := fromRecords(t, many...).Notes
	if len(notes) != 4 || notes[3].Text != "and 997 more of this kind" {
		t.Errorf("a thousand of a kind: %v", notes)
	}
}

func TestUnplannedArm(t *testing.T) {
	records := small()
	head := records[0].(runfile.Run)
	head.Plan.Arms = head.Plan.Arms[:1]
	records[0] = head
	arm, _ := fromRecords(t, records...).Arm("busy")
	if len(arm.Replicates) != 1 || count(t, arm, arm.Replicates[0], "rows") != 1000 {
		t.Fatalf("%+v", arm)
	}
	entries, _ := drivers.Named("entries")
	if value, err := entries.Count(arm, arm.Replicates[0]); err == nil {
		t.Errorf("entries of an arm whose indexes nobody knows: %g", value)
	}
}

func TestLatency(t *testing.T) {
	encode := func(microseconds ...int64) string {
		h := hdrhistogram.New(1, 3_600_000_000, 2)
		for _, v := range microseconds {
			if err := h.RecordValue(v); err != nil {
				t.Fatal(err)
			}
		}
		text, err := h.Encode(hdrhistogram.V2CompressedEncodingCookieBase)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	line := func(from, to float64, latency string) runfile.Load {
		return runfile.Load{From: sec(from), To: sec(to), Arm: "busy", Replicate: 1, Transactions: 50, Latency: latency}
	}
	var first, second []int64
	for i := range int64(50) {
		first, second = append(first, 1000*(i+1)), append(second, 1000*(i+51)) // 1 to 100 ms
	}
	arm, _ := fromRecords(t, without(small(), isLoad, line(11, 12, encode(first...)), line(12, 13, encode(second...)))...).Arm("busy")
	got := arm.Replicates[0].Latency
	want := &drivers.Latency{Transactions: 100, P50: 0.050, P95: 0.095, P99: 0.099, Max: 0.100}
	if diff := cmp.Diff(want, got, cmpopts.EquateApprox(0.02, 0)); diff != "" {
		t.Error(diff)
	}
}

func TestDrivers(t *testing.T) {
	arm := drivers.Arm{Arm: runfile.Arm{Name: "a", Method: "copy", Indexes: 2}}
	amount := func(v float64) drivers.Count { return drivers.Count{Amount: v, Raw: v, Seconds: 1} }
	gone := func(reason series.Reason) drivers.Count {
		return drivers.Count{Missing: &series.Missing{Reason: reason}}
	}
	full := map[string]drivers.Count{
		"pgstat.wal/wal_records": amount(11), "pgstat.lsn/insert": amount(12), "pgstat.wal/wal_write": amount(13),
		"pgstat.wal/wal_sync": amount(14), "pgstat.io/writes": amount(15),
		"block/writes": amount(20), "block/flushes": amount(4), "block/write_bytes": amount(17),
	}
	check := func(name, want string, counts map[string]drivers.Count) {
		t.Helper()
		r := drivers.Replicate{Work: drivers.Work{Transactions: 2, Statements: 3, Rows: 5}, Counts: counts}
		d, _ := drivers.Named(name)
		value, err := d.Count(arm, r)
		got := fmt.Sprint(value)
		if missing, ok := errors.AsType[*series.Missing](err); ok {
			got = string(missing.Reason)
		}
		if got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
	with := func(metric string, c drivers.Count) map[string]drivers.Count {
		changed := maps.Clone(full)
		changed[metric] = c
		return changed
	}
	for name, want := range map[string]string{
		"rows": "5", "entries": "15", "statements": "3", "commits": "2", "wal_records": "11", "wal_bytes": "12",
		"wal_writes": "13", "wal_syncs": "14", "pages_written": "15", "device_requests": "16", "device_flushes": "4",
		"device_bytes": "17",
	} {
		check(name, want, full)
	}
	pg18 := with("pgstat.wal/wal_write", gone("unsupported"))
	check("wal_writes", "unsupported", pg18)
	pg18["pgstat.io/wal_writes"] = amount(9)
	check("wal_writes", "9", pg18)
	check("wal_records", "not-recorded", nil)
	check("device_requests", "not-local", with("block/writes", gone("not-local")))
	check("device_requests", "unsupported", with("block/flushes", gone("unsupported")))
	check("device_requests", "error", with("block/flushes", amount(21)))
	if _, known := drivers.Named("nothing"); known {
		t.Error("there is a driver called nothing")
	}
	var names []string
	for _, d := range drivers.All() {
		names = append(names, d.Name)
		if d.Unit == "" || d.Help == "" || d.Side != drivers.Logical && d.Side != drivers.Physical {
			t.Errorf("driver %s is not fully described", d.Name)
		}
	}
	if len(names) != 12 || len(slices.Compact(slices.Sorted(slices.Values(names)))) != 12 {
		t.Errorf("drivers %v", names)
	}
}

func TestTornAndCutOff(t *testing.T) {
	content, err := os.ReadFile(shippedRun)
	if err != nil {
		t.Fatal(err)
	}
	run, err := drivers.FromRun(runfile.Read(bytes.NewReader(content[:len(content)/2])))
	if err != nil || run.Torn == nil || run.Ended != nil {
		t.Fatalf("half a file: %v, torn %v, ended %v", err, run.Torn, run.Ended)
	}
	used := 0
	for _, arm := range run.Arms {
		used += len(arm.Replicates)
	}
	if used < 10 || used > 17 {
		t.Errorf("half of 27 replicates are %d", used)
	}
}

func TestNotAFile(t *testing.T) {
	check := func(content string, want error) {
		t.Helper()
		if run, err := drivers.FromRun(runfile.Read(strings.NewReader(content))); !errors.Is(err, want) {
			t.Errorf("%.20q: %v, %v", content, run, err)
		}
	}
	check("", runfile.ErrEmpty)
	check("junk\n", runfile.ErrNotRunFile)
	if _, err := drivers.FromRun(sequence(nil)); !errors.Is(err, runfile.ErrNotRunFile) {
		t.Errorf("no records: %v", err)
	}
	if _, err := drivers.FromRun(runfile.Read(strings.NewReader(`{"kind":"run","schema":"realio`))); err == nil {
		t.Error("nothing but a torn run line gave a run")
	}
}

// FuzzFromRun mixes up the lines of small and adds lines of the fuzzer's: no file may make it panic, and every count
// is finite.
func FuzzFromRun(f *testing.F) {
	f.Add(uint64(1), `{"kind":"arm","arm":"busy","replicate":1,"event":"end","at":"2026-01-01T00:00:15Z"}`)
	f.Add(uint64(2), `{"kind":"read","probe":"p","at":"0001-01-01T00:00:00Z","values":{"p/x":-1e308}}`)
	f.Add(uint64(3), `{"kind":"load","arm":"busy","replicate":1,"rows":9223372036854775807,"latency":"HISTFAAA"}`)
	f.Add(uint64(4), `{"kind":"gap","probe":"p","reason":"reset","at":"9999-01-01T00:00:00Z"}`)
	f.Fuzz(func(t *testing.T, seed uint64, line string) {
		random := rand.New(rand.NewPCG(seed, 0))
		records := small()
		for record, err := range runfile.Read(strings.NewReader(`{"kind":"run","schema":"realiops.run/1"}` + "\n" + line)) {
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
		run, err := drivers.FromRun(sequence(records))
		if err != nil {
			t.Fatal(err)
		}
		for _, arm := range run.Arms {
			for _, r := range arm.Replicates {
				for metric := range r.Counts {
					if v, err := r.Count(metric); err == nil && math.IsNaN(v) {
						t.Fatalf("%s of %s %d is %v", metric, arm.Name, r.Number, v)
					}
				}
			}
		}
	})
}
