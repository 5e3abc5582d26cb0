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

	count func(Arm, Replicate) (float64, error)
}

// Count is the work of a replicate as this driver counts it. The error is a *series.Missing.
func (d Driver) Count(a Arm, r Replicate) (float64, error) { return d.count(a, r) }

// All lists the drivers, from what is asked of the database down to what its device does.
func All() []Driver {
	return []Driver{
		{Rows, Logical, "rows", "rows that our clients wrote", ofWork(func(w Work) int64 { return w.Rows })},
		{Entries, Logical, "entries", "rows and their index entries: rows x (1 + indexes)", entries},
		{Statements, Logical, "statements", "statements of our clients", ofWork(func(w Work) int64 { return w.Statements })},
		{Commits, Logical, "transactions", "transactions that our clients committed", ofWork(func(w Work) int64 { return w.Transactions })},
		{WALRecords, Logical, "records", "records in the write-ahead log", firstOf("pgstat.wal/wal_records")},
		{WALBytes, Physical, "bytes", "bytes of the write-ahead log, by its insert position", firstOf("pgstat.lsn/insert")},
		{WALWrites, Physical, "operations", "writes of the log to its files", firstOf("pgstat.wal/wal_write", "pgstat.io/wal_writes")},
		{WALSyncs, Physical, "operations", "syncs of the log's files", firstOf("pgstat.wal/wal_sync", "pgstat.io/wal_fsyncs")},
		{PagesWritten, Physical, "operations", "writes of table and index pages to their files", firstOf("pgstat.io/writes")},
		{DeviceRequests, Physical, "operations", "write requests of the device that carry data: writes - flushes", requests},
		{DeviceFlushes, Physical, "operations", "flushes of the device's cache", firstOf("block/flushes")},
		{DeviceBytes, Physical, "bytes", "bytes written to the device", firstOf("block/write_bytes")},
	}
}

// Named finds a driver by its name.
func Named(name string) (Driver, bool) {
	for _, d := range All() {
		if d.Name == name {
			return d, true
		}
	}
	return Driver{}, false
}

func ofWork(value func(Work) int64) func(Arm, Replicate) (float64, error) {
	return func(_ Arm, r Replicate) (float64, error) { return float64(value(r.Work)), nil }
}

func entries(a Arm, r Replicate) (float64, error) {
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
	writes, err := r.Count("block/writes")
	if err != nil {
		return 0, err
	}
	flushes, err := r.Count("block/flushes")
	if err != nil {
		return 0, err
	}
	if r.Counts["block/writes"].Raw < r.Counts["block/flushes"].Raw {
		return 0, &series.Missing{Reason: series.Reason(runfile.Failed), Detail: "the device counts fewer writes than flushes"}
	}
	return writes - flushes, nil
}
