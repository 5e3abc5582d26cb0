// Package causes shows which statements, tables, indexes and files caused the storage work.
package causes

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/realiops/realiops/internal/analyze/counts"
	"github.com/realiops/realiops/internal/analyze/document"
	"github.com/realiops/realiops/internal/analyze/number"
	"github.com/realiops/realiops/internal/analyze/report/words"
	"github.com/realiops/realiops/internal/runfile"
)

// Top ranks the largest causes of one sort.
type Top struct {
	Of      string             `json:"of"` // statements, files, tables or indexes
	Seconds float64            `json:"seconds"`
	By      string             `json:"by"` // what the shares are of
	Items   []Item             `json:"items"`
	Total   map[string]float64 `json:"total"`
	Missing string             `json:"missing,omitempty"`
}

// Item is one statement, table, index or other file.
type Item struct {
	Name    string             `json:"name"`
	Text    string             `json:"text,omitempty"`
	Share   *float64           `json:"share"` // nil: the total is unknown
	Grew    map[string]float64 `json:"grew"`
	AtLeast bool               `json:"at_least"`
}

// sort describes the ranking and the columns of one sort of cause.
type sort struct {
	of, singular, title string
	by                  string   // the share is of the sum of these
	parts               []string // of the sum
	columns             []topColumn
	order               []string // sorted by the sum of these; none: by share
}

type topColumn struct {
	header string
	of     []string // the sum of these
	unit   float64
}

// ofAll as a unit means a share of the total.
const ofAll = 0

func sorts() []sort {
	return []sort{
		{"statements", "statement", "Statements, by their share of the WAL", "wal_bytes of the server",
			[]string{"wal_bytes"}, []topColumn{
				{"WAL kB", []string{"wal_bytes"}, 1000}, {"WAL records", []string{"wal_records"}, 1},
				{"pages dirtied", []string{"shared_blks_dirtied"}, 1},
				{"share of these", []string{"shared_blks_dirtied"}, ofAll},
				{"calls", []string{"calls"}, 1},
			}, nil},
		{runfile.Readers, "statement", "Statements, by blocks read", "blocks that statements read",
			[]string{"shared_blks_read", "temp_blks_read"}, []topColumn{
				{"blocks read", []string{"shared_blks_read"}, 1}, {"of temporary files", []string{"temp_blks_read"}, 1},
				{"calls", []string{"calls"}, 1},
			}, nil},
		{runfile.Digests, "statement",
			"Statements, by blocks read and written (Performance Insights, Database Insights)",
			"sessions at work or waiting", []string{"load"}, []topColumn{
				{"sessions", []string{"load"}, 1}, {"in I/O", []string{"load_io"}, 1},
				{"read", []string{"shared_blks_read"}, 1},
				{"written", []string{"shared_blks_written"}, 1}, {"calls", []string{"calls"}, 1},
			}, []string{"shared_blks_read", "shared_blks_written"}},
		{runfile.Files, "file", "Files of the server, by their share of the bytes that disks wrote and read",
			"bytes written and read by the disks", []string{"write_bytes", "read_bytes"}, []topColumn{
				{"written kB", []string{"write_bytes"}, 1000}, {"writes", []string{"writes"}, 1},
				{"read kB", []string{"read_bytes"}, 1000}, {"reads", []string{"reads"}, 1},
			}, nil},
		{runfile.Programs, "program", "Other programs, by their share of the bytes that the server's disks wrote and " +
			"read for them", "bytes that the disks wrote and read for other programs",
			[]string{"write_bytes", "read_bytes"}, []topColumn{
				{"written kB", []string{"write_bytes"}, 1000}, {"writes", []string{"writes"}, 1},
				{"read kB", []string{"read_bytes"}, 1000}, {"reads", []string{"reads"}, 1},
			}, nil},
		{"tables", "table", "Tables, by their share of the rows and index entries written", "rows and index entries",
			[]string{"n_tup_ins", "n_tup_upd", "n_tup_del", "entries"}, []topColumn{
				{"inserted", []string{"n_tup_ins"}, 1}, {"updated", []string{"n_tup_upd"}, 1},
				{"of these HOT", []string{"n_tup_hot_upd"}, 1},
				{"deleted", []string{"n_tup_del"}, 1}, {"index entries", []string{"entries"}, 1},
			}, nil},
		{"indexes", "index", "Indexes, by their share of the index entries written", "index entries",
			[]string{"entries"}, []topColumn{
				{"entries", []string{"entries"}, 1}, {"pages looked at", []string{"idx_blks_hit", "idx_blks_read"}, 1},
				{"of these read", []string{"idx_blks_read"}, 1}, {"scans", []string{"idx_scan"}, 1},
			}, nil},
		{counts.OfWAL, "table or index", "Tables and indexes, by their share of the WAL", "bytes of the WAL's records",
			[]string{"wal_bytes"}, []topColumn{
				{"WAL kB", []string{"wal_bytes"}, 1000}, {"WAL records", []string{"wal_records"}, 1},
				{"page images", []string{"wal_fpi"}, 1},
				{"share of these", []string{"wal_fpi"}, ofAll},
			}, nil},
	}
}

