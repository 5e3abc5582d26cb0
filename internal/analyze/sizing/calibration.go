package sizing

import (
	"errors"
	"fmt"
	"math"

	"github.com/realiops/realiops/internal/analyze/drivers"
	"github.com/realiops/realiops/internal/analyze/stats"
	"github.com/realiops/realiops/internal/metric"
)

// Calibration is how many billed writes of Aurora stand for what a run can count.
type Calibration struct {
	RowsPerWrite *Range // rows for one billed write; nil: not known
	OfLogUnits   *Range // billed writes for each 4,096 bytes of WAL; nil: not known
	Replicates   int    // that it rests on
	Run          string // of the user's own that it comes from; empty: it was published
	Arm          string // of that run; empty: of all
	Source       string // key, of what was published
}

// logUnit is how many bytes of WAL Aurora bills as one write, at most.
const logUnit = 4096

// spreadOfOne is how far an estimate that rests on one run may be off, either way. It is a judgement, not a measurement: the
// two ways to carry that run over differ by no more for loads like it, and by more for others, which widens the range.
const spreadOfOne = 2

// Published is the calibration of the one published run: 246,000 writes in 300 s at about 117,000 rows a second, of which
// stock PostgreSQL makes 75.4 bytes of WAL each.
func Published() Calibration {
	const writes, rows, logBytes = 246000.0 / 300, 117000.0, 75.4
	return Calibration{
		RowsPerWrite: spanned([]float64{rows / writes}), OfLogUnits: spanned([]float64{writes / (rows * logBytes / logUnit)}),
		Replicates: 1, Source: "pachot",
	}
}

// billedWrites is the metric that Aurora's bill goes by.
const billedWrites = "cloudwatch/VolumeWriteIOPs"

// ErrNotCalibrated is a run that cannot stand in the place of the published one.
var ErrNotCalibrated = errors.New("nothing to calibrate by: it takes a run on Aurora with whole periods of VolumeWriteIOPs inside a load")

// Calibrate takes the calibration from a run on Aurora: from the arm of that name where it has one, else from all. Without
// a run it is the published one.
func Calibrate(run *drivers.Run, like string) (Calibration, error) {
	if run == nil {
		return Published(), nil
	}
	c := Calibration{Run: run.Header.ID}
	if arm, found := run.Arm(like); found && c.take(run, arm) {
		c.Arm = like
		return c, nil
	}
	if c.take(run, run.Arms...) {
		return c, nil
	}
	if c.takeWhole(run) {
		return c, nil
	}
	for _, arm := range run.Arms {
		for _, r := range arm.Replicates {
			if _, err := r.Count(billedWrites); err != nil && !arm.Idle() {
				return c, fmt.Errorf("%w (%w)", ErrNotCalibrated, err)
			}
		}
	}
	return c, ErrNotCalibrated
}

// take works the calibration out of arms; false: none of them tells anything.
func (c *Calibration) take(run *drivers.Run, arms ...drivers.Arm) bool {
	log := run.Quantity(drivers.WALBytes)
	var rows, units []float64
	c.Replicates = 0
	for _, arm := range arms {
		for _, r := range arm.Replicates {
			writes, err := r.Count(billedWrites)
			if err != nil || writes <= 0 || arm.Idle() {
				continue
			}
			c.Replicates++
			if r.Work.Rows > 0 {
				rows = append(rows, float64(r.Work.Rows)/writes)
			}
			if bytes, err := log.Count(arm, r); err == nil && bytes > 0 {
				units = append(units, writes/(bytes/logUnit))
			}
		}
	}
	c.RowsPerWrite, c.OfLogUnits = spanned(rows), spanned(units)
	return c.RowsPerWrite != nil || c.OfLogUnits != nil
}

// takeWhole works it out of all that was done from the first reading to the last, where the source tells of the rest before and after it.
func (c *Calibration) takeWhole(run *drivers.Run) bool {
	writes, _, _, told := run.Whole(billedWrites)
	log, read := run.Grew(metric.InsertPosition)
	if !told || !read || writes <= 0 || log.Amount <= 0 {
		return false
	}
	c.Replicates, c.RowsPerWrite, c.OfLogUnits = 1, nil, spanned([]float64{writes / (log.Amount / logUnit)})
	return true
}

// level is how sure the span of a calibration of several replicates is to hold another one.
const level = 0.95

// spanned is the middle of ratios and where another one like them would lie, on a scale of factors: what one ratio alone
// does not tell is a judgement.
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
