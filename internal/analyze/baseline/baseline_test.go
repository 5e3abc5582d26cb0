package baseline

import (
	"errors"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/realiops/realiops/internal/analyze/counts"
	"github.com/realiops/realiops/internal/analyze/sizing/needs"
	"github.com/realiops/realiops/internal/analyze/tally"
	"github.com/realiops/realiops/internal/runfile"
	"github.com/realiops/realiops/internal/test/runfiletest"
)

// madeUp is a run file in the making: counters grow, and are read.
type madeUp struct {
	records []runfile.Record
	at      time.Time
	totals  map[string]float64
}

var counters = []string{
	"block/reads", "block/reads_merged", "block/read_bytes", "block/read_time", "block/writes", "block/writes_merged",
	"block/write_bytes",
	"block/write_time", "block/flushes", "block/io_time", "block/weighted_time", "fio/reads",
	"fio/read_bytes", "fio/read_time",
	"fio/writes", "fio/write_bytes", "fio/write_time", "fio/syncs", "fio/sync_time",
}

func newMadeUp(b runfile.Baseline, loads ...runfile.Load) *madeUp {
	run := runfile.Run{
		Schema: runfile.Schema, ID: "b", Start: noon,
		Plan: runfile.Plan{Loads: append([]runfile.Load{{Name: "idle"}}, loads...), Repetitions: 1},
		Target: runfile.Target{Kind: "directory", Storage: runfile.Storage{Directory: "/data", FileSystem: "ext4",
			Device: "vdb"}}, Baseline: &b,
	}
	k := &madeUp{records: []runfile.Record{run}, at: noon, totals: map[string]float64{}}
	for _, name := range counters {
		k.records = append(k.records, runfile.Metric{Name: name, Type: runfile.Counter, Unit: "operations"})
	}
	k.records = append(k.records, runfile.Metric{Name: "fio/write_p99", Type: runfile.Gauge, Unit: "seconds"})
	return k
}

// read passes a moment and reads everything.
func (k *madeUp) read() {
	k.at = k.at.Add(time.Millisecond)
	values := map[string]map[string]float64{"block": {}, "fio": {"fio/write_p99": 0.025}}
	for _, name := range counters {
		probe, _, _ := strings.Cut(name, "/")
		values[probe][name] = k.totals[name]
	}
	for probe, v := range values {
		k.records = append(k.records, runfile.Reading{At: k.at, Probe: probe, Values: v})
	}
}

// load lets the given seconds pass, adds each to the counters in every one of them, and late after them.
func (k *madeUp) load(name string, seconds int, each, late map[string]float64) {
	event := func(e runfile.Event) {
		k.at = k.at.Add(time.Millisecond)
		k.records = append(k.records, runfile.LoadEvent{At: k.at, Load: name, Repetition: 1, Event: e})
	}
	event(runfile.Settle)
	k.read()
	event(runfile.Begin)
	from := k.at.Add(time.Millisecond)
	k.at = from
	for range seconds {
		k.grow(each)
		k.at = k.at.Add(999 * time.Millisecond)
		k.read()
	}
	if name != "idle" {
		k.records = append(k.records, runfile.Work{From: from, To: k.at, Load: name, Repetition: 1})
	}
	k.read()
	k.grow(late)
	k.at = k.at.Add(time.Second)
	k.read()
	event(runfile.End)
}

func (k *madeUp) grow(by map[string]float64) {
	for name, v := range by {
		k.totals[name] += v
	}
}

func (k *madeUp) run(t *testing.T) *counts.Run {
	t.Helper()
	k.records = append(k.records, runfile.Ended{At: k.at, Status: runfile.Complete})
	run, err := tally.FromRun(runfiletest.Sequence(k.records))
	if err != nil {
		t.Fatal(err)
	}
	return run
}

