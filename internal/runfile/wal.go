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
	Load       string    `json:"load,omitempty"` // empty: of no load of ours
	Repetition int       `json:"repetition,omitempty"`
	// of the WAL that was written from From to To, with the headers of its pages
	Bytes int64 `json:"bytes"`
	// bytes of it that Items tell of; where they are fewer, Items are a sample
	Read    int64     `json:"read"`
	Items   []WALItem `json:"items,omitempty"` // the one with the most bytes first
	Missing string    `json:"missing,omitempty" scrub:"text"`
}

// MostWALItems are in one line. What more there are is added up as [OtherRelations].
const MostWALItems = 200

// WALItem sums up the WAL of one table, index or other file.
type WALItem struct {
	// Name is that with its schema; of WALElsewhere, the database; empty: it has none.
	Name string `json:"name,omitempty" scrub:"form"`
	Is   string `json:"is"` // one of the words below
	// Table is the table, with its schema, that an index or a TOAST table belongs to.
	Table string `json:"table,omitempty" scrub:"form"`
	// Dropped: it was not there any more when its name was asked for. Name is as before, and empty where it was not
	// known.
	Dropped    bool   `json:"dropped,omitempty"`
	Constraint string `json:"constraint,omitempty"` // of an index: PrimaryKey, Unique or Exclusion
	// Scans is the number of an index's scans from Since until it was asked; nil: it is no index, or they are not
	// counted.
	Scans *int64     `json:"scans,omitempty"`
	Since *time.Time `json:"since,omitempty"` // when its database's statistics were last reset; nil: not known
	// Like is another index of the same columns, operators and rows, which makes this one superfluous.
	Like string `json:"like,omitempty" scrub:"form"`
	// Parts are by the kind of record, as metrics of the probe anatomy name it: heap_insert.
	Parts map[string]WALPart `json:"parts"`
}

// Called returns what it is and its name, for people.
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

// What an item of the WAL is.
const (
	WALTable          = "table"
	WALIndex          = "index"
	WALOversized      = "toast"       // the table of a table's oversized values
	WALOversizedIndex = "toast_index" // the index of that
	WALSequence       = "sequence"
	WALCatalog        = "catalog"   // a table or an index of the system's
	WALElsewhere      = "database"  // all of another database
	OtherRelations    = "relations" // all that were too many to be listed
	WALOfNone         = "other"     // records that name no page: commits and others
)

// Constraints that an index stands for.
const (
	PrimaryKey = "primary key"
	Unique     = "unique"
	Exclusion  = "exclusion"
)

// WALPart is one kind of record in the WAL.
type WALPart struct {
	// Records count for the first page that they name; bytes of a record are those of each page, and what is of none is
	// the first's.
	Records    int64 `json:"records"`
	Bytes      int64 `json:"bytes"`                 // with images of pages
	Images     int64 `json:"images,omitempty"`      // of whole pages
	ImageBytes int64 `json:"image_bytes,omitempty"` // as they stand in the WAL, maybe compressed
}

func (a *Anonymizer) wal(w WAL) WAL {
	w.Missing, w.Items = a.drop("free text", w.Missing), slices.Clone(w.Items)
	if w.Load != "" {
		w.Load = a.loadName(w.Load)
	}
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
