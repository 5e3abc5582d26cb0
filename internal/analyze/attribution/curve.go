package attribution

import (
	"math"
	"slices"
	"time"

	"github.com/realiops/realiops/internal/analyze/stats"
)

// The rate of a load varies from second to second. A metric that counts a sum of quantities varies in proportion. A
// metric that follows the sum by a root, up to a cap, or with growing merging does not, however well the sum fits the
// loads' means.
const (
	fewestMoments = 30
	leastSwing    = 0.02 // standard deviation of the sum's rate within a load, as a share
	leastFollowed = 0.75 // even if all error were the metric's own, give or take a standard error
	// per repetition, evenly spaced: a long repetition tells no more with all of its seconds
	mostMoments = 120
)

// curved reports whether a metric, read second by second, departs from proportion to a sum.
func (tr *trial) curved(t *table, m model) bool {
	if tr.view.Periods || tr.view.Stepped > 0 {
		return false
	}
	var xx, yy, xy, n float64
	for i, a := range t.loads {
		for _, r := range t.use[i] {
			x, y := tr.moments(tr.metric.Name, t, m, a, r)
			if len(x) < 3 {
				continue
			}
			mx, my := stats.Mean(x), stats.Mean(y)
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
	slope := xy / xx
	return slope+math.Sqrt(max(0, yy-slope*xy)/n/xx) < leastFollowed
}

// moments returns the rates of a sum and of the metric between consecutive readings of a repetition.
func (j *judge) moments(metric string, t *table, m model, a, r int) (x, y []float64) {
	repetition := j.loads[a].Repetitions[r]
	from := repetition.Begin
	to := from.Add(time.Duration(repetition.Seconds * float64(time.Second)))
	for _, change := range j.run.Series(metric).Spread(from.Add(j.view.Lag), to.Add(j.view.Lag), time.Second/2,
		mostMoments) {
		sum := 0.0
		for k, c := range m.columns {
			n := j.did(t.places[c], j.loads[a], repetition, change.From.Add(-j.view.Lag), change.To.Add(-j.view.Lag))
			if math.IsNaN(n) {
				return nil, nil
			}
			sum += m.of[k] * n
		}
		x, y = append(x, sum/change.Seconds()), append(y, change.Amount/change.Seconds())
	}
	return x, y
}

// curve describes how a metric may follow a sum. It maps a rate of the metric to the rate of the sum, and to the ratio
// of their relative errors, in logarithms.
type curve func(rate float64) (straight, steepness float64)

// curves returns roots, merging that grows with load up to some multiple of the highest rate, and a steady rate beside the
// sum that makes up some share of the lowest.
func curves(lowest, highest float64) (all []curve) {
	for _, power := range []float64{0.4, 0.5, 0.6, 0.7, 0.8} {
		all = append(all, func(rate float64) (float64, float64) { return math.Pow(rate/highest, 1/power), 1 / power })
	}
	for _, most := range []float64{1.1, 1.3, 1.7, 2.5, 4} {
		all = append(all, func(rate float64) (float64, float64) {
			left := 1 - rate/(most*highest)
			return rate / left, 1 / left
		})
	}
	for _, share := range []float64{0.3, 0.6} {
		all = append(all, func(rate float64) (float64, float64) {
			rest := rate - share*lowest
			return rest, rate / rest
		})
	}
	return all
}

// bent returns the least deviance of a curve over a shorter sum, or of one quantity with a cap. It is the deviance of
// the sum with the curve undone.
func (t *table) bent(size int) float64 {
	rates := make([]float64, len(t.y))
	for i, y := range t.y {
		rates[i] = y / t.seconds(i)
	}
	least := math.Inf(1)
	for _, straighten := range curves(slices.Min(rates), slices.Max(rates)) {
		straight := *t // with the curve undone
		straight.y, straight.noise = make([]float64, len(t.y)), make([]float64, len(t.y))
		for i := range t.y {
			rate, steepness := straighten(rates[i])
			straight.y[i], straight.noise[i] = rate*t.seconds(i), t.noise[i]*steepness*steepness
		}
		straight.weigh()
		for fewer := 1; fewer < size; fewer++ {
			if models := straight.all(fewer); len(models) > 0 {
				least = min(least, models[0].deviance)
			}
		}
	}
	return min(least, t.capped())
}

// capped returns the least deviance of one quantity with a cap at its rate in some load.
func (t *table) capped() float64 {
	least := math.Inf(1)
	for c := range t.columns {
		rates := make([]float64, len(t.y))
		for i := range t.y {
			rates[i] = t.columns[c][i] / t.seconds(i)
		}
		for _, knee := range rates {
			var sum, weights, squares float64
			for i := range t.y {
				variance := t.noise[i] + t.known[c][i]
				left := math.Log(t.y[i]) - math.Log(min(rates[i], knee)*t.seconds(i))
				sum, weights, squares = sum+left/variance, weights+1/variance, squares+left*left/variance+
					math.Log(variance/t.noise[i])
			}
			least = min(least, squares-sum*sum/weights)
		}
	}
	return least
}

// seconds returns the mean length of a row's repetitions.
func (t *table) seconds(i int) (sum float64) {
	for _, r := range t.use[i] {
		sum += t.evidence.loads[t.loads[i]].Repetitions[r].Seconds / float64(len(t.use[i]))
	}
	return sum
}
