package worlds

import (
	"math"

	"github.com/realiops/realiops/internal/analyze/counts"
	"github.com/realiops/realiops/internal/metric"
	"github.com/realiops/realiops/internal/runfile"
)

// amounts holds the amounts of quantities in a repetition, by name.
type amounts map[metric.Quantity]float64

// work is the true work of a repetition.
type work struct {
	load       runfile.Load
	repetition int
	seconds    float64 // of load
	between    float64 // seconds between its two readings
	done       amounts // by the load
	besides    amounts // by the background
}

func (w *work) idle() bool { return w.load.Idle() }

// total returns a quantity's growth between the readings.
func (w work) total(quantity metric.Quantity) float64 { return w.done[quantity] + w.besides[quantity] }

// closing is the time in seconds from the end of the load to the last reading, including the load's checkpoint.
const closing = 0.6

// repetition draws one repetition of a load.
func (d *dice) repetition(h habit, m machine, background amounts, number int, loadSeconds float64) work {
	w := work{load: h.load, repetition: number, seconds: loadSeconds * d.lognormal(0.003), done: amounts{},
		besides: amounts{}}
	w.between = w.seconds + closing*d.lognormal(0.2)
	for _, quantity := range counts.OfInserts() {
		w.besides[quantity.Name] = math.Round(background[quantity.Name] * w.between * d.lognormal(0.1))
	}
	if !h.load.Idle() {
		w.done = d.jittered(h).amounts(m, w.seconds)
		rewriting := 0.005
		if h.load.Indexes > 0 { // whose pages are written once or several times
			rewriting = 0.1
		}
		w.done[metric.DeviceBytes] = math.Round(w.done[metric.DeviceBytes] * d.lognormal(rewriting))
	}
	return w
}

// amounts returns the work of a habit in the given seconds.
func (h habit) amounts(m machine, seconds float64) amounts {
	commits := math.Round(h.rowsPerSecond * seconds / float64(h.load.RowsPerTx))
	rows := commits * float64(h.load.RowsPerTx)
	syncs := math.Round(commits*h.syncsPerCommit + seconds*h.syncsPerSecond)
	writes := math.Round(syncs * (1 + h.extraWrites))
	pages := math.Round(rows * h.pagesPerRow)
	bytes := math.Round(rows * h.bytesPerRow)
	statements := commits
	if h.load.Method == "insert" {
		statements = rows
	}
	return amounts{
		metric.RowsWritten: rows, metric.Entries: rows * float64(1+h.load.Indexes), metric.Statements: statements,
		metric.Commits: commits, metric.WALRecords: math.Round(rows * h.recordsPerRow), metric.WALBytes: bytes,
		metric.WALWrites: writes, metric.WALSyncs: syncs, metric.PagesWritten: pages,
		metric.DeviceRequests: math.Round(requestsByWALWrite*writes + h.requestsByPage*pages),
		metric.DeviceFlushes:  math.Round(syncs*(1+h.extraFlushes) + m.flushes),
		metric.DeviceBytes:    m.walBytes*bytes + m.walWriteBytes*writes + m.pageBytes*pages,
	}
}

// background draws the activity without load, per second, around the values measured in idle loads. Only we write rows.
func (d *dice) background() amounts {
	busy := d.lognormal(1)
	return amounts{
		metric.WALRecords: 0.6 * busy, metric.WALBytes: 42 * busy, metric.WALWrites: 0.2 * busy,
		metric.WALSyncs:       0.2 * busy,
		metric.DeviceRequests: 2.2 * busy, metric.DeviceFlushes: 1.8 * busy, metric.DeviceBytes: 28e3 * busy,
		metric.BuffersTouched: 40 * busy, inBuffers: 39.9 * busy, missed: 0.1 * busy, calls: 8 * busy,
		asked: 4e3 * busy, devReads: 0.2 * busy, devRead: 2e3 * busy,
	}
}
