package counts

import (
	"math"
	"strings"

	"github.com/realiops/realiops/internal/metric"
	"github.com/realiops/realiops/internal/runfile"
	"github.com/realiops/realiops/internal/series"
)

// What the tables of the loads are, as package load makes them, in pages of 8 KiB.
const (
	pageBytes   = 8192 - 24 // without its header
	rowBytes    = 40 + 4    // an id and a value, its header and its pointer
	rowHead     = 36        // of a wide one, before its filler
	alignment   = 8
	entriesLeaf = 366 // of the primary key in a leaf: 20 bytes each, up to nine tenths of a page
	valuesLog   = 33  // values of a sequence in each of its records: the one that is asked for and 32 ahead
	fewMore     = 10  // records of a checkpoint, and of what the server does now and then
)

// upkeep is the number of records per entry that a second index costs in addition to the entry: page splits and
// merged entries. Measured, the least and the most, in loads of 3 to 40 s.
var upkeep = [2]float64{0.008, 0.03}

// Anatomy returns what the repetition put into the WAL, as it was read, or else as the model has it. The error, where
// there is neither, is a *series.Missing.
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

// model returns what the load's work must have put into the WAL: a record for each row, or each page of a COPY, one for
// each index entry, one for 33 values of the sequence and one for each commit. What it cannot know are the other
// records of indexes, and whether a vacuum came in between, which leaves a record in each page.
func (a Load) model(r Repetition) (Anatomy, error) {
	if a.Idle() || !a.Inserts() {
		return Anatomy{}, &series.Missing{Reason: NotRecorded, Detail: "nothing tells what " + a.Name +
			" puts into the WAL"}
	}
	rows, commits := float64(r.Work.Rows), float64(r.Work.Transactions)
	perPage := math.Floor(pageBytes / widthOf(a.Load))
	exact := func(name string, records float64) Part {
		return Part{Name: name, Records: records, Low: records, High: records, Bytes: math.NaN()}
	}
	parts := []Part{exact("heap_insert", rows)}
	if a.Method == Copy { // a transaction begins where the one before it ended, somewhere in a page
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
	// records that one may have left, whose work was not counted
	perFailure := float64(a.RowsPerTx)*(1+float64(a.Indexes)+1./valuesLog) + 1
	sum.High += rows/perPage + fewMore + float64(r.Work.Failures)*perFailure
	return Anatomy{Source: Model, Parts: parts, Sum: sum, Counted: r.WALRecords()}, nil
}

// Inserts reports whether the model knows how rows come in: by COPY, or by an insert of some sort.
func (a Load) Inserts() bool { return a.Method == Copy || strings.HasPrefix(a.Method, "insert") }

// Methods of loads that are told apart here.
const (
	Copy      = "copy"    // puts rows in by pages
	Unplanned = "unknown" // of a load whose factors nothing tells, so that it is not taken for an idle one
)

// widthOf returns a row's place in a page.
func widthOf(a runfile.Load) float64 {
	if a.Width == 0 {
		return rowBytes
	}
	const pointer, length = 4, 4
	return math.Ceil(float64(rowHead+length+a.Width)/alignment)*alignment + pointer
}

// about returns a number that pages decide which are not always as full as they might be.
func about(name string, records float64) Part {
	const tolerance = 0.02
	return Part{Name: name, Records: records, Low: (1 - tolerance) * records, High: (1 + tolerance) * records,
		Bytes: math.NaN()}
}

// upkeepOf returns what indexes cost beside their entries. The first is the primary key, whose entries come in order.
func upkeepOf(rows float64, indexes int) Part {
	key, others := about("btree_upkeep", rows/entriesLeaf), rows*float64(indexes-1)
	low, high := key.Low+others*upkeep[0], key.High+others*upkeep[1]
	return Part{Name: key.Name, Records: (low + high) / 2, Low: low, High: high, Bytes: math.NaN()}
}

// WALRecords returns PostgreSQL's own count of the WAL records, the background in it; NaN where it was not read.
func (r Repetition) WALRecords() float64 {
	if counted, known := r.Counts[metric.StatWALRecords]; known && counted.Missing == nil {
		return counted.Raw
	}
	return math.NaN()
}
