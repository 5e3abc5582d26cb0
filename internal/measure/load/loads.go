package load

import (
	"slices"

	"github.com/realiops/realiops/internal/runfile"
)

// Methods of putting rows into a table.
const (
	InsertSelect = "insert-select" // one INSERT … SELECT generate_series per transaction
	Copy         = "copy"          // one COPY per transaction
	Insert       = "insert"        // a prepared INSERT for each row, between BEGIN and END
	InsertValues = "insert-values" // one prepared INSERT of many VALUES per transaction
)

// Methods of reading and changing the rows of a table that is filled before the load.
const (
	Lookup       = "lookup"        // one row by its key, per transaction
	Range        = "range"         // consecutive rows in key order
	Bitmap       = "bitmap"        // scattered rows, by a bitmap scan of another index
	Join         = "join"          // scattered rows, each looked up by its key in one statement
	Scan         = "scan"          // an aggregate over all rows
	Sort         = "sort"          // all rows, with too little work_mem
	Update       = "update"        // one row, by its key
	Replace      = "replace"       // deletes rows by their keys and inserts them again
	LookupUpdate = "lookup-update" // one row looked up, another updated
)

// Methods lists the methods that a plan may name.
func Methods() []string {
	return []string{InsertSelect, Copy, Insert, InsertValues, Lookup, Range, Bitmap, Join, Scan, Sort, Update, Replace,
		LookupUpdate}
}

// Fills reports whether a method needs a table that is filled before the load. Reads reports whether it only reads
// that table, so that loads may share it.
func Fills(method string) bool {
	return Reads(method) || slices.Contains([]string{Update, Replace, LookupUpdate}, method)
}

func Reads(method string) bool {
	return slices.Contains([]string{Lookup, Range, Bitmap, Join, Scan, Sort}, method)
}

// Sizes of the loads. Loads that insert rows one by one run more transactions.
const (
	bulkRows  = 1000
	batchRows = 100
	wideBytes = 1024
)

// Loads returns the insert-only loads. Each separates a pair of counted quantities whose ratio is the same in all
// others. The number of clients is left open.
func Loads() []runfile.Load {
	return []runfile.Load{
		// as in the published runs
		{Name: "bulk", Method: InsertSelect, RowsPerTx: bulkRows},
		{Name: "bulk-indexed", Method: InsertSelect, RowsPerTx: bulkRows, Indexes: 2}, // rows from index entries
		// separates rows from WAL records
		{Name: "copy", Method: Copy, RowsPerTx: bulkRows},
		// index entries from WAL records
		{Name: "copy-indexed", Method: Copy, RowsPerTx: bulkRows, Indexes: 2},
		// commits and flushes from rows
		{Name: "single", Method: Insert, RowsPerTx: 1},
		// commits from flushes
		{Name: "async", Method: Insert, RowsPerTx: 1, SynchronousCommit: "off"},
		// statements from commits
		{Name: "multi", Method: Insert, RowsPerTx: batchRows},
		{Name: "wide", Method: InsertValues, RowsPerTx: batchRows, Indexes: 1, Width: wideBytes}, // bytes from counts
	}
}

// Sizes of the loads that read and change rows.
const (
	rangeRows  = 1000
	bitmapRows = 200 // rows of each value of the second index
	joinRows   = 100
	readWidth  = 500 // few rows make a large table
	changeRows = 200_000
	changeWide = 100
)

const (
	PointWarm     = "point-warm" // finds its pages in the kernel's cache, not in PostgreSQL's
	PointCold     = "point-cold" // the same, without the kernel's cache
	RangeCold     = "range-cold"
	BitmapCold    = "bitmap-cold"
	JoinCold      = "join-cold" // separates lookups from statements and commits
	ScanCold      = "scan-cold"
	UpdateIndexed = "update-indexed"
)

// ReadLoads returns the loads that read. Each has its own ratio of rows, buffers, calls and device reads. The size of
// their table is left open; it depends on the server's buffers.
func ReadLoads() []runfile.Load {
	reads := func(name, method string, rows int, cold bool) runfile.Load {
		return runfile.Load{Name: name, Method: method, RowsPerTx: rows, Indexes: 2, Width: readWidth, Cold: cold}
	}
	hot, scan, spill := reads("point-hot", Lookup, 1, false), reads(ScanCold, Scan, 1, true),
		reads("spill", Sort, 1, false)
	hot.OfRows = hotRows
	scan.Clients, spill.Clients = 1, 1 // several clients would share one sequential scan
	return []runfile.Load{
		hot, reads(PointWarm, Lookup, 1, false), reads(PointCold, Lookup, 1, true),
		reads(RangeCold, Range, rangeRows, true), reads(BitmapCold, Bitmap, bitmapRows, true),
		reads(JoinCold, Join, joinRows, true), scan, spill,
	}
}

// hotRows is a number of rows whose pages fit into any server's buffers: 8 MB.
const hotRows = 14_000

// ChangeLoads returns the loads that update and delete, within a page and beyond it, with
// page images after a checkpoint.
func ChangeLoads() []runfile.Load {
	changes := func(name, method string, rows, indexes int) runfile.Load {
		return runfile.Load{Name: name, Method: method, RowsPerTx: rows, Indexes: indexes, Width: changeWide,
			TableRows: changeRows}
	}
	return []runfile.Load{
		changes("update-hot", Update, 1, 1), changes(UpdateIndexed, Update, 1, 2),
		changes("delete-vacuum", Replace, batchRows, 1),
		changes("mixed", LookupUpdate, 1, 2),
	}
}
