package score

import (
	"slices"

	"github.com/realiops/realiops/internal/analyze/attribution"
	"github.com/realiops/realiops/internal/analyze/counts"
	"github.com/realiops/realiops/internal/metric"
	"github.com/realiops/realiops/internal/test/worlds"
)

// WrongSide reports whether a wrong verdict is on a side that the truth is not: one for another, several for one, one
// for several, or any for an unrelated meter.
func (c Case) WrongSide() bool {
	return c.Wrong() != "" && c.besideIt()
}

// Strictly is Wrong by the strictest count: a name for an unrecorded quantity is wrong even if the named one keeps step
// with it.
func (c Case) Strictly() bool {
	switch {
	case c.Wrong() != "":
		return true
	case !c.stated() || c.known():
		return false
	case c.Verdict.Counts != "":
		return c.sort() != worlds.Single || c.Verdict.Counts != c.term().Quantity
	case c.Verdict.Mixture == nil:
		return false
	}
	counts := func(quantity metric.Quantity) bool {
		return slices.ContainsFunc(c.Meter.Rule.Terms, func(t worlds.Term) bool { return t.Quantity == quantity })
	}
	return slices.ContainsFunc(c.Verdict.Mixture.Terms, func(t attribution.Term) bool {
		return t.Share >= weighty && !counts(t.Quantity) && !slices.ContainsFunc(t.Or, counts)
	})
}

// sideTold reports whether the verdict is the side of the rule. NotLogical is the side of a rule that is both requested
// and physical; for one of these it is true, but less than its side.
func (c Case) sideTold() bool {
	some := c.Meter.Rule.Sides(0)
	if c.Verdict.Kind == attribution.NotLogical && !(some[counts.Requested] && some[counts.Physical]) {
		return false
	}
	return c.stated() && !c.WrongSide()
}

// has reports whether a meter has one trouble and no other, in a complete world without a visitor.
func (c Case) has(t worlds.Trouble) bool {
	return c.Meter.Trouble == t && undisturbed(c) && !c.World.Visited && c.World.Complete()
}

func (c Case) clean() bool  { return c.has(worlds.NoTrouble) }
func (c Case) noisy() bool  { return c.Meter.Noise == 0.10 }
func (c Case) slight() bool { return c.Meter.Noise > 0 && !c.noisy() }

// wrongOfCurve: nonlinear meters follow a quantity by a curve, so naming one is wrong.
func (c Case) wrongOfCurve() string {
	if c.Verdict.Kind == attribution.Silent {
		return "load moves it"
	}
	switch {
	case c.besideIt():
		return "it counts on another side"
	case c.simplified() && !slices.ContainsFunc(c.single(), c.alike):
		return "it follows no quantity in proportion"
	}
	return ""
}

