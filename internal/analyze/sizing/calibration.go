package sizing

import (
	"errors"
	"fmt"
	"math"

	"github.com/realiops/realiops/internal/analyze/counts"
	"github.com/realiops/realiops/internal/analyze/stats"
	"github.com/realiops/realiops/internal/metric"
)

// Calibration converts a run's work to Aurora's billed writes.
type Calibration struct {
	RowsPerWrite *Range // rows per billed write; nil: unknown
	OfWALUnits   *Range // billed writes per 4,096 bytes of WAL; nil: unknown
	Repetitions  int    // number of repetitions used
	Run          string // of the user's; empty: published
	Load         string // of that run; empty: all
	NotIdle      bool   // the run did not measure idle, so its writes include those of other programs
}

// walUnit is the largest amount of WAL, in bytes, that Aurora bills as one write.
const walUnit = 4096

// spreadOfOne is the factor by which an estimate from one repetition may be wrong, either way. It is a judgement, not a
// measurement.
const spreadOfOne = 2

// Published returns the calibration from the five loads with published VolumeWriteIOPs. By bytes of WAL four of them
// lie between 0.30 and 0.38, and another one would between 0.23 and 0.45. By rows they differ by a factor of 43.
func Published() Calibration {
	return Calibration{OfWALUnits: &Range{Value: 0.34, Least: 0.23, Most: 0.45}, RowsPerWrite: Between(3.3, 143),
		Repetitions: 5}
}

// ErrNotCalibrated is the error for a run that cannot replace the published calibration.
var ErrNotCalibrated = errors.New("nothing to calibrate with; give a run on Aurora whose loads contain whole periods " +
	"of VolumeWriteIOPs, and that counts their rows or bytes of WAL")

// Calibrate returns the calibration from a run on Aurora: from the load named like if it has one, else from all that
// write. For a nil run it returns the published one.
func Calibrate(run *counts.Run, like string) (Calibration, error) {
	if run == nil {
		return Published(), nil
	}
	c := Calibration{Run: run.Header.ID, NotIdle: run.Idle.Repetitions == 0}
	if load, found := run.Load(like); found && c.take(run, load) {
		c.Load = like
		return c, nil
	}
	if c.take(run, run.Loads...) || c.takeWhole(run) {
		return c, nil
	}
	log := run.Quantity(metric.WALBytes)
	for _, load := range run.Loads {
		for _, r := range load.Repetitions {
			_, err := r.Count(metric.CloudWatchVolumeWriteIOPs)
			if err == nil {
				_, err = log.Count(load, r)
			}
			if err != nil && !load.Idle() {
				return c, fmt.Errorf("%w (%w)", ErrNotCalibrated, err)
			}
		}
	}
	return c, ErrNotCalibrated
}

// take computes the calibration from loads; false if none has the data.
func (c *Calibration) take(run *counts.Run, loads ...counts.Load) bool {
	log := run.Quantity(metric.WALBytes)
	var rows, units []float64
	c.Repetitions = 0
	for _, load := range loads {
		for _, r := range load.Repetitions {
			writes, err := r.Count(metric.CloudWatchVolumeWriteIOPs)
			readsAlone := r.Work.Returned > 0 && r.Work.Rows == 0 // these writes are background
			if err != nil || writes <= 0 || load.Idle() || readsAlone {
				continue
			}
			c.Repetitions++
			if r.Work.Rows > 0 {
				rows = append(rows, float64(r.Work.Rows)/writes)
			}
			if bytes, err := log.Count(load, r); err == nil && bytes > 0 {
				units = append(units, writes/(bytes/walUnit))
			}
		}
	}
	c.RowsPerWrite, c.OfWALUnits = spanned(rows), spanned(units)
	return c.RowsPerWrite != nil || c.OfWALUnits != nil
}

