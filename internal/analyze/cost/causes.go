package cost

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/realiops/realiops/internal/analyze/counts"
	"github.com/realiops/realiops/internal/analyze/document"
	"github.com/realiops/realiops/internal/analyze/stats"
	"github.com/realiops/realiops/internal/runfile"
)

// causes returns the causes of one sort, with the medians of the repetitions.
func causes(tops []runfile.Top, repetitions []counts.Repetition, of string) Causes {
	c := Causes{Items: []Cause{}}
	var lists []runfile.Top
	for _, r := range repetitions {
		n := slices.IndexFunc(tops, func(t runfile.Top) bool {
			return t.Of == of && t.Load == runfile.OperationLoad && t.Repetition == r.Number
		})
		if n < 0 {
			c.Missing = "they were not asked for in all repetitions"
			return c
		}
		if c.Missing = tops[n].Missing; c.Missing != "" {
			return c
		}
		lists = append(lists, tops[n])
	}
	for _, list := range lists {
		for _, item := range list.Items {
			listed := func(of Cause) bool { return sameCause(item)(runfile.TopItem{Name: of.Name, Text: of.Text}) }
			if !isOurs(item) && !slices.ContainsFunc(c.Items, listed) {
				c.Items = append(c.Items, causeIn(lists, item))
			}
		}
	}
	c.Items = slices.DeleteFunc(c.Items, func(i Cause) bool { return i.wrote() == 0 })
	slices.SortStableFunc(c.Items, func(a, b Cause) int { return cmp.Compare(b.wrote(), a.wrote()) })
	return c
}

// wroteTables reports whether rows were written, with WAL: no statement is listed for unlogged tables.
func (c Cost) wroteTables() bool {
	logged := func(r Relation) bool { return r.Is == runfile.WALTable && r.OwnRecords.Median > 0 }
	return len(c.Tables.Items) > 0 && (c.Relations.Missing != "" || slices.ContainsFunc(c.Relations.Items, logged))
}

// isOurs reports whether a statement is ours and marked. From version 18 on pg_stat_statements drops the mark: then
// it is a statement on system tables, qualified like ours, that changes nothing.
func isOurs(i runfile.TopItem) bool {
	return strings.HasPrefix(i.Text, "/* realiops */") || asksCatalogs.MatchString(i.Text) &&
		!changes.MatchString(i.Text)
}

var (
	asksCatalogs = regexp.MustCompile(`(?s)^(select|with)\b.*\bpg_catalog\.`)
	changes      = regexp.MustCompile(`(?i)\b(insert|update|delete|merge|into|nextval|setval)\b`)
)

// sameCause matches items by name. Statements of one text are one, whoever ran them.
func sameCause(as runfile.TopItem) func(runfile.TopItem) bool {
	return func(i runfile.TopItem) bool { return cmp.Or(i.Text, i.Name) == cmp.Or(as.Text, as.Name) }
}

// causeIn returns a cause over all repetitions. If it is not listed in one, it did nothing there, unless the list has
// only the largest.
func causeIn(lists []runfile.Top, as runfile.TopItem) Cause {
	c := Cause{Name: as.Name, Text: as.Text, Each: map[string]float64{}}
	runs := map[string][]float64{}
	for column := range as.Grew {
		runs[column] = make([]float64, len(lists))
	}
	for n, list := range lists {
		c.AtLeast = c.AtLeast || list.Total[runfile.Evictions] > 0 || len(list.Items) >= runfile.MostTopItems &&
			!slices.ContainsFunc(list.Items, sameCause(as))
		for _, item := range list.Items {
			if !sameCause(as)(item) {
				continue
			}
			c.AtLeast = c.AtLeast || item.AtLeast
			for column, grew := range item.Grew {
				if runs[column] != nil {
					runs[column][n] += grew
				}
			}
		}
	}
	for column, all := range runs {
		c.Each[column] = stats.Median(all)
	}
	return c
}

// wrote returns the amount by which causes are sorted.
func (c Cause) wrote() (sum float64) {
	for _, column := range []string{"wal_bytes", "shared_blks_written", "temp_blks_written", "n_tup_ins", "n_tup_upd",
		"n_tup_del", "entries"} {
		sum += c.Each[column]
	}
	return sum
}

// Costliest names the statement that wrote most; empty if unknown.
func (c Cost) Costliest() string {
	if len(c.Statements.Items) == 0 {
		return ""
	}
	first := c.Statements.Items[0]
	times := "once"
	if calls := first.Each["calls"]; calls != 1 {
		times = amount(calls) + " times"
	}
	return fmt.Sprintf("the statement that wrote most: %s (%s, %s bytes of WAL)",
		document.Distinct([]string{first.called()}, longestName)[0], times, amount(first.Each["wal_bytes"]))
}

type causeColumn struct{ header, of string }

var (
	statementColumns = []causeColumn{
		{"calls", "calls"}, {"plans", "plans"}, {"rows", "rows"}, {"WAL records", "wal_records"},
		{"WAL bytes", "wal_bytes"},
		{"pages changed", "shared_blks_dirtied"}, {"pages written", "shared_blks_written"},
	}
	tableColumns = []causeColumn{
		{"inserted", "n_tup_ins"}, {"updated", "n_tup_upd"}, {"of these HOT", "n_tup_hot_upd"},
		{"deleted", "n_tup_del"}, {"index entries", "entries"},
	}
	indexColumns = []causeColumn{{"entries", "entries"}}
)

// section returns a table of causes, or why there is none.
func (c Causes) section(title, header string, columns []causeColumn) document.Block {
	if c.Missing != "" {
		return document.Titled(title, document.Paragraph{Text: "Not known: " + c.Missing + ".", Style: document.Faint})
	}
	if len(c.Items) == 0 {
		return nil
	}
	t := document.Table{Columns: []document.Column{{Header: header, Words: true, In: document.InText},
		{Header: header, Words: true, In: document.OnPages}}}
	columns = slices.DeleteFunc(slices.Clone(columns), func(column causeColumn) bool {
		return !slices.ContainsFunc(c.Items, func(i Cause) bool { _, counted := i.Each[column.of]; return counted })
	})
	for _, column := range columns {
		t.Columns = append(t.Columns, document.Column{Header: column.header})
	}
	short := document.Distinct(names(c.Items), shownOfStatement)
	for n, i := range c.Items {
		name := document.Name(short[n])
		if i.Text != "" {
			name = document.Statement(short[n])
		}
		cells := []document.Cell{name, document.Words(i.called())}
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
		blocks = append(blocks, document.Paragraph{Text: "Writes of other sessions in the meantime are included.",
			Style: document.Faint})
	}
	return document.Section{Title: title, Blocks: blocks}
}

// shownOfStatement is the number of characters of a statement that a terminal shows, over several lines.
const shownOfStatement = 160

// called returns the name of a table or an index, or the text of a statement.
func (i Cause) called() string { return cmp.Or(i.Text, i.Name) }

func names(causes []Cause) (all []string) {
	for _, i := range causes {
		all = append(all, i.called())
	}
	return all
}
