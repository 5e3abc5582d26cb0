package worlds

import (
	"maps"
	"math"

	"github.com/realiops/realiops/internal/analyze/counts"
	"github.com/realiops/realiops/internal/metric"
	"github.com/realiops/realiops/internal/runfile"
)

// server is PostgreSQL on an imaginary machine. Its mechanisms follow PostgreSQL's documentation and source, and their
// amounts are drawn from wide ranges. Nothing here was measured on a machine, and no method uses it.
type server struct {
	clients    int
	processors float64
	flush      float64 // seconds per flush of the device
	sharing    float64 // share of waiting commits that share a flush: none at 0, all at 1

	statement, commit, row, entry, written float64 // seconds of processor for one; written is per byte of WAL

	rowBytes                             float64 // of a row in a page, without its filler
	rowRecord, entryRecord, commitRecord float64 // bytes of a WAL record
	// records per row, per index entry; full pages per page touched; bytes of one
	sequence, splits, images, imageBytes float64
	touched                              float64 // index pages written into, per entry
	// bytes of WAL written at a time, bytes of a WAL file, seconds of the WAL writer
	buffer, segment, delay float64
	// times that a page is written; the share that the closing checkpoint writes
	pageWrites, indexWrites, atClose float64
	// pages per request; requests per WAL write; bytes of a request
	pagesMerged, logMerged, largest       float64
	journal, journalFlushes, journalBytes float64 // of the file system's journal, per flush
	tail                                  float64 // bytes of a WAL page rewritten with each write
	closingFlushes                        float64 // of the checkpoint that closes a load

	storage *storage // nil: a plain disk

	goesOn bool    // a COPY continues in the page in which the one before it ended
	memory *memory // nil unless loads read
}

func (d *dice) server() server {
	pickOr := func(p, value float64) float64 {
		if d.chance(p) {
			return value
		}
		return 0
	}
	return server{
		clients: pick(d, []int{1, 2, 4, 8, 8, 8, 16, 32}), processors: pick(d, []float64{2, 4, 8, 16}),
		flush: d.between(50e-6, 10e-3), sharing: d.Float64(),
		statement: d.between(15e-6, 120e-6), commit: d.between(5e-6, 30e-6), row: d.between(0.4e-6, 3e-6),
		entry: d.between(0.3e-6, 3e-6), written: d.between(0.2e-9, 3e-9),
		rowBytes: d.uniform(36, 160), rowRecord: d.uniform(35, 60), entryRecord: d.uniform(50, 90),
		commitRecord: d.uniform(34, 130),
		sequence:     pickOr(0.7, 1.0/33), splits: d.uniform(0.003, 0.03), images: pickOr(0.6, d.between(0.002, 0.5)),
		imageBytes: d.uniform(800, 8000),
		touched:    d.between(0.005, 0.2), buffer: d.between(32e3, 2e6), segment: 16 << 20, delay: d.between(0.02, 0.2),
		pageWrites: d.uniform(0.9, 2), indexWrites: d.between(0.05, 2), atClose: d.Float64(),
		pagesMerged: d.between(1, 120), logMerged: d.uniform(0.8, 1.3), largest: pick(d, []float64{128e3, 256e3, 1e6}),
		journal: pickOr(0.5, d.uniform(0.05, 2)), journalFlushes: pickOr(0.3, d.uniform(0.05, 1)),
		journalBytes: d.uniform(4e3, 16e3), tail: d.uniform(500, 8192), closingFlushes: d.between(5, 60),
	}
}

// Things a meter may count that are no quantity: index entries alone, their splits, full pages.
const (
	IndexEntries metric.Quantity = "index_entries"
	IndexSplits  metric.Quantity = "index splits"
	PageImages   metric.Quantity = "page images"
)

// foreign returns these things with their sides. If loads read, page images are a quantity, and reads are billed.
func (w World) foreign() []Term {
	physical := PageImages
	if w.Reads() {
		physical = BilledReads
	}
	return []Term{
		{Quantity: IndexEntries, Side: counts.Logical}, {Quantity: IndexSplits, Side: counts.Logical},
		{Quantity: physical, Side: counts.Physical},
	}
}

// variation is how a load on a server deviates from what its parameters alone would give.
type variation struct{ speed, sharing, merging, pages, images, extra float64 }

func (d *dice) variation() variation {
	return variation{d.lognormal(0.25), d.normal(0.15), d.lognormal(0.3), d.lognormal(0.3), d.lognormal(0.3),
		d.lognormal(0.3)}
}

// group returns the mean number of commits that share a flush.
func (s server) group(t variation) float64 {
	return 1 + float64(s.clients-1)*min(1, max(0, s.sharing+t.sharing))
}

func waits(a runfile.Load) bool { return a.SynchronousCommit != "off" }

