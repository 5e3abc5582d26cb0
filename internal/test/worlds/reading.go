package worlds

import (
	"fmt"
	"math"
	"slices"

	"github.com/realiops/realiops/internal/metric"
	"github.com/realiops/realiops/internal/runfile"
)

// The designs of a world whose loads also read.
const (
	Both     Design = "default"      // all loads that insert, and four that read or update
	Reads    Design = "reads"        // only loads that read
	All      Design = "everything"   // loads that insert, read, update and delete
	OddReads Design = "reads-odd"    // loads with drawn parameters
	NoCache  Design = "reads-aurora" // on a server without page cache that shows nothing of its WAL and storage
)

// NewReading draws a world with its own physics whose loads also read, update and delete.
func NewReading(seed uint64, meters int) World {
	d := newDice(seed)
	w := d.wildServer(seed, pick(d, []Design{Both, Both, Reads, All, OddReads, NoCache}))
	for i := range meters {
		w.Meters = append(w.Meters, d.troubled(meterName(i), w))
	}
	return w
}

func (d Design) reads() bool {
	return slices.Contains([]Design{Both, Reads, All, OddReads, NoCache}, d)
}

// aurora reports whether the server of a design shows nothing of its WAL, its pages and its device.
func (d Design) aurora() bool { return d == Aurora || d == NoCache }

// Methods of loads that read and change rows, as named in plans.
const (
	lookups   = "lookup"
	ranges    = "range"
	bitmaps   = "bitmap"
	joins     = "join"
	scans     = "scan"
	sorts     = "sort"
	updates   = "update"
	replaces  = "replace"
	mixesBoth = "lookup-update"
)

// only reports whether a method reads and changes nothing.
func only(method string) bool {
	return slices.Contains([]string{lookups, ranges, bitmaps, joins, scans, sorts}, method)
}

func changes(method string) bool {
	return slices.Contains([]string{updates, replaces, mixesBoth}, method)
}

// way is how a load reads its pages, which decides what storage is asked for.
type way struct {
	request float64 // pages per request
	beside  float64 // pages read beside each requested one
}

// memory describes the layers between sessions and storage: PostgreSQL's buffers, a page cache, and read-ahead. Like
// the rest of a server it is drawn from wide ranges.
type memory struct {
	buffers, table float64 // pages of shared buffers, and of the table that loads only read
	// pages of an index per lookup; how much less often its leaves are missed than the table's pages
	descent, leaves        float64
	row, entry, copied     float64 // buffers touched per row, per index entry, per row of a COPY
	combined               float64 // pages per call if they are requested in order
	files                  float64 // calls for other files per row written, if the kernel counts processes
	warm, cold             float64 // share of pages missed that storage reads, with and without a page cache
	point, near, far, scan way     // of lookups, ranges, bitmaps and scans
	hot                    float64 // share of updates within their page
	images, image          float64 // full pages per row version, and bytes of one
	dirtied                float64 // pages written per row version
	passes                 float64 // times that a sort writes and reads its data
	touch, call, latency   float64 // seconds of processor per buffer and per call, and seconds per read of storage
	tidying                float64 // WAL records per buffer touched by a load that only reads
	// billed share of the pages that storage reads: neighbours are billed as one
	billed float64
}

func (d *dice) memory(design Design) *memory {
	m := &memory{
		buffers: d.between(2e3, 16e3), descent: d.uniform(2, 4.2), leaves: d.uniform(0.02, 0.6),
		row: d.uniform(0.9, 2.3), entry: d.uniform(1, 3.5), copied: d.uniform(0.1, 1.2),
		combined: pick(d, []float64{1, 1, 12, 16, 32}), files: d.between(0.001, 0.03), warm: d.between(1e-5, 0.05),
		cold:  d.uniform(0.5, 1),
		point: way{d.uniform(0.9, 1.3), d.uniform(0, 1)}, near: way{d.between(1.5, 60), d.uniform(0, 0.5)},
		far: way{d.between(1, 6), d.uniform(0, 0.6)}, scan: way{pick(d, []float64{4, 16, 16, 32, 128}),
			d.uniform(0, 0.2)},
		hot: d.uniform(0.7, 1), images: d.between(0.02, 0.8), image: d.uniform(2000, 8000), dirtied: d.between(0.02, 1),
		passes: d.uniform(1, 2),
		touch:  d.between(0.1e-6, 1e-6), call: d.between(1e-6, 6e-6), latency: d.between(30e-6, 2e-3), billed: 1,
	}
	m.table = m.buffers * d.uniform(1.3, 6)
	if design == NoCache {
		m.files, m.cold, m.billed = 0, 1, d.uniform(0.3, 0.9)
		if d.chance(0.3) { // a local disk keeps pages evicted from the buffers
			m.cold = d.uniform(0.1, 0.9)
		}
		m.warm = m.cold
	}
	return m
}

