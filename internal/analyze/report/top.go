package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/realiops/realiops/internal/analyze/drivers"
)

// Top is what caused the most, of one sort.
type Top struct {
	Of      string             `json:"of"` // statements, tables or indexes
	Seconds float64            `json:"seconds"`
	By      string             `json:"by"` // what the shares are of
	Items   []TopItem          `json:"items"`
	Total   map[string]float64 `json:"total"`
	Missing string             `json:"missing,omitempty"`
}

// TopItem is one statement, table or index.
type TopItem struct {
	Name    string             `json:"name"`
	Text    string             `json:"text,omitempty"`
	Share   *float64           `json:"share"` // nil: the whole is not known
	Grew    map[string]float64 `json:"grew"`
	AtLeast bool               `json:"at_least"`
}

// sort is how one sort of thing is ranked and shown.
type sort struct {
	of, title string
	by        string   // the share is that of the sum of these
	parts     []string // of the sum
	columns   []topColumn
}

type topColumn struct {
	header string
	of     []string // the sum of these
	unit   float64
}

// ofAll in the place of a unit is a share of what all did together.
const ofAll = 0

func sorts() []sort {
	return []sort{
		{"statements", "Statements, by their part in the log", "wal_bytes of the server", []string{"wal_bytes"}, []topColumn{
			{"log\nkB", []string{"wal_bytes"}, 1000}, {"log\nrecords", []string{"wal_records"}, 1},
			{"pages\ndirtied", []string{"shared_blks_dirtied"}, 1}, {"share of\nthese", []string{"shared_blks_dirtied"}, ofAll},
			{"calls", []string{"calls"}, 1},
		}},
		{"tables", "Tables, by their part in rows and index entries written", "rows and index entries", []string{"n_tup_ins", "n_tup_upd", "n_tup_del", "entries"}, []topColumn{
			{"inserted", []string{"n_tup_ins"}, 1}, {"updated", []string{"n_tup_upd"}, 1}, {"of these\nHOT", []string{"n_tup_hot_upd"}, 1},
			{"deleted", []string{"n_tup_del"}, 1}, {"index\nentries", []string{"entries"}, 1},
		}},
		{"indexes", "Indexes, by their part in index entries written", "index entries", []string{"entries"}, []topColumn{
			{"entries", []string{"entries"}, 1}, {"pages\nlooked at", []string{"idx_blks_hit", "idx_blks_read"}, 1},
			{"of these\nread", []string{"idx_blks_read"}, 1}, {"scans", []string{"idx_scan"}, 1},
		}},
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

// tops are shares of what was seen.
func tops(o *drivers.Observation) []Top {
	all := []Top{}
	for _, t := range o.Top {
		s := sortOf(t.Of)
		top := Top{Of: t.Of, Seconds: t.Seconds, By: s.by, Items: []TopItem{}, Total: t.Total, Missing: t.Missing}
		whole, known := sumOf(t.Total, s.parts)
		for _, i := range t.Items {
			item := TopItem{Name: i.Name, Text: i.Text, Grew: i.Grew, AtLeast: i.AtLeast}
			if part, counted := sumOf(i.Grew, s.parts); known && counted && whole > 0 {
				item.Share = new(part / whole)
			}
			top.Items = append(top.Items, item)
		}
		slices.SortStableFunc(top.Items, func(a, b TopItem) int { return cmp.Compare(b.shareOrNone(), a.shareOrNone()) })
		all = append(all, top)
	}
	return all
}

// sumOf adds up what is there of several; of what is not, a sum is none.
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

// Of what stands first in a ranking so many are shown, with names of so many columns.
const (
	topShown  = 5
	nameWidth = 30
)

const topTitle = "Who causes it (per second)"

// topText says who causes what storage has to do.
func (r Report) topText(notes *footnotes, width int) string {
	if r.Observed == nil {
		return ""
	}
	var all []string
	for _, t := range r.Observed.Top {
		if text := t.text(notes, width); text != "" {
			all = append(all, text)
		}
	}
	if len(all) == 0 {
		return ""
	}
	return topTitle + "\n\n" + strings.Join(all, "\n\n")
}

func (t Top) text(notes *footnotes, width int) string {
	s := sortOf(t.Of)
	if t.Missing != "" {
		return wrapped(t.unknown(), width)
	}
	g := t.grid(notes)
	if g == nil {
		return ""
	}
	return joined(s.title, g.layout(width), wrapped(t.rest(), width))
}

// unknown says why nothing is known of this sort.
func (t Top) unknown() string {
	return fmt.Sprintf("%s: not known, since %s.", sortOf(t.Of).title, t.Missing)
}

// shown are those that a table has room for.
func (t Top) shown() []TopItem { return t.Items[:min(topShown, len(t.Items))] }

// grid is the table of this sort; nil: nothing caused anything.
func (t Top) grid(notes *footnotes) *grid {
	if len(t.Items) == 0 || t.Seconds <= 0 {
		return nil
	}
	var names, shares []string
	for _, i := range t.shown() {
		names, shares = append(names, i.short()), append(shares, i.share(notes))
	}
	g := newGrid(strings.TrimSuffix(t.Of, "s"), names)
	if t.Of == "indexes" {
		g.header[0] = "index"
	}
	g.add("share", shares)
	for _, c := range sortOf(t.Of).columns {
		if whole, known := sumOf(t.Total, c.of); c.unit != ofAll {
			g.add(c.header, c.cells(t.shown(), t.Seconds*c.unit, rate, notes))
		} else if known && whole > 0 {
			g.add(c.header, c.cells(t.shown(), whole, percent, notes))
		}
	}
	return g
}

// rest says how much of the whole stands under no name here, and what nobody can tell.
func (t Top) rest() string {
	if t.Of == "tables" {
		return "PostgreSQL counts neither log nor written pages by table."
	}
	left := 1.0
	for _, i := range t.Items {
		if i.Share == nil || i.AtLeast {
			return ""
		}
		left -= *i.Share
	}
	if t.Of != "statements" || left < oneInAHundred {
		return ""
	}
	text := "The other " + percent(left) + " of the log is commits, vacuum, and statements further down."
	if slices.ContainsFunc(t.shown(), TopItem.hidden) {
		text += " To see which statements of others those are takes pg_monitor."
	}
	return text
}

// hidden are the statements of others, all in one, for a user who may not look at them.
func (i TopItem) hidden() bool { return i.Name == "hidden" }

// oneInAHundred of the whole is not worth a word.
const oneInAHundred = 0.01

// short is the name, or the text of a statement, cut where there is no more room.
func (i TopItem) short() string {
	name := i.Name
	if i.hidden() {
		name = "all of other users"
	}
	if i.Text != "" {
		name = i.Text
	}
	if runes := []rune(name); len(runes) > nameWidth {
		name = string(runes[:nameWidth-1]) + "…"
	}
	return name
}

// shareOrNone is for sorting: what is not known comes last.
func (i TopItem) shareOrNone() float64 {
	if i.Share == nil {
		return -1
	}
	return *i.Share
}

func (i TopItem) share(notes *footnotes) string {
	switch {
	case i.Share == nil:
		return "- " + notes.mark("the whole is not known")
	case i.AtLeast:
		return percent(min(1, *i.Share)) + " " + notes.mark("at least: it began anew on the way")
	default:
		return percent(min(1, *i.Share))
	}
}

// cells are what each did for one of a whole.
func (c topColumn) cells(items []TopItem, whole float64, write func(float64) string, notes *footnotes) (all []string) {
	for _, i := range items {
		sum, known := sumOf(i.Grew, c.of)
		if !known {
			all = append(all, "- "+notes.mark("not counted of it"))
			continue
		}
		all = append(all, write(sum/whole))
	}
	return all
}
