package words

import (
	"fmt"

	"github.com/realiops/realiops/internal/analyze/document"
	"github.com/realiops/realiops/internal/analyze/number"
)

// Texts returns a column of words.
func Texts(words []string) []document.Cell { return Each(document.Words, words) }

func Faint(text string) document.Block { return document.Paragraph{Text: text, Style: document.Faint} }

func Count(n int) document.Cell { return document.Number(fmt.Sprint(n), float64(n)) }

// Exact returns a number for a program.
func Exact(v float64) document.Cell { return document.Number("", v) }

// Known formats a rate that may be missing.
func Known(v *float64) document.Cell {
	if v == nil || !number.Finite(*v) {
		return document.Words("-")
	}
	return document.Number(number.Rate(*v), *v)
}
