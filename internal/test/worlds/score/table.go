package score

import (
	"fmt"
	"math"
	"slices"

	"github.com/realiops/realiops/internal/analyze/counts"
	"github.com/realiops/realiops/internal/metric"
	"github.com/realiops/realiops/internal/test/worlds"
)

// Figure is how often something holds, of how many cases, and how often it must.
type Figure struct {
	What    string
	Hits    int
	Of      int
	AtLeast float64 // 0: no lower target
	AtMost  float64 // 1: no upper target
}

// Targeted reports whether the figure has a target.
func (f Figure) Targeted() bool { return f.AtLeast > 0 || f.AtMost < 1 }

// Share returns the share of hits; NaN without cases.
func (f Figure) Share() float64 { return float64(f.Hits) / float64(f.Of) }

// Passes reports whether the figure reaches its target. Without cases it does not.
func (f Figure) Passes() bool {
	return !f.Targeted() || f.Share() >= f.AtLeast && f.Share() <= f.AtMost
}

// Misses reports whether the target is missed beyond chance.
func (f Figure) Misses() bool {
	low, high := f.Interval()
	return f.Targeted() && (f.Of == 0 || high < f.AtLeast || low > f.AtMost)
}

// Interval holds the share over all possible worlds with a probability of 95% (Wilson's score interval).
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
		low = 0 // without rounding error
	}
	if f.Hits == f.Of {
		high = 1
	}
	return low, high
}

// undisturbed reports whether the meter shows only its rule, and the run has the quantities of the rule.
func undisturbed(c Case) bool { return c.Meter.Disturbed == "" && c.known() }

func measured(c Case) bool {
	return c.Meter.Noise > 0 && c.Verdict.PerUnit != nil && c.Verdict.Counts == c.term().Quantity
}

func wrong(c Case) bool { return c.Wrong() != "" }

// FullTable returns the targets for worlds that run the plan identify.
func FullTable(cases []Case) []Figure {
	clean, singles, mixtures := where(cases, undisturbed), sortIs(worlds.Single), sortIs(worlds.Mixture)
	whole := where(clean, singles, func(c Case) bool { return c.World.Complete() })
	parted := where(clean, mixtures, Case.parted)
	exact := func(c Case) bool { return c.Meter.Noise == 0 }
	unknown := func(c Case) bool { return !c.known() }
	outlying := func(c Case) bool { return c.Meter.Disturbed != "" }
	open := func(c Case) bool { return !c.stated() }
	return []Figure{
		atLeast(0.995, "single quantity: correct side", whole, Case.sideRight),
		atLeast(0.97, "single quantity: correct quantity, alone, noise 1 and 3%",
			where(whole, Case.slight), Case.named),
		atLeast(0.92, "single quantity: the same, noise 10%", where(whole, Case.noisy), Case.named),
		atMost(0, "mixture of two: reported as a single quantity", where(parted, Case.surely), Case.simplified),
		atLeast(0.80, "mixture of two, each 20% or more: both terms named", where(parted, Case.heavy), Case.termsNamed),
		atMost(0.005, "wrong verdict, all meters of the plan", cases, wrong),
		atLeast(0.99, "unrelated to load: cannot tell", where(clean, sortIs(worlds.Unrelated)), open),
		within(0.94, 0.98, "95% interval holds the true ratio", where(whole, measured), Case.holds),
		seen("single quantities named: tied with others, as in truth", where(clean, singles, Case.named),
			Case.tied),
		seen("single quantity: named alone", where(clean, singles), Case.alone),
		seen("single quantity, exact counter: named", where(clean, singles, exact), Case.named),
		seen("mixture of two, nearly a single quantity: reported as one", where(clean, mixtures, Case.barely),
			Case.simplified),
		seen("mixture of two, each 20% or more: cannot tell", where(parted, Case.heavy), open),
		seen("mixture of two: wrong verdict", where(clean, mixtures), wrong),
		seen("silent: reported as silent", where(cases, sortIs(worlds.Silent)), func(c Case) bool {
			return c.stated() && !wrong(c)
		}),
		seen("one outlying load, single quantity: named nevertheless", where(cases, outlying, singles), Case.named),
		seen("one outlying load: wrong verdict", where(cases, outlying), wrong),
		seen("counts something not recorded: wrong verdict", where(cases, unknown), wrong),
	}
}

