package attribution

import (
	"math"
	"slices"
	"time"

	"github.com/realiops/realiops/internal/analyze/drivers"
)

// From second to second a load does more or less. What counts a sum of quantities does as much more or less as the sum; what
// follows it by a root, to a cap, or with more of it merged the more there is, does not, however well the sum meets the means
// of the arms.
const (
	fewestMoments = 30
	leastSwing    = 0.02 // of the sum's rate within a load, as a standard deviation
	together      = 0.7  // a correlation from which on a slope says something
	leastSlope    = 0.8
	leastMixed    = 0.75
	leastMove     = 0.4 // of the swing, where the two do not go together
)

// curved tells whether a metric, read second by second, bends away from a sum. Of one that is said to be partly logical more is
// asked: that the metric follows it by as much even if all error were the metric's own.
func (j *judge) curved(metric string, t *table, m model, mixed bool) bool {
	if j.view.Periods || j.view.Stepped > 0 {
		return false
	}
	var xx, yy, xy, n float64
	for i, a := range t.arms {
		for _, r := range t.use[i] {
			x, y := j.moments(metric, t, m, a, r)
			if len(x) < 3 {
				continue
			}
			mx, my := average(x), average(y)
			if !(mx > 0 && my > 0) {
				continue
			}
			for k := range x {
				dx, dy := x[k]/mx-1, y[k]/my-1
				xx, yy, xy, n = xx+dx*dx, yy+dy*dy, xy+dx*dy, n+1
			}
		}
	}
	if n < fewestMoments || xx < leastSwing*leastSwing*n {
		return false
	}
	if mixed && xy/xx < leastMixed {
		return true
	}
	slope := math.Sqrt(yy / xx) // the reduced major axis, since both have errors
	if xy/math.Sqrt(xx*yy) > together {
		return slope < leastSlope
	}
	return slope < leastMove
}

// moments are the rates of a sum and of the metric between readings within the load of a replicate.
func (j *judge) moments(metric string, t *table, m model, a, r int) (x, y []float64) {
	replicate := j.arms[a].Replicates[r]
	from := replicate.Begin
	to := from.Add(time.Duration(replicate.Seconds * float64(time.Second)))
	columns := make([]drivers.Quantity, len(m.columns))
	for k, c := range m.columns {
		columns[k] = j.drivers[t.places[c]]
	}
	for change, err := range j.run.Changes(metric, from.Add(j.view.Lag), to.Add(j.view.Lag)) {
		if err != nil || change.Seconds() < 0.5 {
			continue
		}
		sum := 0.0
		for k, d := range columns {
			n, known := j.run.Did(d, j.arms[a], replicate, change.From.Add(-j.view.Lag), change.To.Add(-j.view.Lag))
			if !known {
				return nil, nil
			}
			sum += m.of[k] * n
		}
		x, y = append(x, sum/change.Seconds()), append(y, change.Amount/change.Seconds())
	}
	return slices.Clip(x), y
}
