package report

import (
	"encoding/json"
	"slices"

	"github.com/realiops/realiops/internal/analyze/number"
	"github.com/realiops/realiops/internal/analyze/report/words"
	"github.com/realiops/realiops/internal/runfile"
	"github.com/realiops/realiops/internal/series"
)

// Figure is a number with its uncertainty, or the reason why there is none.
type Figure struct {
	Value   float64         `json:"value"`   // the mean over repetitions, of ratios that of the sums; null where there is none
	Lowest  float64         `json:"lowest"`  // of the repetitions, with the highest background of an idle repetition taken off
	Highest float64         `json:"highest"` // of the repetitions, with the lowest
	N       int             `json:"n"`       // repetitions it was taken from; 0: it is missing
	Missing *series.Missing `json:"missing,omitempty"`
}

// leftOut is the reason for figures of a load of which no repetition may be used.
const leftOut series.Reason = "left-out"

// missingFor reports whether it is for this reason that something is missing.
func missingFor(m *series.Missing, reason series.Reason) bool { return m != nil && m.Reason == reason }

// Known reports whether there is a number.
func (f Figure) Known() bool { return f.N > 0 }

// MarshalJSON writes null for numbers that are not there, never 0.
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

// sample gathers the values of repetitions into a figure.
type sample struct {
	values   []float64
	variants []float64
	why      *series.Missing // of the first that is missing
}

func (s *sample) add(value float64, err error) {
	if err == nil && !number.Finite(value) {
		err = outOfBounds()
	}
	if err == nil {
		s.values = append(s.values, value)
		return
	}
	if s.why == nil {
		s.why = words.WhyMissing(err)
	}
}

// widen takes in what a repetition might have been too.
func (s *sample) widen(value float64, err error) {
	if err == nil && number.Finite(value) {
		s.variants = append(s.variants, value)
	}
}

// outOfBounds is why a figure that would be infinite is missing.
func outOfBounds() *series.Missing {
	return &series.Missing{Reason: series.Reason(runfile.Failed), Detail: "the numbers it is made of are out of all bounds"}
}

// figure returns the mean of the sample; with nothing in it, it is missing.
func (s *sample) figure() Figure {
	if len(s.values) == 0 {
		return Figure{Missing: s.why}
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

// lost reports whether the figure cannot be told from the background: nothing can be less than nothing.
func (f Figure) lost() bool { return f.Lowest < -Resolution }

// joined returns a figure over what two figures are over, where f may be that of several loads and g is of one more.
func (f Figure) joined(g Figure) Figure {
	if !f.Known() {
		return g
	}
	n := float64(f.N + g.N)
	return Figure{
		Value:  f.Value*float64(f.N)/n + g.Value*float64(g.N)/n,
		Lowest: min(f.Lowest, g.Lowest), Highest: max(f.Highest, g.Highest), N: f.N + g.N,
	}
}
