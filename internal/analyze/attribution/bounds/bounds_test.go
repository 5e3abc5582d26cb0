package bounds_test

import (
	"path/filepath"
	"testing"

	"github.com/realiops/realiops/internal/analyze/attribution/bounds"
	"github.com/realiops/realiops/internal/analyze/tally"
	"github.com/realiops/realiops/internal/metric"
)

// TestRealRunsLieWithin: no server of the shipped runs did less or more than the bounds that follow from the work
// alone.
func TestRealRunsLieWithin(t *testing.T) {
	files, err := filepath.Glob("../../../../testdata/runs/*.jsonl.zst")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	nothing := func(metric.Quantity) (bounds.Span, bool) { return bounds.Span{}, false }
	held := 0
	for _, file := range files {
		run, err := tally.FromFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, load := range run.Loads {
			if load.Idle() {
				continue
			}
			for r, repetition := range load.Repetitions {
				work := bounds.Done(load, []int{r}, run.Header.Target.Settings, run.Header.Target.Flavor == "aurora")
				for _, q := range run.Quantities() {
					n, err := q.Count(load, repetition) // below zero if the background had more
					if err != nil || q.Modelled {
						continue
					}
					if s := work.Implies(q.Name, nothing); !s.Has(max(0, n)) {
						t.Errorf("%s, %s %d: %.6g %s, and there can be %.6g to %.6g", filepath.Base(file), load.Name, repetition.Number, n, q.Name, s.Lo, s.Hi)
					} else if s != bounds.Anything() {
						held++
					}
				}
			}
		}
	}
	if held < 500 {
		t.Errorf("only %d counts were held against bounds", held)
	}
}
