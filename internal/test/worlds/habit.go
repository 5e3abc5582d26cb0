package worlds

import (
	"math"

	"github.com/realiops/realiops/internal/runfile"
)

// habit is the cost of the rows of a load.
type habit struct {
	load           runfile.Load
	rowsPerSecond  float64
	recordsPerRow  float64
	bytesPerRow    float64 // of the WAL
	syncsPerCommit float64 // of the WAL; commits share syncs
	syncsPerSecond float64 // instead, if nobody waits for them
	extraWrites    float64 // WAL writes per sync, beyond one
	extraFlushes   float64 // device flushes per WAL sync, beyond one and the checkpoint's
	pagesPerRow    float64 // written
	requestsByPage float64 // device requests with data per page written: most pages are merged
}

// measured returns the habits of PostgreSQL 17.11 on two cores with 8 clients, each load closed by its own checkpoint:
// sums over the three repetitions of testdata/runs/loads-pg17.jsonl, less idle.
func measured() []habit {
	return []habit{
		{runfile.Load{Name: "bulk", Method: "insert-select", RowsPerTx: 1000}, 1679913, 1.0313, 75.41, 0.4193, 0,
			0.0322, 0.0304, 0.00541, 0.0179},
		{runfile.Load{Name: "bulk-indexed", Method: "insert-select", RowsPerTx: 1000, Indexes: 2}, 534210, 3.0472,
			208.64, 0.6715, 0, 0.0551, 0.0897, 0.00926, 0.0314},
		{runfile.Load{Name: "copy", Method: "copy", RowsPerTx: 1000}, 1159373, 0.03769, 23.78, 0.3806, 0, 0.0112,
			0.0066, 0.00541, 0.0404},
		{runfile.Load{Name: "copy-indexed", Method: "copy", RowsPerTx: 1000, Indexes: 2}, 574270, 2.0541, 163.74,
			0.3955, 0, 0.0740, 0.0671, 0.01018, 0.0428},
		{runfile.Load{Name: "single", Method: "insert", RowsPerTx: 1}, 18726, 2.0304, 115.55, 0.2528, 0, 0.0001, 0.0001,
			0.00555, 0.9793},
		{runfile.Load{Name: "async", Method: "insert", RowsPerTx: 1, SynchronousCommit: "off"}, 86410, 2.0303, 115.49,
			0, 9.8, 0.9595, 0.0500, 0.00543, 0.0231},
		{runfile.Load{Name: "multi", Method: "insert", RowsPerTx: 100}, 83628, 1.0403, 75.77, 0.9725, 0, 0.0013, 0.0001,
			0.00543, 0.0740},
		{runfile.Load{Name: "wide", Method: "insert-values", RowsPerTx: 100, Indexes: 1, Width: 1024}, 252480, 2.0430,
			1169.06, 0.4841, 0, 0.0432, 0.0722, 0.14563, 0.0138},
	}
}

// Bytes that the device writes: a non-negative fit to the same measurements (docs/reference/estimators.md).
const (
	deviceBytesByWALByte  = 1.01
	deviceBytesByWALWrite = 8120
	deviceBytesByPage     = 8860
	// checkpointFlushes is the number of flushes of the checkpoint and the sync that close a load, which show if
	// nothing else flushes.
	checkpointFlushes = 24
	// requestsByWALWrite is from the same fit: nearly every WAL write becomes one request.
	requestsByWALWrite = 0.98
)

// machine holds the properties common to all loads of a world.
type machine struct {
	speed         float64 // of everything
	patience      float64 // how many commits share a sync, as a shift of the log-odds
	splitting     float64 // of index pages, and full pages in the WAL
	merging       float64 // of requests on their way to the device
	walBytes      float64 // that the device writes per byte of WAL
	walWriteBytes float64
	pageBytes     float64
	flushes       float64 // of the checkpoint that closes a load
}

// Variation between worlds, in standard deviations of logarithms. Machines differ much in speed and in waiting for
// their disk; the WAL of a row is PostgreSQL's and varies little.
const (
	speedVaries     = 0.5
	waitVaries      = 0.7
	loadSpeedVaries = 0.2
	extrasVary      = 0.5
	mergingVaries   = 0.4
	splittingVaries = 0.05
	recordsVary     = 0.002
	bytesVary       = 0.1
)

func (d *dice) machine() machine {
	return machine{
		speed: d.lognormal(speedVaries), patience: d.normal(waitVaries), splitting: d.lognormal(splittingVaries),
		merging: d.lognormal(mergingVaries), walBytes: deviceBytesByWALByte * d.lognormal(0.01),
		walWriteBytes: deviceBytesByWALWrite * d.lognormal(bytesVary),
		pageBytes:     deviceBytesByPage * d.lognormal(bytesVary), flushes: checkpointFlushes * d.lognormal(0.3),
	}
}

// shifted returns a load's habit on a machine.
func (d *dice) shifted(h habit, m machine) habit {
	h.rowsPerSecond *= m.speed * d.lognormal(loadSpeedVaries)
	if share := h.syncsPerCommit; share > 0 { // shifted in log-odds, so that it stays a share
		h.syncsPerCommit = 1 / (1 + (1-share)/share*math.Exp(-(m.patience+d.normal(loadSpeedVaries))))
	}
	h.syncsPerSecond *= d.lognormal(0.05)
	h.extraWrites *= d.lognormal(extrasVary)
	h.extraFlushes *= d.lognormal(extrasVary)
	h.requestsByPage *= m.merging * d.lognormal(extrasVary/2)
	if h.load.Indexes > 0 {
		h.recordsPerRow *= d.lognormal(recordsVary)
		h.bytesPerRow *= m.splitting * d.lognormal(splittingVaries)
		h.pagesPerRow *= m.splitting * d.lognormal(splittingVaries)
	}
	return h
}

// jittered returns a habit in one repetition.
func (d *dice) jittered(h habit) habit {
	h.rowsPerSecond *= d.lognormal(0.04)
	h.syncsPerCommit = min(1, h.syncsPerCommit*d.lognormal(0.03))
	h.syncsPerSecond *= d.lognormal(0.02)
	h.extraWrites *= d.lognormal(0.1)
	h.extraFlushes *= d.lognormal(0.1)
	h.requestsByPage *= d.lognormal(0.06)
	if h.load.Indexes > 0 {
		h.recordsPerRow *= d.lognormal(0.0003)
		h.bytesPerRow *= d.lognormal(0.002)
		h.pagesPerRow *= d.lognormal(0.02)
	}
	return h
}
