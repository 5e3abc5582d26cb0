package sizing

import "github.com/realiops/realiops/internal/analyze/catalog"

// What I/O-Optimized costs beside Standard, by the Aurora user guide: storage 2.25 times, compute 1.3 times, I/O nothing.
const (
	optimizedStorage = 2.25
	optimizedCompute = 1.30
)

// Aurora is what a cluster costs in a month, both ways.
type Aurora struct {
	Compute, Storage, IO float64 // of Standard
	Standard             float64 // in all
	Optimized            float64
	// BreakEven is the I/O, in money a month, from which on I/O-Optimized is cheaper: 0.30 compute + 1.25 storage.
	BreakEven float64
}

// OptimizedPays tells whether I/O-Optimized is cheaper.
func (a Aurora) OptimizedPays() bool { return a.IO > a.BreakEven }

// CostAurora works out both ways from what Standard costs.
func CostAurora(compute, storage, io float64) Aurora {
	return Aurora{
		Compute: compute, Storage: storage, IO: io,
		Standard:  compute + storage + io,
		Optimized: optimizedCompute*compute + optimizedStorage*storage,
		BreakEven: (optimizedCompute-1)*compute + (optimizedStorage-1)*storage,
	}
}

// secondsInMonth is what a rate makes in a month.
const secondsInMonth = catalog.HoursInMonth * 3600

// IOCost is what billed operations a second cost in a month.
func (t Tariff) IOCost(perSecond float64) (float64, error) {
	var b Bill
	if err := t.charge(&b, "aurora", catalog.PerMillionIO, "", perSecond*secondsInMonth/1e6, 0); err != nil {
		return 0, err
	}
	return b.Total, nil
}

// Hour is what an hour of a class costs on Aurora Standard.
func (t Tariff) Hour(class string) (float64, bool) {
	for _, p := range t.Prices {
		if p.Volume == "aurora" && p.Per == catalog.PerHour && p.Class == class && p.Region == t.Region {
			return p.Price, true
		}
	}
	return 0, false
}

// storage is what data on Aurora Standard cost in a month.
func (t Tariff) storage(gib float64) (float64, error) {
	var b Bill
	err := t.charge(&b, "aurora", catalog.PerGiB, "", gib, 0)
	return b.Total, err
}

// Calibration is how many billed writes of Aurora stand for what a run can count. The published run gives one value
// of each; there is no other.
type Calibration struct {
	RowsPerWrite float64 // rows for one billed write
	OfLogUnits   float64 // billed writes for each 4,096 bytes of log
	Runs         int
	Source       string // key
}

// Published is the calibration of the one published run: 246,000 writes in 300 s at about 117,000 rows a second, of which
// stock PostgreSQL makes 75.4 bytes of log each.
func Published() Calibration {
	const writes, rows, logBytes = 246000.0 / 300, 117000.0, 75.4
	return Calibration{RowsPerWrite: rows / writes, OfLogUnits: writes / (rows * logBytes / logUnit), Runs: 1, Source: "pachot"}
}

// logUnit is how many bytes of log Aurora bills as one write, at most.
const logUnit = 4096

// Forecast is what a load on this machine would show and cost on Aurora.
type Forecast struct {
	WriteIOPS    *float64 // log records a second; nil: not known
	BilledWrites Range    // a second
	Calibration  Calibration
}

// Range is an estimate with what it may be at least and at most.
type Range struct{ Value, Least, Most float64 }

// spreadOfOne is how far an estimate that rests on one run may be off, either way. It is a judgement, not a measurement: the
// two ways to carry that run over differ by no more for loads like it, and by more for others, which widens the range.
const spreadOfOne = 2

// ForecastAurora carries a calibration over to a load in two ways, by its rows and by its bytes of log, and takes what
// lies between and around them.
func ForecastAurora(rows, logBytes float64, logRecords *float64, c Calibration) Forecast {
	byLog := c.OfLogUnits * logBytes / logUnit
	byRows := rows / c.RowsPerWrite
	f := Forecast{WriteIOPS: logRecords, Calibration: c}
	f.BilledWrites = Range{Value: byLog, Least: min(byLog, byRows) / spreadOfOne, Most: max(byLog, byRows) * spreadOfOne}
	return f
}
