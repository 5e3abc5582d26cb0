package tally_test

import (
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/realiops/realiops/internal/analyze/counts"
	"github.com/realiops/realiops/internal/analyze/tally"
	"github.com/realiops/realiops/internal/metric"
	"github.com/realiops/realiops/internal/runfile"
)

// logReading returns a reading of the WAL: bytes passed, bytes covered, and the inserts and commits counted in them.
func logReading(s, passed, covered, inserts, commits float64) runfile.Record {
	return runfile.Reading{At: sec(s), Probe: "anatomy", Values: map[string]float64{
		"anatomy/wal_bytes": passed, "anatomy/covered_bytes": covered,
		"anatomy/records": inserts + commits, "anatomy/bytes": 50 * (inserts + commits),
		"anatomy/heap_insert_records": inserts, "anatomy/heap_insert_bytes": 50 * inserts,
		"anatomy/commit_records": commits, "anatomy/commit_bytes": 50 * commits,
		"anatomy/sequence_records": 7, "anatomy/sequence_bytes": 7,
	}}
}

// logged returns a run of one load from second 10 to 30, with readings of its WAL.
func logged(counted float64, readings ...runfile.Record) []runfile.Record {
	records := []runfile.Record{runfile.Run{Schema: runfile.Schema, Plan: runfile.Plan{
		Loads: []runfile.Load{{Name: "busy", Method: "insert", RowsPerTx: 1}}, Repetitions: 1, LoadSeconds: 10,
	}}}
	for _, name := range []string{"wal_bytes", "covered_bytes", "records", "bytes", "heap_insert_records",
		"heap_insert_bytes", "commit_records", "commit_bytes", "sequence_records", "sequence_bytes"} {
		records = append(records, runfile.Metric{Name: "anatomy/" + name, Unit: "records", Type: runfile.Counter})
	}
	wal := func(s, value float64) runfile.Record {
		return runfile.Reading{At: sec(s), Probe: "pgstat", Values: map[string]float64{"pgstat.wal/wal_records": value}}
	}
	records = append(records, runfile.Metric{Name: "pgstat.wal/wal_records", Unit: "records", Type: runfile.Counter},
		wal(9, 0), event(10, "busy", runfile.Begin),
		runfile.Work{From: sec(11), To: sec(21), Load: "busy", Repetition: 1, Transactions: 330,
			Statements: 330, Rows: 330}, wal(29, counted))
	return append(append(records, readings...), event(30, "busy", runfile.End))
}

func anatomyOf(t *testing.T, records []runfile.Record) counts.Anatomy {
	t.Helper()
	load := fromRecords(t, records...).Loads[0]
	a, err := load.Anatomy(load.Repetitions[0])
	if err != nil {
		t.Fatal(err)
	}
	return a
}

var noNumber = cmpopts.EquateNaNs()

func TestLogReadWhole(t *testing.T) {
	got := anatomyOf(t, logged(661, logReading(9, 1000, 900, 40, 10), logReading(15, 5000, 3000, 60, 20),
		logReading(29, 41000, 40900, 371, 340)))
	want := counts.Anatomy{
		Source: counts.Walinspect, Coverage: 1, Counted: 661,
		Parts: []counts.Part{
			{Name: "commit", Records: 330, Low: 330, High: 330, Bytes: 16500},
			{Name: "heap_insert", Records: 331, Low: 331, High: 331, Bytes: 16550},
		},
		Sum: counts.Part{Records: 661, Low: 661, High: 661, Bytes: 33050},
	}
	if diff := cmp.Diff(want, got); diff != "" || !got.Exact() {
		t.Errorf("exact: %v\n%s", got.Exact(), diff)
	}
}

// TestLogReadInWindows makes up WALs whose kinds of record come in stretches, reads a tenth of each, and counts how
// often the truth lies between the bounds.
func TestLogReadInWindows(t *testing.T) {
	const worlds, seconds, window = 100, 20, 1000
	outside := map[string]int{}
	for seed := range uint64(worlds) {
		random := rand.New(rand.NewPCG(seed, 0))
		passed, covered, inserts, commits, truth, all := 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
		readings := []runfile.Record{logReading(9, 0, 0, 0, 0)}
		for second := range seconds {
			records := float64(10 + random.IntN(20)) // per window of this second: records vary in length
			share := 0.3 * random.Float64()          // of commits
			passed, all = passed+10*window, all+10*records
			truth += math.Round(share * 10 * records)
			n := 0.0
			for range int(records) {
				if random.Float64() < share {
					n++
				}
			}
			covered, commits, inserts = covered+window, commits+n, inserts+records-n
			readings = append(readings, logReading(10.5+float64(second)*0.9, passed, covered, inserts, commits))
		}
		a := anatomyOf(t, logged(all, readings...))
		if a.Coverage != 0.1 || math.Abs(a.Sum.Records-all) > 1e-6 {
			t.Fatalf("covered %v, %v records", a.Coverage, a.Sum.Records)
		}
		for _, p := range a.Parts {
			want := map[string]float64{"commit": truth, "heap_insert": all - truth}[p.Name]
			if want < p.Low || want > p.High {
				outside[p.Name]++
			}
			if p.High-p.Low > 0.5*a.Sum.Records {
				t.Errorf("%s is held between %v and %v only", p.Name, p.Low, p.High)
			}
		}
	}
	if outside["commit"] > worlds/20 || outside["heap_insert"] > worlds/20 {
		t.Errorf("of %d worlds the truth lies outside in %v", worlds, outside)
	}
}

