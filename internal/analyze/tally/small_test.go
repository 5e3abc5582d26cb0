package tally_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/realiops/realiops/internal/analyze/counts"
	"github.com/realiops/realiops/internal/analyze/latency"
	"github.com/realiops/realiops/internal/metric"
	"github.com/realiops/realiops/internal/runfile"
)

// small returns a run of one idle and one loaded load. The load writes 1000 rows in 2 s from second 11 on. x grows by
// 2 a second always, and by 100 more under load.
func small() []runfile.Record {
	x := func(s, value float64) runfile.Record {
		return runfile.Reading{At: sec(s), Probe: "p", Values: map[string]float64{"p/x": value}}
	}
	return []runfile.Record{
		runfile.Run{Schema: runfile.Schema, Plan: runfile.Plan{
			Loads: []runfile.Load{{Name: "idle"}, {Name: "busy", Method: "copy", Indexes: 2}}, Repetitions: 1,
			LoadSeconds: 2,
		}},
		runfile.Metric{Name: "p/x", Unit: "operations", Type: runfile.Counter},
		runfile.Metric{Name: "p/level", Unit: "bytes", Type: runfile.Gauge},
		x(0, 0), event(1, "idle", runfile.Begin), x(5, 10), event(6, "idle", runfile.End),
		event(7, "busy", runfile.Settle), x(9, 18), event(10, "busy", runfile.Begin),
		runfile.Work{From: sec(11), To: sec(12), Load: "busy", Repetition: 1, Transactions: 5, Statements: 10,
			Rows: 500, Failures: 1},
		runfile.Work{From: sec(12), To: sec(13), Load: "busy", Repetition: 1, Transactions: 5, Statements: 10,
			Rows: 500, Late: 2},
		x(14, 128), event(15, "busy", runfile.End),
		runfile.Ended{At: sec(16), Status: runfile.Complete},
	}
}

func sec(s float64) time.Time { return midnight.Add(time.Duration(s * float64(time.Second))) }

func event(s float64, load string, e runfile.Event) runfile.LoadEvent {
	return runfile.LoadEvent{At: sec(s), Load: load, Repetition: 1, Event: e}
}

func TestSmallRun(t *testing.T) {
	run := fromRecords(t, small()...)
	want := []counts.Load{
		{
			Load: runfile.Load{Name: "idle"},
			Repetitions: []counts.Repetition{{
				Number: 1, Begin: sec(1), End: sec(6), Seconds: 5,
				Counts: map[string]counts.Count{"p/x": {Amount: 10, Raw: 10, Seconds: 5}},
			}},
		},
		{
			Load: runfile.Load{Name: "busy", Method: "copy", Indexes: 2},
			Repetitions: []counts.Repetition{{
				Number: 1, Begin: sec(10), End: sec(15), Seconds: 2,
				Work:   counts.Work{Transactions: 10, Statements: 20, Rows: 1000, Failures: 1, Late: 2},
				Counts: map[string]counts.Count{"p/x": {Amount: 100, Raw: 110, Seconds: 5}},
			}},
		},
	}
	if diff := cmp.Diff(want, run.Loads); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(counts.Background{Repetitions: 1, PerSecond: map[string]float64{"p/x": 2},
		Closing: map[string]float64{}, Deviation: map[string]float64{}}, run.Idle); diff != "" {
		t.Error(diff)
	}
	if run.Notes != nil || run.Torn != nil || run.Ended.Status != runfile.Complete {
		t.Errorf("notes %v, torn %v, ended %v", run.Notes, run.Torn, run.Ended)
	}
}

// without replaces the matching records by instead.
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

func isEvent(load string, e runfile.Event) func(runfile.Record) bool {
	return func(r runfile.Record) bool {
		event, ok := r.(runfile.LoadEvent)
		return ok && event.Load == load && event.Event == e
	}
}

func isWork(r runfile.Record) bool { return r.Kind() == runfile.KindWork }

func isReadingAt(s float64) func(runfile.Record) bool {
	return func(r runfile.Record) bool {
		reading, ok := r.(runfile.Reading)
		return ok && reading.At.Equal(sec(s))
	}
}

