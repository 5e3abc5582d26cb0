package agreement_test

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/realiops/realiops/internal/analyze/agreement"
	"github.com/realiops/realiops/internal/analyze/counts"
	"github.com/realiops/realiops/internal/runfile"
)

// did holds the work of one load's repetitions, and the metric's count of it.
type did struct {
	load             string
	commits, records []float64
	shown            []float64
}

// agreed compares a metric with its document on a flavor of server.
func agreed(name, flavor string, loads ...did) *agreement.Agreement {
	return besides(2, name, flavor, loads...)
}

// besides is agreed with so many idle repetitions.
func besides(idle int, name, flavor string, loads ...did) *agreement.Agreement {
	const records = "pgstat.wal/wal_records"
	run := &counts.Run{Counters: []runfile.Metric{{Name: name, Unit: "operations", Type: runfile.Counter},
		{Name: records, Unit: "records", Type: runfile.Counter}}}
	run.Header.Target.Flavor = flavor
	run.Idle = counts.Background{Repetitions: idle, PerSecond: map[string]float64{}, Deviation: map[string]float64{
		name: 1, records: 1}}
	for _, l := range loads {
		load := counts.Load{Load: runfile.Load{Name: l.load, Method: "insert", RowsPerTx: 1}}
		for i := range l.shown {
			r := counts.Repetition{Number: i + 1, Seconds: 5, Counts: map[string]counts.Count{
				name: {Amount: l.shown[i], Raw: l.shown[i], Seconds: 5}}}
			if l.commits != nil {
				r.Work.Transactions = int64(l.commits[i])
			}
			if l.records != nil {
				r.Counts[records] = counts.Count{Amount: l.records[i], Raw: l.records[i], Seconds: 5}
			}
			load.Repetitions = append(load.Repetitions, r)
		}
		run.Loads = append(run.Loads, load)
	}
	for _, m := range run.Metrics() {
		if m.Name == name {
			return agreement.Of(run, m)
		}
	}
	return nil
}

// TestAgrees: our own clients count commits, so each load with many commits tests PostgreSQL's counter of them.
func TestAgrees(t *testing.T) {
	a := agreed("pgstat.database/xact_commit", "",
		did{load: "single", commits: []float64{10_000, 11_000}, shown: []float64{10_010, 11_005}},
		did{load: "multi", commits: []float64{2000, 2100}, shown: []float64{2004, 2102}},
		did{load: "scan", commits: []float64{3, 2}, shown: []float64{9, 6}}) // too few to tell
	if a == nil || a.Says != agreement.Agrees || a.Loads != 2 || a.Quantity != "commits" ||
		a.Document != "PostgreSQL's manual" || a.Refuted != nil {
		t.Fatalf("%+v", a)
	}
	if r := a.Ratio; math.Abs(r.Value-1.001) > 0.001 || !(r.Lo <= 1.0007 && r.Hi >= 1.0015) || r.Level != 0.95 {
		t.Errorf("%+v", r)
	}
}

// TestOneLoadRefutes, whatever the others show, and even by the metric's count alone; but one repetition of two does
// not.
func TestOneLoadRefutes(t *testing.T) {
	single := did{load: "single", records: []float64{20_000, 20_000}, shown: []float64{20_000, 20_100}}
	a := agreed("cloudwatch/WriteIOPS", "aurora", single,
		did{load: "copy", records: []float64{1000, 1000}, shown: []float64{20_000, 21_000}},
		did{load: "wide", records: []float64{1000, 1000}, shown: []float64{700, 710}})
	if a == nil || a.Says != agreement.Contradicts || a.Document != "AWS's document" || a.Loads != 3 {
		t.Fatalf("%+v", a)
	}
	if diff := cmp.Diff(&agreement.Refuted{Load: "copy", Ratio: new(20.5)}, a.Refuted); diff != "" {
		t.Error(diff)
	}
	a = agreed("cloudwatch/WriteIOPS", "aurora", single, did{load: "copy", records: []float64{1000, 1000},
		shown: []float64{20_000, 1000}})
	if a.Says != agreement.Agrees || a.Loads != 1 {
		t.Errorf("by one repetition of two: %+v", a)
	}
	a = agreed("cloudwatch/WriteIOPS", "aurora", single, did{load: "read", records: []float64{0, 0},
		shown: []float64{5000, 5000}})
	if a.Says != agreement.Contradicts || a.Refuted.Load != "read" || a.Refuted.Ratio != nil {
		t.Errorf("of nothing: %+v", a)
	}
}

// TestIdleLoadRefutesNothing: if a load does a thousandth of what others do, it may be all other activity. As
// recorded: 890 reads beside 709 pages missed, where point-cold has 3.7 million of both.
func TestIdleLoadRefutesNothing(t *testing.T) {
	busy := did{load: "single", records: []float64{900_000, 900_000}, shown: []float64{901_000, 900_000}}
	still := func(records float64) did {
		return did{load: "copy", records: []float64{records, records}, shown: []float64{1.26 * records, 1.26 * records}}
	}
	a := agreed("cloudwatch/WriteIOPS", "aurora", busy, still(700))
	if a == nil || a.Says != agreement.Agrees || a.Loads != 1 || a.Refuted != nil {
		t.Errorf("%+v", a)
	}
	a = agreed("cloudwatch/WriteIOPS", "aurora", busy, still(7000))
	if a == nil || a.Says != agreement.Contradicts || a.Refuted.Load != "copy" {
		t.Errorf("of a hundredth: %+v", a)
	}
}

