package document

import (
	"fmt"
	"slices"
	"strings"

	"github.com/realiops/realiops/internal/printable"
	"github.com/realiops/realiops/internal/shell"
)

// Document is a report, in reading order.
type Document struct {
	Title   string // of a page's window
	Heading string // of a page; text begins with its first block
	Blocks  []Block
	Lead    Block // one of Blocks, the answer: a terminal shows it again below a text that it scrolls away; nil: none
}

// Block is a part of a document. nil and blocks without content render nothing.
type Block interface{ isBlock() }

type (
	// Section is a title with blocks. A nested section is a subsection.
	Section struct {
		Title  string
		Blocks []Block
		Folded bool // a page in a browser shows its title, and the rest on click
	}

	// Tiles are numbers side by side in very large type, in HTML only.
	Tiles []Tile

	// Contents links to the sections of a page in a browser.
	Contents struct{}

	// Together groups blocks that text writes without blank lines between them.
	Together []Block

	// Paragraph is text that each format wraps.
	Paragraph struct {
		Text  string
		Style Style
	}

	// List is a list of items.
	List []string

	// Points are findings, each with its consequences below.
	Points []Point

	// Terms are words with explanations; text puts them side by side.
	Terms []Term

	// Answers are readers' questions with short answers.
	Answers []Answer

	// Warnings come before the numbers that they apply to.
	Warnings []Warning

	// Notes are the footnotes of the preceding cells that have none yet, and remarks without a cell. In a browser each
	// section has its footnotes at its end.
	Notes struct {
		Title   string // on a page; text puts notes below the blocks
		Remarks []string
		Folded  bool // as for Section
	}

	// Command shows commands for the reader to type.
	Command struct {
		Lead  string // its purpose
		Lines []shell.Command
	}

	// Example is preformatted text of ours.
	Example []string

	// Figure shows pictures, in HTML only.
	Figure struct {
		Pictures []Picture
		Legend   []string
	}
)

// Picture draws itself, so that writers of text need no drawing library.
type Picture interface {
	Heading() string
	Small() bool // stands beside others
	SVG() (string, error)
	Legend() []Key
}

// Key is the appearance of a line in a picture.
type Key struct{ Name, Color string }

// Warning is something to know before relying on the numbers.
type Warning struct {
	Rank Rank
	Text string
}

// Rank grades a warning by how far the numbers can still be trusted.
type Rank string

// Ranks of a warning.
const (
	Void  Rank = "void"     // the numbers are about something else: stop
	Doubt Rank = "doubtful" // the numbers may be off
	Note  Rank = "note"     // the numbers hold, with a remark
)

// Doubts returns warnings of rank Doubt.
func Doubts(texts []string) (all Warnings) {
	for _, text := range texts {
		all = append(all, Warning{Doubt, text})
	}
	return all
}

// marked returns the text with its rank, which is omitted for Doubt.
func (w Warning) marked() string {
	if w.Rank == Doubt {
		return w.Text
	}
	return string(w.Rank) + ": " + w.Text
}

func (c Command) texts() (all []string) {
	for _, line := range c.Lines {
		all = append(all, line.String())
	}
	return all
}

// Tile shows a number beside the one that it is mistaken for.
type Tile struct{ Of, Loud, Quiet, Said string }

// Answer is a question with its answer.
type Answer struct {
	Question string
	Texts    []string
}

// Point is a finding.
type Point struct {
	Text  string
	Grave bool // it invalidates all numbers
	Below []string
}

// Term is a word with explanations.
type Term struct {
	Name  string
	Texts []string
	ID    string // target of links from cells of a page; empty: none
}

// Style is the emphasis of a paragraph on a page.
type Style int

const (
	Plain Style = iota
	Headline
	Faint
)

// Titled returns a section.
func Titled(title string, blocks ...Block) Section { return Section{Title: title, Blocks: blocks} }

func (Section) isBlock()   {}
func (Tiles) isBlock()     {}
func (Contents) isBlock()  {}
func (Together) isBlock()  {}
func (Paragraph) isBlock() {}
func (List) isBlock()      {}
func (Points) isBlock()    {}
func (Terms) isBlock()     {}
func (Answers) isBlock()   {}
func (Warnings) isBlock()  {}
func (Notes) isBlock()     {}
func (Command) isBlock()   {}
func (Example) isBlock()   {}
func (Figure) isBlock()    {}
func (Table) isBlock()     {}
func (only) isBlock()      {}

// Format is a set of formats.
type Format int

// The formats. CSV has only tables made for it.
const (
	InText Format = 1 << iota
	InHTML
	InMarkdown
	InCSV
	OnPages = InHTML | InMarkdown
)

type only struct {
	in     Format
	blocks []Block
}

// Folded returns sections that a page in a browser folds.
func Folded(blocks ...Block) Block {
	var all []Block
	for _, b := range blocks {
		if s, ok := b.(Section); ok {
			s.Folded = true
			b = s
		}
		all = append(all, b)
	}
	return Only(InText|OnPages, all...)
}

// Only returns blocks that only some formats show.
func Only(in Format, blocks ...Block) Block { return only{in, blocks} }

func shown(blocks []Block, in Format) (all []Block) {
	for _, b := range blocks {
		switch b := b.(type) {
		case nil:
		case only:
			if b.in&in != 0 {
				all = append(all, shown(b.blocks, in)...)
			}
		default:
			all = append(all, b)
		}
	}
	return all
}

// flat flattens Together for formats without blank lines between blocks.
func flat(blocks []Block, in Format) (all []Block) {
	for _, b := range shown(blocks, in) {
		if together, ok := b.(Together); ok {
			all = append(all, flat(together, in)...)
		} else {
			all = append(all, b)
		}
	}
	return all
}

// footnotes numbers the footnotes of cells; equal texts share a number.
type footnotes []string

func (n *footnotes) mark(text string) int {
	if i := slices.Index(*n, text); i >= 0 {
		return i + 1
	}
	*n = append(*n, text)
	return len(*n)
}

// take returns the footnotes to write, and starts again.
func (n *footnotes) take() []string {
	all := *n
	*n = nil
	return all
}

// items takes the footnotes as a list.
func (n *footnotes) items() (all []string) {
	for i, note := range n.take() {
		all = append(all, fmt.Sprintf("(%d) %s", i+1, note))
	}
	return all
}

// Within returns the enclosed blocks.
func (o only) Within() []Block { return o.blocks }

// safe returns text in one line without control characters. Each writer also escapes it for its format.
func safe(s string) string { return printable.Line(strings.TrimSpace(s)) }

// header returns a column's header, with the format's replacement for a soft hyphen.
func header(s, hyphen string) string {
	parts := strings.Split(s, "\u00ad")
	for i, part := range parts {
		parts[i] = printable.Line(part)
	}
	return strings.Join(parts, hyphen)
}