// readLoads returns the loads of a design that read and change rows: those of the plans, or others.
func (d *dice) readLoads(design Design, s server) (loads []runfile.Load) {
	switch design {
	case Reads:
		loads = readPlan()
	case All:
		loads = append(readPlan(), changePlan()...)
	case OddReads:
		for range 4 + d.IntN(5) {
			loads = append(loads, d.readLoad())
		}
	default:
		all := append(readPlan(), changePlan()...)
		loads = []runfile.Load{all[1], all[2], all[5], all[8]}
	}
	renamed := design == OddReads || d.chance(renamedPlans)
	for i := range loads {
		a := &loads[i]
		if renamed {
			a.Name = fmt.Sprintf("load %c%d", 'a'+d.IntN(26), 100+i)
		}
		a.Clients = s.clients
		if only(a.Method) {
			a.TableRows = int64(s.memory.table * s.perPage(*a))
		}
	}
	return loads
}

// ofHot is the number of rows of a load that finds its pages in the buffers, and changedRows that of a table that loads
// change.
const (
	ofHot       = 14_000
	changedRows = 200_000
)

func readPlan() []runfile.Load {
	reads := func(name, method string, rows int, cold bool) runfile.Load {
		return runfile.Load{Name: name, Method: method, RowsPerTx: rows, Indexes: 2, Width: 500, Cold: cold}
	}
	hot := reads("point-hot", lookups, 1, false)
	hot.OfRows = ofHot
	return []runfile.Load{
		hot, reads("point-warm", lookups, 1, false), reads("point-cold", lookups, 1, true),
		reads("range-cold", ranges, 1000, true),
		reads("bitmap-cold", bitmaps, 200, true), reads("scan-cold", scans, 1, true), reads("spill", sorts, 1, false),
	}
}

func changePlan() []runfile.Load {
	change := func(name, method string, rows, indexes int) runfile.Load {
		return runfile.Load{Name: name, Method: method, RowsPerTx: rows, Indexes: indexes, Width: 100,
			TableRows: changedRows}
	}
	return []runfile.Load{
		change("update-hot", updates, 1, 1), change("update-indexed", updates, 1, 2),
		change("delete-vacuum", replaces, 100, 1), change("mixed", mixesBoth, 1, 2),
	}
}

func (d *dice) readLoad() runfile.Load {
	a := runfile.Load{
		Method: pick(d, []string{lookups, lookups, lookups, ranges, bitmaps, scans, sorts, updates, updates,
			replaces, mixesBoth}),
		RowsPerTx: 1, Indexes: 1 + d.IntN(3), Width: pick(d, []int{100, 500, 1024}), TableRows: changedRows,
	}
	a.Cold = only(a.Method) && d.chance(0.5)
	switch a.Method {
	case ranges, bitmaps, replaces:
		a.RowsPerTx = pick(d, []int{10, 100, 1000})
	case lookups:
		a.OfRows = pick(d, []int64{0, 0, 0, ofHot})
	}
	return a
}

// Names of the further quantities of a world with reads.
const (
	missed    = metric.PagesMissed
	calls     = metric.ReadCalls
	asked     = metric.BytesAsked
	hotRows   = metric.HOTUpdates
	images    = metric.PageImages
	tempRead  = metric.TempRead
	tempWrite = metric.TempWritten
	devReads  = metric.DeviceReads
	devRead   = metric.DeviceReadSize
	inBuffers = "buffers found" // of those touched
)

// tidied is the size of a WAL record for pruning a page.
const tidied = 60

// BilledReads are the pages requested from storage, with neighbours as one, which no quantity counts.
const BilledReads metric.Quantity = "billed reads"

