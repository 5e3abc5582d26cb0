package attribution

import (
	"math"

	"github.com/realiops/realiops/internal/analyze/counts"
	"github.com/realiops/realiops/internal/metric"
)

const fewestSteps = 3 // differing counts that a step is told from

// stepOf returns by how much a metric moves at least. Seconds are what they are; of all else it is the
// largest number that the metric's counts are multiples of, so that the unit of a source changes nothing. Of few counts
// that number may be large by chance.
func (e *evidence) stepOf(m counts.Metric) float64 {
	unit := metric.Step(m.Unit)
	if unit < 1 {
		return unit
	}
	divisor, of := e.run.Step(m)
	if of > 0 && of < fewestSteps || math.IsInf(divisor, 1) {
		return min(divisor, unit)
	}
	return divisor
}
