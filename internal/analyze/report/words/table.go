package words

import (
	"fmt"

	"github.com/realiops/realiops/internal/analyze/document"
	"github.com/realiops/realiops/internal/analyze/number"
)

// Grid makes a table with a line for each of its rows, column by column.
type Grid[T any] struct {
	Table document.Table
	Of    []T
}

// Column adds one at the right.
func (g *Grid[T]) Column(c document.Column, cell func(T) document.Cell) {
	g.Table.Add(c, Each(cell, g.Of))
}

// Wordy adds a column of words.
func (g *Grid[T]) Wordy(header string, text func(T) string) {
	g.Column(Wordy(header), func(row T) document.Cell { return document.Words(text(row)) })
}

// Numeric adds a column of numbers.
func (g *Grid[T]) Numeric(header string, cell func(T) document.Cell) { g.Column(Numeric(header), cell) }

// Texts are cells of words, a column of them.
func Texts(words []string) []document.Cell { return Each(document.Words, words) }

// Wordy returns a column of words, numeric one of numbers.
func Wordy(header string) document.Column   { return document.Column{Header: header, Words: true} }
func Numeric(header string) document.Column { return document.Column{Header: header} }

func Faint(text string) document.Block { return document.Paragraph{Text: text, Style: document.Faint} }

func Count(n int) document.Cell { return document.Number(fmt.Sprint(n), float64(n)) }

// Exact returns a number for a program.
func Exact(v float64) document.Cell { return document.Number("", v) }

// Known returns a rate that may be missing.
func Known(v *float64) document.Cell {
	if v == nil || !number.Finite(*v) {
		return document.Words("-")
	}
	return document.Number(number.Rate(*v), *v)
}
