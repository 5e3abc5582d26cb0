package anatomy

import (
	"strings"

	"github.com/realiops/realiops/internal/metric"
	"github.com/realiops/realiops/internal/runfile"
)

// Name is the sampler's name and the prefix of its metrics.
const Name = "anatomy"

// part is one or more kinds of record that mean the same work, by its name in internal/metric.
type part struct {
	name string
	// kinds are prefixes of PostgreSQL's names: resource manager, slash, type. The first part with a match takes the
	// record; the last part takes the rest.
	kinds []string
}

// parts returns the parts of the WAL. The type names are from versions 13 to 18: 17 split pruning into three.
func parts() []part {
	return []part{
		{"heap_insert", []string{"Heap/INSERT"}},
		{"heap_multi_insert", []string{"Heap2/MULTI_INSERT"}},
		{"heap_update", []string{"Heap/UPDATE", "Heap/HOT_UPDATE"}},
		{"heap_delete", []string{"Heap/DELETE"}},
		{"heap_prune", []string{"Heap2/PRUNE", "Heap2/CLEAN", "Heap2/VACUUM", "Heap2/FREEZE", "Heap2/VISIBLE"}},
		{"heap_other", []string{"Heap/", "Heap2/"}},
		{"btree_insert_leaf", []string{"Btree/INSERT_LEAF", "Btree/INSERT_POST"}},
		{"btree_insert_upper", []string{"Btree/INSERT_UPPER", "Btree/INSERT_META"}},
		{"btree_split", []string{"Btree/SPLIT"}},
		{"btree_dedup", []string{"Btree/DEDUP"}},
		{"btree_other", []string{"Btree/"}},
		{"index_other", []string{"Hash/", "Gin/", "Gist/", "SPGist/", "BRIN/"}},
		{"sequence", []string{"Sequence/"}},
		{"commit", []string{"Transaction/COMMIT"}},
		{"prepare", []string{"Transaction/PREPARE", "Transaction/ABORT_PREPARED"}},
		{"abort", []string{"Transaction/ABORT"}},
		{"message", []string{"LogicalMessage/"}},
		{"checkpoint", []string{"XLOG/CHECKPOINT"}},
		{"page_image", []string{"XLOG/FPI"}},
		{"other", []string{""}},
	}
}

// partOf returns the part of a kind of record. INSERT+INIT is an INSERT that begins a page.
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

// Metrics lists what can be read of any server.
func Metrics() []runfile.Metric { return metric.All().View(Name).Announced() }

// Sums over all parts.
const (
	passed  = "wal_bytes"
	covered = "covered_bytes"
	windows = "windows"
	records = "records"
	bytes   = "bytes"
	images  = "image_bytes"
)

// counts holds the metrics by their names after the slash.
type counts map[string]float64

// pass counts WAL as passed.
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
		c[part+"_image_bytes"] += k.images
	}
}

// values returns every metric, including zeros.
func (c counts) values() map[string]float64 {
	values := map[string]float64{}
	for _, m := range Metrics() {
		values[m.Name] = c[strings.TrimPrefix(m.Name, Name+"/")]
	}
	return values
}
