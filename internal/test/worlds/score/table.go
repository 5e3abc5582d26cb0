package score

import (
	"fmt"
	"math"
	"slices"

	"github.com/realiops/realiops/internal/analyze/drivers"
	"github.com/realiops/realiops/internal/test/worlds"
)

// Figure is how often something holds, of how many cases, and how often it must.
type Figure struct {
	What    string
	Hits    int
	Of      int
	AtLeast float64 // 0: no such target
	AtMost  float64 // 1: no such target
}

// Targeted tells whether the figure must reach anything.
func (f Figure) Targeted() bool { return f.AtLeast > 0 || f.AtMost < 1 }

// Share is the part that hits; of nothing it is not a number.
func (f Figure) Share() float64 { return float64(f.Hits) / float64(f.Of) }

// Passes tells whether the figure reaches its target. No cases reach nothing.
func (f Figure) Passes() bool {
	return !f.Targeted() || f.Share() >= f.AtLeast && f.Share() <= f.AtMost
}

// Misses tells whether the target is missed beyond what chance explains.
func (f Figure) Misses() bool {
	low, high := f.Interval()
	return f.Targeted() && (f.Of == 0 || high < f.AtLeast || low > f.AtMost)
}

// Interval holds the share of all worlds there could be with a probability of 95 % (Wilson's score interval).
func (f Figure) Interval() (low, high float64) {
	const z = 1.959964 // the normal distribution's quantile at 0.975
	if f.Of == 0 {
		return 0, 1
	}
	n, p := float64(f.Of), f.Share()
	centre := (p + z*z/(2*n)) / (1 + z*z/n)
	half := z / (1 + z*z/n) * math.Sqrt(p*(1-p)/n+z*z/(4*n*n))
	low, high = centre-half, centre+half
	if f.Hits == 0 {
		low = 0 // and not what rounding leaves
	}
	if f.Hits == f.Of {
		high = 1
	}
	return low, high
}

// Table is every figure over cases of the full plan and of the plan of two arms.
func Table(full, twoArms []Case) []Figure {
	return append(mustReach(full, twoArms), besides(full, twoArms)...)
}

// undisturbed: nothing but the rule shows in the meter, and the run has the drivers of the rule.
func undisturbed(c Case) bool { return c.Meter.Disturbed == "" && c.known() }

func mustReach(full, twoArms []Case) []Figure {
	clean := where(full, undisturbed)
	singles := where(clean, ofSort(worlds.Single), func(c Case) bool { return c.World.Complete() })
	noisy := func(c Case) bool { return c.Meter.Noise == 0.10 }
	slight := func(c Case) bool { return c.Meter.Noise > 0 && !noisy(c) }
	mixtures := where(clean, ofSort(worlds.Mixture), Case.parted)
	published := func(c Case) bool {
		return slices.Contains([]string{drivers.Entries, drivers.WALRecords}, c.term().Driver)
	}
	measured := func(c Case) bool {
		return c.Meter.Noise > 0 && c.Verdict.PerUnit != nil && c.Verdict.Counts == c.term().Driver
	}
	two := where(twoArms, ofSort(worlds.Single), undisturbed)
	return []Figure{
		atLeast(0.995, "single quantity: the side right", singles, Case.sideRight),
		atLeast(0.97, "single quantity: named uniquely and rightly, noise 1 and 3 %", where(singles, slight), Case.named),
		atLeast(0.92, "single quantity: the same, noise 10 %", where(singles, noisy), Case.named),
		atMost(0, "mixture of two: called a single quantity", where(mixtures, Case.surely), Case.simplified),
		atLeast(0.80, "mixture of two, each 20 % or more: both terms named", where(mixtures, Case.heavy), Case.termsNamed),
		atMost(0.005, "wrong verdict stated, all meters of either plan", slices.Concat(full, twoArms), func(c Case) bool { return c.Wrong() != "" }),
		atLeast(0.99, "unrelated to load: undetermined", where(clean, ofSort(worlds.Unrelated)), func(c Case) bool { return !c.stated() }),
		within(0.94, 0.98, "95 % interval holds the true ratio", where(singles, measured), Case.holds),
		atLeast(0.98, "two loads: the true quantity not excluded", two, Case.open),
		atMost(0, "two loads: unique verdict on entries or wal_records", where(two, published), func(c Case) bool { return c.stated() && c.Verdict.Counts != "" }),
	}
}

