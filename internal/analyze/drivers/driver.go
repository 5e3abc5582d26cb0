package drivers

import (
	"github.com/realiops/realiops/internal/runfile"
	"github.com/realiops/realiops/internal/series"
)

// Side is which world a driver counts in.
type Side string

// Logical work is what the database was asked to do and notes in its log; physical work is what storage has to do for it.
const (
	Logical  Side = "logical"
	Physical Side = "physical"
)

// Names of the drivers.
const (
	Rows           = "rows"
	Entries        = "entries"
	Statements     = "statements"
	Commits        = "commits"
	WALRecords     = "wal_records"
	WALBytes       = "wal_bytes"
	WALWrites      = "wal_writes"
	WALSyncs       = "wal_syncs"
	PagesWritten   = "pages_written"
	DeviceRequests = "device_requests"
	DeviceFlushes  = "device_flushes"
	DeviceBytes    = "device_bytes"
)

// Driver is one way to count the work of a replicate.
type Driver struct {
	Name string
	Side Side
	Unit string
	Help string // what it counts, and from what
	// From are the metrics that it is computed from; empty where our own clients count it. Against these metrics it
	// explains nothing. Some are computed from other metrics where a version lacks these: see Run.Drivers.
	From []string
	// Modelled: nobody counted it in this run. It follows from the work that our clients did; see Run.Drivers.
	Modelled bool

	made  bool // of several metrics together, not one under several names
	count func(Arm, Replicate) (float64, error)
	doubt func(Arm, Replicate) float64 // nil: none beyond that of the metrics
}

// Count is the work of a replicate as this driver counts it. The error is a *series.Missing.
func (d Driver) Count(a Arm, r Replicate) (float64, error) { return d.count(a, r) }

// Doubt is the standard deviation of an error that a count has beside those of its metrics, the same in all replicates of
// an arm: that of a model, or of a sample.
func (d Driver) Doubt(a Arm, r Replicate) float64 {
	if d.doubt == nil {
		return 0
	}
	return d.doubt(a, r)
}

// All lists the drivers, from what is asked of the database down to what its device does.
func All() []Driver {
	return []Driver{
		worked(Rows, "rows", "rows that our clients wrote", ofWork(Rows, func(w Work) int64 { return w.Rows })),
		worked(Entries, "entries", "rows and their index entries: rows x (1 + indexes)", entries),
		worked(Statements, "statements", "statements of our clients", ofWork(Statements, func(w Work) int64 { return w.Statements })),
		worked(Commits, "transactions", "transactions that our clients committed", ofWork(Commits, func(w Work) int64 { return w.Transactions })),
		counted(WALRecords, Logical, "records", "records in the write-ahead log", "pgstat.wal/wal_records"),
		counted(WALBytes, Physical, "bytes", "bytes of the write-ahead log, by its insert position", "pgstat.lsn/insert"),
		counted(WALWrites, Physical, "operations", "writes of the log to its files", "pgstat.wal/wal_write", "pgstat.io/wal_writes"),
		counted(WALSyncs, Physical, "operations", "syncs of the log's files", "pgstat.wal/wal_sync", "pgstat.io/wal_fsyncs"),
		{
			Name: PagesWritten, Side: Physical, Unit: "operations", From: []string{statWrites},
			Help: "writes of table and index pages to their files; up to 15 the growth of files among them", count: pagesWritten,
		},
		{
			Name: DeviceRequests, Side: Physical, Unit: "operations", From: []string{blockWrites, blockFlushes},
			Help: "write requests of the device that carry data: writes - flushes", made: true, count: requests,
		},
		counted(DeviceFlushes, Physical, "operations", "flushes of the device's cache", blockFlushes),
		counted(DeviceBytes, Physical, "bytes", "bytes written to the device", "block/write_bytes"),
	}
}

// worked is a driver that our own clients count.
func worked(name, unit, help string, count func(Arm, Replicate) (float64, error)) Driver {
	return Driver{Name: name, Side: Logical, Unit: unit, Help: help, count: count}
}

// counted is a driver that is the first of these metrics that was counted.
func counted(name string, side Side, unit, help string, metrics ...string) Driver {
	return Driver{Name: name, Side: side, Unit: unit, Help: help, From: metrics, count: firstOf(metrics...)}
}

// What the requests with data are computed from.
const (
	blockWrites  = "block/writes"
	blockFlushes = "block/flushes"
)

// Named finds a driver by its name.
func Named(name string) (Driver, bool) {
	for _, d := range All() {
		if d.Name == name {
			return d, true
		}
	}
	return Driver{}, false
}

func ofWork(driver string, value func(Work) int64) func(Arm, Replicate) (float64, error) {
	return func(a Arm, r Replicate) (float64, error) {
		if a.Method == seen {
			return r.seenWork(driver)
		}
		return float64(value(r.Work)), nil
	}
}

func entries(a Arm, r Replicate) (float64, error) {
	if a.Method == seen {
		return r.seenEntries()
	}
	if a.Method == unplanned {
		return 0, &series.Missing{Reason: NotRecorded, Detail: "how many indexes " + a.Name + " has is not in the plan"}
	}
	return float64(r.Work.Rows) * float64(1+max(0, a.Indexes)), nil
}

// firstOf is the first of these metrics that was counted: versions of PostgreSQL have them under several names. Where
// none was, the first one's reason stands, unless the run did not read that one at all.
func firstOf(metrics ...string) func(Arm, Replicate) (float64, error) {
	return func(_ Arm, r Replicate) (float64, error) {
		var why error
		for _, metric := range metrics {
			value, err := r.Count(metric)
			if err == nil {
				return value, nil
			}
			if why == nil || missing(why).Reason == NotRecorded && missing(err).Reason != NotRecorded {
				why = err
			}
		}
		return 0, why
	}
}

// requests leaves out the flushes that the kernel counts as writes as well.
func requests(_ Arm, r Replicate) (float64, error) {
	writes, err := r.Count(blockWrites)
	if err != nil {
		return 0, err
	}
	flushes, err := r.Count(blockFlushes)
	if err != nil {
		return 0, err
	}
	if r.Counts[blockWrites].Raw < r.Counts[blockFlushes].Raw {
		return 0, &series.Missing{Reason: series.Reason(runfile.Failed), Detail: "the device counts fewer writes than flushes"}
	}
	return writes - flushes, nil
}
