package bounds

import (
	"math"

	"github.com/realiops/realiops/internal/metric"
)

const (
	mostPagesOfCall = 128 // io_combine_limit is 1 MB at most
	fewRecords      = 10
	fewestSpilled   = 1000 // rows after which a statement may exceed work_mem, 64 kB at least
)

// ofReads returns the bounds of the quantities that reads, updates and page images count. told is false if there are
// none.
func (d Work) ofReads(quantity metric.Quantity, of func(metric.Quantity) Span) (s Span, told bool) {
	switch quantity {
	case metric.HOTUpdates:
		return Span{0, d.updated}, true
	case metric.PagesMissed:
		return Span{0, of(metric.BuffersTouched).Hi}, true
	case metric.BuffersTouched:
		return Span{d.lookups, math.Inf(1)}, true
	case metric.ReadCalls:
		missed := of(metric.PagesMissed)
		return Span{missed.Lo / mostPagesOfCall, missed.Hi}, true
	case metric.BytesAsked:
		missed := of(metric.PagesMissed)
		return Span{logPage * missed.Lo, logPage * missed.Hi}, true
	case metric.TempRead, metric.TempWritten:
		if d.returned < fewestSpilled*d.statements || d.returned == 0 && d.known {
			return Span{}, true
		}
		return Anything(), true
	case metric.WALRecords:
		if d.onlyReads() { // pages are pruned, and marked if they have checksums
			return Span{0, fewRecords + of(metric.BuffersTouched).Hi}, true
		}
		return Anything(), false
	case metric.PageImages:
		return Span{0, of(metric.WALRecords).Hi}, true
	default:
		return Anything(), false
	}
}

func (d Work) onlyReads() bool { return d.rows == 0 && d.returned > 0 }

// ofChanges returns the bounds that updates and deletes imply: at least a record per row, and a flush for as many
// commits as there are clients.
func (d Work) ofChanges(quantity metric.Quantity) Span {
	s := Anything()
	switch quantity {
	case metric.WALRecords:
		s.Lo = d.rows
	case metric.WALBytes:
		s.Lo = leastRow * d.rows
	case metric.WALSyncs, metric.WALWrites:
		s.Lo = d.syncs(Anything()).Lo / 2
	}
	return s
}
