package report

import (
	"github.com/realiops/realiops/internal/analyze/document"
	"github.com/realiops/realiops/internal/analyze/number"
)

// cell returns a figure with its uncertainty, written by format, or why there is none.
func (f Figure) cell(format func(float64) string) document.Cell {
	switch {
	case !f.Known():
		return document.Missing(missingText(f.Missing))
	case f.lost():
		c := document.Missing("cannot be told from the background")
		c.Text = "~"
		return c
	default:
		return document.Number(format(f.Value), f.Value).Sure(f.PlusMinus())
	}
}

// PlusMinus is half the way from the lowest to the highest repetition, as a share of the figure.
func (f Figure) PlusMinus() string {
	switch {
	case f.N == 1:
		return "±?"
	case f.Highest <= f.Lowest:
		return "±0%"
	default:
		return "±" + number.Percent((f.Highest-f.Lowest)/2/f.Value)
	}
}

// Exactly returns a figure for a program, without its uncertainty.
func (f Figure) Exactly() document.Cell {
	if !f.Known() {
		return document.Missing(missingText(f.Missing))
	}
	return document.Number("", f.Value)
}

// in formats rates in a unit.
func in(unit float64) func(float64) string {
	return func(v float64) string { return number.Rate(v / unit) }
}