// commits returns the commits per second of a load.
func (s server) commits(a runfile.Load, t variation) float64 {
	if only(a.Method) || changes(a.Method) {
		return s.transactions(a, t)
	}
	rows := float64(a.RowsPerTx)
	busy := s.commit + rows*(s.row+float64(a.Indexes)*s.entry+s.written*s.bytes(a, 1, rows, t)/rows)
	if a.Method == "insert" {
		busy += rows * s.statement
	} else {
		busy += s.statement
	}
	most := s.processors / busy
	if waits(a) {
		most = min(most, float64(s.clients)/(busy+1.5*s.flush), s.group(t)/s.flush)
	} else {
		most = min(most, float64(s.clients)/busy)
	}
	return most * t.speed
}

const pageSize = 8192

func (s server) perPage(a runfile.Load) float64 {
	return max(1, math.Floor((pageSize-24)/(s.rowBytes+float64(a.Width))))
}

// records and bytes return the WAL of the given commits.
func (s server) records(a runfile.Load, commits, rows float64) float64 {
	entries := rows * float64(a.Indexes)
	of := rows
	if a.Method == "copy" {
		pages := float64(a.RowsPerTx) / s.perPage(a)
		if of = commits * math.Ceil(pages); s.goesOn {
			of = commits * (pages + 1 - 1/s.perPage(a))
		}
	}
	return of + entries*(1+s.splits) + commits + rows*s.sequence
}

func (s server) bytes(a runfile.Load, commits, rows float64, t variation) float64 {
	entries := rows * float64(a.Indexes)
	data := s.rowBytes + float64(a.Width) - 24
	of := rows * (s.rowRecord + data)
	if a.Method == "copy" {
		of = rows*(data+4) + commits*math.Ceil(float64(a.RowsPerTx)/s.perPage(a))*s.rowRecord
	}
	return of + entries*s.entryRecord + commits*s.commitRecord +
		rows*s.sequence*99 + entries*s.touched*s.images*t.images*s.imageBytes
}

// does returns the work of commits in the given seconds: now, and later for what waits for the closing checkpoint.
func (s server) does(a runfile.Load, t variation, commits, seconds float64) (now, later amounts) {
	if only(a.Method) || changes(a.Method) {
		return s.readsAndChanges(a, t, commits)
	}
	rows := commits * float64(a.RowsPerTx)
	entries := rows * float64(a.Indexes)
	bytes := s.bytes(a, commits, rows, t)
	statements := commits
	if a.Method == "insert" {
		statements = rows
	}
	syncs := min(commits, seconds/s.delay)
	extra := 0.3 * t.extra
	if waits(a) {
		syncs, extra = commits/s.group(t), 0.02*t.extra
	}
	syncs += bytes / s.segment
	writes := syncs*(1+extra) + bytes/s.buffer
	pages := (rows/s.perPage(a)*s.pageWrites + entries*s.touched*s.indexWrites) * t.pages
	now, later = s.stored(t, bytes, syncs, writes, pages)
	now.add(amounts{
		IndexEntries: entries, IndexSplits: entries * s.splits, PageImages: entries * s.touched * s.images * t.images,
		metric.RowsWritten: rows, metric.Entries: rows + entries, metric.Statements: statements, metric.Commits: commits,
		metric.WALRecords: s.records(a, commits, rows), metric.WALBytes: bytes,
	})
	if s.memory != nil {
		now[images] = now[PageImages]
		now.add(s.memory.besides(a, rows, entries))
	}
	return now, later
}

// stored returns the work of storage for the given WAL and pages: now, and later by the closing checkpoint.
func (s server) stored(t variation, bytes, syncs, writes, pages float64) (now, later amounts) {
	written := func(pages float64) amounts {
		return amounts{
			metric.PagesWritten: pages, metric.DeviceBytes: pageSize * pages,
			metric.DeviceRequests: pages / max(1, s.pagesMerged*t.merging),
		}
	}
	flushes := syncs * (1 + s.journalFlushes)
	log := amounts{
		metric.DeviceRequests: writes*s.logMerged*math.Sqrt(t.merging) + bytes/s.largest, metric.DeviceBytes: bytes +
			writes*s.tail,
		metric.DeviceFlushes: flushes,
	}
	journal := amounts{metric.DeviceRequests: s.journal * flushes,
		metric.DeviceBytes: s.journal * flushes * s.journalBytes}
	data := written(pages * (1 - s.atClose))
	now, later = maps.Clone(log), written(pages*s.atClose)
	now.add(journal)
	now.add(data)
	now.add(amounts{metric.WALWrites: writes, metric.WALSyncs: syncs})
	return s.storage.put(now, t, log, journal, data), s.storage.put(later, t, later)
}

func (a amounts) add(b amounts) {
	for quantity, amount := range b {
		a[quantity] += amount
	}
}

// times returns a scaled by factor.
func (a amounts) times(factor float64) amounts {
	all := amounts{}
	for quantity, amount := range a {
		all[quantity] = factor * amount
	}
	return all
}
