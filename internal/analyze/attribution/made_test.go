package attribution_test

import (
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/realiops/realiops/internal/analyze/attribution"
	"github.com/realiops/realiops/internal/analyze/counts"
	"github.com/realiops/realiops/internal/metric"
	"github.com/realiops/realiops/internal/runfile"
	"github.com/realiops/realiops/internal/series"
)

const made = "made/up"

// counted returns a made-up metric's count in a repetition, given the quantities there.
type counted func(load string, seconds float64, x map[metric.Quantity]float64) float64

// with returns the shipped run plus a metric made of its quantities, so that the truth is known. The metric varies by
// 1%. Only the loads in keep stay.
func with(t *testing.T, count counted, keep ...string) *counts.Run {
	t.Helper()
	run := fromFile(t, shippedRun)
	random := rand.New(rand.NewPCG(5, 6))
	run.Counters = append(run.Counters, runfile.Metric{Name: made, Unit: "operations", Type: runfile.Counter})
	run.Loads = slices.DeleteFunc(run.Loads, func(a counts.Load) bool {
		return len(keep) > 0 && !slices.Contains(keep, a.Name)
	})
	for _, load := range run.Loads {
		for i, r := range load.Repetitions {
			x := map[metric.Quantity]float64{}
			for _, d := range counts.OfInserts() {
				if v, err := d.Count(load, r); err == nil && !load.Idle() {
					x[d.Name] = v
				}
			}
			seconds := r.Counts["block/writes"].Seconds
			v := count(load.Name, seconds, x) * math.Exp(0.01*random.NormFloat64())
			r.Counts = maps.Clone(r.Counts)
			r.Counts[made] = counts.Count{Amount: v, Raw: v, Seconds: seconds}
			load.Repetitions[i] = r
		}
	}
	return run
}

func of(quantity metric.Quantity, factor float64) counted {
	return func(_ string, _ float64, x map[metric.Quantity]float64) float64 { return factor * x[quantity] }
}

func judged(t *testing.T, run *counts.Run) attribution.Verdict {
	t.Helper()
	return verdictOn(t, attribution.Judge(run, attribution.Options{}), made)
}

func TestEachQuantityAlone(t *testing.T) {
	for _, d := range counts.OfInserts() {
		v := judged(t, with(t, of(d.Name, 3.7)))
		if v.Kind != attribution.Kind(d.Side) || v.Counts != d.Name {
			t.Errorf("%s: %s %q %v %v: %s", d.Name, v.Kind, v.Counts, v.Between, v.Mixture, v.Why)
			continue
		}
		if v.PerUnit.Lo > 3.7 || v.PerUnit.Hi < 3.7 || v.PerUnit.Hi-v.PerUnit.Lo > 0.2 || v.PerUnit.N != 8 || v.Exact {
			t.Errorf("%s: %+v, exact is %v", d.Name, *v.PerUnit, v.Exact)
		}
	}
}

func TestSums(t *testing.T) {
	check := func(kind attribution.Kind, want map[metric.Quantity]float64) {
		t.Helper()
		v := judged(t, with(t, func(_ string, _ float64, x map[metric.Quantity]float64) (sum float64) {
			for name, factor := range want {
				sum += factor * x[name]
			}
			return sum
		}))
		if v.Mixture == nil || v.Kind != kind || len(v.Mixture.Terms) != len(want) {
			t.Errorf("%v: %s %q %v: %s", want, v.Kind, v.Counts, v.Mixture, v.Why)
			return
		}
		for _, term := range v.Mixture.Terms {
			if truth := want[term.Quantity]; truth < term.PerUnit.Lo || truth > term.PerUnit.Hi ||
				math.Abs(term.PerUnit.Value-truth) > 0.05*truth {
				t.Errorf("%v: %s with %+v", want, term.Quantity, term.PerUnit)
			}
		}
	}
	check(attribution.Mixed, map[metric.Quantity]float64{metric.RowsWritten: 1, metric.WALWrites: 800})
	check(attribution.Logical, map[metric.Quantity]float64{metric.RowsWritten: 1, metric.WALRecords: 1})
	check(attribution.Physical, map[metric.Quantity]float64{metric.WALBytes: 1, metric.DeviceFlushes: 8192})
	check(attribution.NotLogical, map[metric.Quantity]float64{metric.WALBytes: 1, metric.PagesWritten: 8192})
	check(attribution.NotLogical, map[metric.Quantity]float64{metric.WALBytes: 1, metric.WALWrites: 8192,
		metric.PagesWritten: 8192})
}

