package attribution_test

import (
	"iter"
	"slices"
	"testing"

	"github.com/realiops/realiops/internal/analyze/attribution"
	"github.com/realiops/realiops/internal/analyze/counts"
	"github.com/realiops/realiops/internal/analyze/tally"
	"github.com/realiops/realiops/internal/runfile"
)

// TestFewUnitsAreChance: a counter that sees one commit of a hundred, and counts each for a hundred, saw two to five of them under the loads that commit
// seldom. How far these are off is no sign of a second quantity.
func TestFewUnitsAreChance(t *testing.T) {
	v := judged(t, fromFile(t, "testdata/sampled-commits.jsonl.zst"))
	if v.Kind != attribution.Logical && v.Kind != attribution.CannotTell || v.Counts != "" && v.Counts != counts.Commits {
		t.Errorf("%s %q %v: %s", v.Kind, v.Counts, v.Mixture, v.Why)
	}
}

// TestFewBytesAreChance: what is said of that counter stays the same where each commit that it sees counts for so many bytes.
func TestFewBytesAreChance(t *testing.T) {
	want := judged(t, fromFile(t, "testdata/sampled-commits.jsonl.zst"))
	for _, each := range []float64{4096, 8192, 1 << 20} {
		records, file, err := runfile.OpenRows("testdata/sampled-commits.jsonl.zst")
		if err != nil {
			t.Fatal(err)
		}
		defer file.Close()
		run, err := tally.FromRun(inBytes(runfile.Possible(records), each))
		if err != nil {
			t.Fatal(err)
		}
		if v := judged(t, run); v.Kind != want.Kind || v.Counts != want.Counts || !slices.Equal(v.Between, want.Between) {
			t.Errorf("of %v bytes: %s %q %v: %s; want %s %q %v", each, v.Kind, v.Counts, v.Between, v.Why, want.Kind, want.Counts, want.Between)
		}
	}
}

// inBytes has the made-up metric, which counts a hundred for each commit it sees, count bytes.
func inBytes(records iter.Seq2[runfile.Record, error], each float64) iter.Seq2[runfile.Record, error] {
	return func(yield func(runfile.Record, error) bool) {
		for record, err := range records {
			switch r := record.(type) {
			case runfile.Metric:
				if r.Name == made {
					r.Unit = "bytes"
				}
				record = r
			case runfile.Row:
				for i, name := range r.Names {
					if name == made {
						r.Values = slices.Clone(r.Values)
						r.Values[i] = r.Values[i] / 100 * each
					}
				}
				record = r
			}
			if !yield(record, err) {
				return
			}
		}
	}
}

// TestASumOfTheOtherSideIsAsGood: the commits that share a sync of the log are about as many under all loads of this run, so that a meter of statements and
// twice the commits, with noise of 7 %, keeps its ratio to syncs.
func TestASumOfTheOtherSideIsAsGood(t *testing.T) {
	v := judged(t, fromFile(t, "testdata/statements-and-commits.jsonl.zst"))
	if v.Kind != attribution.Logical && v.Kind != attribution.CannotTell {
		t.Errorf("%s between %v: %s", v.Kind, v.Between, v.Why)
	}
}