func sortOf(of string) sort {
	for _, s := range sorts() {
		if s.of == of {
			return s
		}
	}
	return sort{of: of}
}

// Of returns the rankings of a run, with shares of what was seen.
func Of(run *counts.Run) []Top {
	all := []Top{}
	for _, t := range run.Top {
		s := sortOf(t.Of)
		top := Top{Of: t.Of, Seconds: t.Seconds, By: s.by, Items: []Item{}, Total: t.Total, Missing: t.Missing}
		whole, known := sumOf(t.Total, s.parts)
		for _, i := range t.Items {
			item := Item{Name: i.Name, Text: i.Text, Grew: i.Grew, AtLeast: i.AtLeast}
			if part, counted := sumOf(i.Grew, s.parts); known && counted && whole > 0 {
				item.Share = new(part / whole)
			}
			top.Items = append(top.Items, item)
		}
		slices.SortStableFunc(top.Items, func(a, b Item) int {
			return cmp.Or(cmp.Compare(b.sum(s.order), a.sum(s.order)), cmp.Compare(b.shareOrNone(), a.shareOrNone()))
		})
		all = append(all, top)
	}
	return all
}

// sumOf adds up the named values; known is false if one is missing.
func sumOf(of map[string]float64, names []string) (sum float64, known bool) {
	for _, name := range names {
		value, there := of[name]
		if !there {
			return 0, false
		}
		sum += value
	}
	return sum, len(names) > 0
}

// The number of items shown of a ranking, and the width of their names in characters.
const (
	topShown  = 5
	nameWidth = 30
)

// Section shows who causes the storage work, with a table for each sort.
func Section(all []Top) document.Block {
	section := document.Section{Title: "Who causes it (per second)"}
	for _, t := range all {
		if t.Missing != "" {
			section.Blocks = append(section.Blocks,
				document.Paragraph{Text: fmt.Sprintf("%s: unknown, since %s.", sortOf(t.Of).title, t.Missing)})
		} else if len(t.Items) > 0 && t.Seconds > 0 {
			section.Blocks = append(section.Blocks, document.Together{t.table(), words.Faint(t.rest())})
		}
	}
	return section
}

func (t Top) shown() []Item { return t.Items[:min(topShown, len(t.Items))] }

func (t Top) table() document.Table {
	sort := sortOf(t.Of)
	table := document.Grid[Item]{Of: t.shown(), Table: document.Table{Caption: sort.title}}
	table.Table.Add(document.Wordy(sort.singular), t.names())
	table.Numeric("share", Item.share)
	for _, c := range sort.columns {
		whole, write := t.Seconds*c.unit, number.Rate
		if c.unit == ofAll {
			known := false
			if whole, known = sumOf(t.Total, c.of); !known || whole <= 0 {
				continue
			}
			write = number.Percent
		}
		table.Numeric(c.header, func(i Item) document.Cell {
			sum, known := sumOf(i.Grew, c.of)
			if !known {
				return document.Missing("not counted of it")
			}
			return document.Number(write(sum/whole), sum/whole)
		})
	}
	return table.Table
}