func TestLeftOut(t *testing.T) {
	check := func(load, want string, records []runfile.Record) {
		t.Helper()
		run := fromRecords(t, records...)
		got, _ := run.Load(load)
		diff := cmp.Diff([]counts.LeftOut{{Repetition: 1, Why: want}}, got.LeftOut)
		if diff != "" || len(got.Repetitions) > 0 {
			t.Errorf("%d repetitions, left out: %s", len(got.Repetitions), diff)
		}
	}
	begin, end := isEvent("busy", runfile.Begin), isEvent("busy", runfile.End)
	check("busy", "it never ended: the run was cut off", without(small(), end))
	check("busy", "it ended without having begun", without(small(), begin))
	check("busy", "nothing but the load was recorded", without(without(small(), begin), end))
	check("busy", "it was never begun: the run was cut off", without(without(without(small(), begin), end), isWork))
	check("busy", "no load was recorded", without(small(), isWork))
	const twice = "it was begun or ended twice, so what belongs to which cannot be told"
	check("busy", twice, append(small(), event(20, "busy", runfile.Begin)))
	check("busy", twice, append(small(), event(20, "busy", runfile.Begin), event(30, "busy", runfile.End)))
	check("busy", "it ended before it began: the clock was set", without(small(), end, event(9.5, "busy", runfile.End)))
	failed := event(15, "busy", runfile.End)
	failed.Failed = "the server died"
	check("busy", "the server died", without(small(), end, failed))
	load := func(from, to float64, rows int64) runfile.Work {
		return runfile.Work{From: sec(from), To: sec(to), Load: "busy", Repetition: 1, Rows: rows, Transactions: 1}
	}
	const outside = "its load lies outside of it: the clock was set"
	check("busy", outside, without(small(), isWork, load(9.9, 12, 1)))
	check("busy", outside, without(small(), isWork, load(11, 15.1, 1)))
	check("busy", outside, without(small(), isWork, load(12, 11, 1)))
	check("busy", "two lines of its work are of the same time: lines of the file were repeated",
		append(small(), load(12, 13, 500)))
	check("busy", "its work has no line for 1 s: lines of the file are missing", append(small(), load(14, 15, 500)))
	check("busy", outside, without(small(), isWork, load(11, 12, -1)))
	check("busy", "its load took no time", without(small(), isWork, load(11, 11, 1)))
	idleLoad := load(2, 3, 1)
	idleLoad.Load = "idle"
	check("idle", "it should be idle, and yet load was recorded", append(small(), idleLoad))

	overlapping := without(small(), isEvent("busy", runfile.Begin), event(5.5, "busy", runfile.Begin))
	check("busy", "it overlaps with repetition 1 of idle", overlapping)
	check("idle", "it overlaps with repetition 1 of busy", overlapping)
}

func TestOverlapsOfMany(t *testing.T) {
	records := []runfile.Record{
		runfile.Run{Schema: runfile.Schema, Plan: runfile.Plan{Loads: []runfile.Load{{Name: "idle"}}}}}
	for i, window := range [][2]float64{{0, 10}, {1, 2}, {3, 4}, {10, 11}, {11, 12}} {
		for j, e := range []runfile.Event{runfile.Begin, runfile.End} {
			records = append(records, runfile.LoadEvent{At: sec(window[j]), Load: "idle", Repetition: i + 1, Event: e})
		}
	}
	load, _ := fromRecords(t, records...).Load("idle")
	want := []counts.LeftOut{
		{Repetition: 1, Why: "it overlaps with repetition 2 of idle"},
		{Repetition: 2, Why: "it overlaps with repetition 1 of idle"},
		{Repetition: 3, Why: "it overlaps with repetition 1 of idle"},
	}
	if diff := cmp.Diff(want, load.LeftOut); diff != "" || len(load.Repetitions) != 2 {
		t.Errorf("%d used; %s", len(load.Repetitions), diff)
	}
}

func TestVariants(t *testing.T) {
	load, _ := fromRecords(t, twiceIdle()...).Load("busy")
	r := load.Repetitions[0]
	got := []float64{r.Counts["p/x"].Amount}
	for _, v := range r.Variants {
		got = append(got, v.Counts["p/x"].Amount)
	}
	// 110 in 5 s, less 4, 2 or 6 a second.
	if diff := cmp.Diff([]float64{90, 100, 80}, got); diff != "" {
		t.Error(diff)
	}
}

// TestDeviation: rates of 2 and 6 a second differ from their mean by 2, which is a standard deviation of 2.83.
func TestDeviation(t *testing.T) {
	run := fromRecords(t, twiceIdle()...)
	want := counts.Background{Repetitions: 2, PerSecond: map[string]float64{"p/x": 4}, Closing: map[string]float64{},
		Deviation: map[string]float64{"p/x": math.Sqrt(8)}}
	if diff := cmp.Diff(want, run.Idle); diff != "" {
		t.Error(diff)
	}
}

