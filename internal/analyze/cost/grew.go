package cost

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/realiops/realiops/internal/analyze/document"
	"github.com/realiops/realiops/internal/runfile"
)

// sayAll describes each growth in one line, and equal ones once.
func sayAll(grew []Growth) (all []string) {
	var called []string
	for _, g := range grew {
		called = append(called, g.Name)
	}
	for i, name := range document.Distinct(called, longestName) {
		if text := grew[i].say(name); !slices.Contains(all, text) {
			all = append(all, text)
		}
	}
	return all
}

func (g Growth) say(name string) string {
	text := fmt.Sprintf("%s: %s %s", runfile.WALItem{Is: g.Of, Name: name, Table: name}.Called(), g.What,
		signed(g.Now-g.Base))
	if !g.New {
		text += fmt.Sprintf(" (%s -> %s)", amount(g.Base), amount(g.Now))
	}
	if g.Bytes != 0 {
		text += ", bytes " + signed(g.Bytes)
	}
	if g.New {
		text += ", new"
	}
	return text
}

// longestName is the number of characters of a statement that fit in a sentence.
const longestName = 100

func signed(v float64) string {
	if v < 0 {
		return "-" + amount(-v)
	}
	return "+" + amount(v)
}

// causedBy maps counts to the columns of statements, tables and indexes that show what made them grow.
var causedBy = map[string]struct{ statements, tables, indexes []string }{
	"rows":               {[]string{"rows"}, []string{"n_tup_ins", "n_tup_upd", "n_tup_del"}, nil},
	"commits":            {[]string{"calls"}, nil, nil},
	WaitingCommits:       {[]string{"calls"}, nil, nil},
	OwnFsyncs:            {[]string{"calls"}, nil, nil},
	Fsyncs:               {[]string{"calls"}, nil, nil},
	"wal_writes":         {[]string{"calls"}, nil, nil},
	"page_image_bytes":   {[]string{"wal_fpi"}, nil, []string{"images", "image_bytes"}},
	OwnRecords:           {[]string{"wal_records"}, ofTables, ofIndexes},
	OwnBytes:             {[]string{"wal_bytes"}, ofTables, ofIndexes},
	"wal_records":        {[]string{"wal_records"}, ofTables, ofIndexes},
	"wal_bytes":          {[]string{"wal_bytes"}, ofTables, ofIndexes},
	"upkeep_wal_records": {[]string{"wal_records"}, ofTables, ofIndexes},
	"upkeep_wal_bytes":   {[]string{"wal_bytes"}, ofTables, ofIndexes},
	"pages_written":      {[]string{"shared_blks_dirtied"}, ofTables, ofIndexes},
}

var (
	ofTables  = []string{"n_tup_ins", "n_tup_upd", "n_tup_del", "entries"}
	ofIndexes = []string{"entries"}
)

// words maps columns of the server's views to their usual names.
var words = map[string]string{
	"wal_records": "records", "wal_bytes": "bytes", "wal_fpi": "page images", "shared_blks_dirtied": "pages changed",
	"entries":   "index entries",
	"n_tup_ins": "rows inserted", "n_tup_upd": "rows updated", "n_tup_del": "rows deleted",
	"image_bytes": "bytes of page images", "images": "page images",
	"n_tup_hot_upd": "HOT updates",
}

// mostGrowths bounds the growths reported of each sort.
const mostGrowths = 3

// grew names the components of a count that grew since the base. Updates that are no longer HOT are reported for their
// table.
func (c Cost) grew(count string, base Cost) []Growth {
	by := causedBy[count]
	all := growth("statement", c.Statements, base.Statements, by.statements)
	byWAL := byRelation[count]
	byRelations := byWAL != nil && len(c.Relations.Items) > 0 && len(base.Relations.Items) > 0
	if byRelations {
		all = append(all, growthOfRelations(c.Relations, base.Relations, count)...)
	} else {
		all = append(all, growth("table", c.Tables, base.Tables, by.tables)...)
	}
	if by.indexes != nil {
		all = append(all, noLongerHOT(c.Tables, base.Tables)...)
	}
	if !byRelations {
		all = append(all, growth("index", c.Indexes, base.Indexes, by.indexes)...)
	}
	return all
}

// byRelation maps counts to the amounts of a table or an index that show what made them grow.
var byRelation = map[string]func(Relation) Each{
	OwnRecords: func(r Relation) Each { return r.OwnRecords }, OwnBytes: func(r Relation) Each { return r.OwnRecords },
	"wal_records": func(r Relation) Each {
		return r.OwnRecords
	}, "wal_bytes": func(r Relation) Each { return r.OwnRecords },
	"page_image_bytes": func(r Relation) Each { return r.ImageBytes },
}

