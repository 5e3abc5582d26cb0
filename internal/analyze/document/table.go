package document

import (
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/realiops/realiops/internal/printable"
)

// Table is a table whose first column names its rows.
type Table struct {
	Caption string
	Columns []Column
	Rows    []Row
	Filter  bool // a page has a field to filter rows by words
	Bare    bool // no header line, unless the format requires one
}

// Column describes a column of every row.
type Column struct {
	// Header may be wrapped at a space, after a hyphen, and with a hyphen at a soft one ("\u00ad"), but not at
	// "\u00a0".
	Header string
	Words  bool   // its cells are not numbers
	In     Format // formats that have it; 0: all
	First  bool   // a page puts it next to the names, where a phone shows it
}

// Wordy returns a column of words, Numeric one of numbers.
func Wordy(header string) Column   { return Column{Header: header, Words: true} }
func Numeric(header string) Column { return Column{Header: header} }

// Row has a cell for each column.
type Row struct {
	Cells []Cell
	More  bool // it continues the row above
}

// Cell is one field of a table, for people and for programs.
type Cell struct {
	Text      string
	PlusMinus string    // the uncertainty of a number, aligned in its column: ±3%
	Note      string    // a footnote, such as why a figure is missing
	Hover     string    // more, on hover
	To        string    // ID of a term of the page
	File      string    // another page beside this one
	Spark     []float64 // a small picture, on a page: NaN is a gap
	Kind      Kind      // of what it says
	Also      string    // a second line below a name
	Mark      string    // how a page marks the cell, such as a status
	value     float64   // of a number, unrounded; NaN: use the text
	key       string    // number that a page sorts the cell by; empty: the value, or the text
}

// Kind classifies the content of a cell.
type Kind int

// Kinds of cell.
const (
	IsWords     Kind = iota
	IsName           // may be wrapped after its separators
	IsStatement      // may be wrapped at its spaces
	IsNumber
	IsVerdict
	IsMissing
)

// Words returns a cell with text.
func Words(text string) Cell { return Cell{Text: text, value: math.NaN()} }

// Name returns a cell with a name, which may be wrapped after its separators.
func Name(name string) Cell { return Cell{Text: name, Kind: IsName, value: math.NaN()} }

// Statement returns a cell with a statement, which may take several lines on a terminal.
func Statement(text string) Cell { return Cell{Text: text, Kind: IsStatement, value: math.NaN()} }

// Verdict returns a cell with one of few words, each of which has its colour on a page.
func Verdict(word string) Cell { return Cell{Text: word, Kind: IsVerdict, value: math.NaN()} }

// Number returns a cell with a number, as text and in full precision.
func Number(text string, value float64) Cell { return Cell{Text: text, Kind: IsNumber, value: value} }

// Missing returns a cell for a missing number, with the reason in a footnote.
func Missing(reason string) Cell {
	return Cell{Text: "-", Note: reason, Kind: IsMissing, value: math.NaN()}
}

// By makes a page sort the cell by a number, such as the time of a date.
func (c Cell) By(key float64) Cell {
	c.key = strconv.FormatFloat(key, 'g', -1, 64)
	return c
}

// Sure adds the uncertainty of a number.
func (c Cell) Sure(plusMinus string) Cell {
	c.PlusMinus = plusMinus
	return c
}

// exact returns the cell for a program: a number in full precision, and empty if missing.
func (c Cell) exact() string {
	switch {
	case c.Kind == IsMissing:
		return ""
	case c.Kind != IsNumber:
		return c.Text
	case math.IsNaN(c.value) || math.IsInf(c.value, 0):
		return ""
	default:
		return strconv.FormatFloat(c.value, 'g', -1, 64)
	}
}

// Add adds a column at the right, with a cell for each row.
func (t *Table) Add(c Column, cells []Cell) {
	t.Columns = append(t.Columns, c)
	for i := range cells {
		if i == len(t.Rows) {
			t.Rows = append(t.Rows, Row{})
		}
		t.Rows[i].Cells = append(t.Rows[i].Cells, cells[i])
	}
}

// Grid makes a table of rows, column by column.
type Grid[T any] struct {
	Table Table
	Of    []T
}

// Column adds a column at the right.
func (g *Grid[T]) Column(c Column, cell func(T) Cell) {
	cells := make([]Cell, len(g.Of))
	for i, row := range g.Of {
		cells[i] = cell(row)
	}
	g.Table.Add(c, cells)
}