func twiceIdle() []runfile.Record {
	return append(small(),
		runfile.LoadEvent{At: sec(20), Load: "idle", Repetition: 2, Event: runfile.Begin},
		runfile.Reading{At: sec(24), Probe: "p", Values: map[string]float64{"p/x": 188}}, // 60 in 10 s
		runfile.LoadEvent{At: sec(25), Load: "idle", Repetition: 2, Event: runfile.End})
}

func TestBackgroundIsOptional(t *testing.T) {
	noIdle := without(small(), func(r runfile.Record) bool {
		e, ok := r.(runfile.LoadEvent)
		return ok && e.Load == "idle"
	})
	run := fromRecords(t, noIdle...)
	load, _ := run.Load("busy")
	if got := load.Repetitions[0].Counts["p/x"]; got.Amount != 110 || run.Idle.Repetitions != 0 {
		t.Errorf("without idle: %+v, idle %+v", got, run.Idle)
	}
	run = fromRecords(t, without(small(), isReadingAt(0))...)
	load, _ = run.Load("busy")
	if got := load.Repetitions[0].Counts["p/x"]; got.Amount != 110 || run.Idle.Repetitions != 1 {
		t.Errorf("idle that could not be read: %+v, idle %+v", got, run.Idle)
	}
}

func TestOrderDoesNotMatter(t *testing.T) {
	want := fromRecords(t, small()...)
	random := rand.New(rand.NewPCG(1, 2))
	for range 100 {
		shuffled := small()
		rest := shuffled[1:]
		random.Shuffle(len(rest), func(i, j int) { rest[i], rest[j] = rest[j], rest[i] })
		got := fromRecords(t, shuffled...)
		if diff := cmp.Diff(want, got, cmpopts.IgnoreFields(counts.Run{}, "Notes", "Source")); diff != "" {
			t.Fatal(diff)
		}
	}
}

func TestUnplannedLoad(t *testing.T) {
	records := small()
	head := records[0].(runfile.Run)
	head.Plan.Loads = head.Plan.Loads[:1]
	records[0] = head
	load, _ := fromRecords(t, records...).Load("busy")
	if len(load.Repetitions) != 1 || count(t, load, load.Repetitions[0], "rows") != 1000 {
		t.Fatalf("%+v", load)
	}
	entries, _ := counts.Named("entries")
	if value, err := entries.Count(load, load.Repetitions[0]); err == nil {
		t.Errorf("entries of a load whose indexes nobody knows: %g", value)
	}
}

// TestAddedLoad: a load beyond the plan has its own parameters, and counts like any other.
func TestAddedLoad(t *testing.T) {
	records := small()
	head := records[0].(runfile.Run)
	factors := head.Plan.Loads[1]
	head.Plan.Loads = head.Plan.Loads[:1]
	records[0] = head
	added := event(7, "busy", runfile.Settle)
	added.Added, added.Factors = "to tell rows from entries", &factors
	run := fromRecords(t, without(records, isEvent("busy", runfile.Settle), added)...)
	load, _ := run.Load("busy")
	if diff := cmp.Diff(factors, load.Load); diff != "" || len(load.Repetitions) != 1 {
		t.Fatalf("%d repetitions\n%s", len(load.Repetitions), diff)
	}
	if entries := count(t, load, load.Repetitions[0], "entries"); entries != 3000 {
		t.Errorf("%g entries of 1000 rows with two indexes", entries)
	}
	want := []counts.Note{{Code: "added", Text: "busy 1 was run beyond the plan: to tell rows from entries"}}
	if diff := cmp.Diff(want, run.Notes); diff != "" {
		t.Error(diff)
	}
}

