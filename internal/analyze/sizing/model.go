package sizing

import (
	"github.com/realiops/realiops/internal/analyze/drivers"
	"github.com/realiops/realiops/internal/series"
)

// What the device did for the WAL and for pages, as non-negative mixtures over eight arms of a run on PostgreSQL 17.11, alone
// on its device (testdata/runs/arms-pg17.jsonl): requests 0.98 for a WAL write and 0.013 for a page, bytes 1.01 for a byte of WAL,
// 8,120 for a WAL write and 8,860 for a page, flushes 0.99 for a WAL write.
const (
	requestsPerLogWrite = 0.98
	requestsPerPage     = 0.013
	flushesPerLogWrite  = 0.99
	bytesPerLogByte     = 1.01
	bytesPerLogWrite    = 8120
	bytesPerPage        = 8860
)

// modelOff is the factor by which the model is taken to be off on another machine, either way. On its own machine it missed
// an arm it was not fitted to by 1.07 to 1.15; nothing is known of others.
const modelOff = 2

// modelled is what a replicate would have asked of a device, where the device itself could not be read.
func modelled(arm drivers.Arm, r drivers.Replicate) (Rate, *series.Missing) {
	var counts [3]float64
	for i, name := range []string{drivers.WALBytes, drivers.WALWrites, drivers.PagesWritten} {
		driver, _ := drivers.Named(name)
		count, err := driver.Count(arm, r)
		if err != nil {
			return Rate{}, reason(err)
		}
		counts[i] = max(0, count/r.Seconds)
	}
	logBytes, logWrites, pages := counts[0], counts[1], counts[2]
	return Rate{
		Writes:     requestsPerLogWrite*logWrites + requestsPerPage*pages,
		Flushes:    flushesPerLogWrite * logWrites,
		WriteBytes: bytesPerLogByte*logBytes + bytesPerLogWrite*logWrites + bytesPerPage*pages,
	}, nil
}