// TestStorageCountsWhatIsPhysical: the sum of a requested and a physical quantity is not logical, and physical if
// storage itself counts it.
func TestStorageCountsWhatIsPhysical(t *testing.T) {
	run := with(t, func(_ string, _ float64, x map[metric.Quantity]float64) float64 {
		return x[metric.WALBytes] + 8192*x[metric.PagesWritten]
	})
	for name, kind := range map[string]attribution.Kind{made: attribution.NotLogical,
		"cloudwatch/WriteThroughput": attribution.Physical} {
		run.Counters = append(run.Counters, runfile.Metric{Name: name, Unit: "bytes", Type: runfile.Counter})
		for _, load := range run.Loads {
			for _, r := range load.Repetitions {
				r.Counts[name] = r.Counts[made]
			}
		}
		if v := verdictOn(t, attribution.Judge(run, attribution.Options{Asked: []string{name}}), name); v.Kind !=
			kind || v.Mixture == nil {
			t.Errorf("%s: %s %v: %s", name, v.Kind, v.Mixture, v.Why)
		}
	}
}

// TestTwoLoadsNameNothing: the published design cannot tell entries from records, and the verdict names the load that
// would.
func TestTwoLoadsNameNothing(t *testing.T) {
	v := judged(t, with(t, of(metric.Entries, 7), "idle", "bulk", "bulk-indexed"))
	if v.Kind != attribution.CannotTell || v.Counts != "" || !slices.Contains(v.Between, metric.Entries) ||
		!slices.Contains(v.Between, metric.WALRecords) {
		t.Errorf("%s %q between %v", v.Kind, v.Counts, v.Between)
	}
	if v.SettleWith == nil || len(v.SettleWith.Between) < 2 || v.SettleWith.Factor < 1.3 {
		t.Errorf("settle with %+v", v.SettleWith)
	}
}

// TestRatioOfOneInFewLoadsDecidesNothing: a metric equals the commits under two loads, and is two or three times as
// large under all others, hidden by a large background. It does not count commits.
func TestRatioOfOneInFewLoadsDecidesNothing(t *testing.T) {
	run := with(t, func(load string, _ float64, x map[metric.Quantity]float64) float64 {
		return x[metric.Commits] * map[bool]float64{true: 1, false: 2.5}[load == "single" || load == "async"]
	})
	commits := run.Quantities()[slices.IndexFunc(run.Quantities(), func(d counts.Quantity) bool {
		return d.Name == metric.Commits
	})]
	least := math.Inf(1) // commits per second under the two loads
	for _, load := range run.Loads {
		for _, r := range load.Repetitions {
			if n, err := commits.Count(load, r); err == nil && (load.Name == "single" || load.Name == "async") {
				least = min(least, n/r.Counts[made].Seconds)
			}
		}
	}
	run.Idle.Deviation = maps.Clone(run.Idle.Deviation)
	run.Idle.Deviation[made] = least / 10
	if v := judged(t, run); v.Kind != attribution.CannotTell {
		t.Errorf("%s %q %v: %v", v.Kind, v.Counts, v.Between, v.Warnings)
	}
}

// TestFewLoadsProveNoSum: the ratio to a physical quantity is 0.92 to 1 in four loads. Some sum of rows, records or
// statements comes nearer by chance.
func TestFewLoadsProveNoSum(t *testing.T) {
	for quantity, of := range map[metric.Quantity]map[string]float64{
		metric.WALBytes:       {"copy": 0.955, "copy-indexed": 0.982, "multi": 0.921, "single": 0.991},
		metric.WALSyncs:       {"bulk": 0.963, "bulk-indexed": 0.928, "copy": 0.992, "wide": 0.948},
		metric.DeviceRequests: {"async": 0.927, "copy": 0.949, "copy-indexed": 0.980, "wide": 0.921},
	} {
		run := with(t, func(load string, _ float64, x map[metric.Quantity]float64) float64 {
			return of[load] * x[quantity]
		}, slices.Collect(maps.Keys(of))...)
		if v := judged(t, run); v.Kind == attribution.Logical || v.Kind == attribution.Mixed {
			t.Errorf("%s: %s %q %v: %+v", quantity, v.Kind, v.Counts, v.Between, v.Mixture)
		}
	}
}

