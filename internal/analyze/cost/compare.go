package cost

import (
	"fmt"
	"math"
)

// Compared is a cost to compare with.
type Compared struct {
	File string `json:"file"`
	Cost Cost   `json:"cost"`
}

// Change is what became of a count since the base.
type Change struct {
	Base  float64 // median
	Ratio float64 // of the medians
	Clear bool    // each repetition of one lies beyond all of the other's
	Why   string  // there is none
}

// Of is the change of a count.
func (b Compared) Of(c Count) Change {
	base, counted := b.Cost.Find(c.Name)
	switch {
	case c.Missing != "":
		return Change{Why: c.Missing}
	case !counted || base.Missing != "":
		return Change{Why: "it was not counted in " + b.File}
	}
	ratio := c.Median / base.Median
	if c.Median == base.Median {
		ratio = 1
	}
	return Change{Base: base.Median, Ratio: ratio, Clear: c.Low > base.High || c.High < base.Low}
}

// Text is the change for people.
func (c Change) Text() string {
	switch {
	case c.Ratio == 1:
		return "same"
	case !c.Clear:
		return "~"
	case math.IsInf(c.Ratio, 0):
		return "from 0"
	default:
		return fmt.Sprintf("%+.1f%%", 100*(c.Ratio-1))
	}
}
