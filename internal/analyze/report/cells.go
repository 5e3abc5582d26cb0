package report

import (
	"github.com/realiops/realiops/internal/analyze/document"
	"github.com/realiops/realiops/internal/analyze/number"
)

// cell is a figure with its uncertainty, written by format, or why there is none.
func (f Figure) cell(format func(float64) string) document.Cell {
	switch {
	case !f.Known():
		return document.Missing(missingText(f.Missing))
	case f.lost():
		c := document.Missing("cannot be told from the background")
		c.Text = "~"
		return c
	default:
		return document.Number(format(f.Value), f.Value).Sure(f.plusMinus())
	}
}

// plusMinus is half the way from the lowest to the highest repetition, as a share of the figure.
func (f Figure) plusMinus() string {
	switch {
	case f.N == 1:
		return "±?"
	case f.Highest <= f.Lowest:
		return "±0%"
	default:
		return "±" + number.Percent((f.Highest-f.Lowest)/2/f.Value)
	}
}

// exactly is a figure for a program, without its uncertainty.
func (f Figure) exactly() document.Cell {
	if !f.Known() {
		return document.Missing(missingText(f.Missing))
	}
	return document.Number("", f.Value)
}

// in formats rates in a unit.
func in(unit float64) func(float64) string {
	return func(v float64) string { return number.Rate(v / unit) }
}

// cells are those of a column.
func cells[T any](rows []T, of func(T) document.Cell) []document.Cell { return each(of, rows) }

// texts are cells of words, a column of them.
func texts(words []string) []document.Cell { return each(document.Words, words) }

// wordy is a column of words, numeric one of numbers.
func wordy(header string) document.Column   { return document.Column{Header: header, Words: true} }
func numeric(header string) document.Column { return document.Column{Header: header} }
