package attribution

import (
	"math"

	"github.com/realiops/realiops/internal/analyze/counts"
	"github.com/realiops/realiops/internal/metric"
)

const (
	mostPagesOfCall = 128 // io_combine_limit is 1 MB at most
	fewRecords      = 10
	fewestSpilled   = 1000 // rows that a statement works through before work_mem, 64 kB at least, may not hold them
)

// ofReads returns what a load implies of the quantities that reads, updates and page images are counted in; told is false where that is nothing.
func (d done) ofReads(quantity string, of func(string) span) (s span, told bool) {
	switch metric.Quantity(quantity) {
	case metric.HOTUpdates:
		return span{0, d.updated}, true
	case metric.PagesMissed:
		return span{0, of(counts.BuffersTouched).hi}, true
	case metric.BuffersTouched:
		return span{d.lookups, math.Inf(1)}, true
	case metric.ReadCalls:
		missed := of(string(metric.PagesMissed))
		return span{missed.lo / mostPagesOfCall, missed.hi}, true
	case metric.BytesAsked:
		missed := of(string(metric.PagesMissed))
		return span{logPage * missed.lo, logPage * missed.hi}, true
	case metric.TempRead, metric.TempWritten:
		if d.returned < fewestSpilled*d.statements || d.returned == 0 && d.known {
			return span{}, true
		}
		return anything(), true
	case metric.WALRecords:
		if d.onlyReads() { // pages are pruned, and marked where they have checksums
			return span{0, fewRecords + of(counts.BuffersTouched).hi}, true
		}
		return anything(), false
	case metric.PageImages:
		return span{0, of(counts.WALRecords).hi}, true
	default:
		return anything(), false
	}
}

func (d done) onlyReads() bool { return d.rows == 0 && d.returned > 0 }

// ofChanges returns what updates and deletes imply of the rest: at least a record for each row, and a flush for as many commits as there are clients.
func (d done) ofChanges(quantity string) span {
	s := anything()
	switch quantity {
	case counts.WALRecords:
		s.lo = d.rows
	case counts.WALBytes:
		s.lo = leastRow * d.rows
	case counts.WALSyncs, counts.WALWrites:
		s.lo = d.syncs(anything()).lo / 2
	}
	return s
}