// reads returns what one transaction of a load that reads and changes rows touches, misses and has storage read.
func (s server) reads(a runfile.Load, t variation) amounts {
	m, rows := s.memory, float64(a.RowsPerTx)
	pages := float64(a.TableRows) / s.perPage(a)
	if a.OfRows > 0 {
		pages = float64(a.OfRows) / s.perPage(a)
	}
	absent := max(0.001, 1-m.buffers*t.pages/pages) // of pages at random
	one := amounts{metric.Statements: 1, metric.Commits: 1}
	of := func(touched, misses, returned, descents float64, w way, combined float64) {
		read := m.warm
		if a.Cold {
			read = m.cold
		}
		read = min(1, read*t.extra)
		pages := misses * read * (1 + w.beside)
		one.add(amounts{
			metric.BuffersTouched: touched, inBuffers: max(0, touched-misses), metric.RowsReturned: returned,
			metric.Lookups:    descents,
			metric.WALRecords: touched * m.tidying, metric.WALBytes: touched * m.tidying * tidied,
			missed: misses, calls: misses / combined, asked: misses * pageSize,
			devReads: pages / max(0.8, w.request*t.merging), devRead: pages * pageSize,
			BilledReads: misses * read * m.billed * math.Sqrt(t.merging),
		})
	}
	switch a.Method {
	case lookups:
		of(m.descent+1, absent*(1+m.leaves), 1, 1, m.point, 1)
	case ranges:
		near := rows/s.perPage(a) + rows/300
		of(m.descent+near*1.5, near*absent, rows, 1, m.near, 1)
	case bitmaps:
		of(m.descent+rows, rows*absent, rows, 1, m.far, max(1, m.combined/8))
	case joins:
		of(rows*(m.descent+1), rows*absent*(1+m.leaves), rows, rows, m.point, 1)
	case scans, sorts:
		of(pages, pages*absent, float64(a.TableRows), 0, m.scan, m.combined)
		if a.Method == sorts {
			temp := pages * m.passes
			one.add(amounts{tempRead: temp, tempWrite: temp * 1.02, calls: temp * m.files,
				asked: temp * pageSize * min(1, m.files*1e3)})
		}
	case updates:
		of(m.descent+1, absent*(1+m.leaves), 1, 1, m.point, 1)
	case replaces:
		of(m.descent+2*rows, rows/s.perPage(a)*absent, rows, 1, m.near, 1)
		one[metric.Statements] = 2
	case mixesBoth:
		of(2*m.descent+2, 2*absent*(1+m.leaves), 2, 2, m.point, 1)
		one[metric.Statements] = 2
	}
	return one
}

// changed returns what one transaction of a load that changes rows writes, as far as it does not depend on its
// duration.
func (s server) changed(a runfile.Load, t variation) amounts {
	if !changes(a.Method) {
		return nil
	}
	m, rows := s.memory, float64(a.RowsPerTx)
	one := amounts{metric.RowsWritten: rows, metric.RowsUpdated: rows}
	deleted := 0.0
	if a.Method == replaces {
		deleted = rows
		one = amounts{metric.RowsWritten: 2 * rows, metric.RowsDeleted: rows}
	} else if a.Indexes == 1 {
		one[hotRows] = rows * m.hot
	}
	entries := (rows - one[hotRows]) * float64(a.Indexes)
	full := min(1, m.images*t.images) * (rows + entries/2)
	one.add(amounts{
		IndexEntries: entries, IndexSplits: entries * s.splits, metric.Entries: one[metric.RowsWritten] + entries,
		images: full, metric.WALRecords: rows + 1.5*deleted + entries*(1+s.splits) + 1,
		metric.WALBytes: rows*(s.rowRecord+s.rowBytes+float64(a.Width)-24) + 80*deleted + entries*s.entryRecord +
			full*m.image + s.commitRecord,
		metric.PagesWritten:   (rows + entries/2) * m.dirtied * t.pages,
		metric.BuffersTouched: 2*rows*m.row + entries*m.entry, inBuffers: 2*rows*m.row + entries*m.entry,
		calls: rows * m.files, asked: rows * m.files * 500,
	})
	return one
}

// besides returns what inserts touch and read.
func (m *memory) besides(a runfile.Load, rows, entries float64) amounts {
	touched := rows * m.row
	if a.Method == "copy" {
		touched = rows * m.copied
	}
	touched += entries * m.entry
	return amounts{metric.BuffersTouched: touched, inBuffers: touched, calls: (rows + entries) * m.files,
		asked: (rows + entries) * m.files * 50}
}

// transactions returns the transactions per second of a load that reads and changes rows.
func (s server) transactions(a runfile.Load, t variation) float64 {
	m, one := s.memory, s.reads(a, t)
	one.add(s.changed(a, t))
	busy := s.commit + s.statement*one[metric.Statements] + m.touch*one[metric.BuffersTouched] + m.call*one[calls] +
		s.written*one[metric.WALBytes]
	most := min(s.processors/busy, float64(s.clients)/(busy+m.latency*one[devReads]))
	if changes(a.Method) {
		most = min(most, float64(s.clients)/(busy+1.5*s.flush), s.group(t)/s.flush)
	}
	return most * t.speed
}

// readsAndChanges is [server.does] for loads that read and change rows.
func (s server) readsAndChanges(a runfile.Load, t variation, commits float64) (now, later amounts) {
	now = s.reads(a, t).times(commits)
	if !changes(a.Method) {
		return now, amounts{}
	}
	now.add(s.changed(a, t).times(commits))
	syncs := commits/s.group(t) + now[metric.WALBytes]/s.segment
	writes := syncs*(1+0.02*t.extra) + now[metric.WALBytes]/s.buffer
	pages := now[metric.PagesWritten]
	delete(now, metric.PagesWritten)
	written, atClose := s.stored(t, now[metric.WALBytes], syncs, writes, pages)
	now.add(written)
	return now, atClose
}
