package attribution

import (
	"math"

	"github.com/realiops/realiops/internal/analyze/counts"
	"github.com/realiops/realiops/internal/metric"
)

const fewestSteps = 3 // distinct counts needed to determine a step

// stepOf returns the smallest amount by which a metric moves: the greatest common divisor of its counts, so that the
// unit of the source does not matter, or the unit's own step for seconds. With few counts the divisor may be large by
// chance.
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