// growthOfRelations names the relations with more records in the WAL than in the base, or more bytes of records or page
// images. A new index that the operation builds comes first: its own WAL is only images, and the rest is in catalogs. A
// new relation that did as much as one that is gone replaced it, as after a rename.
func growthOfRelations(now, base Relations, count string) (all []Growth) {
	var built []Growth
	of, unit := byRelation[count], map[bool]string{true: "bytes of page images",
		false: "records"}[count == "page_image_bytes"]
	gone := slices.DeleteFunc(slices.Clone(base.Items), func(r Relation) bool {
		_, there := now.find(r)
		return there
	})
	for _, r := range now.Items {
		before, known := base.find(r)
		if place := slices.IndexFunc(gone, r.didAsMuch); !known && place >= 0 {
			gone = slices.Delete(gone, place, place+1)
			continue
		}
		g := Growth{Of: r.Is, Name: r.Name, What: unit, Base: of(before).Median, Now: of(r).Median, New: !known}
		if unit == "records" && !known && r.Is == runfile.WALIndex && g.Now == 0 && r.ImageBytes.Median > 0 {
			g.What, g.Now = "bytes of page images", r.ImageBytes.Median
			built = append(built, g)
			continue
		}
		if unit == "records" {
			g.Bytes = r.OwnBytes.Median - before.OwnBytes.Median
		}
		if g.Of == runfile.WALOfNone && known {
			g.Name = r.Called()
		}
		if g.Name != "" && (exceeds(g.Now, g.Base) || count != OwnRecords && exceeds(g.Bytes, 0)) {
			all = append(all, g)
		}
	}
	slices.SortStableFunc(all, func(a, b Growth) int {
		return cmp.Or(cmp.Compare(b.Bytes, a.Bytes), cmp.Compare(b.Now-b.Base, a.Now-a.Base))
	})
	all = append(built, all...)
	return all[:min(len(all), mostGrowths)]
}

func (r Relation) didAsMuch(other Relation) bool {
	return r.Is == other.Is && r.OwnRecords.Median == other.OwnRecords.Median &&
		r.OwnBytes.Median == other.OwnBytes.Median && r.ImageBytes.Median == other.ImageBytes.Median
}

func (rs Relations) find(like Relation) (r Relation, known bool) {
	i := slices.IndexFunc(rs.Items, func(r Relation) bool { return r.Is == like.Is && r.Name == like.Name })
	if i < 0 {
		return Relation{}, false
	}
	return rs.Items[i], true
}

func growth(of string, now, base Causes, columns []string) (all []Growth) {
	if now.Missing != "" || base.Missing != "" {
		return nil
	}
	for _, column := range columns {
		for _, item := range now.Items {
			name := cmp.Or(item.Text, item.Name)
			before, known := base.each(name, column)
			if !known && len(base.Items) >= runfile.MostTopItems {
				continue // it may be below those listed in the base
			}
			g := Growth{Of: of, Name: name, What: columnText(column), Base: before, Now: now.sum(name, column), New: !known}
			if exceeds(g.Now, g.Base) && !slices.Contains(all, g) {
				all = append(all, g)
			}
		}
	}
	slices.SortStableFunc(all, func(a, b Growth) int { return cmp.Compare(b.Now-b.Base, a.Now-a.Base) })
	return all[:min(len(all), mostGrowths)]
}

// noLongerHOT returns the tables with fewer HOT updates, and more others.
func noLongerHOT(now, base Causes) (all []Growth) {
	const hot, updates = "n_tup_hot_upd", "n_tup_upd"
	for _, item := range now.Items {
		before, known := base.each(item.Name, hot)
		others := item.Each[updates] - item.Each[hot]
		if after := item.Each[hot]; known && after < before && exceeds(others, base.sum(item.Name, updates)-before) {
			all = append(all, Growth{Of: "table", Name: item.Name, What: columnText(hot), Base: before, Now: after})
		}
	}
	return all[:min(len(all), mostGrowths)]
}

func columnText(column string) string {
	return cmp.Or(words[column], strings.ReplaceAll(column, "_", " "))
}

// each returns the sum of a column over the causes of a name; statements of one text are one.
func (c Causes) each(name, column string) (sum float64, known bool) {
	for _, i := range c.Items {
		if cmp.Or(i.Text, i.Name) == name {
			sum, known = sum+i.Each[column], true
		}
	}
	return sum, known
}

func (c Causes) sum(name, column string) float64 {
	sum, _ := c.each(name, column)
	return sum
}
