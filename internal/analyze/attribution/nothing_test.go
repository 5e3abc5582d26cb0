package attribution_test

import (
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/realiops/realiops/internal/analyze/attribution"
	"github.com/realiops/realiops/internal/analyze/counts"
	"github.com/realiops/realiops/internal/metric"
	"github.com/realiops/realiops/internal/runfile"
	"github.com/realiops/realiops/internal/series"
)

// metered returns the shipped run of writing and reading loads plus a metric: a quantity with noise. The load missing,
// if any, has no count of it.
func metered(t *testing.T, quantity metric.Quantity, noise float64, seed uint64, missing string) *counts.Run {
	t.Helper()
	run := fromFile(t, "../../../testdata/runs/default-pg17.jsonl.zst")
	random := rand.New(rand.NewPCG(seed, 0))
	run.Counters = append(run.Counters, runfile.Metric{Name: made, Unit: "operations", Type: runfile.Counter})
	of := run.Quantity(quantity)
	for _, load := range run.Loads {
		for i, r := range load.Repetitions {
			n, err := of.Count(load, r)
			if err != nil {
				t.Fatal(err)
			}
			if load.Idle() {
				n = 0
			}
			n *= 3 * math.Exp(noise*random.NormFloat64())
			r.Counts = maps.Clone(r.Counts)
			r.Counts[made] = counts.Count{Amount: n, Raw: n, Seconds: r.Seconds}
			if load.Name == missing {
				r.Counts[made] = counts.Count{Missing: &series.Missing{Reason: series.NeverRead}}
			}
			load.Repetitions[i] = r
		}
	}
	return run
}

func asked(t *testing.T, run *counts.Run) attribution.Verdict {
	t.Helper()
	return verdictOn(t, attribution.Judge(run, attribution.Options{Asked: []string{made}}), made)
}

// TestMissingIsNotZero: a missing count of a load is not zero.
func TestMissingIsNotZero(t *testing.T) {
	for _, quantity := range []metric.Quantity{metric.WALSyncs, metric.DeviceFlushes} {
		for _, missing := range []string{"bulk", "single", "async"} {
			if v := asked(t, metered(t, quantity, 0.01, 1, missing)); v.Counts != quantity {
				t.Errorf("%s, not counted under %s: %s %q %v: %s", quantity, missing, v.Kind, v.Counts,
					v.Between, v.Why)
			}
		}
	}
}

// TestNoRatioToNothing: the loads that insert update no rows, so they have no ratio to these, and the loads that only
// read have a ratio of zero.
func TestNoRatioToNothing(t *testing.T) {
	run := fromFile(t, "../../../testdata/runs/default-pg17.jsonl.zst")
	const inserted = "pgstat.database/tup_inserted"
	v := verdictOn(t, attribution.Judge(run, attribution.Options{Asked: []string{inserted}}), inserted)
	ratio := func(quantity metric.Quantity, load string) attribution.LoadRatio {
		r := v.Rivals[slices.IndexFunc(v.Rivals, func(r attribution.Rival) bool { return r.Quantity == quantity })]
		return r.Loads[slices.IndexFunc(r.Loads, func(a attribution.LoadRatio) bool { return a.Load == load })]
	}
	if r := ratio(metric.RowsUpdated, "bulk"); r.N != 0 || r.Missing == nil || r.Missing.Reason != counts.Nothing {
		t.Errorf("rows inserted by rows updated under bulk: %+v", r)
	}
	if r := ratio(metric.RowsReturned, "scan-cold"); r.N == 0 || r.Value != 0 || r.Highest != 0 {
		t.Errorf("rows inserted by rows returned under scan-cold: %+v", r)
	}
	if r := ratio(metric.RowsWritten, "bulk"); math.Abs(r.Value-1) > 1e-6 {
		t.Errorf("rows inserted by rows written under bulk: %+v", r)
	}
}

// TestNoiseComesFromLoadsWithMuchOfAQuantity: loads with much of a quantity show how far repetitions vary. Noise of a
// tenth stays a tenth if other loads do nothing of it.
func TestNoiseComesFromLoadsWithMuchOfAQuantity(t *testing.T) {
	const seeds = 10
	named := 0
	for seed := range uint64(seeds) {
		for _, quantity := range []metric.Quantity{metric.BuffersTouched, metric.Statements} {
			if v := asked(t, metered(t, quantity, 0.1, seed, "")); v.Counts == quantity {
				named++
			} else if v.Kind != attribution.Logical && v.Kind != attribution.CannotTell {
				t.Errorf("%s, seed %d: %s %v", quantity, seed, v.Kind, v.Mixture)
			}
		}
	}
	if named < 18 {
		t.Errorf("%d of %d are named, want nine of ten", named, 2*seeds)
	}
}