// WildTable returns the targets for worlds with their own physics.
func WildTable(cases []Case) []Figure {
	trouble := func(t worlds.Trouble) func(Case) bool { return func(c Case) bool { return c.has(t) } }
	single, mixed := sortIs(worlds.Single), sortIs(worlds.Mixture)
	terms := func(n int) func(Case) bool { return func(c Case) bool { return len(c.Meter.Rule.Terms) == n } }
	visited := func(c Case) bool {
		return c.World.Visited && c.Meter.Trouble == worlds.NoTrouble && undisturbed(c) && c.World.Complete()
	}
	unrecorded := func(c Case) bool { return !c.known() }
	return []Figure{
		atMost(0.0012, "any error, in side or quantity", cases, wrong),
		atMost(0.0012, "the same, counted most strictly", cases, Case.Strictly),
		atMost(0.0006, "wrong side", cases, Case.WrongSide),
		atMost(0.0001, "single, clean: wrong side", where(cases, single, Case.clean), Case.WrongSide),
		atLeast(0.97, "single, clean: correct quantity, alone or with its true ties, noise 1 and 3%",
			where(cases, single, Case.clean, Case.slight), Case.named),
		atLeast(0.92, "the same, noise 10%", where(cases, single, Case.clean, Case.noisy), Case.named),
		atLeast(0.80, "single, lag of 1 to 5 s: named", where(cases, single, trouble(worlds.Lagging)), Case.named),
		atLeast(0.80, "single, steps of a minute: named", where(cases, single, trouble(worlds.Stepping)), Case.named),
		atLeast(0.85, "single, another program on the device: named", where(cases, single, visited), Case.named),
		atMost(0.002, "nonlinear: wrong side", where(cases, trouble(worlds.Curved)), Case.WrongSide),
		atLeast(0.92, "mixture of two: correct side", where(cases, mixed, terms(2), Case.clean), Case.sideTold),
		atLeast(0.85, "mixture of three: correct side", where(cases, mixed, terms(3), Case.clean), Case.sideTold),
		atLeast(0.99, "unrelated to load: cannot tell", where(cases, sortIs(worlds.Unrelated)), func(c Case) bool {
			return !c.stated() || c.Wrong() == ""
		}),
		within(0.94, 0.98, "95% interval holds, independent noise", where(cases, single, Case.clean, measured),
			Case.holds),
		atLeast(0.90, "95% interval holds, autocorrelated noise", where(cases, single, trouble(worlds.Correlated),
			measured), Case.holds),
		atLeast(0.92, "95% interval holds, periods", where(cases, single, trouble(worlds.InPeriods), measured),
			Case.holds),
		seen("single, autocorrelated: named", where(cases, single, trouble(worlds.Correlated)), Case.named),
		seen("single, heavy tails: named", where(cases, single, trouble(worlds.HeavyTails)), Case.named),
		seen("single, counter reset: named", where(cases, single, trouble(worlds.Restarted)), Case.named),
		seen("single, counter wraps: named", where(cases, single, trouble(worlds.Wrapping)), Case.named),
		seen("single, periods: named", where(cases, single, trouble(worlds.InPeriods)), Case.named),
		seen("single, clean, some quantities not recorded: side stated",
			where(cases, single, undisturbed, func(c Case) bool {
				return !c.World.Complete() && c.Meter.Trouble == worlds.NoTrouble
			}), Case.sideTold),
		seen("the same: named alone", where(cases, single, undisturbed, func(c Case) bool {
			return !c.World.Complete() && c.Meter.Trouble == worlds.NoTrouble
		}), Case.alone),
		seen("single, clean: side stated", where(cases, single, Case.clean), Case.sideTold),
		seen("nonlinear: stated", where(cases, trouble(worlds.Curved)), Case.stated),
		seen("nonlinear: any error", where(cases, trouble(worlds.Curved)), wrong),
		seen("mixture of two: any error", where(cases, mixed, terms(2), Case.clean), wrong),
		seen("mixture of three: any error", where(cases, mixed, terms(3), Case.clean), wrong),
		seen("mixture of two: terms named", where(cases, mixed, terms(2), Case.clean, Case.heavy), Case.termsNamed),
		seen("silent: reported as silent", where(cases, sortIs(worlds.Silent)), Case.stated),
		seen("counts something not recorded: another named", where(cases, unrecorded), Case.Strictly),
		seen("counts something not recorded: side stated", where(cases, unrecorded), Case.sideTold),
		seen("only index entries, or splits of index pages: side stated", where(cases, single, isIndex), Case.sideTold),
		seen("wild plan, loads renamed: any error", where(cases, designIs(worlds.Renamed)), wrong),
		seen("plan with random factors: any error", where(cases, designIs(worlds.Odd)), wrong),
		seen("on Aurora: any error", where(cases, designIs(worlds.Aurora)), wrong),
	}
}

func isIndex(c Case) bool {
	return c.Meter.Disturbed == "" && (c.term().Quantity == worlds.IndexEntries ||
		c.term().Quantity == worlds.IndexSplits)
}

func designIs(design worlds.Design) func(Case) bool {
	return func(c Case) bool { return c.World.Design() == design }
}