// besides are figures that nothing asks for, and that whoever believes the others should know.
func besides(full, twoArms []Case) []Figure {
	clean := where(full, undisturbed)
	unknown := where(full, func(c Case) bool { return !c.known() })
	outliers := where(full, func(c Case) bool { return c.Meter.Disturbed != "" })
	wrong := func(c Case) bool { return c.Wrong() != "" }
	return []Figure{
		seen("of the single quantities named: tied with others, as the world has it", where(clean, ofSort(worlds.Single), Case.named), Case.tied),
		seen("single quantity: named alone", where(clean, ofSort(worlds.Single)), Case.alone),
		seen("single quantity, exact counter: named", where(clean, ofSort(worlds.Single), func(c Case) bool { return c.Meter.Noise == 0 }), Case.named),
		seen("mixture of two, nearly a single quantity: called one", where(clean, ofSort(worlds.Mixture), Case.barely), Case.simplified),
		seen("mixture of two, each 20 % or more: undetermined", where(clean, ofSort(worlds.Mixture), Case.parted, Case.heavy), func(c Case) bool { return !c.stated() }),
		seen("mixture of two: wrong verdict stated", where(clean, ofSort(worlds.Mixture)), wrong),
		seen("silent: called silent", where(full, ofSort(worlds.Silent)), func(c Case) bool { return c.stated() && c.Wrong() == "" }),
		seen("an outlying load, single quantity: named all the same", where(outliers, ofSort(worlds.Single)), Case.named),
		seen("an outlying load: wrong verdict stated", outliers, wrong),
		seen("two loads: wrong verdict stated", twoArms, wrong),
		seen("counts what was not recorded: wrong verdict stated", unknown, wrong),
	}
}

// ObservedTable is of worlds that were observed only: there a method may be silent, and not wrong.
func ObservedTable(cases []Case) []Figure {
	clean := where(cases, undisturbed)
	singles := where(clean, ofSort(worlds.Single))
	one := func(c Case) bool { return c.term().PerUnit == 1 }
	physical := func(c Case) bool { return c.term().Side == drivers.Physical }
	wrong := func(c Case) bool { return c.Wrong() != "" }
	return []Figure{
		atMost(0.005, "observed: wrong verdict stated, all meters", cases, wrong),
		atMost(0.005, "observed: unrelated to load, and called something", where(clean, ofSort(worlds.Unrelated)), Case.stated),
		seen("observed: mixture of two, called a single quantity", where(clean, ofSort(worlds.Mixture), Case.surely), Case.simplified),
		seen("observed: single quantity counted one to one: its side stated", where(singles, one), Case.stated),
		seen("observed: single physical quantity: its side stated", where(singles, physical), Case.stated),
		seen("observed: single quantity: its side stated", singles, Case.stated),
		seen("observed: silent: called silent", where(clean, ofSort(worlds.Silent)), Case.stated),
	}
}

// DayTable is of worlds that were observed for hours, in which the mix of the work varies as in production.
func DayTable(cases []Case) []Figure {
	clean := where(cases, undisturbed)
	singles := where(clean, ofSort(worlds.Single))
	one := where(singles, func(c Case) bool { return c.term().PerUnit == 1 })
	wrong := func(c Case) bool { return c.Wrong() != "" }
	return []Figure{
		atMost(0.005, "observed for a day: wrong verdict stated, all meters", cases, wrong),
		atMost(0, "observed for a day: single quantity counted one to one: wrong side", one, Case.WrongSide),
		atLeast(0.60, "the same: its side stated", one, Case.sideTold),
		seen("observed for a day: single quantity: its side stated", singles, Case.sideTold),
		seen("observed for a day: wrong side, all meters", cases, Case.WrongSide),
		seen("observed for a day: mixture of two, called a single quantity", where(clean, ofSort(worlds.Mixture), Case.surely), Case.simplified),
	}
}

func ofSort(sort worlds.Sort) func(Case) bool { return func(c Case) bool { return c.sort() == sort } }

// where are the cases that all conditions hold for.
func where(cases []Case, conditions ...func(Case) bool) (found []Case) {
	for _, c := range cases {
		if !slices.ContainsFunc(conditions, func(holds func(Case) bool) bool { return !holds(c) }) {
			found = append(found, c)
		}
	}
	return found
}

func within(low, high float64, what string, cases []Case, holds func(Case) bool) Figure {
	return Figure{what, len(where(cases, holds)), len(cases), low, high}
}

func atLeast(target float64, what string, cases []Case, holds func(Case) bool) Figure {
	return within(target, 1, what, cases, holds)
}

func atMost(target float64, what string, cases []Case, holds func(Case) bool) Figure {
	return within(0, target, what, cases, holds)
}

func seen(what string, cases []Case, holds func(Case) bool) Figure {
	return within(0, 1, what, cases, holds)
}

// Target is the target in words.
func (f Figure) Target() string {
	switch {
	case !f.Targeted():
		return ""
	case f.AtMost == 0:
		return "never"
	case f.AtLeast > 0 && f.AtMost < 1:
		return fmt.Sprintf("%g to %g %%", 100*f.AtLeast, 100*f.AtMost)
	case f.AtLeast > 0:
		return fmt.Sprintf("at least %g %%", 100*f.AtLeast)
	default:
		return fmt.Sprintf("at most %g %%", 100*f.AtMost)
	}
}