// TestReadsOfAurora: without a device, a metric that follows missed pages is not attributed to writes. Requested or
// done is the same there.
func TestReadsOfAurora(t *testing.T) {
	run := metered(t, "pages_missed", 0.01, 1, "")
	run.Header.Target.Flavor = "aurora"
	for _, load := range run.Loads {
		for _, r := range load.Repetitions {
			maps.DeleteFunc(r.Counts, func(name string, _ counts.Count) bool {
				return !strings.HasPrefix(name, "pgstat.database/") && name != made
			})
		}
	}
	v := asked(t, run)
	if v.Kind != attribution.NotLogical || v.Counts != "pages_missed" ||
		!slices.ContainsFunc(v.Warnings, func(w attribution.Warning) bool {
			return w.Code == "no-page-cache"
		}) {
		t.Errorf("it is %s %q %v: %s %v", v.Kind, v.Counts, v.Between, v.Why, v.Warnings)
	}
	run.Header.Target.Flavor = ""
	if v := asked(t, run); v.Counts != "" {
		t.Errorf("elsewhere a cache may answer for some, and it is %s %q", v.Kind, v.Counts)
	}
}

// TestPossibleBackgroundDecidesNothing: by chance, one repetition in six shows a little more than the background
// although it does nothing of the quantity.
func TestPossibleBackgroundDecidesNothing(t *testing.T) {
	const deviation = 5 // a second
	run := metered(t, metric.RowsReturned, 0.01, 1, "")
	run.Idle.Deviation[made] = deviation
	for _, load := range run.Loads {
		for i, r := range load.Repetitions {
			if c := r.Counts[made]; c.Amount == 0 && !load.Idle() {
				c.Amount = 1.5 * deviation * r.Seconds * float64(i%2)
				r.Counts[made] = c
			}
		}
	}
	if v := asked(t, run); v.Counts != metric.RowsReturned {
		t.Errorf("it is %s %q %v: %s", v.Kind, v.Counts, v.Between, v.Why)
	}
}

// TestUndoneQuantityIsNoCandidate: with three loads, a quantity that none of them did is not among those that the
// metric may count.
func TestUndoneQuantityIsNoCandidate(t *testing.T) {
	v := asked(t, metered(t, metric.Lookups, 0.1, 1, ""))
	if v.Counts != metric.Lookups && !slices.Contains(v.Between, metric.Lookups) {
		t.Errorf("it is %s %q %v: %s", v.Kind, v.Counts, v.Between, v.Why)
	}
	for _, none := range []metric.Quantity{metric.RowsWritten, "temp_blocks_read", "temp_blocks_written", metric.RowsDeleted} {
		if slices.Contains(v.Between, none) {
			t.Errorf("none of the %s were done under loads that looked up, and it is between %v", none, v.Between)
		}
	}
}

// TestNeverDoneIsExcluded: with fsync off there are no WAL fsyncs under any load, so nothing counts them, not even a
// metric that is the same under all loads.
func TestNeverDoneIsExcluded(t *testing.T) {
	run := metered(t, metric.WALRecords, 0.01, 1, "")
	run.Idle.PerSecond[metric.StatWALSync], run.Idle.Deviation[metric.StatWALSync] = 0, 0
	for _, load := range run.Loads {
		for i, r := range load.Repetitions {
			r.Counts = maps.Clone(r.Counts)
			r.Counts[metric.StatWALSync] = counts.Count{Seconds: r.Counts[metric.StatWALSync].Seconds}
			if !load.Idle() {
				n := 1e6 + float64(i)
				r.Counts[made] = counts.Count{Amount: n, Raw: n, Seconds: r.Seconds}
			}
			load.Repetitions[i] = r
		}
	}
	v := verdictOn(t, attribution.Judge(run, attribution.Options{Asked: []string{made}}), made)
	i := slices.IndexFunc(v.Rivals, func(r attribution.Rival) bool { return r.Quantity == metric.WALSyncs })
	if i < 0 || v.Rivals[i].Status != attribution.Excluded {
		t.Errorf("%+v", v.Rivals[max(i, 0)])
	}
}
