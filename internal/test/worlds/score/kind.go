package score

import (
	"github.com/realiops/realiops/internal/test/worlds"
)

// Kind is a kind of meter that is rare in wild worlds, so that it is drawn separately.
type Kind struct {
	Name   string
	wanted func(Case) bool
	Table  func([]Case) []Figure
}

// Draw draws a wild world with only meters of the kind.
func (k Kind) Draw(seed uint64, meters int) worlds.World {
	return worlds.NewWildOf(seed, meters, func(w worlds.World, m worlds.Meter) bool {
		return k.wanted(Case{World: w, Meter: m})
	})
}

// Kinds returns the kinds that are drawn separately.
func Kinds() []Kind {
	return []Kind{
		{"clean", func(c Case) bool { return c.sort() == worlds.Single && c.clean() }, cleanTable},
		{"nonlinear", func(c Case) bool { return c.has(worlds.Curved) }, nonlinearTable},
		{"threes", func(c Case) bool { return len(c.Meter.Rule.Terms) == 3 && c.clean() }, threesTable},
	}
}

func cleanTable(cases []Case) []Figure {
	return []Figure{
		atMost(0, "single, clean, drawn apart: wrong side", cases, Case.WrongSide),
		seen("the same: any error, by the strictest count", cases, Case.Strictly),
		atLeast(0.97, "the same: named, noise 1 and 3%", where(cases, Case.slight), Case.named),
		atLeast(0.92, "the same: named, noise 10%", where(cases, Case.noisy), Case.named),
		seen("the same: side stated", cases, Case.sideTold),
	}
}

func nonlinearTable(cases []Case) []Figure {
	return []Figure{
		atMost(0.002, "nonlinear, drawn apart: wrong side", cases, Case.WrongSide),
		seen("the same: any error", cases, Case.Strictly),
		seen("the same: stated", cases, Case.stated),
	}
}

func threesTable(cases []Case) []Figure {
	return []Figure{
		atLeast(0.85, "mixture of three, drawn apart: correct side", cases, Case.sideTold),
		seen("the same: any error", cases, Case.Strictly),
	}
}
