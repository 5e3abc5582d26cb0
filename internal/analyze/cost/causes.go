package cost

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/realiops/realiops/internal/analyze/counts"
	"github.com/realiops/realiops/internal/analyze/document"
)

// Causes are the statements, tables or indexes that an operation wrote by, those that wrote most first.
type Causes struct {
	Items   []Cause `json:"items"`
	Missing string  `json:"missing,omitempty"` // why there are none
	// Others were at work in some repetition, or may have been: what they wrote by is among the items, also where that repetition is left out.
	Others bool `json:"others,omitempty"`
}

// Cause is one statement, table or index.
type Cause struct {
	Name    string             `json:"name"`           // with its schema; of a statement, its queryid
	Text    string             `json:"text,omitempty"` // of a statement, without its values
	Each    map[string]float64 `json:"each"`           // each time that the operation was done; what is not there was not counted
	AtLeast bool               `json:"at_least,omitempty"`
}

// causes are those of one sort. Statements of realiops' own are marked as such.
func causes(run *counts.Run, of string, repetitions int) Causes {
	c := Causes{Items: []Cause{}, Missing: "they were not asked for to the end"}
	for _, top := range run.Top {
		if top.Of != of {
			continue
		}
		c.Missing = top.Missing
		for _, item := range top.Items {
			if strings.HasPrefix(item.Text, "/* realiops */") {
				continue
			}
			each := map[string]float64{}
			for column, grew := range item.Grew {
				each[column] = grew / float64(repetitions)
			}
			c.Items = append(c.Items, Cause{item.Name, item.Text, each, item.AtLeast})
		}
	}
	return c
}

// Costliest names the statement that wrote most; empty: it is not known.
func (c Cost) Costliest() string {
	if len(c.Statements.Items) == 0 {
		return ""
	}
	first := c.Statements.Items[0]
	return fmt.Sprintf("the statement that wrote most: %s (%s times, %s bytes of WAL)", cmp.Or(first.Text, first.Name), amount(first.Each["calls"]), amount(first.Each["wal_bytes"]))
}

// causeColumn is what is told of each cause.
type causeColumn struct{ header, of string }

var (
	statementColumns = []causeColumn{
		{"calls", "calls"}, {"plans", "plans"}, {"rows", "rows"}, {"WAL records", "wal_records"}, {"WAL bytes", "wal_bytes"},
		{"pages changed", "shared_blks_dirtied"}, {"pages written", "shared_blks_written"},
	}
	tableColumns = []causeColumn{
		{"inserted", "n_tup_ins"}, {"updated", "n_tup_upd"}, {"of these HOT", "n_tup_hot_upd"}, {"deleted", "n_tup_del"}, {"index entries", "entries"},
	}
	indexColumns = []causeColumn{{"entries", "entries"}}
)

// section is a table of causes, or why there is none.
func (c Causes) section(title, one string, columns []causeColumn) document.Block {
	if c.Missing != "" {
		return document.Section{Title: title, Blocks: []document.Block{document.Paragraph{Text: "Not known: " + c.Missing + ".", Style: document.Faint}}}
	}
	if len(c.Items) == 0 {
		return nil
	}
	t := document.Table{Columns: []document.Column{{Header: one, Words: true}}}
	columns = slices.DeleteFunc(slices.Clone(columns), func(column causeColumn) bool {
		return !slices.ContainsFunc(c.Items, func(i Cause) bool { _, counted := i.Each[column.of]; return counted })
	})
	for _, column := range columns {
		t.Columns = append(t.Columns, document.Column{Header: column.header})
	}
	for _, i := range c.Items {
		cells := []document.Cell{i.called()}
		for _, column := range columns {
			cell := document.Missing("it was not counted")
			if each, counted := i.Each[column.of]; counted {
				cell = document.Number(amount(each), each)
			}
			cells = append(cells, cell)
		}
		t.Rows = append(t.Rows, document.Row{Cells: cells})
	}
	blocks := []document.Block{t}
	if c.Others {
		blocks = append(blocks, document.Paragraph{Text: "What others wrote by meanwhile is among them.", Style: document.Faint})
	}
	return document.Section{Title: title, Blocks: blocks}
}

// nameWidth is what a table has room for.
const nameWidth = 30

func (i Cause) called() document.Cell {
	if i.Text == "" {
		return document.Name(i.Name)
	}
	cell := document.Words(shortened(i.Text, nameWidth))
	if cell.Text != i.Text {
		cell.Hover = i.Text
	}
	return cell
}

// shortened is as much of a text as there is room for.
func shortened(text string, most int) string {
	all := []rune(text)
	if len(all) <= most {
		return text
	}
	return string(all[:most-1]) + "…"
}
