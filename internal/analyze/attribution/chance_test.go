package attribution_test

import (
	"iter"
	"slices"
	"testing"

	"github.com/realiops/realiops/internal/analyze/attribution"
	"github.com/realiops/realiops/internal/analyze/tally"
	"github.com/realiops/realiops/internal/metric"
	"github.com/realiops/realiops/internal/runfile"
)

// TestFewUnitsAreChance: a counter samples one commit in a hundred, and shows two to five of them under loads with few
// commits. Its deviation there is no sign of a second quantity.
func TestFewUnitsAreChance(t *testing.T) {
	v := judged(t, fromFile(t, "testdata/sampled-commits.jsonl.zst"))
	if v.Kind != attribution.Logical && v.Kind != attribution.CannotTell || v.Counts != "" && v.Counts != metric.Commits {
		t.Errorf("%s %q %v: %s", v.Kind, v.Counts, v.Mixture, v.Why)
	}
}

// TestFewBytesAreChance: the verdict on that counter is the same if it adds a number of bytes for each sampled commit.
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

// inBytes makes the made-up metric, which adds 100 for each commit it samples, count bytes.
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

// TestSumOfOtherSideFitsAsWell: in all loads of this run about as many commits share a WAL fsync. So a metric of
// statements plus twice the commits, with 7% noise, keeps its ratio to WAL fsyncs.
func TestSumOfOtherSideFitsAsWell(t *testing.T) {
	v := judged(t, fromFile(t, "testdata/statements-and-commits.jsonl.zst"))
	if v.Kind != attribution.Logical && v.Kind != attribution.CannotTell {
		t.Errorf("%s between %v: %s", v.Kind, v.Between, v.Why)
	}
}