// takeWhole computes the calibration from the whole run, if the source covers the rest before and after it.
func (c *Calibration) takeWhole(run *counts.Run) bool {
	writes, _, _, complete := run.Whole(metric.CloudWatchVolumeWriteIOPs)
	log, read := run.Series(metric.InsertPosition).Advanced()
	if !complete || !read || writes <= 0 || log <= 0 {
		return false
	}
	c.Repetitions, c.RowsPerWrite, c.OfWALUnits = 1, nil, spanned([]float64{writes / (log / walUnit)})
	return true
}

// level is the probability with which the range of a calibration holds another repetition.
const level = 0.95

// spanned returns the geometric mean of ratios, and the range in which another one would lie. For a single ratio the
// range is a judgement.
func spanned(ratios []float64) *Range {
	if len(ratios) == 0 {
		return nil
	}
	n, sum, squares := float64(len(ratios)), 0.0, 0.0
	for _, r := range ratios {
		sum += math.Log(r)
	}
	mean := sum / n
	for _, r := range ratios {
		squares += (math.Log(r) - mean) * (math.Log(r) - mean)
	}
	factor := float64(spreadOfOne)
	if n > 1 {
		factor = math.Exp(stats.Student(level, n-1) * math.Sqrt(squares/(n-1)*(1+1/n)))
	}
	middle := math.Exp(mean)
	return &Range{Value: middle, Least: middle / factor, Most: middle * factor}
}

// Range is an estimate with its bounds.
type Range struct {
	Value float64 `json:"-"`
	Least float64 `json:"lo"`
	Most  float64 `json:"hi"`
}

// Between returns the range with these bounds and their geometric mean, since the bounds are factors.
func Between(least, most float64) *Range {
	return &Range{Value: math.Sqrt(least * most), Least: least, Most: most}
}

func (r Range) times(factor float64) Range {
	return Range{r.Value * factor, r.Least * factor, r.Most * factor}
}

// Forecast predicts the metrics and billed I/O on Aurora of a load measured here.
type Forecast struct {
	WriteIOPS    *float64 // WAL records per second; nil: unknown
	BilledWrites Range    // per second
	BilledReads  Range    // per second; depends on Aurora's buffers
	// per second, not in shared_buffers here; nil: not counted, and billed reads follow the device's reads
	PagesAsked  *float64
	Calibration Calibration
}

// IO returns the billed reads and writes per second.
func (f Forecast) IO() Range {
	w, r := f.BilledWrites, f.BilledReads
	return Range{w.Value + r.Value, w.Least + r.Least, w.Most + r.Most}
}

// pageSize is the size in bytes of one read on Aurora PostgreSQL's bill.
const pageSize = 8192

// Billed reads per page missed in the buffers, in the three loads with published figures of both (docs/evidence.md),
// and the most that AWS documents.
const (
	LeastReadsOfPage = 0.34
	otherReadsOfPage = 0.36
	MostReadsOfPage  = 0.64
	documentedReads  = 1
)

// readsOfPages returns the geometric mean of the published figures, with the documented maximum.
func readsOfPages() Range {
	return Range{Value: math.Cbrt(LeastReadsOfPage * otherReadsOfPage * MostReadsOfPage), Least: LeastReadsOfPage,
		Most: documentedReads}
}

// ForecastAurora applies a calibration to a load: by its bytes of WAL, which billed writes follow, or if these are
// unknown by its rows. The returned calibration has only the way used. ok is false if neither is known.
func ForecastAurora(rows, walBytes *float64, c Calibration) (Range, Calibration, bool) {
	switch {
	case c.OfWALUnits != nil && walBytes != nil:
		c.RowsPerWrite = nil
		return c.OfWALUnits.times(*walBytes / walUnit), c, true
	case c.RowsPerWrite != nil && rows != nil:
		c.OfWALUnits = nil
		r := *c.RowsPerWrite
		return Range{*rows / r.Value, *rows / r.Most, *rows / r.Least}, c, true
	}
	return Range{}, c, false
}
