// Package figure defines a number of a report with its uncertainty, or the reason why it is missing.
package figure

import (
	"encoding/json"
	"math"
	"slices"

	"github.com/realiops/realiops/internal/analyze/counts"
	"github.com/realiops/realiops/internal/analyze/document"
	"github.com/realiops/realiops/internal/analyze/number"
	"github.com/realiops/realiops/internal/analyze/report/words"
	"github.com/realiops/realiops/internal/runfile"
	"github.com/realiops/realiops/internal/series"
)

// Figure is a number with its uncertainty, or the reason why it is missing.
type Figure struct {
	// mean over the repetitions, or ratio of their sums; null if missing
	Value float64 `json:"value"`
	// of the repetitions, with the highest background of an idle repetition taken off
	Lowest  float64         `json:"lowest"`
	Highest float64         `json:"highest"` // of the repetitions, with the lowest background
	N       int             `json:"n"`       // repetitions; 0: missing
	Missing *series.Missing `json:"missing,omitempty"`
}

// Resolution is less than any counter resolves, and more than rounding leaves.
const Resolution = 1e-6

// Known reports whether there is a number.
func (f Figure) Known() bool { return f.N > 0 }

// MarshalJSON writes null for missing numbers, never 0.
func (f Figure) MarshalJSON() ([]byte, error) {
	if f.Known() {
		type known Figure
		return json.Marshal(known(f))
	}
	return json.Marshal(struct {
		Value   *float64        `json:"value"`
		N       int             `json:"n"`
		Missing *series.Missing `json:"missing,omitempty"`
	}{Missing: f.Missing})
}

// Sample collects the values of repetitions for a figure.
type Sample struct {
	values, variants []float64
	Why              *series.Missing // of the first missing value
}

// Add adds the value of a repetition, or the reason why it is missing.
func (s *Sample) Add(value float64, err error) {
	if err == nil && !number.Finite(value) {
		err = OutOfBounds()
	}
	if err == nil {
		s.values = append(s.values, value)
		return
	}
	if s.Why == nil {
		s.Why = counts.WhyMissing(err)
	}
}

// Widen adds another possible value of a repetition.
func (s *Sample) Widen(value float64, err error) {
	if err == nil && number.Finite(value) {
		s.variants = append(s.variants, value)
	}
}

// OutOfBounds is the reason for a figure that would be infinite.
func OutOfBounds() *series.Missing {
	return &series.Missing{Reason: series.Reason(runfile.Failed),
		Detail: "the underlying numbers are out of range"}
}

// Figure returns the mean of the sample; an empty sample has none.
func (s *Sample) Figure() Figure {
	if len(s.values) == 0 {
		return Figure{Missing: s.Why}
	}
	f := Figure{N: len(s.values)}
	for _, v := range s.values {
		f.Value += v / float64(f.N)
	}
	all := slices.Concat(s.values, s.variants)
	f.Lowest, f.Highest = slices.Min(all), slices.Max(all)
	f.Value = min(max(f.Value, f.Lowest), f.Highest) // rounding
	return f
}

// Lost reports whether the figure is lost in the background: its range includes negative values.
func (f Figure) Lost() bool { return f.Lowest < -Resolution }

// Drowned reports whether the background was larger than all that was counted, so that not even a bound is known.
func (f Figure) Drowned() bool { return f.Lost() && f.Highest <= Resolution }

// Joined merges g, the figure of one load, into f, the figure of several.
func (f Figure) Joined(g Figure) Figure {
	if !f.Known() {
		return g
	}
	n := float64(f.N + g.N)
	return Figure{
		Value:  f.Value*float64(f.N)/n + g.Value*float64(g.N)/n,
		Lowest: min(f.Lowest, g.Lowest), Highest: max(f.Highest, g.Highest), N: f.N + g.N,
	}
}

// Cell returns a figure, formatted as text, with its uncertainty, or why it is missing.
func (f Figure) Cell(text string) document.Cell {
	switch {
	case !f.Known():
		return document.Missing(words.WhyNot(f.Missing))
	case f.Lost():
		c := document.Missing("indistinguishable from the background")
		c.Text = "~"
		return c
	default:
		return document.Number(text, f.Value).Sure(f.PlusMinus())
	}
}

// PlusMinus returns half the range of the repetitions, relative to the figure.
func (f Figure) PlusMinus() string {
	switch {
	case f.N == 1:
		return "±?"
	case f.Highest <= f.Lowest:
		return "±0%"
	default:
		return "±" + number.Percent(f.half()/f.Value)
	}
}

// Exactly returns a figure for a program, without its uncertainty.
func (f Figure) Exactly() document.Cell {
	if !f.Known() {
		return document.Missing(words.WhyNot(f.Missing))
	}
	return document.Number("", f.Value)
}

// Between formats a rate; as its range if the highest is more than twice the lowest, and as its upper bound if it is
// lost in the background.
func (f Figure) Between() string {
	switch {
	case f.Lowest <= Resolution && f.Highest > Resolution:
		return "at most " + number.AtMost(f.Highest)
	case f.wide():
		return number.Within(f.Lowest, f.Lowest, f.Highest) + " to " + number.Within(f.Highest, f.Lowest, f.Highest)
	}
	return f.Rate(1)
}

// WideRatio formats the range of a ratio if its highest is more than twice its lowest; else it is empty. Each end has
// its own digits: the range may reach from 4 to 400.
func (f Figure) WideRatio() string {
	if !f.wide() {
		return ""
	}
	return number.Estimate(f.Lowest, f.Lowest, f.Lowest, f.Highest) + " to " +
		number.Estimate(f.Highest, f.Highest, f.Lowest, f.Highest)
}

// wide reports whether a single number would say too little.
func (f Figure) wide() bool {
	const unsteady = 2
	return f.Lowest > 0 && f.Highest > unsteady*f.Lowest && number.Finite(f.Highest)
}

// Rate formats a rate in a unit, with the digits that its repetitions justify.
func (f Figure) Rate(unit float64) string {
	return number.Rate(number.Rounded(f.Value, f.half()) / unit)
}

// Ratio formats a ratio, with the digits that its repetitions justify.
func (f Figure) Ratio() string {
	half := f.half()
	if half == 0 {
		return number.Ratio(f.Value)
	}
	return number.Estimate(f.Value, f.Value, f.Value-half, f.Value+half)
}

// Factor formats a ratio like Ratio, with at most three digits.
func (f Figure) Factor() string {
	const fourth = 0.004 // of the next power of ten: hides a fourth digit
	half := max(f.half(), fourth*math.Pow(10, math.Ceil(math.Log10(math.Abs(f.Value)))))
	return number.Estimate(f.Value, f.Value, f.Value-half, f.Value+half)
}

// Times returns a figure in a unit that is n times smaller.
func (f Figure) Times(n float64) Figure {
	f.Value, f.Lowest, f.Highest = n*f.Value, n*f.Lowest, n*f.Highest
	return f
}

// half returns half the range of the repetitions. One repetition does not show how much they vary: it has two or three
// digits, like other rough numbers.
func (f Figure) half() float64 {
	half := (f.Highest - f.Lowest) / 2
	if f.N == 1 {
		return max(half, number.Rough*math.Abs(f.Value))
	}
	return half
}
