package score

import (
	"testing"

	"github.com/realiops/realiops/internal/analyze/attribution"
	"github.com/realiops/realiops/internal/analyze/drivers"
	"github.com/realiops/realiops/internal/worlds"
)

// TestMethodReachesItsFigures is the small brother of scripts/score: a change of method that falls clearly short of a
// target, beyond what so few worlds leave to chance, does not pass.
func TestMethodReachesItsFigures(t *testing.T) {
	judged := func(design worlds.Design, first, n uint64) (all []Case) {
		method := func(run *drivers.Run) attribution.Verdicts { return attribution.Judge(run, attribution.Options{}) }
		for seed := first; seed < first+n; seed++ {
			cases, err := Judged(method, worlds.New(seed, design, 40), t.TempDir())
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, cases...)
		}
		return all
	}
	full, twoArms := judged(worlds.Full, 2026, 12), judged(worlds.TwoArms, 4052, 4)
	for _, f := range mustReach(full, twoArms) {
		low, high := f.Interval()
		t.Logf("%s: %d of %d, %.3f to %.3f, must reach: %s", f.What, f.Hits, f.Of, low, high, f.Target())
		if f.Misses() {
			t.Errorf("missed: %s", f.What)
		}
	}
	if t.Failed() {
		WriteFailures(t.Output(), append(full, twoArms...))
	}
}
