package bounds

import "github.com/realiops/realiops/internal/metric"

// WAL bytes of rows, index entries and commits: the least, and the most for a narrow row.
const (
	leastRow, mostRow       = 30, 160
	leastCopied             = 8
	leastEntry, mostEntry   = 40, 512 // most with a page image that few entries share
	leastCommit, mostCommit = 34, 200
	outOfLine               = 2000 // size from which on PostgreSQL compresses a row or stores it out of line
	logPage                 = 8192
	segment                 = 16 << 20
)

// records bounds the WAL records: one per row (or page of a COPY), index entry and commit, and those of indexes, a
// sequence and vacuum.
func (d Work) records() Span {
	entries := d.rows * d.indexes
	extras := 0.02*(d.rows+entries) + d.rows/32 + d.rows/50 + 10
	s := Span{d.rows + entries + d.Commits, d.rows + entries + d.Commits + extras}
	if d.copied {
		s.Lo = d.rows*(leastRow+d.width)/logPage + entries + d.Commits
	}
	return s
}

func (d Work) bytes() Span {
	entries, least, most := d.rows*d.indexes, leastRow+d.width, mostRow+1.2*d.width
	if d.copied {
		least = leastCopied + d.width
	}
	if d.width > outOfLine {
		least = leastCopied
		most *= 1.5
	}
	return Span{
		d.rows*least + entries*leastEntry + d.Commits*leastCommit,
		d.rows*most + entries*mostEntry + d.Commits*mostCommit + segment,
	}
}

// syncs bounds the WAL fsyncs: each client waits for its own, so at most as many commits as there are clients share
// one.
func (d Work) syncs(bytes Span) Span {
	s := Span{0, d.Commits + bytes.Hi/segment + 10*d.seconds}
	if d.waited {
		s.Lo = d.Commits / d.clients
	}
	if d.aurora { // a quorum of other machines keeps the WAL, in undocumented batches
		s = Span{s.Lo / 10, 6*d.Commits + bytes.Hi/4096 + 100*d.seconds}
	}
	return s
}

func (d Work) writes(bytes, syncs Span) Span {
	if d.aurora {
		return syncs
	}
	return Span{syncs.Lo / 2, d.Commits + syncs.Hi + bytes.Hi/logPage}
}

// pages bounds the pages written: rows fill pages one after the other, and each page is written a few times. An index
// entry may dirty a page by itself. No server has to write them during the load.
func (d Work) pages() Span {
	return Span{0, 3*d.rows*(mostRow+1.2*d.width)/logPage + 2*d.rows*d.indexes + 100*d.seconds}
}

// Implies returns the bounds of a quantity, given the load's parameters and what else was recorded there.
func (d Work) Implies(quantity metric.Quantity, recorded func(quantity metric.Quantity) (Span, bool)) Span {
	if s, known := recorded(quantity); known {
		return s
	}
	of := func(quantity metric.Quantity) Span { return d.Implies(quantity, recorded) }
	if s, told := d.ofReads(quantity, of); told {
		return s
	}
	if d.changed {
		return d.ofChanges(quantity)
	}
	if !d.known {
		return Anything()
	}
	switch quantity {
	case metric.WALRecords:
		return d.records()
	case metric.WALBytes:
		return d.bytes()
	case metric.WALSyncs:
		return d.syncs(of(metric.WALBytes))
	case metric.WALWrites:
		return d.writes(of(metric.WALBytes), of(metric.WALSyncs))
	case metric.PagesWritten:
		return d.pages()
	}
	if d.aurora {
		return Anything()
	}
	bytes, syncs, writes := of(metric.WALBytes), of(metric.WALSyncs), of(metric.WALWrites)
	pages := of(metric.PagesWritten)
	const (
		files     = 300     // that a checkpoint syncs
		largest   = 1 << 20 // bytes of a request
		journaled = 3       // requests and flushes of a file system per request to it
	)
	flushes := Span{0.3 * syncs.Lo, journaled * (syncs.Hi + files + 10*d.seconds)}
	written := Span{bytes.Lo, 2*bytes.Hi + 2*logPage*(writes.Hi+pages.Hi) + journaled*logPage*flushes.Hi}
	switch quantity {
	case metric.DeviceFlushes:
		return flushes
	case metric.DeviceBytes:
		return written
	case metric.DeviceRequests:
		return Span{max(0.3*syncs.Lo, written.Lo/largest), 1.5*(writes.Hi+pages.Hi) + journaled*flushes.Hi}
	default:
		return Anything()
	}
}