// Wordy adds a column of words.
func (g *Grid[T]) Wordy(header string, text func(T) string) {
	g.Column(Wordy(header), func(row T) Cell { return Words(text(row)) })
}

// Numeric adds a column of numbers.
func (g *Grid[T]) Numeric(header string, cell func(T) Cell) { g.Column(Numeric(header), cell) }

// in returns the table with the columns that a format shows: for people, only those with content.
func (t Table) in(f Format) Table {
	picked := Table{Caption: t.Caption, Filter: t.Filter, Bare: t.Bare, Rows: make([]Row, len(t.Rows))}
	for j, row := range t.Rows {
		picked.Rows[j].More = row.More
	}
	pick := func(i int) {
		picked.Columns = append(picked.Columns, t.Columns[i])
		for j, row := range t.Rows {
			picked.Rows[j].Cells = append(picked.Rows[j].Cells, row.Cells[i])
		}
	}
	for _, first := range []bool{true, false} { // columns that a page has next to the names
		for i, c := range t.Columns {
			early := i == 0 || c.First && f&OnPages != 0
			shown := c.In == 0 || c.In&f != 0
			if early == first && shown && (i == 0 || f == InCSV || t.tells(i)) {
				pick(i)
			}
		}
	}
	return picked
}

func (t Table) tells(column int) bool {
	return len(t.Rows) == 0 || slices.ContainsFunc(t.Rows, func(r Row) bool {
		c := r.Cells[column]
		return c.Text != "" || c.Also != "" || len(c.Spark) > 0
	})
}

// CSV writes the tables of a document that are made for it, with numbers in full precision.
func CSV(w io.Writer, d Document) error {
	out := csv.NewWriter(w)
	for _, b := range d.Blocks {
		made, ok := b.(only)
		if !ok || made.in&InCSV == 0 {
			continue
		}
		for _, block := range flat(made.blocks, InCSV) {
			if table, ok := block.(Table); ok {
				writeTable(out, table.in(InCSV))
			}
		}
	}
	out.Flush()
	if err := out.Error(); err != nil {
		return fmt.Errorf("write the report: %w", err)
	}
	return nil
}

// writeTable leaves errors to the writer, which keeps the first.
func writeTable(out *csv.Writer, t Table) {
	var line []string
	for _, c := range t.Columns {
		line = append(line, guarded(header(c.Header, "")))
	}
	_ = out.Write(line)
	for _, row := range t.Rows {
		line = line[:0]
		for _, c := range row.Cells {
			if c.Kind == IsNumber {
				line = append(line, c.exact())
			} else {
				line = append(line, guarded(c.exact()))
			}
		}
		_ = out.Write(line)
	}
}

// guarded returns text that no spreadsheet takes for a formula, with a quote before it as spreadsheets themselves do.
// All text in a file must pass through it.
func guarded(s string) string {
	if s = printable.Line(s); strings.ContainsAny(s[:min(1, len(s))], "=+-@") {
		return "'" + s
	}
	return s
}

// Distinct cuts texts to at most most characters so that no two look alike. It omits part of a common beginning instead
// of the first difference, and adds numbers if that is not enough.
func Distinct(texts []string, most int) []string {
	short := make([]string, len(texts))
	for i, text := range texts {
		short[i] = cutBehind([]rune(text), most, 0)
	}
	for i, text := range texts {
		common := 0
		for _, other := range texts {
			if other != text && cutBehind([]rune(other), most, 0) == cutBehind([]rune(text), most, 0) {
				common = max(common, inCommon([]rune(text), []rune(other)))
			}
		}
		short[i] = cutBehind([]rune(text), most, common)
	}
	for i, text := range texts {
		for n := 2; slices.ContainsFunc(texts[:i], func(other string) bool {
			return other != text && short[slices.Index(texts, other)] == short[i]
		}); n++ {
			number := fmt.Sprintf(" (%d)", n)
			short[i] = cutBehind([]rune(text), most-len(number), 0) + number
		}
	}
	return short
}

// cutBehind cuts a text to at most most characters, keeping the first ones after the common beginning.
func cutBehind(text []rune, most, common int) string {
	if len(text) <= most {
		return string(text)
	}
	if common < most-1 {
		return string(text[:most-1]) + "…"
	}
	head := most / 3
	rest := text[max(head, common-most/6):]
	if room := most - head - 3; len(rest) > room {
		rest = append(slices.Clip(rest[:room-1]), '…')
	}
	return string(text[:head]) + " … " + string(rest)
}

// inCommon returns the length of the common beginning of two texts, in characters.
func inCommon(a, b []rune) (n int) {
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	return n
}
