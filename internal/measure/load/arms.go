package load

import "github.com/realiops/realiops/internal/runfile"

// Methods of putting rows into a table.
const (
	InsertSelect = "insert-select" // one insert … select generate_series a transaction
	Copy         = "copy"          // one COPY a transaction
	Insert       = "insert"        // a prepared insert for each row, all of a transaction between BEGIN and END
	InsertValues = "insert-values" // one prepared insert of many VALUES a transaction
)

// Methods lists what an arm may name.
func Methods() []string { return []string{InsertSelect, Copy, Insert, InsertValues} }

// Sizes of the arms. Those that insert rows one by one make up for it by their number.
const (
	bulkRows  = 1000
	batchRows = 100
	wideBytes = 1024
)

// Arms are chosen so that no two counted quantities keep the same ratio in all of them: each parts a pair that the others
// leave together. How many clients there are is left open.
func Arms() []runfile.Arm {
	return []runfile.Arm{
		{Name: "bulk", Method: InsertSelect, RowsPerTx: bulkRows},                                // of the published runs
		{Name: "bulk-indexed", Method: InsertSelect, RowsPerTx: bulkRows, Indexes: 2},            // rows from entries
		{Name: "copy", Method: Copy, RowsPerTx: bulkRows},                                        // rows from WAL records
		{Name: "copy-indexed", Method: Copy, RowsPerTx: bulkRows, Indexes: 2},                    // entries from WAL records
		{Name: "single", Method: Insert, RowsPerTx: 1},                                           // commits and flushes from rows
		{Name: "async", Method: Insert, RowsPerTx: 1, SynchronousCommit: "off"},                  // commits from flushes
		{Name: "multi", Method: Insert, RowsPerTx: batchRows},                                    // statements from commits
		{Name: "wide", Method: InsertValues, RowsPerTx: batchRows, Indexes: 1, Width: wideBytes}, // bytes from counts
	}
}
