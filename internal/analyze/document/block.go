package document

import "github.com/realiops/realiops/internal/shell"

// Document is a report, in the order in which it is read.
type Document struct {
	Title   string // of the window that shows a page
	Heading string // of a page; text begins with its first block
	Blocks  []Block
}

// Block is one thing that is said. Nothing is said by nil, and by a block without content.
type Block interface{ isBlock() }

type (
	// Section has a title over what belongs to it; one in another is a part of that.
	Section struct {
		Title  string
		Blocks []Block
		Folded bool // a page in a browser shows its title, and the rest when asked
	}

	// Tiles are numbers beside each other in type that reads across a room, which only HTML has.
	Tiles []Tile

	// Contents leads to the sections of a page in a browser.
	Contents struct{}

	// Together groups blocks that text writes without blank lines in between.
	Together []Block

	// Paragraph is text that is broken wherever a format likes.
	Paragraph struct {
		Text  string
		Style Style
	}

	// List has an item for each of several things of one kind.
	List []string

	// Points are things that were found, with what follows from each below it.
	Points []Point

	// Terms are words with what is said of each; text has them beside each other.
	Terms []Term

	// Answers are questions that people come with, and what is said to each in short.
	Answers []Answer

	// Warnings come before what they warn of: all numbers.
	Warnings []Warning

	// Notes are the footnotes of the cells before it that have no notes yet, and remarks that belong to no cell. In a
	// browser each section has its footnotes at its end.
	Notes struct {
		Title   string // on a page; text puts them below what it has said
		Remarks []string
		Folded  bool // as a section is
	}

	// Command holds commands for the reader to type.
	Command struct {
		Lead  string // what it is for
		Lines []shell.Command
	}

	// Example is text of ours whose lines stay as they are.
	Example []string

	// Figure are pictures, which only HTML can show.
	Figure struct {
		Pictures []Picture
		Legend   []string
	}
)

// Picture draws itself, so that whoever writes only text needs no library that draws.
type Picture interface {
	Heading() string
	Small() bool // it stands beside others
	SVG() (string, error)
	Legend() []Key
}

// Key is the appearance of a line in a picture.
type Key struct{ Name, Color, Shape string }

// Warning is something to know before anything is believed.
type Warning struct {
	Rank Rank
	Text string
}

// Rank grades a warning by how far the numbers can still be trusted.
type Rank string

// Ranks of a warning.
const (
	Void  Rank = "void"     // they do not speak of what they seem to: stop
	Doubt Rank = "doubtful" // they may be off: read on with that in mind
	Note  Rank = "note"     // they stand, with something to know about them
)

// Doubts are warnings of the middle rank.
func Doubts(texts []string) (all Warnings) {
	for _, text := range texts {
		all = append(all, Warning{Doubt, text})
	}
	return all
}

// marked returns the text behind its rank; the middle one goes without saying.
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

// Tile sets a number beside the one that it is taken for.
type Tile struct{ Of, Loud, Quiet, Said string }

// Answer is a question with its answer.
type Answer struct {
	Question string
	Texts    []string
}

// Point is one thing that was found.
type Point struct {
	Text  string
	Grave bool // it makes all numbers lie
	Below []string
}

// Term is a word, and what is said of it.
type Term struct {
	Name  string
	Texts []string
	ID    string // by which a cell of a page leads here; empty: none does
}

// Style is the emphasis of a paragraph on a page.
type Style int

const (
	Plain Style = iota
	Headline
	Faint
)

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

// The formats. CSV has nothing but tables that are made for it.
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

// Folded returns a section, or several, that a page in a browser folds.
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

// Only returns what some formats show and the others do not.
func Only(in Format, blocks ...Block) Block { return only{in, blocks} }

func shown(blocks []Block, in Format) []Block {
	var all []Block
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

// flat is for formats to which it is all the same whether text would leave blank lines in between.
func flat(blocks []Block, in Format) []Block {
	var all []Block
	for _, b := range shown(blocks, in) {
		if together, ok := b.(Together); ok {
			all = append(all, flat(together, in)...)
		} else {
			all = append(all, b)
		}
	}
	return all
}

// footnotes numbers what cells say in a footnote; what is the same has the same number.
type footnotes []string

func (n *footnotes) mark(text string) int {
	for i, earlier := range *n {
		if earlier == text {
			return i + 1
		}
	}
	*n = append(*n, text)
	return len(*n)
}

// take returns the footnotes to be written, and begins anew.
func (n *footnotes) take() []string {
	all := *n
	*n = nil
	return all
}

// Within returns the blocks that only some formats show.
func (o only) Within() []Block { return o.blocks }
