package counts

import (
	"math"
	"strings"

	"github.com/realiops/realiops/internal/metric"
	"github.com/realiops/realiops/internal/runfile"
	"github.com/realiops/realiops/internal/series"
)

// The tables of the loads, as package load makes them, in pages of 8 KiB.
const (
	pageBytes   = 8192 - 24 // without its header
	rowBytes    = 40 + 4    // an id and a value, its header and its pointer
	rowHead     = 36        // of a wide row, before its filler
	alignment   = 8
	entriesLeaf = 366 // primary key entries per leaf: 20 bytes each, up to nine tenths of a page
	valuesLog   = 33  // sequence values per record: the requested one and 32 ahead
	fewMore     = 10  // records of a checkpoint and of the server's occasional work
)

// upkeep is the number of records per entry that a second index costs besides the entry, for page splits and merged
// entries: the least and the most measured in loads of 3 to 40 s.
var upkeep = [2]float64{0.008, 0.03}

// Anatomy returns the WAL records of a repetition, as read, or else as modelled. The error is a *series.Missing.
func (a Load) Anatomy(r Repetition) (Anatomy, error) {
	if r.Log != nil && r.Log.Missing == nil {
		return *r.Log, nil
	}
	model, err := a.model(r)
	if err != nil {
		return Anatomy{}, err
	}
	if r.Log != nil {
		model.Missing = r.Log.Missing
	}
	return model, nil
}

// model returns the WAL records that the load's work must have caused: one per row (or page of a COPY), index entry and
// commit, and one per 33 sequence values. It cannot know other index records, or whether a vacuum intervened, which
// leaves a record per page.
func (a Load) model(r Repetition) (Anatomy, error) {
	if a.Idle() || !a.Inserts() {
		return Anatomy{}, &series.Missing{Reason: NotRecorded, Detail: "no model says what " + a.Name +
			" puts into the WAL"}
	}
	rows, commits := float64(r.Work.Rows), float64(r.Work.Transactions)
	perPage := math.Floor(pageBytes / widthOf(a.Load))
	exact := func(name string, records float64) Part {
		return Part{Name: name, Records: records, Low: records, High: records, Bytes: math.NaN()}
	}
	parts := []Part{exact("heap_insert", rows)}
	if a.Method == Copy { // a transaction begins in the page where the one before it ended
		parts[0] = about("heap_multi_insert", commits*math.Max(1, float64(a.RowsPerTx)/perPage+1-1/perPage))
	}
	if a.Indexes > 0 {
		parts = append(parts, exact("btree_insert_leaf", rows*float64(a.Indexes)), upkeepOf(rows, a.Indexes))
	}
	parts = append(parts, exact("commit", commits), exact("sequence", rows/valuesLog))
	sum := Part{Bytes: math.NaN()}
	for _, p := range parts {
		sum.Records += p.Records
		sum.Low += p.Low
		sum.High += p.High
	}
	// records of a failed transaction, whose work was not counted
	perFailure := float64(a.RowsPerTx)*(1+float64(a.Indexes)+1./valuesLog) + 1
	sum.High += rows/perPage + fewMore + float64(r.Work.Failures)*perFailure
	return Anatomy{Source: Model, Parts: parts, Sum: sum, Counted: r.WALRecords()}, nil
}

// Inserts reports whether the model knows how rows come in: by COPY, or by some INSERT.
func (a Load) Inserts() bool { return a.Method == Copy || strings.HasPrefix(a.Method, "insert") }

// Methods of loads that are distinguished here.
const (
	Copy      = "copy"    // inserts rows by the page
	Unplanned = "unknown" // parameters unknown, so that the load is not taken for idle
)

// widthOf returns the space of a row in a page.
func widthOf(a runfile.Load) float64 {
	if a.Width == 0 {
		return rowBytes
	}
	const pointer, length = 4, 4
	return math.Ceil(float64(rowHead+length+a.Width)/alignment)*alignment + pointer
}

// about returns a number of records that varies by how full pages are.
func about(name string, records float64) Part {
	const tolerance = 0.02
	return Part{Name: name, Records: records, Low: (1 - tolerance) * records, High: (1 + tolerance) * records,
		Bytes: math.NaN()}
}

// upkeepOf returns the cost of indexes besides their entries. The first is the primary key, whose entries arrive in
// order.
func upkeepOf(rows float64, indexes int) Part {
	key, others := about("btree_upkeep", rows/entriesLeaf), rows*float64(indexes-1)
	low, high := key.Low+others*upkeep[0], key.High+others*upkeep[1]
	return Part{Name: key.Name, Records: (low + high) / 2, Low: low, High: high, Bytes: math.NaN()}
}

// WALRecords returns PostgreSQL's own count of WAL records, background included; NaN if not read.
func (r Repetition) WALRecords() float64 {
	if counted, known := r.Counts[metric.StatWALRecords]; known && counted.Missing == nil {
		return counted.Raw
	}
	return math.NaN()
}

// Sources of an anatomy.
const (
	Walinspect = "pg_walinspect" // the server read its own WAL
	Waldump    = "pg_waldump"    // the program read the WAL's files
	Model      = "model"         // nobody read it: computed from our clients' work
)

// Anatomy counts a repetition's WAL records by kind.
type Anatomy struct {
	Source string
	// Missing is why a model was used: the WAL was not read.
	Missing *series.Missing
	// Coverage is the share of the WAL's bytes whose records were counted one by one. If it is 1, the parts are exact.
	// Otherwise they are scaled up, to PostgreSQL's own count if known. It is 0 for a model.
	Coverage float64
	Parts    []Part // those with any records
	// Sum is the total of the records.
	Sum Part
	// Counted is the number of records in pg_stat_wal; its difference from Sum is the error of the anatomy. NaN if not
	// counted.
	Counted float64
}

// Part is a kind of record. Low and High are its 95% interval, equal if it is exact.
type Part struct {
	Name               string
	Records, Low, High float64
	Bytes              float64 // NaN if unknown
	Images             float64 // bytes of full-page images among them, if read
}

// Exact reports whether every record was counted one by one.
func (a Anatomy) Exact() bool { return a.Coverage == 1 }