func TestRowsAreProved(t *testing.T) {
	// check sets the growth of n_tup_ins in the busy load, and the proof.
	check := func(grown float64, proof runfile.Proof, want ...counts.Note) {
		t.Helper()
		x := func(s, value float64) runfile.Record {
			return runfile.Reading{At: sec(s), Probe: "pgstat", Values: map[string]float64{
				"pgstat.tables/n_tup_ins": value}}
		}
		proof.Load, proof.Repetition = "busy", 1
		records := append(small(), runfile.Metric{Name: "pgstat.tables/n_tup_ins", Unit: "rows", Type: runfile.Counter},
			x(0, 0), x(5, 0), x(9, 0), x(14, grown), proof)
		head := records[0].(runfile.Run)
		head.Plan.Loads[1].RowsPerTx = 100
		if diff := cmp.Diff(want, fromRecords(t, records...).Notes); diff != "" {
			t.Error(diff)
		}
	}
	disagree := func(text string) counts.Note {
		return counts.Note{Code: "rows-disagree", Text: "The rows of busy 1 disagree: " + text}
	}
	check(1000, runfile.Proof{Rows: 1000})
	check(1100, runfile.Proof{Rows: 1000}) // one transaction of a hundred rows failed
	check(999, runfile.Proof{Rows: 1000},
		disagree("the server confirmed 1,000, and its table holds 1,000; n_tup_ins grew by 999"))
	check(1101, runfile.Proof{Rows: 1000},
		disagree("the server confirmed 1,000, and its table holds 1,000; n_tup_ins grew by 1,101"))
	check(1000, runfile.Proof{Rows: 999},
		disagree("the server confirmed 1,000, and its table holds 999; n_tup_ins grew by 1,000"))
	check(5, runfile.Proof{Missing: "it took too long"},
		counts.Note{Code: "rows-not-counted", Text: "The rows of busy 1 were not counted: it took too long"})
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
	line := func(from, to float64, latency string) runfile.Work {
		return runfile.Work{From: sec(from), To: sec(to), Load: "busy", Repetition: 1, Transactions: 50,
			Latency: latency}
	}
	var first, second []int64
	for i := range int64(50) {
		first, second = append(first, 1000*(i+1)), append(second, 1000*(i+51)) // 1 to 100 ms
	}
	load, _ := fromRecords(t, without(small(), isWork, line(11, 12, encode(first...)),
		line(12, 13, encode(second...)))...).Load("busy")
	got := load.Repetitions[0].Latency
	want := &latency.Quantiles{P50: 0.050, P95: 0.095, P99: 0.099, Max: 0.100}
	if diff := cmp.Diff(want, got, cmpopts.EquateApprox(0.02, 0)); diff != "" {
		t.Error(diff)
	}
}

// TestNewTablespacesAreReported: a new tablespace spoils no repetition, and is reported separately.
func TestNewTablespacesAreReported(t *testing.T) {
	records := small()
	head := records[0].(runfile.Run) //nolint:forcetypeassert // it is
	head.Target.Settings = map[string]string{runfile.Tablespaces: "none"}
	records[0] = head
	change := runfile.SettingChange{At: sec(13), Since: sec(12), Setting: runfile.Tablespaces, From: "none",
		To: "fast (16400)"}
	run := fromRecords(t, slices.Insert(records, len(records)-1, runfile.Record(change))...)
	if got := run.Loads[1]; len(got.Repetitions) != 1 {
		t.Errorf("%+v", got)
	}
	if text := run.ChangesText(); !strings.HasPrefix(text,
		"Tablespaces were added or removed meanwhile: from none to fast (16400) by ") {
		t.Error(text)
	}
}

// TestChangedSettingsAreReported: a changed setting spoils the repetitions that it may fall into and those after it,
// until it is restored.
func TestChangedSettingsAreReported(t *testing.T) {
	with := func(since, at float64) *counts.Run {
		records := small()
		head := records[0].(runfile.Run) //nolint:forcetypeassert // it is
		head.Target.Settings = map[string]string{"fsync": "on"}
		records[0] = head
		change := runfile.SettingChange{At: sec(at), Since: sec(since), Setting: "fsync", From: "on", To: "off"}
		return fromRecords(t, slices.Insert(records, len(records)-1, runfile.Record(change))...)
	}
	during := with(12, 13)
	if got := during.Loads[1]; len(got.Repetitions) != 0 || len(got.LeftOut) != 1 ||
		!strings.Contains(got.LeftOut[0].Why, "fsync changed from on to off meanwhile") {
		t.Errorf("%+v", got)
	}
	if text := during.ChangesText(); !strings.Contains(text, "fsync from on to off by ") ||
		!strings.Contains(text, "are left out") {
		t.Error(text)
	}
	before := with(0.1, 0.2)
	if got := before.Loads[1]; len(got.Repetitions) != 0 ||
		!strings.Contains(got.LeftOut[0].Why, "fsync is off, and was on when the run began") {
		t.Errorf("%+v", got)
	}
	if got := with(90, 95).Loads[1]; len(got.Repetitions) != 1 {
		t.Errorf("what changed after it: %+v", got)
	}
}

