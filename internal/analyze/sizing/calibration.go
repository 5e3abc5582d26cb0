package sizing

import (
	"errors"
	"fmt"
	"math"

	"github.com/realiops/realiops/internal/analyze/counts"
	"github.com/realiops/realiops/internal/analyze/stats"
	"github.com/realiops/realiops/internal/metric"
)

// Calibration converts the work that a run can count to Aurora's billed writes.
type Calibration struct {
	RowsPerWrite *Range // rows for one billed write; nil: not known
	OfWALUnits   *Range // billed writes for each 4,096 bytes of WAL; nil: not known
	Repetitions  int    // that it rests on
	Run          string // of the user's own that it comes from; empty: it was published
	Load         string // of that run; empty: of all
}

// walUnit is the largest amount of WAL, in bytes, that Aurora bills as one write.
const walUnit = 4096

// spreadOfOne is the factor by which an estimate from one repetition may be wrong, either way. It is a judgement,
// not a measurement.
const spreadOfOne = 2

// Published returns the calibration of the five loads of which anybody published VolumeWriteIOPs. By bytes of WAL four
// of them lie between 0.30 and 0.38, and another one would between 0.23 and 0.45; by rows they are a factor of 43
// apart.
func Published() Calibration {
	return Calibration{OfWALUnits: &Range{Value: 0.34, Least: 0.23, Most: 0.45}, RowsPerWrite: Between(3.3, 143),
		Repetitions: 5}
}

// ErrNotCalibrated is a run that cannot stand in the place of the published one.
var ErrNotCalibrated = errors.New("nothing to calibrate by: it takes a run on Aurora with whole periods of " +
	"VolumeWriteIOPs inside a load")

// Calibrate takes the calibration from a run on Aurora: from the load of that name where it has one, else from all.
// Without a run it is the published one.
func Calibrate(run *counts.Run, like string) (Calibration, error) {
	if run == nil {
		return Published(), nil
	}
	c := Calibration{Run: run.Header.ID}
	if load, found := run.Load(like); found && c.take(run, load) {
		c.Load = like
		return c, nil
	}
	if c.take(run, run.Loads...) || c.takeWhole(run) {
		return c, nil
	}
	for _, load := range run.Loads {
		for _, r := range load.Repetitions {
			if _, err := r.Count(metric.CloudWatchVolumeWriteIOPs); err != nil && !load.Idle() {
				return c, fmt.Errorf("%w (%w)", ErrNotCalibrated, err)
			}
		}
	}
	return c, ErrNotCalibrated
}

// take works the calibration out of loads; false: none of them tells anything.
func (c *Calibration) take(run *counts.Run, loads ...counts.Load) bool {
	log := run.Quantity(counts.WALBytes)
	var rows, units []float64
	c.Repetitions = 0
	for _, load := range loads {
		for _, r := range load.Repetitions {
			writes, err := r.Count(metric.CloudWatchVolumeWriteIOPs)
			if err != nil || writes <= 0 || load.Idle() {
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

// takeWhole works it out of all that was done from the first reading to the last, where the source tells of the rest
// before and after it.
func (c *Calibration) takeWhole(run *counts.Run) bool {
	writes, _, _, complete := run.Whole(metric.CloudWatchVolumeWriteIOPs)
	log, read := run.Series(metric.InsertPosition).Advanced()
	if !complete || !read || writes <= 0 || log <= 0 {
		return false
	}
	c.Repetitions, c.RowsPerWrite, c.OfWALUnits = 1, nil, spanned([]float64{writes / (log / walUnit)})
	return true
}

// level is the probability with which the span of a calibration from several repetitions holds another one.
const level = 0.95

// spanned returns the middle of ratios and where another one like them would lie, on a scale of factors: what one ratio
// alone does not tell is a judgement.
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

// Between returns the range with these bounds, and the geometric middle for its value: the ends are factors apart.
func Between(least, most float64) *Range {
	return &Range{Value: math.Sqrt(least * most), Least: least, Most: most}
}

func (r Range) times(factor float64) Range {
	return Range{r.Value * factor, r.Least * factor, r.Most * factor}
}
