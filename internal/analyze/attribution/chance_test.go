package attribution_test

import (
	"testing"

	"github.com/realiops/realiops/internal/analyze/attribution"
	"github.com/realiops/realiops/internal/analyze/counts"
)

// TestFewUnitsAreChance: a counter that sees one commit of a hundred, and counts each for a hundred, saw two to five of them under the loads that commit
// seldom. How far these are off is no sign of a second quantity.
func TestFewUnitsAreChance(t *testing.T) {
	v := judged(t, fromFile(t, "testdata/sampled-commits.jsonl.zst"))
	if v.Kind != attribution.Logical && v.Kind != attribution.CannotTell || v.Counts != "" && v.Counts != counts.Commits {
		t.Errorf("%s %q %v: %s", v.Kind, v.Counts, v.Mixture, v.Why)
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