// rest says what the ranking leaves out.
func (t Top) rest() string {
	switch t.Of {
	case "tables":
		return "PostgreSQL counts no written pages by table."
	case counts.OfWAL:
		return t.sampled()
	case runfile.Digests:
		return t.counted()
	case runfile.Readers:
		return "Blocks not found in shared buffers. The kernel may have had them in its cache, so that no disk was " +
			"asked."
	case runfile.Files:
		return "Requests that the disks completed, by file. Other programs' requests are left out."
	}
	if t.Of == runfile.Programs {
		return "If a program does not sync its writes, the kernel writes them later from its cache, and cannot say " +
			"for whom."
	}
	if t.Of == "statements" && t.Total[runfile.Evictions] > 0 {
		return "pg_stat_statements dropped statements to make room, and what those " +
			"wrote is not in this list: raise pg_stat_statements.max."
	}
	left := 1.0
	for _, i := range t.Items {
		if i.Share == nil || i.AtLeast {
			return ""
		}
		left -= *i.Share
	}
	if t.Of != "statements" || left < negligible {
		return ""
	}
	text := "The other " + number.Percent(left) + " of the WAL is commits, vacuum, and statements further down."
	if slices.ContainsFunc(t.shown(), Item.hidden) {
		text += " To see other users' statements, grant pg_monitor."
	}
	return text
}

// counted says which statements Performance Insights names, and whether it counts their blocks.
func (t Top) counted() string {
	const names = "The 25 statements that most sessions worked on; shares are of sessions, and " +
		"\"in I/O\" counts sessions waiting for I/O."
	if slices.ContainsFunc(t.Items, func(i Item) bool { _, known := i.Grew["shared_blks_read"]; return known }) {
		return names + " On Aurora, blocks written are growth of tables and indexes."
	}
	return names + " Their blocks are not counted, which needs pg_stat_statements in shared_preload_libraries."
}

// hidden reports whether the item stands for all statements that this user may not see.
func (i Item) hidden() bool { return i.Name == "hidden" }

// sampled says how much of the WAL was read for its tables and indexes.
func (t Top) sampled() string {
	const names = "By the pages named in each WAL record."
	if read := t.Total["read_share"]; read < 1-negligible {
		return names + " " + number.Percent(read) + " of the WAL was read for this, spread evenly."
	}
	return names
}

// negligible is a share too small to mention.
const negligible = 0.01

// names returns the names shown, or the texts of statements, cut to fit.
func (t Top) names() (cells []document.Cell) {
	var names []string
	for _, i := range t.shown() {
		name := cmp.Or(i.Text, i.Name)
		switch {
		case i.Text != "":
		case i.hidden():
			name = "all of other users"
		case t.Of == "statements" || t.Of == runfile.Readers:
			name = "no text: " + name
		}
		names = append(names, name)
	}
	for n, name := range document.Distinct(names, nameWidth) {
		c := document.Words(name)
		c.Hover = t.Items[n].Text
		if i := t.Items[n]; i.Text == "" && !i.hidden() && names[n] != i.Name {
			c.Note = "a queryid: pg_stat_statements dropped the statement before its text was read, or the text is not in the " +
				"database's encoding"
		}
		cells = append(cells, c)
	}
	return cells
}

// sum is for sorting: uncounted values add nothing, so a statement of which only reads are counted is ranked by them.
func (i Item) sum(of []string) (sum float64) {
	for _, name := range of {
		sum += i.Grew[name]
	}
	return sum
}

// shareOrNone is for sorting: unknown shares come last.
func (i Item) shareOrNone() float64 {
	if i.Share == nil {
		return -1
	}
	return *i.Share
}

func (i Item) share() document.Cell {
	if i.Share == nil {
		return document.Missing("the whole is not known")
	}
	c := document.Number(number.Percent(min(1, *i.Share)), *i.Share)
	if i.AtLeast {
		c.Note = "at least: it was reset in between"
	}
	return c
}