// TestPublishedPair checks the verdicts on the published runs; see docs/method.md.
func TestPublishedPair(t *testing.T) {
	all := attribution.Judge(fromFile(t, "../../../testdata/runs/published-aurora.jsonl"), attribution.Options{})
	for _, name := range []string{"cloudwatch/WriteIOPS", "insights/os.diskIO.auroraStorage.writeIOsPS"} {
		v := verdictOn(t, all, name)
		want := attribution.Verdict{
			Metric: v.Metric, Kind: attribution.Logical, Between: []metric.Quantity{metric.Entries, metric.WALRecords},
			Rivals: v.Rivals,
			// 1.0313 and 3.0472 records for 1 and 3 entries there; 0.03769 for 1 in copy.
			SettleWith: &attribution.Settle{Load: "copy", Between: []metric.Quantity{metric.Entries, metric.WALRecords},
				Factor: math.Sqrt(1.0313*3.0472/3) / 0.03769},
			Warnings: []attribution.Warning{
				{Code: "one-to-one",
					Text: "The verdict rests on a ratio of 0.991 to 1.06 under every load that shows it; this run counted " +
						"no other kind of quantity"}},
		}
		if diff := cmp.Diff(want, v, roughly); diff != "" {
			t.Error(diff)
		}
	}
	volume := verdictOn(t, all, "cloudwatch/VolumeWriteIOPs")
	if want := "The source did not change during these loads: 246,000 in 5 " +
		"min"; volume.Kind != attribution.CannotTell ||
		!strings.HasPrefix(volume.Why, want) {
		t.Errorf("%s: %s", volume.Kind, volume.Why)
	}
}

var roughly = cmp.Comparer(func(a, b float64) bool { return math.Abs(a-b) <= 0.005*math.Abs(a) })

// TestUnrecordedQuantityIsNamedBesideAnother: if the loads could not separate a quantity that the run lacks, it is
// named with the one that is left.
func TestUnrecordedQuantityIsNamedBesideAnother(t *testing.T) {
	run := with(t, of(metric.Entries, 1), "idle", "bulk", "bulk-indexed")
	for _, load := range run.Loads {
		for i := range load.Repetitions {
			for metric := range load.Repetitions[i].Counts {
				if metric != made {
					load.Repetitions[i].Counts[metric] = counts.Count{Missing: &series.Missing{Reason: "permission"}}
				}
			}
		}
	}
	v := judged(t, run)
	if diff := cmp.Diff([]metric.Quantity{metric.Entries, metric.WALRecords, metric.WALBytes}, v.Between); diff != "" &&
		v.Kind != attribution.Logical {
		t.Errorf("%s, %s: %s", v.Kind, v.Why, diff)
	}
	if v.Counts != "" || !slices.Contains(v.Between, metric.WALRecords) {
		t.Errorf("counts %q between %v", v.Counts, v.Between)
	}
}

func TestSilent(t *testing.T) {
	steady := func(_ string, seconds float64, _ map[metric.Quantity]float64) float64 { return 500 * seconds }
	if v := judged(t, with(t, steady)); v.Kind != attribution.Silent {
		t.Errorf("a steady rate: %s: %s", v.Kind, v.Why)
	}
	never := func(string, float64, map[metric.Quantity]float64) float64 { return 0 }
	if v := judged(t, with(t, never)); v.Kind != attribution.Silent {
		t.Errorf("nothing: %s: %s", v.Kind, v.Why)
	}
	few := func(string, float64, map[metric.Quantity]float64) float64 { return 1.857866343035538 }
	if v := judged(t, with(t, few)); v.Kind != attribution.Silent {
		t.Errorf("not two: %s: %s", v.Kind, v.Why)
	}
	if v := judged(t, with(t, steady, "bulk", "copy", "single", "wide")); v.Kind == attribution.Silent {
		t.Error("without an idle load a steady rate is called silent")
	}
	random := rand.New(rand.NewPCG(7, 8))
	restless := func(_ string, seconds float64, _ map[metric.Quantity]float64) float64 {
		return 500 * seconds * math.Exp(random.NormFloat64())
	}
	if v := judged(t, with(t, restless)); v.Kind != attribution.CannotTell || v.Why == "" {
		t.Errorf("jumping about: %s: %s", v.Kind, v.Why)
	}
}

