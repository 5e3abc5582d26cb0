package bounds

import (
	"github.com/realiops/realiops/internal/analyze/counts"
	"github.com/realiops/realiops/internal/runfile"
)

// Usual returns what one row typically costs under a load, by quantity, on a server with a local disk. These rules of
// thumb serve to choose a load to advise, never to judge.
func Usual(a runfile.Load) map[string]float64 {
	commits, indexes, width := 1/float64(max(1, a.RowsPerTx)), float64(a.Indexes), float64(a.Width)
	statements, records, bytes := commits, 1.0, 70+width
	switch a.Method {
	case byInsert:
		statements = 1
	case byCopy:
		records, bytes = (44+width)/logPage, 24+width
	}
	bytes += 66*indexes + 40*commits
	syncs := 0.4 * commits
	writes := 1.05 * syncs
	if a.Clients == 1 {
		syncs = commits
	}
	if a.SynchronousCommit == "off" {
		syncs, writes = commits/8000, commits/4000
	}
	pages := (44+width)/logPage + 0.002*indexes
	return map[string]float64{
		counts.Rows: 1, counts.Entries: 1 + indexes, counts.Statements: statements, counts.Commits: commits,
		counts.WALRecords: records + indexes + commits + 1.0/32, counts.WALBytes: bytes, counts.WALWrites: writes,
		counts.WALSyncs:     syncs,
		counts.PagesWritten: pages, counts.DeviceFlushes: 1.05 * syncs, counts.DeviceRequests: writes + 0.03*pages,
		counts.DeviceBytes: bytes + logPage*(writes+pages),
	}
}
