package score

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/realiops/realiops/internal/analyze/attribution"
	"github.com/realiops/realiops/internal/runfile"
	"github.com/realiops/realiops/internal/test/worlds"
)

// saying is what a verdict says of a metric, without the names of loads.
type saying struct {
	Kind, Counts   string
	Between, Terms []string
}

func sayings(t *testing.T, records []runfile.Record) map[string]saying {
	t.Helper()
	run, err := Read(records)
	if err != nil {
		t.Fatal(err)
	}
	said := map[string]saying{}
	for _, v := range attribution.Judge(run, attribution.Options{}).Metrics {
		s := saying{Kind: string(v.Kind), Counts: v.Counts, Between: v.Between}
		if v.Mixture != nil {
			for _, term := range v.Mixture.Terms {
				s.Terms = append(s.Terms, term.Driver)
			}
		}
		said[v.Metric.Name] = s
	}
	return said
}

// rewritten is a run with other loads: arm gives the name of the load of a replicate.
func rewritten(records []runfile.Record, plan func([]runfile.Arm) []runfile.Arm, arm func(name string, replicate int) (string, int)) []runfile.Record {
	all := slices.Clone(records)
	for i, r := range all {
		switch r := r.(type) {
		case runfile.Run:
			r.Plan.Arms = plan(slices.Clone(r.Plan.Arms))
			all[i] = r
		case runfile.ArmEvent:
			r.Arm, r.Replicate = arm(r.Arm, r.Replicate)
			all[i] = r
		case runfile.Load:
			r.Arm, r.Replicate = arm(r.Arm, r.Replicate)
			all[i] = r
		}
	}
	return all
}

const wildSeeds = 12

// TestNamesOfLoadsChangeNothing: loads with the names of others, listed in another order, at the times and with the factors
// that they had.
func TestNamesOfLoadsChangeNothing(t *testing.T) {
	for seed := uint64(8000); seed < 8000+wildSeeds; seed++ {
		records := worlds.NewWild(seed, 20).Records()
		random := rand.New(rand.NewPCG(seed, 1))
		var names []string
		for _, a := range records[0].(runfile.Run).Plan.Arms {
			names = append(names, a.Name)
		}
		order := random.Perm(len(names))
		named := func(name string) string { return names[order[slices.Index(names, name)]] }
		other := rewritten(records, func(arms []runfile.Arm) []runfile.Arm {
			for i := range arms {
				arms[i].Name = named(arms[i].Name)
			}
			random.Shuffle(len(arms), func(i, k int) { arms[i], arms[k] = arms[k], arms[i] })
			return arms
		}, func(name string, replicate int) (string, int) { return named(name), replicate })
		if diff := cmp.Diff(sayings(t, records), sayings(t, other), cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("world %d (-as it was +renamed):\n%s", seed, diff)
		}
	}
}

// TestUnitsChangeNothing: a meter that shows 60 or 4,096 for one counts the same, unless that it showed one for one was the
// reason to believe it.
func TestUnitsChangeNothing(t *testing.T) {
	changed, judged := 0, 0
	for seed := uint64(8100); seed < 8100+wildSeeds; seed++ {
		world := worlds.NewWild(seed, 20)
		records := world.Records()
		before := sayings(t, records)
		for _, factor := range []float64{60, 4096} {
			after := sayings(t, scaled(records, factor))
			for _, m := range world.Meters {
				if m.Trouble == worlds.Wrapping || slices.ContainsFunc(m.Rule.Terms, func(term worlds.Term) bool { return term.PerUnit == 1 }) {
					continue
				}
				judged++
				if diff := cmp.Diff(before[m.Name], after[m.Name], cmpopts.EquateEmpty()); diff != "" {
					changed++
					t.Logf("world %d %s times %g, %s:\n%s", seed, m.Name, factor, truth(m), diff)
				}
			}
		}
	}
	if changed*100 > judged { // a step of one count is less of a larger number
		t.Errorf("%d of %d verdicts changed", changed, judged)
	}
}

func scaled(records []runfile.Record, factor float64) []runfile.Record {
	all := slices.Clone(records)
	for i, r := range all {
		switch r := r.(type) {
		case runfile.Reading:
			if r.Probe != "meter" {
				continue
			}
			values := map[string]float64{}
			for name, v := range r.Values {
				values[name] = factor * v
			}
			r.Values = values
			all[i] = r
		case runfile.Period:
			r.Value *= factor
			all[i] = r
		}
	}
	return all
}

// TestALoadInTwo: the second replicate of a load under a name of its own is a load of its own, with the same factors. That
// may turn a verdict into CANNOT TELL or back, in few, and never into another one.
func TestALoadInTwo(t *testing.T) {
	for seed := uint64(8200); seed < 8200+wildSeeds; seed++ {
		world := worlds.NewWild(seed, 20)
		records := world.Records()
		split := records[0].(runfile.Run).Plan.Arms[1+int(seed)%5].Name
		other := rewritten(records, func(arms []runfile.Arm) []runfile.Arm {
			i := slices.IndexFunc(arms, func(a runfile.Arm) bool { return a.Name == split })
			again := arms[i]
			again.Name += " again"
			return append(arms, again)
		}, func(name string, replicate int) (string, int) {
			if name == split && replicate == 2 {
				return name + " again", 1
			}
			return name, replicate
		})
		before, after := sayings(t, records), sayings(t, other)
		for _, m := range world.Meters {
			one, two := before[m.Name], after[m.Name]
			open := fmt.Sprint(attribution.Undetermined)
			if one.Kind != two.Kind && one.Kind != open && two.Kind != open ||
				one.Counts != two.Counts && one.Counts != "" && two.Counts != "" {
				t.Errorf("world %d %s, %s: %+v becomes %+v", seed, m.Name, strings.TrimSpace(truth(m)), one, two)
			}
		}
	}
}