func (k *madeUp) baseline(t *testing.T) Baseline {
	t.Helper()
	b, err := FromRun(k.run(t))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func near2(got, want float64) bool {
	return got == want || math.Abs(got-want) <= 1e-3*math.Abs(want) || math.IsNaN(got) && math.IsNaN(want)
}

// TestTwoAccountsSideBySide: in ten seconds fio does 1,000 writes a second, two of which the kernel makes into three
// requests, and one flush per ten; others add 50 writes a second.
func TestTwoAccountsSideBySide(t *testing.T) {
	k := newMadeUp(runfile.Baseline{Program: "fio 3.33", Set: "mine", Direct: true},
		runfile.Load{Name: "w", Method: "fio", Job: "--rw=write", Depth: 4})
	k.load("idle", 10, map[string]float64{"block/writes": 50, "block/weighted_time": 0, "block/write_time": 0}, nil)
	k.load("w", 10, map[string]float64{
		"fio/writes": 1000, "fio/write_bytes": 1000 * 8192, "fio/write_time": 3.9, "fio/syncs": 100,
		"fio/sync_time": 0.1,
		"block/writes":  50 + 1500 + 100, "block/flushes": 100, "block/write_bytes": 1000 * 8192,
		"block/writes_merged": 7, "block/write_time": 3, "block/weighted_time": 3, "block/io_time": 0.5,
	}, nil)
	b := k.baseline(t)
	if len(b.Rows) != 1 || b.Rows[0].Device == nil {
		t.Fatalf("%+v", b)
	}
	r := b.Rows[0]
	for name, pair := range map[string][2]float64{
		"fio writes": {r.Fio.Rate.Writes, 1000}, "fio flushes": {r.Fio.Rate.Flushes, 100},
		"fio bytes":     {r.Fio.Rate.WriteBytes, 8192e3},
		"write latency": {r.Fio.Write.Mean, 0.0039}, "p99": {r.Fio.Write.P99, 0.025},
		"flush latency": {r.Fio.Flush.Mean, 0.001}, "in flight": {r.Fio.Queue, 4},
		"requests": {r.Device.Rate.Writes, 1495}, "flushes": {r.Device.Rate.Flushes, 100},
		"merged": {r.Device.Merged, 7},
		"factor": {r.Factor, 1.495}, "flushed": {r.Flushed, 1}, "queue": {r.Device.Queue, 3},
		"busy": {r.Device.Busy, 0.5},
	} {
		if math.Abs(pair[0]-pair[1]) > 0.01*pair[1] { // the second after the job has the background, too
			t.Errorf("%s is %v, want %v", name, pair[0], pair[1])
		}
	}
	if !math.IsNaN(r.Device.Flush.Mean) {
		t.Errorf("flushes took %v on the device, which did not count their time", r.Device.Flush.Mean)
	}
	if r.Device.Counted != 16500 || r.Fio.Counted != 10000 || len(r.Findings) != 0 {
		t.Errorf("%d counted, %d operations, findings %q", r.Device.Counted, r.Fio.Counted, r.Findings)
	}
	if len(b.Warnings) != 1 || !strings.HasPrefix(b.Warnings[0], "Other programs use the device: 45 requests/s") &&
		!strings.HasPrefix(b.Warnings[0], "Other programs use the device: 46") {
		t.Errorf("%q", b.Warnings)
	}
}

// TestJobWithoutFiguresHasNoResult: a missing count of fio is not 0, and a job that was never run is named.
func TestJobWithoutFiguresHasNoResult(t *testing.T) {
	k := newMadeUp(runfile.Baseline{Program: "fio 3.33", Set: "mine", Direct: true, UntilThrottled: 60},
		runfile.Load{Name: "w", Method: "fio", Job: "--rw=write"}, runfile.Load{Name: "r", Method: "fio", Job: "--rw=read"})
	k.load("w", 10, map[string]float64{"fio/writes": 1000, "fio/write_bytes": 8192e3, "block/writes": 1000}, nil)
	for _, r := range k.records {
		if reading, ok := r.(runfile.Reading); ok {
			delete(reading.Values, "fio/write_bytes")
		}
	}
	b := k.baseline(t)
	idle := newMadeUp(runfile.Baseline{Direct: true}, runfile.Load{Name: "w", Method: "fio", Job: "--rw=write"})
	idle.load("w", 10, nil, nil)
	if nothing := idle.baseline(t); len(nothing.Rows) != 0 || len(nothing.LeftOut) != 1 ||
		nothing.LeftOut[0].Why != "fio did no operation in 10 s" {
		t.Errorf("%+v", nothing)
	}
	if len(b.Rows) != 0 || len(b.LeftOut) != 2 || b.Throttle != nil ||
		!strings.HasPrefix(b.LeftOut[0].Why, "fio's figures are missing") || b.LeftOut[1].Why != "never run" {
		t.Errorf("%+v", b)
	}
}

func TestLittlesLawOnBothSides(t *testing.T) {
	check := func(want string, depth int, each map[string]float64) {
		t.Helper()
		k := newMadeUp(runfile.Baseline{Direct: true}, runfile.Load{Name: "r", Method: "fio", Job: "--rw=randread",
			Depth: depth})
		k.load("r", 10, each, nil)
		b := k.baseline(t)
		got := strings.Join(b.Rows[0].Findings, "\n")
		if want == "" && got != "" || !strings.Contains(got, want) {
			t.Errorf("%q, want %q", got, want)
		}
	}
	fine := map[string]float64{
		"fio/reads": 100, "fio/read_time": 16, "block/reads": 100, "block/read_time": 12, "block/weighted_time": 12,
		"block/writes": 0,
	}
	with := func(name string, v float64) map[string]float64 {
		changed := map[string]float64{name: v}
		for n, value := range fine {
			if n != name {
				changed[n] = value
			}
		}
		return changed
	}
	check("", 16, fine)
	check("fio kept 8.0 operations in flight instead of 16", 16, with("fio/read_time", 8))
	check("120 ms keep 10.9 in flight, but the queue is given as 21.8", 16, with("block/weighted_time", 24))
	check("other programs used it, too", 16, with("block/weighted_time", 40))
}

// TestOwnJobThroughThePageCache: a user's job without direct I/O partly measures memory, unlike our own write like dd,
// which shows that on purpose, and unlike a job that flushes each write, as a commit does.
func TestOwnJobThroughThePageCache(t *testing.T) {
	for _, c := range []struct {
		name     string
		buffered bool
		flushes  float64
		want     bool
	}{{"mine", true, 0, true}, {"mine", true, 20, true}, {"mine", false, 0, false}, {"buffered-write", true, 0, false},
		{"commit", true, 200, false}} {
		k := newMadeUp(runfile.Baseline{Direct: true}, runfile.Load{Name: c.name, Method: "fio", Job: "x",
			Buffered: c.buffered})
		k.load(c.name, 4, map[string]float64{"fio/writes": 200, "fio/write_bytes": 50e6, "fio/syncs": c.flushes,
			"block/writes": 200, "block/write_bytes": 50e6}, nil)
		row, _ := k.baseline(t).Row(c.name)
		if got := strings.Contains(strings.Join(row.Findings, "; "), "partly measure memory"); got != c.want {
			t.Errorf("%+v: %q", c, row.Findings)
		}
	}
}

func TestBufferedTrap(t *testing.T) {
	k := newMadeUp(runfile.Baseline{Direct: true}, runfile.Load{Name: "sequential-write", Method: "fio", Job: "x"},
		runfile.Load{Name: "buffered-write", Method: "fio", Job: "y", Buffered: true})
	k.load("sequential-write", 4, map[string]float64{"fio/writes": 200, "fio/write_bytes": 50e6, "block/writes": 200,
		"block/write_bytes": 50e6}, nil)
	k.load("buffered-write", 2, map[string]float64{"fio/writes": 4000, "fio/write_bytes": 1e9, "block/writes": 160,
		"block/write_bytes": 40e6}, map[string]float64{"block/writes": 7680, "block/write_bytes": 1920e6})
	got := k.baseline(t).Buffered
	if got == nil {
		t.Fatal("not shown")
	}
	for name, pair := range map[string][2]float64{
		"said": {got.Said, 1e9}, "direct": {got.Direct, 50e6}, "device": {got.Device, 40e6}, "bytes": {got.Bytes, 2e9},
		"behind": {got.Behind, 1920e6}, "flushed": {got.Flushed, 1.002},
	} {
		if math.Abs(pair[0]-pair[1]) > 0.01*pair[1] {
			t.Errorf("%s is %v, want %v", name, pair[0], pair[1])
		}
	}
}

func TestThrottleOfARun(t *testing.T) {
	k := newMadeUp(runfile.Baseline{Direct: true, UntilThrottled: 600},
		runfile.Load{Name: "w", Method: "fio", Job: "x", Depth: 16})
	k.records = append(k.records, runfile.LoadEvent{At: k.at, Load: "w", Repetition: 1, Event: runfile.Settle})
	k.read()
	k.records = append(k.records, runfile.LoadEvent{At: k.at.Add(1), Load: "w", Repetition: 1, Event: runfile.Begin})
	k.at = k.at.Add(time.Millisecond)
	from := k.at
	for i := range 150 {
		rate := 3000.0
		if i >= 100 {
			rate = 300
		}
		rate += float64(i % 7) // so that ranks differ
		k.grow(map[string]float64{"fio/writes": rate, "fio/write_bytes": rate * 8192, "fio/write_time": 16})
		k.at = k.at.Add(999 * time.Millisecond)
		k.read()
	}
	k.records = append(k.records, runfile.Work{From: from, To: k.at, Load: "w", Repetition: 1},
		runfile.LoadEvent{At: k.at.Add(1), Load: "w", Repetition: 1, Event: runfile.End})
	b := k.baseline(t)
	if b.Throttle == nil || !b.Throttle.Found || math.Abs(b.Throttle.Seconds-100) > 1 {
		t.Fatalf("%+v", b.Throttle)
	}
	if len(b.Throttle.Buckets) != 2 || b.Throttle.Buckets[0].Title != "EBS gp2" ||
		!near2(b.Throttle.Buckets[0].Held, 5) && math.Abs(b.Throttle.Buckets[0].Held-5) > 0.2 {
		t.Errorf("%+v", b.Throttle.Buckets) // a full one lasts 2,000 s
	}
}

func TestMissingIsNotZero(t *testing.T) {
	k := newMadeUp(runfile.Baseline{}, runfile.Load{Name: "w", Method: "fio", Job: "x"})
	k.load("w", 3, map[string]float64{"fio/writes": 10}, nil)
	var kept []runfile.Record
	for _, r := range k.records {
		if reading, is := r.(runfile.Reading); is && reading.Probe == "block" {
			continue
		}
		kept = append(kept, r)
	}
	kept = append(kept, runfile.Gap{At: noon, Probe: "block", Reason: runfile.NotLocal, Detail: "on nfs"})
	k.records = kept
	b := k.baseline(t)
	if r := b.Rows[0]; r.Device != nil || r.Missing == nil || r.Missing.Detail != "on nfs" || !math.IsNaN(r.Factor) {
		t.Errorf("%+v", r)
	}
	if len(b.Warnings) != 1 || !strings.Contains(b.Warnings[0], "no direct I/O") {
		t.Errorf("%q", b.Warnings)
	}
}

func TestOtherRunsAreNoBaseline(t *testing.T) {
	run, err := tally.FromRun(runfiletest.Sequence([]runfile.Record{runfile.Run{Schema: runfile.Schema}}))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := FromRun(run); !errors.Is(err, ErrNone) {
		t.Error(err)
	}
}

// rowOfRates returns a job with the device's rate.
func rowOfRates(name string, depth int, rate needs.Rate) Row {
	return Row{Load: runfile.Load{Name: name, Depth: depth}, Fio: Side{Rate: rate}, Device: &Side{Rate: rate}}
}

func TestHold(t *testing.T) {
	b := Baseline{Rows: []Row{
		rowOfRates("random-read", 16, needs.Rate{Reads: 4000, ReadBytes: 32e6}),
		rowOfRates("random-write", 16, needs.Rate{Writes: 2000, WriteBytes: 16e6}),
		rowOfRates("sequential-write", 8, needs.Rate{Writes: 400, WriteBytes: 100e6}),
		rowOfRates("commit", 1, needs.Rate{Writes: 500, Flushes: 500, WriteBytes: 4e6}),
	}}
	yes, no := true, false
	check := func(name string, need needs.Rate, headroom float64, fits *bool, first string, shares ...float64) {
		t.Helper()
		f := Hold(need, headroom, b)
		var got []float64
		for _, bound := range f.Bounds {
			got = append(got, bound.Share)
		}
		if diff := cmp.Diff(shares, got, cmp.Comparer(near2)); diff != "" || f.First == nil || f.First.Of != first ||
			!cmp.Equal(f.Fits, fits) {
			t.Errorf("%s: %v, first %+v, fits %v:\n%s", name, got, f.First, f.Fits, diff)
		}
	}
	// A quarter of the reads and half of the writes: three quarters, and with another fifth nine tenths.
	check("requests bind", needs.Rate{Reads: 1000, Writes: 1000, ReadBytes: 3.2e6, WriteBytes: 10e6, Flushes: 100}, 20,
		&yes, ByRequests, 0.9, 0.24, 0.24)
	check("bytes bind", needs.Rate{Writes: 200, WriteBytes: 80e6, Flushes: 100}, 50, &no, ByBytes, 0.15, 1.2, 0.3)
	check("flushes bind", needs.Rate{Writes: 500, WriteBytes: 4e6, Flushes: 450}, 20, &no, ByFlushes, 0.3, 0.048, 1.08)
	check("without headroom they fit", needs.Rate{Writes: 500, WriteBytes: 4e6, Flushes: 450}, 0, &yes, ByFlushes,
		0.25, 0.04, 0.9)
	nan := math.NaN()
	check("how many flushes is not known", needs.Rate{Writes: 500, WriteBytes: 4e6, Flushes: nan}, 20, nil, ByRequests,
		0.3, 0.048, nan)
	b.Rows = b.Rows[1:3]
	check("reads were not measured", needs.Rate{Reads: 10, ReadBytes: 8e4, Writes: 100, WriteBytes: 1e6}, 0, nil,
		ByFlushes, nan, nan, 0)
	check("flushes were not measured, and bytes are too much", needs.Rate{Writes: 100, WriteBytes: 200e6, Flushes: 10},
		0, &no, ByBytes, 0.05, 2, nan)
	b.Rows = b.Rows[:1]
	check("pages do not tell of bytes", needs.Rate{Writes: 100, WriteBytes: 20e6}, 0, nil, ByRequests, 0.05, nan, 0)
	check("fewer bytes than pages have", needs.Rate{Writes: 100, WriteBytes: 8e6}, 0, &yes, ByBytes, 0.05, 0.5, 0)
	b.Throttle = &Throttle{Found: true, After: &Level{Operations: 200}}
	check("a tenth is left", needs.Rate{Writes: 100, WriteBytes: 8e5}, 0, &yes, ByRequests, 0.5, 0.5, 0)
	b.Rows = nil
	if f := Hold(needs.Rate{Writes: 1, WriteBytes: 1, Flushes: 1}, 0, b); f.First != nil || f.Fits != nil {
		t.Errorf("of nothing: %+v", f)
	}
}
