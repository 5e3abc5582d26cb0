package worlds

import (
	"math"

	"github.com/realiops/realiops/internal/analyze/drivers"
	"github.com/realiops/realiops/internal/runfile"
)

// amounts are what the drivers count in a replicate, by name.
type amounts map[string]float64

// work is a replicate as it really was.
type work struct {
	arm       runfile.Arm
	replicate int
	seconds   float64 // of load
	between   float64 // seconds between its two readings
	done      amounts // by the load
	besides   amounts // by the background
}

func (w work) idle() bool { return w.arm.Idle() }

// total is what a driver grew by between the readings.
func (w work) total(driver string) float64 { return w.done[driver] + w.besides[driver] }

// closing are the seconds from the end of the load to the last reading, with the arm's checkpoint in it.
const closing = 0.6

// replicate draws one replicate of an arm.
func (d *dice) replicate(h habit, m machine, background amounts, number int, armSeconds float64) work {
	w := work{arm: h.arm, replicate: number, seconds: armSeconds * d.lognormal(0.003), done: amounts{}, besides: amounts{}}
	w.between = w.seconds + closing*d.lognormal(0.2)
	for _, driver := range drivers.OfInserts() {
		w.besides[driver.Name] = math.Round(background[driver.Name] * w.between * d.lognormal(0.1))
	}
	if !h.arm.Idle() {
		w.done = d.jittered(h).amounts(m, w.seconds)
		rewriting := 0.005
		if h.arm.Indexes > 0 { // whose pages are written once or several times
			rewriting = 0.1
		}
		w.done[drivers.DeviceBytes] = math.Round(w.done[drivers.DeviceBytes] * d.lognormal(rewriting))
	}
	return w
}

// amounts is what a habit comes to in so many seconds.
func (h habit) amounts(m machine, seconds float64) amounts {
	commits := math.Round(h.rowsPerSecond * seconds / float64(h.arm.RowsPerTx))
	rows := commits * float64(h.arm.RowsPerTx)
	syncs := math.Round(commits*h.syncsPerCommit + seconds*h.syncsPerSecond)
	writes := math.Round(syncs * (1 + h.extraWrites))
	pages := math.Round(rows * h.pagesPerRow)
	bytes := math.Round(rows * h.bytesPerRow)
	statements := commits
	if h.arm.Method == "insert" {
		statements = rows
	}
	return amounts{
		drivers.Rows: rows, drivers.Entries: rows * float64(1+h.arm.Indexes), drivers.Statements: statements, drivers.Commits: commits,
		drivers.WALRecords: math.Round(rows * h.recordsPerRow), drivers.WALBytes: bytes,
		drivers.WALWrites: writes, drivers.WALSyncs: syncs, drivers.PagesWritten: pages,
		drivers.DeviceRequests: math.Round(requestsByWALWrite*writes + h.requestsByPage*pages),
		drivers.DeviceFlushes:  math.Round(syncs*(1+h.extraFlushes) + m.flushes),
		drivers.DeviceBytes:    m.walBytes*bytes + m.walWriteBytes*writes + m.pageBytes*pages,
	}
}

// background draws what goes on without load, per second, around what was measured in idle arms. Nobody but us writes rows.
func (d *dice) background() amounts {
	busy := d.lognormal(1)
	return amounts{
		drivers.WALRecords: 0.6 * busy, drivers.WALBytes: 42 * busy, drivers.WALWrites: 0.2 * busy, drivers.WALSyncs: 0.2 * busy,
		drivers.DeviceRequests: 2.2 * busy, drivers.DeviceFlushes: 1.8 * busy, drivers.DeviceBytes: 28e3 * busy,
		drivers.BuffersTouched: 40 * busy, inBuffers: 39.9 * busy, missed: 0.1 * busy, calls: 8 * busy, asked: 4e3 * busy, devReads: 0.2 * busy, devRead: 2e3 * busy,
	}
}
