package runfile

import (
	"cmp"
	"slices"
	"time"
)

// WAL says which tables and indexes a stretch of the WAL is about: one repetition of a load, or some minutes of an
// observation.
type WAL struct {
	From       time.Time `json:"from"`
	To         time.Time `json:"to"`
	Load       string    `json:"load,omitempty"` // empty: no load of ours
	Repetition int       `json:"repetition,omitempty"`
	// of the WAL written from From to To, including page headers
	Bytes int64 `json:"bytes"`
	// bytes that Items cover; if fewer, Items are a sample
	Read    int64     `json:"read"`
	Items   []WALItem `json:"items,omitempty"` // the one with the most bytes first
	Missing string    `json:"missing,omitempty" scrub:"text"`
}

// MostWALItems is the largest number of items in a line. The rest is added up as [OtherRelations].
const MostWALItems = 200

// WALItem sums up the WAL of one table, index or other file.
type WALItem struct {
	// Name includes the schema; for WALElsewhere it is the database; empty if there is none.
	Name string `json:"name,omitempty" scrub:"form"`
	Is   string `json:"is"` // one of the words below
	// Table is the table, with its schema, of an index or a TOAST table.
	Table string `json:"table,omitempty" scrub:"form"`
	// Dropped: it no longer existed when its name was looked up. Name is the last known one, or empty.
	Dropped bool `json:"dropped,omitempty"`
	// Shared: it belongs to no database, such as the catalog of roles.
	Shared     bool   `json:"shared,omitempty"`
	Constraint string `json:"constraint,omitempty"` // of an index: PrimaryKey, Unique or Exclusion
	// Scans is the number of an index's scans since Since; nil if it is not an index, or they are not counted.
	Scans *int64     `json:"scans,omitempty"`
	Since *time.Time `json:"since,omitempty"` // when its database's statistics were last reset; nil: unknown
	// Like is another index of the same columns, operators and rows, which makes this one superfluous.
	Like string `json:"like,omitempty" scrub:"form"`
	// Parts are by kind of record, as named by the metrics of the probe anatomy: heap_insert.
	Parts map[string]WALPart `json:"parts"`
}

// Called returns its kind and name.
func (i WALItem) Called() string {
	switch name := cmp.Or(i.Name, "dropped since"); {
	case i.Is == WALOfNone:
		return "commits and others"
	case i.Is == OtherRelations && i.Name == "":
		return "other tables and indexes"
	case i.Is == WALOversized:
		return "oversized values of " + cmp.Or(i.Table, name)
	case i.Is == WALOversizedIndex:
		return "index of oversized values of " + cmp.Or(i.Table, name)
	case i.Dropped && i.Name != "":
		return i.Is + " " + name + ", dropped since"
	default:
		return i.Is + " " + name
	}
}

// The kinds of a WAL item.
const (
	WALTable          = "table"
	WALIndex          = "index"
	WALOversized      = "toast"       // the table of a table's oversized values
	WALOversizedIndex = "toast_index" // the index of that
	WALSequence       = "sequence"
	WALCatalog        = "catalog"   // a table or an index of the system's
	WALElsewhere      = "database"  // all of another database
	OtherRelations    = "relations" // all that were too many to be listed
	WALOfNone         = "other"     // records without a page: commits and others
)

// Constraints that an index implements.
const (
	PrimaryKey = "primary key"
	Unique     = "unique"
	Exclusion  = "exclusion"
)

// WALPart is one kind of record in the WAL.
type WALPart struct {
	// Records are counted for the first page that they refer to. Bytes of a page are counted for it, and the rest for
	// the first page.
	Records    int64 `json:"records"`
	Bytes      int64 `json:"bytes"`                 // including page images
	Images     int64 `json:"images,omitempty"`      // of whole pages
	ImageBytes int64 `json:"image_bytes,omitempty"` // as in the WAL, possibly compressed
}

func (a *Anonymizer) wal(w WAL) WAL {
	w.Load, w.Missing, w.Items = a.loadName(w.Load), a.drop("free text", w.Missing), slices.Clone(w.Items)
	for i := range w.Items {
		item := &w.Items[i]
		kind := "table"
		switch item.Is {
		case WALIndex, WALSequence, WALElsewhere:
			kind = item.Is
		}
		item.Name, item.Table, item.Like = a.stand(kind, item.Name), a.stand("table", item.Table),
			a.stand("index", item.Like)
	}
	return w
}
