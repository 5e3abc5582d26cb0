package attribution_test

import (
	"math"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/realiops/realiops/internal/analyze/attribution"
	"github.com/realiops/realiops/internal/analyze/drivers"
)

func rivalOf(v attribution.Verdict, driver string) attribution.Rival {
	return v.Rivals[slices.IndexFunc(v.Rivals, func(r attribution.Rival) bool { return r.Driver == driver })]
}

// oneLoadOfThree makes 12 % more WAL records for each row in a load than in bulk and in multi. What counts either keeps its ratio to both,
// within the tolerance of 1.10.
func oneLoadOfThree(t *testing.T, load string, replicates int, counts func(rows, records float64) float64) attribution.Verdict {
	t.Helper()
	records := func(arm string, rows float64) float64 {
		if arm == load {
			return 1.12 * rows
		}
		return rows
	}
	run := with(t, func(arm string, _ float64, x map[string]float64) float64 {
		return counts(x[drivers.Rows], records(arm, x[drivers.Rows]))
	}, "idle", "bulk", "multi", load)
	for a, arm := range run.Arms {
		run.Arms[a].Replicates = arm.Replicates[:replicates]
		for _, r := range arm.Replicates {
			n := records(arm.Name, float64(r.Work.Rows))
			r.Counts["pgstat.wal/wal_records"] = drivers.Count{Amount: n, Raw: n, Seconds: r.Seconds}
		}
	}
	return judged(t, run)
}

func ofRows(rows, _ float64) float64       { return 3.7 * rows }
func ofRecords(_, records float64) float64 { return 3.7 * records }

// TestADifferenceExcludesWhatARatioCannot: two loads that differ in two indexes.
func TestADifferenceExcludesWhatARatioCannot(t *testing.T) {
	v := oneLoadOfThree(t, "bulk-indexed", 3, ofRecords)
	rows := rivalOf(v, drivers.Rows)
	if rows.Spread.Lo > 1.10 || rows.Status != attribution.Excluded || rows.Difference == nil {
		t.Fatalf("rows are %s by their spread %+v and by %+v", rows.Status, rows.Spread, rows.Difference)
	}
	d := rows.Difference
	if d.Load != "bulk-indexed" || d.Without != "bulk" || d.More.Lo > 0.12 || d.More.Hi < 0.12 || d.More.Lo <= 0 || math.Abs(d.Foretold.Value) > 1e-6 {
		t.Errorf("%+v", *d)
	}
	if v.Counts != drivers.WALRecords {
		t.Errorf("%s counts %q, between %v: %s", v.Kind, v.Counts, v.Between, v.Why)
	}
}

// TestNoDifferenceConfirmsNone: where a metric shows no difference, what foretells one is contradicted, but what foretells none gets no name by that.
func TestNoDifferenceConfirmsNone(t *testing.T) {
	v := oneLoadOfThree(t, "bulk-indexed", 3, ofRows)
	if diff := cmp.Diff([]string{drivers.Rows, drivers.WALRecords}, v.Between); diff != "" || v.Counts != "" {
		t.Errorf("%s counts %q: %s", v.Kind, v.Counts, diff)
	}
}

// TestNoDifferenceIsTold of loads that differ in more than one thing, nor where nothing shows how far repetitions differ.
func TestNoDifferenceIsTold(t *testing.T) {
	for load, replicates := range map[string]int{"wide": 3, "bulk-indexed": 1} {
		for _, r := range oneLoadOfThree(t, load, replicates, ofRecords).Rivals {
			if r.Difference != nil {
				t.Errorf("%s, %d times: %s by %+v", load, replicates, r.Driver, *r.Difference)
			}
		}
	}
}
