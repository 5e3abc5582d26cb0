package needs

import (
	"github.com/realiops/realiops/internal/analyze/counts"
	"github.com/realiops/realiops/internal/metric"
	"github.com/realiops/realiops/internal/series"
)

// The device's work for WAL and pages, as non-negative mixtures over eight loads of a run on PostgreSQL 17.11, alone on
// its device (testdata/runs/loads-pg17.jsonl): requests 0.98 per WAL write and 0.013 per page, bytes 1.01 per byte of
// WAL, 8,120 per WAL write and 8,860 per page, flushes 0.99 per WAL write.
const (
	requestsPerWALWrite = 0.98
	requestsPerPage     = 0.013
	flushesPerWALWrite  = 0.99
	BytesPerWALByte     = 1.01
	bytesPerWALWrite    = 8120
	bytesPerPage        = 8860
)

// How far the model may be off on another machine, either way. Bytes follow from pages: they were 0.96 to 1.24 of the
// model's in 73 of 74 repetitions on three servers, and 1.67 in one. The number of requests depends on file system and
// device: up to 2.01 of the model's.
const (
	modelOff      = 2
	ModelBytesOff = 1.5
)

// modelled returns a repetition's rate by the model, for a device that could not be read, or not for this server alone.
// Spilled bytes are written, too, unless deleted before.
func modelled(run *counts.Run, load counts.Load, r counts.Repetition) (Rate, *series.Missing) {
	var counted [3]float64
	for i, name := range []metric.Quantity{metric.WALBytes, metric.WALWrites, metric.PagesWritten} {
		count, err := run.Quantity(name).Count(load, r)
		if err != nil {
			return Rate{}, reason(err)
		}
		counted[i] = max(0, count/r.Seconds)
	}
	walBytes, walWrites, pages := counted[0], counted[1], counted[2]
	return Rate{
		Writes:     requestsPerWALWrite*walWrites + requestsPerPage*pages,
		Flushes:    flushesPerWALWrite * walWrites,
		WriteBytes: BytesPerWALByte*walBytes + bytesPerWALWrite*walWrites + bytesPerPage*pages + spilled(r),
	}, nil
}

// spilled returns the bytes written to temporary files per second, as far as known.
func spilled(r counts.Repetition) float64 {
	for _, name := range []string{metric.ClusterTempBytes, metric.DatabaseTempBytes} {
		if count, err := r.Count(name); err == nil {
			return max(0, count/r.Seconds)
		}
	}
	return 0
}

// WALShare is the WAL's share of the write requests and of the bytes written.
type WALShare struct{ Requests, Bytes float64 }

// WALShare returns the WAL's share of a need, by the cost of WAL writes to a device; nil if unknown.
func (n Need) WALShare() *WALShare {
	if n.WALWrites == nil || n.WALBytes == nil || n.Mean.Writes == 0 || n.Mean.WriteBytes == 0 {
		return nil
	}
	return &WALShare{
		Requests: min(1, requestsPerWALWrite**n.WALWrites/n.Mean.Writes),
		Bytes:    min(1, (BytesPerWALByte**n.WALBytes+bytesPerWALWrite**n.WALWrites)/n.Mean.WriteBytes),
	}
}
