package score

import (
	"fmt"
	"slices"

	"github.com/realiops/realiops/internal/analyze/attribution"
	"github.com/realiops/realiops/internal/analyze/counts"
	"github.com/realiops/realiops/internal/metric"
	"github.com/realiops/realiops/internal/test/worlds"
)

// Case is one meter of a world, and the verdict on it.
type Case struct {
	World   worlds.World
	Meter   worlds.Meter
	Verdict attribution.Verdict
	// exchangeable caches the results of same, by two quantities: most figures need them again. nil caches nothing.
	exchangeable map[[2]metric.Quantity]bool
}

func (c Case) sort() worlds.Sort            { return c.Meter.Rule.Sort }
func (c Case) term() worlds.Term            { return c.Meter.Rule.Terms[0] } // of a single quantity's rule
func (c Case) stated() bool                 { return c.Verdict.Kind != attribution.CannotTell }
func (c Case) alike(d metric.Quantity) bool { return c.World.Alike(c.Meter, d) }

// single returns the candidates for the one quantity that the meter counts.
func (c Case) single() []metric.Quantity {
	if c.Verdict.Counts != "" {
		return []metric.Quantity{c.Verdict.Counts}
	}
	return c.Verdict.Between
}

// weighty is the share from which on a term must be named, and may not be named wrongly.
const weighty = 0.20

// Wrong says how a verdict contradicts the truth; empty if it does not, or if there is none.
func (c Case) Wrong() string {
	if !c.stated() {
		return ""
	}
	if c.Meter.Trouble == worlds.Curved {
		return c.wrongOfCurve()
	}
	switch c.sort() {
	case worlds.Single:
		return c.wrongOfSingle()
	case worlds.Mixture:
		return c.wrongOfMixture()
	case worlds.Unrelated:
		if c.Verdict.Kind == attribution.Silent && c.Meter.Restless {
			return "" // load does not move it
		}
		return "nothing of it is related to load"
	default:
		if c.Verdict.Kind == attribution.Silent {
			return ""
		}
		return "load does not move it"
	}
}

// known reports whether the run has every quantity of the rule.
func (c Case) known() bool {
	return !slices.ContainsFunc(c.Meter.Rule.Terms, func(t worlds.Term) bool { return !c.World.Recorded(t.Quantity) })
}

func (c Case) wrongOfSingle() string {
	switch {
	case c.besideIt():
		return fmt.Sprintf("it is %s", c.term().Side)
	case !c.known():
		return c.wrongOfUnknown()
	case c.Verdict.Mixture != nil:
		return c.strangeTerm()
	case len(c.single()) > 0 && !slices.Contains(c.single(), c.term().Quantity):
		return fmt.Sprintf("it counts %s", c.term().Quantity)
	}
	return ""
}

// wrongOfUnknown: a meter of an unrecorded quantity may be said to count one that keeps step with it, or a sum that
// equals it, but nothing else.
func (c Case) wrongOfUnknown() string {
	if c.simplified() && !slices.ContainsFunc(c.single(), c.alike) {
		return "it counts something that was not recorded"
	}
	return ""
}

func (c Case) wrongOfMixture() string {
	if c.Verdict.Kind == attribution.Silent {
		return "load moves it"
	}
	if c.Verdict.Mixture == nil && len(c.single()) > 0 {
		if slices.ContainsFunc(c.single(), c.alike) {
			return ""
		}
		return "it counts two quantities"
	}
	if c.besideIt() {
		return "it counts on another side"
	}
	if !c.known() {
		return ""
	}
	return c.strangeTerm()
}

// besideIt reports whether the stated side leaves out a weighty term, or has no term of the rule.
func (c Case) besideIt() bool {
	heavy, some := c.Meter.Rule.Sides(weighty), c.Meter.Rule.Sides(0)
	switch c.Verdict.Kind {
	case attribution.Logical:
		return heavy[counts.Requested] || heavy[counts.Physical] || !some[counts.Logical]
	case attribution.Requested:
		return heavy[counts.Logical] || heavy[counts.Physical] || !some[counts.Requested]
	case attribution.Physical:
		return heavy[counts.Logical] || heavy[counts.Requested] || !some[counts.Physical]
	case attribution.NotLogical:
		return heavy[counts.Logical] || !(some[counts.Requested] || some[counts.Physical])
	case attribution.Mixed:
		return !some[counts.Logical] || !(some[counts.Requested] || some[counts.Physical])
	default:
		return true
	}
}