func TestLogNotRead(t *testing.T) {
	gap := func(s float64) runfile.Record {
		return runfile.Gap{At: sec(s), Probe: "anatomy", Reason: runfile.Permission, Code: "42501", Detail: "no"}
	}
	got := anatomyOf(t, logged(672, gap(9), gap(29)))
	part := func(name string, n float64) counts.Part {
		return counts.Part{Name: name, Records: n, Low: n, High: n, Bytes: math.NaN()}
	}
	want := counts.Anatomy{
		Source: counts.Model, Counted: 672,
		Parts: []counts.Part{part("heap_insert", 330), part("commit", 330), part("sequence", 10)},
		// A page holds 185 rows of 44 bytes, and a vacuum may add a record for it; and ten more.
		Sum: counts.Part{Records: 670, Low: 670, High: 670 + 330.0/185 + 10, Bytes: math.NaN()},
	}
	if got.Missing == nil || string(got.Missing.Reason) != "permission" || got.Missing.Detail != "no" {
		t.Errorf("missing: %v", got.Missing)
	}
	got.Missing = nil
	if diff := cmp.Diff(want, got, noNumber); diff != "" {
		t.Error(diff)
	}
}

// TestModelHoldsMeasuredLogs: the shipped run counted records on PostgreSQL 17, before the model existed.
func TestModelHoldsMeasuredLogs(t *testing.T) {
	file, err := os.Open(shippedRun)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	run, err := tally.FromRun(runfile.Read(file))
	if err != nil {
		t.Fatal(err)
	}
	held := 0
	for _, load := range run.Loads {
		for _, r := range load.Repetitions {
			a, err := load.Anatomy(r)
			if load.Idle() != (err != nil) {
				t.Errorf("%s: %v", load.Name, err)
			}
			if load.Idle() {
				continue
			}
			held++
			if a.Counted < a.Sum.Low || a.Counted > a.Sum.High {
				t.Errorf("%s %d: %.0f records, and the model says %.0f to %.0f", load.Name, r.Number, a.Counted,
					a.Sum.Low, a.Sum.High)
			}
			if off := math.Abs(a.Sum.Records/a.Counted - 1); off > 0.01 {
				t.Errorf("%s %d: the model is off by %.2f%%", load.Name, r.Number, 100*off)
			}
		}
	}
	if held != 24 {
		t.Errorf("%d repetitions with load", held)
	}
}

// TestUncountedRecords: without PostgreSQL's count, the records read in the WAL are used, else a model.
func TestUncountedRecords(t *testing.T) {
	work := counts.Work{Transactions: 100, Rows: 33_000}
	bulk := counts.Load{Load: runfile.Load{Name: "bulk", Method: "insert-select", RowsPerTx: 330}}
	repetition := func(change func(*counts.Repetition)) counts.Repetition {
		r := counts.Repetition{Work: work, Counts: map[string]counts.Count{}}
		change(&r)
		return r
	}
	check := func(name string, r counts.Repetition, modelled bool, want, doubt float64) {
		t.Helper()
		load := bulk
		load.Repetitions = []counts.Repetition{r}
		run := counts.Run{Loads: []counts.Load{load}}
		all := run.Quantities()
		d := all[slices.IndexFunc(all, func(d counts.Quantity) bool { return d.Name == metric.WALRecords })]
		got, err := d.Count(load, r)
		if err != nil || got != want || d.Modelled != modelled || math.Abs(d.StandardError(load, r)-doubt) > 1e-9 ||
			(run.Modelled() != "") != modelled {
			t.Errorf("%s: %g of doubt %g, %v, modelled %t, %q", name, got, d.StandardError(load, r), err, d.Modelled,
				run.Modelled())
		}
	}
	check("counted", repetition(func(r *counts.Repetition) {
		r.Counts["pgstat.wal/wal_records"] = counts.Count{Amount: 5, Raw: 5, Seconds: 1}
	}), false, 5, 0)
	sum := counts.Part{Records: 34_200, Low: 34_100, High: 34_400}
	check("read", repetition(func(r *counts.Repetition) {
		r.Log = &counts.Anatomy{Source: counts.Walinspect, Coverage: 0.5, Sum: sum}
	}), false, 34_200, 100)
	// A record per row, per commit and per 33 sequence values. A vacuum may add one per page of 185 rows of 44 bytes,
	// and a checkpoint ten.
	const counted = 33_000 + 100 + 1000
	perPage := math.Floor((8192 - 24) / 44.)
	check("modelled", repetition(func(*counts.Repetition) {}), true, counted, (33_000/perPage+10)/2)
	// A failed transaction may have left all its records or none.
	check("failures", repetition(func(r *counts.Repetition) {
		r.Work.Failures = 2
	}), true, counted, (33_000/perPage+10+2*(330*(1+1/33.)+1))/2)
}

// TestNoModelOfOtherLoads: loads of an unknown method are not modelled.
func TestNoModelOfOtherLoads(t *testing.T) {
	for _, method := range []string{"", "unknown", "observed", "script"} {
		load := counts.Load{Load: runfile.Load{Name: "a", Method: method}}
		load.Repetitions = []counts.Repetition{{Work: counts.Work{Transactions: 1, Rows: 1}}}
		run := counts.Run{Loads: []counts.Load{load}}
		for _, d := range run.Quantities() {
			if d.Modelled {
				t.Errorf("%s of a load by %q is modelled", d.Name, method)
			}
		}
	}
}