// TestUnknownBackgroundRefutesNothing: if no idle load was measured, what a metric shows under every load may be
// background, which must not turn WriteIOPS against its document. What it shows beyond that still refutes.
func TestUnknownBackgroundRefutesNothing(t *testing.T) {
	const aurora, writes = "aurora", "cloudwatch/WriteIOPS"
	bulk := did{load: "bulk", records: []float64{100_000, 100_000}, shown: []float64{103_000, 103_000}}
	multi := did{load: "multi", records: []float64{10_000, 10_000}, shown: []float64{13_000, 13_000}}
	scan := did{load: "scan", records: []float64{0, 0}, shown: []float64{3000, 3000}}
	if a := besides(0, writes, aurora, bulk, multi, scan); a.Says != agreement.Agrees || a.Refuted != nil {
		t.Errorf("with 3,000 more in each load: %+v", a)
	}
	multi.shown = []float64{16_000, 16_000}
	if a := besides(0, writes, aurora, bulk, multi, scan); a.Says != agreement.Contradicts || a.Refuted.Load != "multi" {
		t.Errorf("with 6,000 more in one load: %+v", a)
	}
}

// TestNotTested gives the reason.
func TestNotTested(t *testing.T) {
	for name, check := range map[string]struct {
		of   *agreement.Agreement
		want string
	}{
		"small loads": {agreed("pgstat.database/xact_commit", "", did{load: "scan", commits: []float64{3},
			shown: []float64{4}}), "no load moved it enough"},
		"no quantity": {agreed("cloudwatch/WriteIOPS", "aurora", did{load: "copy", shown: []float64{5000}}),
			"this run does not count both under one load"},
		"its own definition": {agreed("pgstat.wal/wal_records", "", did{load: "copy", records: []float64{5000},
			shown: []float64{5000}}), "no other counter has them"},
	} {
		if check.of == nil || check.of.Says != agreement.NotTested || check.of.Why != check.want ||
			check.of.Ratio != nil {
			t.Errorf("%s: %+v", name, check.of)
		}
	}
	if a := agreed("cloudwatch/WriteIOPS", "ebs", did{load: "copy", records: []float64{5000},
		shown: []float64{5000}}); a != nil {
		t.Errorf("without a document: %+v", a)
	}
}

// TestRowsInserted are no rows updated, which another counter has.
func TestRowsInserted(t *testing.T) {
	const inserted = "pgstat.database/tup_inserted"
	of := func(work counts.Work, shown float64) *agreement.Agreement {
		run := &counts.Run{
			Counters: []runfile.Metric{{Name: inserted, Unit: "rows", Type: runfile.Counter}},
			Loads: []counts.Load{{Load: runfile.Load{Name: "load", Method: "update"}, Repetitions: []counts.Repetition{{
				Seconds: 5, Work: work, Counts: map[string]counts.Count{
					inserted: {Amount: shown, Raw: shown, Seconds: 5}},
			}}}},
		}
		return agreement.Of(run, run.Metrics()[0])
	}
	if a := of(counts.Work{Rows: 5000, Updated: 5000}, 0); a.Says != agreement.NotTested {
		t.Errorf("under updates: %+v", a)
	}
	if a := of(counts.Work{Rows: 5000}, 0); a.Says != agreement.Contradicts {
		t.Errorf("under inserts: %+v", a)
	}
}

// TestPartOfAQuantity: a metric of some of a quantity agrees with any share of it. If it shows none, nothing is
// tested.
func TestPartOfAQuantity(t *testing.T) {
	const missed = "pgstat.database/blks_read"
	of := func(shown ...float64) *agreement.Agreement {
		run := &counts.Run{Idle: counts.Background{Repetitions: 1}, Counters: []runfile.Metric{
			{Name: missed, Unit: "blocks", Type: runfile.Counter}, {Name: "pgstat.tables_io/idx_blks_read",
				Unit: "blocks", Type: runfile.Counter},
		}}
		for i, load := range []string{"point", "scan"} {
			run.Loads = append(run.Loads, counts.Load{Load: runfile.Load{Name: load, Method: "lookup"},
				Repetitions: []counts.Repetition{{
					Seconds: 5, Work: counts.Work{Returned: 1000}, Counts: map[string]counts.Count{
						missed: {Amount: 1000, Raw: 1000, Seconds: 5}, "pgstat.tables_io/idx_blks_read": {
							Amount: shown[i], Raw: shown[i], Seconds: 5},
					},
				}}})
		}
		for _, m := range run.Metrics() {
			if m.Name != missed {
				return agreement.Of(run, m)
			}
		}
		return nil
	}
	if a := of(400, 0); a == nil || a.Says != agreement.Agrees || !a.Some || a.Loads != 1 {
		t.Errorf("%+v", a)
	}
	if a := of(400, 1300); a == nil || a.Says != agreement.Contradicts || a.Refuted.Load != "scan" {
		t.Errorf("%+v", a)
	}
}