// strangeTerm returns a weighty term in the verdict that the meter does not count, nor any of its alternatives.
func (c Case) strangeTerm() string {
	if c.Verdict.Mixture == nil {
		return ""
	}
	for _, t := range c.Verdict.Mixture.Terms {
		counts := func(quantity metric.Quantity) bool {
			return slices.ContainsFunc(c.Meter.Rule.Terms, func(term worlds.Term) bool {
				return c.same(term, quantity)
			})
		}
		if t.Share >= weighty && !counts(t.Quantity) && !slices.ContainsFunc(t.Or, counts) {
			return fmt.Sprintf("it does not count %s", t.Quantity)
		}
	}
	return ""
}

// same reports whether a quantity is a term of the rule, or one that the world does not separate from it.
func (c Case) same(t worlds.Term, quantity metric.Quantity) bool {
	if t.Quantity == quantity {
		return true
	}
	pair := [2]metric.Quantity{t.Quantity, quantity}
	same, known := c.exchangeable[pair]
	if !known {
		same = c.World.Exchangeable(c.Meter, t, quantity)
		if c.exchangeable != nil {
			c.exchangeable[pair] = same
		}
	}
	return same
}

// sideRight reports, for the rule of a single quantity, whether its side was stated, or rightly left open.
func (c Case) sideRight() bool {
	if c.stated() {
		return string(c.Verdict.Kind) == string(c.term().Side)
	}
	return slices.ContainsFunc(c.World.Quantities(), func(d counts.Quantity) bool {
		return d.Side != c.term().Side && c.alike(d.Name)
	})
}

// named reports, for the rule of a single quantity, whether it was named, alone or with just those that the world does
// not separate from it.
func (c Case) named() bool {
	return c.Verdict.Mixture == nil && (c.alone() || c.tied())
}

func (c Case) alone() bool { return c.Verdict.Mixture == nil && c.Verdict.Counts == c.term().Quantity }

// tied reports whether it was rightly named with others.
func (c Case) tied() bool {
	between := c.Verdict.Between
	apart := func(d metric.Quantity) bool { return d != c.term().Quantity && !c.alike(d) }
	return c.Verdict.Counts == "" && slices.Contains(between, c.term().Quantity) && !slices.ContainsFunc(between, apart)
}

// parted reports whether the world separates the mixture from every single quantity.
func (c Case) parted() bool {
	return !slices.ContainsFunc(c.World.Quantities(), func(d counts.Quantity) bool { return c.alike(d.Name) })
}

// surely reports whether the world clearly separates the mixture from every single quantity.
func (c Case) surely() bool {
	return !slices.ContainsFunc(c.World.Quantities(), func(d counts.Quantity) bool {
		return !c.World.Parted(c.Meter, d.Name)
	})
}

// barely reports whether it separates them by little, so that even the best method misses it now and then.
func (c Case) barely() bool { return c.parted() && !c.surely() }

// simplified reports whether the verdict is a single quantity, by name or as one of several.
func (c Case) simplified() bool {
	return c.stated() && c.Verdict.Mixture == nil && len(c.single()) > 0
}

// heavy reports whether both terms of the mixture are weighty.
func (c Case) heavy() bool {
	return !slices.ContainsFunc(c.Meter.Rule.Terms, func(t worlds.Term) bool { return t.Share < weighty })
}

// trace is the largest share of terms outside the rule.
const trace = 0.05

// termsNamed reports whether each term of the rule was named, and nothing else beyond a trace.
func (c Case) termsNamed() bool {
	if !c.stated() || c.Verdict.Mixture == nil {
		return false
	}
	left, strange := slices.Clone(c.Meter.Rule.Terms), 0.0
	for _, t := range c.Verdict.Mixture.Terms {
		i := slices.IndexFunc(left, func(term worlds.Term) bool { return c.same(term, t.Quantity) })
		if i < 0 {
			strange += t.Share
			continue
		}
		left = slices.Delete(left, i, i+1)
	}
	return len(left) == 0 && strange <= trace
}

// holds reports whether the interval of the ratio holds the true one.
func (c Case) holds() bool {
	return c.Verdict.PerUnit.Lo <= c.term().PerUnit && c.term().PerUnit <= c.Verdict.PerUnit.Hi
}

// open reports whether the true quantity was not excluded.
func (c Case) open() bool {
	return !slices.ContainsFunc(c.Verdict.Rivals, func(r attribution.Rival) bool {
		return r.Quantity == c.term().Quantity && r.Status == attribution.Excluded
	})
}