// TwoLoadsTable returns the targets for worlds with two loads, in which nearly everything follows rows and entries.
func TwoLoadsTable(cases []Case) []Figure {
	published := func(c Case) bool {
		return slices.Contains([]metric.Quantity{metric.Entries, metric.WALRecords}, c.term().Quantity)
	}
	singles := where(cases, sortIs(worlds.Single), undisturbed)
	return []Figure{
		atLeast(0.98, "two loads: the true quantity not excluded", singles, Case.open),
		atMost(0, "two loads: unique verdict on entries or wal_records", where(singles, published), func(c Case) bool {
			return c.stated() && c.Verdict.Counts != ""
		}),
		atMost(0.005, "two loads: wrong verdict", cases, wrong),
	}
}

// ObservedTable returns the targets for worlds that were only observed: there a method may be silent, but not wrong.
func ObservedTable(cases []Case) []Figure {
	clean := where(cases, undisturbed)
	singles := where(clean, sortIs(worlds.Single))
	one := func(c Case) bool { return c.term().PerUnit == 1 }
	physical := func(c Case) bool { return c.term().Side == counts.Physical }
	return []Figure{
		atMost(0.005, "observed: wrong verdict, all meters", cases, wrong),
		atMost(0.005, "observed: unrelated to load, but given a verdict", where(clean, sortIs(worlds.Unrelated)),
			Case.stated),
		seen("observed: mixture of two, reported as a single quantity", where(clean, sortIs(worlds.Mixture), Case.surely),
			Case.simplified),
		seen("observed: single quantity counted one to one: side stated", where(singles, one), Case.stated),
		seen("observed: single physical quantity: side stated", where(singles, physical), Case.stated),
		seen("observed: single quantity: side stated", singles, Case.stated),
		seen("observed: silent: reported as silent", where(clean, sortIs(worlds.Silent)), Case.stated),
	}
}

// DayTable returns the targets for worlds that were observed for hours, in which the mix of work varies as in
// production.
func DayTable(cases []Case) []Figure {
	clean := where(cases, undisturbed)
	singles := where(clean, sortIs(worlds.Single))
	one := where(singles, func(c Case) bool { return c.term().PerUnit == 1 })
	return []Figure{
		atMost(0.005, "observed for 12 hours: wrong verdict, all meters", cases, wrong),
		atMost(0, "observed for 12 hours: single quantity counted one to one: wrong side", one, Case.WrongSide),
		atLeast(0.60, "the same: side stated", one, Case.sideTold),
		seen("observed for 12 hours: single quantity: side stated", singles, Case.sideTold),
		seen("observed for 12 hours: wrong side, all meters", cases, Case.WrongSide),
		seen("observed for 12 hours: mixture of two, reported as a single quantity",
			where(clean, sortIs(worlds.Mixture), Case.surely), Case.simplified),
	}
}

func sortIs(sort worlds.Sort) func(Case) bool { return func(c Case) bool { return c.sort() == sort } }

// where returns the cases for which all conditions hold.
func where[T any](cases []T, conditions ...func(T) bool) (found []T) {
	for _, c := range cases {
		if !slices.ContainsFunc(conditions, func(holds func(T) bool) bool { return !holds(c) }) {
			found = append(found, c)
		}
	}
	return found
}

func within[T any](low, high float64, what string, cases []T, holds func(T) bool) Figure {
	return Figure{what, len(where(cases, holds)), len(cases), low, high}
}

func atLeast[T any](target float64, what string, cases []T, holds func(T) bool) Figure {
	return within(target, 1, what, cases, holds)
}

func atMost[T any](target float64, what string, cases []T, holds func(T) bool) Figure {
	return within(0, target, what, cases, holds)
}

func seen[T any](what string, cases []T, holds func(T) bool) Figure {
	return within(0, 1, what, cases, holds)
}

// Target returns the target in words.
func (f Figure) Target() string {
	switch {
	case !f.Targeted():
		return ""
	case f.AtMost == 0:
		return "never"
	case f.AtLeast > 0 && f.AtMost < 1:
		return fmt.Sprintf("%g to %g%%", 100*f.AtLeast, 100*f.AtMost)
	case f.AtLeast > 0:
		return fmt.Sprintf("at least %g%%", 100*f.AtLeast)
	default:
		return fmt.Sprintf("at most %g%%", 100*f.AtMost)
	}
}
