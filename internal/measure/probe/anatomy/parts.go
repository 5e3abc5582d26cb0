package anatomy

import (
	"strings"

	"github.com/realiops/realiops/internal/runfile"
)

// part is a kind of record, or several that mean the same work.
type part struct {
	name string
	help string
	// kinds are beginnings of what PostgreSQL calls them: resource manager, slash, type. The first part that has one
	// takes the record; the last part takes all that is left.
	kinds []string
}

// parts are what the log is divided into. The names of types are those of versions 13 to 18: 17 gave pruning three.
func parts() []part {
	return []part{
		{"heap_insert", "rows put into tables one by one", []string{"Heap/INSERT"}},
		{"heap_multi_insert", "pages of rows put into tables at once, by COPY", []string{"Heap2/MULTI_INSERT"}},
		{"heap_update", "rows updated, those within their page among them", []string{"Heap/UPDATE", "Heap/HOT_UPDATE"}},
		{"heap_delete", "rows deleted", []string{"Heap/DELETE"}},
		{"heap_prune", "pages of tables cleared of dead rows, by queries and by vacuum", []string{
			"Heap2/PRUNE", "Heap2/CLEAN", "Heap2/VACUUM", "Heap2/FREEZE", "Heap2/VISIBLE"}},
		{"heap_other", "other changes of tables: locks of rows, changes in place", []string{"Heap/", "Heap2/"}},
		{"btree_insert_leaf", "index entries put into leaves of B-trees", []string{"Btree/INSERT_LEAF", "Btree/INSERT_POST"}},
		{"btree_insert_upper", "pointers put into the levels above", []string{"Btree/INSERT_UPPER", "Btree/INSERT_META"}},
		{"btree_split", "pages of B-trees split, which puts in the new entry as well", []string{"Btree/SPLIT"}},
		{"btree_dedup", "leaves whose equal entries were merged", []string{"Btree/DEDUP"}},
		{"btree_other", "other changes of B-trees: new roots, deletions, vacuum", []string{"Btree/"}},
		{"index_other", "changes of indexes of other kinds", []string{"Hash/", "Gin/", "Gist/", "SPGist/", "BRIN/"}},
		{"sequence", "sequences moved on, once in 33 values", []string{"Sequence/"}},
		{"commit", "transactions committed", []string{"Transaction/COMMIT"}},
		{"checkpoint", "checkpoints", []string{"XLOG/CHECKPOINT"}},
		{"page_image", "images of whole pages by themselves: of built indexes, and for hint bits", []string{"XLOG/FPI"}},
		{"other", "everything else: aborted transactions, files made, snapshots for standbys", []string{""}},
	}
}

// partOf is the part that a record belongs to. INSERT+INIT is an INSERT that begins a page.
func partOf(kind string) string {
	for _, p := range parts() {
		for _, beginning := range p.kinds {
			if strings.HasPrefix(kind, beginning) {
				return p.name
			}
		}
	}
	return ""
}

// The programs that read the log, and where they are documented.
const (
	chapter        = "https://www.postgresql.org/docs/current/pgwalinspect.html"
	chapterOfFiles = "https://www.postgresql.org/docs/current/pgwaldump.html"
)

// Metrics lists what can be read of any server.
func Metrics() []runfile.Metric {
	metric := func(name, unit, help string) runfile.Metric {
		return runfile.Metric{Name: Name + "/" + name, Unit: unit, Type: runfile.Counter, Source: chapter, Help: help}
	}
	metrics := []runfile.Metric{
		metric(passed, "bytes", "bytes of log that were there to be looked at, by its positions"),
		metric(covered, "bytes", "bytes of log whose records were counted, by its positions; all of log_bytes: exact"),
		metric(windows, "windows", "windows in which they were counted"),
		metric(records, "records", "records counted, of all kinds"),
		metric(bytes, "bytes", "bytes of the records counted, images of whole pages among them"),
		metric(images, "bytes", "bytes of images of whole pages in the records counted"),
	}
	for _, p := range parts() {
		metrics = append(metrics,
			metric(p.name+"_records", "records", "records counted: "+p.help),
			metric(p.name+"_bytes", "bytes", "bytes of the records counted: "+p.help))
	}
	for i := range metrics[1:] {
		metrics[1+i].Caveat = partly
	}
	return metrics
}

// partly is to beware of in all that is counted in windows.
const partly = "rises late, when the load is over, and holds all of the log only where covered_bytes rises as much as log_bytes"

// Sums over all parts.
const (
	passed  = "log_bytes"
	covered = "covered_bytes"
	windows = "windows"
	records = "records"
	bytes   = "bytes"
	images  = "image_bytes"
)

// counts are the metrics by their names after the slash.
type counts map[string]float64

// pass notes log that went by.
func (c counts) pass(bytes uint64) { c[passed] += float64(bytes) }

func (c counts) add(w window) {
	c[covered] += float64(w.span.size())
	c[windows]++
	for _, k := range w.kinds {
		part := partOf(k.name)
		c[records] += k.records
		c[bytes] += k.bytes
		c[images] += k.images
		c[part+"_records"] += k.records
		c[part+"_bytes"] += k.bytes
	}
}

// values has every metric, also those of which there was nothing.
func (c counts) values() map[string]float64 {
	values := map[string]float64{}
	for _, m := range Metrics() {
		values[m.Name] = c[strings.TrimPrefix(m.Name, Name+"/")]
	}
	return values
}
