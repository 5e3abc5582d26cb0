package tally_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/realiops/realiops/internal/analyze/counts"
	"github.com/realiops/realiops/internal/analyze/tally"
)

// TestWithoutLatencies: everything else is read as with latencies.
func TestWithoutLatencies(t *testing.T) {
	const path = "../../../testdata/runs/local-pg17.jsonl.zst"
	with, err := tally.FromFile(path)
	if err != nil {
		t.Fatal(err)
	}
	without, err := tally.FromFile(path, tally.WithoutLatencies)
	if err != nil {
		t.Fatal(err)
	}
	timed := 0
	for i := range with.Loads {
		for k := range with.Loads[i].Repetitions {
			if with.Loads[i].Repetitions[k].Latency != nil {
				timed++
			}
			if without.Loads[i].Repetitions[k].Latency != nil {
				t.Errorf("%s %d has latencies", with.Loads[i].Name, k+1)
			}
		}
	}
	if diff := cmp.Diff(with.Loads, without.Loads, cmpopts.IgnoreFields(counts.Repetition{}, "Latency"),
		cmpopts.EquateNaNs()); diff != "" || timed == 0 {
		t.Errorf("of %d that were timed:\n%s", timed, diff)
	}
}