// TestOthersAreReported: a repetition disturbed by others is left out if the server was thought to be unshared, and
// marked if it is shared.
func TestOthersAreReported(t *testing.T) {
	others := runfile.Others{Rows: 250, RowsShare: 0.2, Who: []string{"psql of joe in shop"}}
	with := func(failed string) *counts.Run {
		records := small()
		end := event(15, "busy", runfile.End)
		end.Others, end.Failed = &others, failed
		records[len(records)-2] = end
		return fromRecords(t, records...)
	}
	shared := with("")
	const want = "Other sessions worked on the server in 1 of 2 repetitions, and every number here includes their " +
		"work; most in repetition 1 of busy: " +
		"other sessions made 250 of the rows written (20%), among them psql of joe in shop."
	if got := shared.OthersText(); got != want || len(shared.Loads[1].Repetitions) != 1 {
		t.Errorf("%d repetitions, %s", len(shared.Loads[1].Repetitions), got)
	}
	if busy, idle := shared.OthersShare("busy"), shared.OthersShare("idle"); busy != 0.2 || idle != 0 {
		t.Errorf("%g of busy, %g of idle", busy, idle)
	}
	alone := with(others.String())
	if alone.OthersText() != "" || len(alone.Loads[1].Repetitions) != 0 ||
		alone.Loads[1].LeftOut[0].Why != others.String() {
		t.Errorf("%+v, %q", alone.Loads[1], alone.OthersText())
	}
}

// TestAutovacuumIsReported: autovacuum's writes are reported, and do not spoil an idle repetition.
func TestAutovacuumIsReported(t *testing.T) {
	records := small()
	end := event(6, "idle", runfile.End)
	end.Autovacuum = &runfile.Autovacuum{Rows: 81, WALBytes: 3_000_000}
	run := fromRecords(t, without(records, isEvent("idle", runfile.End), end)...)
	want := []counts.Note{{Code: "autovacuum",
		Text: "Autovacuum worked during 1 repetition and wrote 81 rows of statistics and 3 MB of WAL. The counts " +
			"include it."}}
	if diff := cmp.Diff(want, run.Notes); diff != "" || run.Idle.Repetitions != 1 || len(run.Others) != 0 {
		t.Errorf("%d idle repetitions, others %v, %s", run.Idle.Repetitions, run.Others, diff)
	}
}

// TestImpossibleCountsAreLeftOut: each row inserted by itself, each entry and each commit writes a WAL record of at
// least 24 bytes, and an fsync serves at most the commits of all clients.
func TestImpossibleCountsAreLeftOut(t *testing.T) {
	const records, syncs = "pgstat.wal/wal_records", "pgstat.wal/wal_sync"
	bytes := metric.All().Making(metric.WALBytes)[0].Name
	check := func(method, flavor string, counted map[string]float64, want ...string) {
		t.Helper()
		all := []runfile.Record{runfile.Run{
			Schema: runfile.Schema,
			Target: runfile.Target{Flavor: flavor, Settings: map[string]string{
				"fsync": "on", "synchronous_commit": "on", "wal_sync_method": "fdatasync"}},
			Plan: runfile.Plan{Loads: []runfile.Load{{Name: "busy", Method: method, RowsPerTx: 10, Clients: 4}},
				Repetitions: 1, LoadSeconds: 2},
		}}
		zero := map[string]float64{}
		for name := range counted {
			all = append(all, runfile.Metric{Name: name, Unit: "records", Type: runfile.Counter})
			zero[name] = 0
		}
		run := fromRecords(t, append(all,
			runfile.Reading{At: sec(1), Probe: "pgstat", Values: zero}, event(2, "busy", runfile.Begin),
			runfile.Work{From: sec(3), To: sec(5), Load: "busy", Repetition: 1, Transactions: 100,
				Statements: 100, Rows: 1000},
			runfile.Reading{At: sec(6), Probe: "pgstat", Values: counted}, event(7, "busy", runfile.End))...)
		var missing []string
		for name, count := range run.Loads[0].Repetitions[0].Counts {
			if count.Missing != nil && count.Missing.Reason == counts.Impossible {
				missing = append(missing, name)
			}
		}
		slices.Sort(missing)
		if !slices.Equal(missing, want) {
			t.Errorf("%s on %s: %q are impossible, want %q", method, flavor, missing, want)
		}
	}
	check("insert", "postgres", map[string]float64{records: 1100, bytes: 60000, syncs: 25})
	check("insert", "postgres", map[string]float64{records: 870, bytes: 60000, syncs: 25}, records)
	check("insert-select", "postgres", map[string]float64{records: 1100, bytes: 20000, syncs: 20}, bytes, syncs)
	check("copy", "postgres", map[string]float64{records: 870, bytes: 60000, syncs: 100})
	check("insert", "aurora", map[string]float64{records: 870, bytes: 60000, syncs: 0})
}
