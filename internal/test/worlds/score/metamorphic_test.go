package score

import (
	"testing"

	"github.com/realiops/realiops/internal/analyze/attribution"
	"github.com/realiops/realiops/internal/analyze/counts"
	"github.com/realiops/realiops/internal/metric"
	"github.com/realiops/realiops/internal/test/worlds"
)

// TestChangesChangeNothing: swapped names and order of loads, other units of meters, and a split load leave the
// verdicts as they were, in worlds of each design.
func TestChangesChangeNothing(t *testing.T) {
	method := func(run *counts.Run) attribution.Verdicts { return attribution.Judge(run, attribution.Options{}) }
	var pairs []Pair
	for seed := uint64(8000); seed < 8016; seed++ {
		world := worlds.NewWild(seed, 20)
		if seed%8 == 0 {
			world = worlds.New(seed, worlds.Full, 20)
		}
		cases, err := Judged(method, world, "")
		if err != nil {
			t.Fatal(err)
		}
		changed, err := Pairs(method, cases)
		if err != nil {
			t.Fatal(err)
		}
		pairs = append(pairs, changed...)
	}
	for _, f := range ChangeTable(pairs) {
		t.Logf("%s: %d of %d", f.What, f.Hits, f.Of)
		if f.Misses() || f.Of == 0 {
			t.Errorf("missed: %s", f.What)
		}
	}
	if t.Failed() {
		WriteChanged(t.Output(), pairs)
	}
}

// TestMethodsThatUseNamesAreFound: a method that uses the names of loads changes its verdicts with them.
func TestMethodsThatUseNamesAreFound(t *testing.T) {
	byName := func(run *counts.Run) (said attribution.Verdicts) {
		for _, m := range run.Counters {
			v := attribution.Verdict{Metric: m, Kind: attribution.CannotTell}
			if run.Loads[len(run.Loads)-1].Name == "wide" {
				v.Kind, v.Counts = attribution.Logical, metric.RowsWritten
			}
			said.Metrics = append(said.Metrics, v)
		}
		return said
	}
	cases, err := Judged(byName, worlds.New(1, worlds.Full, 3), "")
	if err != nil {
		t.Fatal(err)
	}
	pairs, err := Pairs(byName, cases)
	if err != nil {
		t.Fatal(err)
	}
	if f := ChangeTable(pairs)[0]; f.Hits != 3 || f.Passes() {
		t.Errorf("%+v", f)
	}
}

// TestKindsAreDrawnSeparately: each separately drawn meter is of its kind, and a seed always gives the same ones.
func TestKindsAreDrawnSeparately(t *testing.T) {
	for _, kind := range Kinds() {
		world, again := kind.Draw(5, 10), kind.Draw(5, 10)
		if len(world.Meters) != 10 || world.Seed != again.Seed {
			t.Fatalf("%s: %d meters of worlds %d and %d", kind.Name, len(world.Meters), world.Seed, again.Seed)
		}
		for i, m := range world.Meters {
			if c := (Case{World: world, Meter: m}); !kind.wanted(c) || m.Name != again.Meters[i].Name {
				t.Errorf("%s: %s", kind.Name, truth(m))
			}
		}
	}
}