// TestOddLoad: an exception in one load must not bring another quantity forward.
func TestOddLoad(t *testing.T) {
	for _, load := range []string{"bulk", "copy", "single", "async", "multi", "wide"} {
		v := judged(t, with(t, func(name string, _ float64, x map[metric.Quantity]float64) float64 {
			if name == load {
				return 2 * x[metric.WALRecords]
			}
			return x[metric.WALRecords]
		}))
		if v.Counts != "" && v.Counts != metric.WALRecords || v.Kind != attribution.CannotTell &&
			v.Kind != attribution.Logical {
			t.Errorf("odd in %s: %s %q %v", load, v.Kind, v.Counts, v.Mixture)
		}
	}
}

// TestTermIsNoException: one commit in a hundred adds next to nothing to writes and requests, except in the load that
// does not wait for the WAL, where it adds twenty times as much as they do. A load that differs so much in all
// repetitions is no exception.
func TestTermIsNoException(t *testing.T) {
	v := judged(t, with(t, func(_ string, _ float64, x map[metric.Quantity]float64) float64 {
		return x[metric.WALWrites] + 0.8*x[metric.DeviceRequests] + 0.01*x[metric.Commits]
	}))
	if v.Kind != attribution.Mixed || v.Mixture == nil {
		t.Errorf("%s: %s", v.Kind, v.Why)
	}
}

// TestSteadyPartIsNoQuantity: beside each request of the device, the metric counts 100 or 150 of something a second, as
// long as there is load. Entries and statements must not stand for that.
func TestSteadyPartIsNoQuantity(t *testing.T) {
	for _, steady := range []float64{100, 150} {
		v := judged(t, with(t, func(_ string, seconds float64, x map[metric.Quantity]float64) float64 {
			return x[metric.DeviceRequests] + steady*seconds
		}))
		if v.Kind != attribution.CannotTell && v.Kind != attribution.Physical {
			t.Errorf("%v a second: %s %v", steady, v.Kind, v.Mixture)
		}
	}
}

func TestAsked(t *testing.T) {
	run := with(t, of(metric.RowsWritten, 1))
	all := attribution.Judge(run, attribution.Options{Asked: []string{"pgstat.wal/wal_records", "no/such"}})
	var got []string
	for _, v := range all.Metrics {
		got = append(got, v.Metric.Name+" "+string(v.Kind))
	}
	if diff := cmp.Diff([]string{"no/such cannot_tell", "pgstat.wal/wal_records logical"}, got); diff != "" {
		t.Error(diff)
	}
}

// TestPartOf: checkpoints write all pages if these fit into memory, and at most all of them elsewhere.
func TestPartOf(t *testing.T) {
	v := verdictOn(t, attribution.Judge(fromFile(t, shippedRun), attribution.Options{}),
		"pgstat.checkpointer/buffers_written")
	if v.Kind != attribution.Requested || !slices.Equal(v.Between, []metric.Quantity{metric.PagesWritten}) ||
		len(v.Warnings) != 1 || v.Warnings[0].Code != "part-of" {
		t.Errorf("%s between %v, %v", v.Kind, v.Between, v.Warnings)
	}
}

// TestLostQuantityExplainsNothing: on a device that others keep busy, its counts are all error and could
// be anything. A metric within a few percent of WAL writes must not be taken for it.
func TestLostQuantityExplainsNothing(t *testing.T) {
	random := rand.New(rand.NewPCG(9, 10))
	off := map[string]float64{"bulk": 1.06, "copy": 0.94, "wide": 1.07, "single": 0.95}
	run := with(t, func(load string, _ float64, x map[metric.Quantity]float64) float64 {
		if factor, is := off[load]; is {
			return factor * x[metric.WALBytes]
		}
		return x[metric.WALBytes]
	})
	// The device follows the WAL with an error of a third.
	for _, metric := range []string{"block/writes", "block/flushes", "block/write_bytes"} {
		for _, load := range run.Loads {
			for i, r := range load.Repetitions {
				amount := r.Counts["pgstat.lsn/insert"].Amount * math.Exp(0.2*random.NormFloat64())
				load.Repetitions[i].Counts[metric] = counts.Count{Amount: amount, Raw: amount,
					Seconds: r.Counts[metric].Seconds}
			}
		}
		run.Idle.Deviation[metric] = 4e7
	}
	v := judged(t, run)
	named := v.Counts == metric.WALBytes || v.Mixture != nil && len(v.Mixture.Terms) == 1 &&
		v.Mixture.Terms[0].Quantity == metric.WALBytes
	if v.Kind != attribution.Physical || !named {
		t.Errorf("%s %q %v: %s", v.Kind, v.Counts, v.Mixture, v.Why)
	}
}
