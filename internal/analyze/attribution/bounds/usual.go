package bounds

import (
	"github.com/realiops/realiops/internal/metric"
	"github.com/realiops/realiops/internal/runfile"
)

// Usual returns what one row typically costs under a load, by quantity, on a server with a local disk. These rules of
// thumb serve to choose a load to advise, never to judge.
func Usual(a runfile.Load) map[metric.Quantity]float64 {
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
	return map[metric.Quantity]float64{
		metric.RowsWritten: 1, metric.Entries: 1 + indexes, metric.Statements: statements, metric.Commits: commits,
		metric.WALRecords: records + indexes + commits + 1.0/32, metric.WALBytes: bytes, metric.WALWrites: writes,
		metric.WALSyncs:     syncs,
		metric.PagesWritten: pages, metric.DeviceFlushes: 1.05 * syncs, metric.DeviceRequests: writes + 0.03*pages,
		metric.DeviceBytes: bytes + logPage*(writes+pages),
	}
}
