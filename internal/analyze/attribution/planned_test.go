package attribution_test

import (
	"math"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/realiops/realiops/internal/analyze/attribution"
	"github.com/realiops/realiops/internal/analyze/counts"
	"github.com/realiops/realiops/internal/metric"
)

func rivalOf(v attribution.Verdict, quantity metric.Quantity) attribution.Rival {
	return v.Rivals[slices.IndexFunc(v.Rivals, func(r attribution.Rival) bool { return r.Quantity == quantity })]
}

// oneLoadOfThree makes 12% more WAL records per row in a load than in bulk and multi. A metric of either keeps its
// ratio to both, within the tolerance of 1.10.
func oneLoadOfThree(t *testing.T, more string, repetitions int,
	counted func(rows, records float64) float64) attribution.Verdict {
	t.Helper()
	records := func(load string, rows float64) float64 {
		if load == more {
			return 1.12 * rows
		}
		return rows
	}
	run := with(t, func(load string, _ float64, x map[metric.Quantity]float64) float64 {
		return counted(x[metric.RowsWritten], records(load, x[metric.RowsWritten]))
	}, "idle", "bulk", "multi", more)
	for a, load := range run.Loads {
		run.Loads[a].Repetitions = load.Repetitions[:repetitions]
		for _, r := range load.Repetitions {
			n := records(load.Name, float64(r.Work.Rows))
			r.Counts["pgstat.wal/wal_records"] = counts.Count{Amount: n, Raw: n, Seconds: r.Seconds}
		}
	}
	return judged(t, run)
}

func ofRows(rows, _ float64) float64       { return 3.7 * rows }
func ofRecords(_, records float64) float64 { return 3.7 * records }

// TestDifferenceExcludesWhatRatioCannot: two loads that differ in two indexes.
func TestDifferenceExcludesWhatRatioCannot(t *testing.T) {
	v := oneLoadOfThree(t, "bulk-indexed", 3, ofRecords)
	rows := rivalOf(v, metric.RowsWritten)
	if rows.Spread.Lo > 1.10 || rows.Status != attribution.Excluded || rows.Difference == nil {
		t.Fatalf("rows are %s by their spread %+v and by %+v", rows.Status, rows.Spread, rows.Difference)
	}
	d := rows.Difference
	if d.Load != "bulk-indexed" || d.Without != "bulk" || d.More.Lo > 0.12 || d.More.Hi < 0.12 || d.More.Lo <= 0 ||
		math.Abs(d.Foretold.Value) > 1e-6 {
		t.Errorf("%+v", *d)
	}
	if v.Counts != metric.WALRecords {
		t.Errorf("%s counts %q, between %v: %s", v.Kind, v.Counts, v.Between, v.Why)
	}
}

// TestAbsentDifferenceConfirmsNothing: if a metric shows no difference, a quantity that predicts one is contradicted,
// but a quantity that predicts none is not confirmed.
func TestAbsentDifferenceConfirmsNothing(t *testing.T) {
	v := oneLoadOfThree(t, "bulk-indexed", 3, ofRows)
	if diff := cmp.Diff([]metric.Quantity{metric.RowsWritten, metric.WALRecords}, v.Between); diff != "" || v.Counts != "" {
		t.Errorf("%s counts %q: %s", v.Kind, v.Counts, diff)
	}
}

// TestNoDifferenceIsComputed between loads that differ in more than one parameter, or with too few repetitions.
func TestNoDifferenceIsComputed(t *testing.T) {
	for load, repetitions := range map[string]int{"wide": 3, "bulk-indexed": 1} {
		for _, r := range oneLoadOfThree(t, load, repetitions, ofRecords).Rivals {
			if r.Difference != nil {
				t.Errorf("%s, %d times: %s by %+v", load, repetitions, r.Quantity, *r.Difference)
			}
		}
	}
}
