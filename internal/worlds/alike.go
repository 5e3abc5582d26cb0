package worlds

import "math"

// tolerance is the factor up to which ratios count as one, as the specification has it.
const tolerance = 1.10

// Alike says that no method could part a meter from something that counts the driver alone: their true ratio stays within
// the tolerance in all arms, or moves by less than a test that knew the noise would find nine times out of ten at a level
// of 1 %.
func (w World) Alike(m Meter, driver string) bool {
	arms := w.ratios(m, driver)
	if len(arms) == 0 {
		return true
	}
	mean, weights, lowest, highest := 0.0, 0.0, math.Inf(1), math.Inf(-1)
	for _, a := range arms {
		mean += a.weight * a.log
		weights += a.weight
		lowest, highest = min(lowest, a.log), max(highest, a.log)
	}
	mean /= weights
	if highest-lowest <= math.Log(tolerance) {
		return true
	}
	moved := 0.0
	for _, a := range arms {
		moved += a.weight * (a.log - mean) * (a.log - mean)
	}
	return !found(moved, float64(len(arms)-1))
}

// Only is the meter as if it counted one of its terms alone. The noise of the others stays with it.
func (m Meter) Only(t Term) Meter {
	m.Rule, m.Noise = Rule{Sort: Single, Terms: []Term{t}}, m.Noise/t.Share
	return m
}

// ratio is the logarithm of what a rule gives for one of a driver in an arm, and the weight of its mean under noise.
type ratio struct{ log, weight float64 }

// ratios are those of the arms in which the meter was read.
func (w World) ratios(m Meter, driver string) (all []ratio) {
	for _, arm := range w.plan.Arms {
		var logs []float64
		for i, r := range w.replicates {
			if r.arm.Name == arm.Name && !r.idle() && !m.missing[i] {
				logs = append(logs, math.Log(m.Rule.of(r.done)/r.done[driver]))
			}
		}
		if len(logs) > 0 {
			mean, variance := moments(logs)
			variance += m.Noise*m.Noise + 2*w.blurred*w.blurred
			all = append(all, ratio{mean, float64(len(logs)) / max(variance, 1e-12)})
		}
	}
	return all
}

func moments(values []float64) (mean, variance float64) {
	for _, v := range values {
		mean += v / float64(len(values))
	}
	for _, v := range values {
		variance += (v - mean) * (v - mean) / max(1, float64(len(values)-1))
	}
	return mean, variance
}

// found tells whether a chi-squared test with so many degrees of freedom finds, at the level of 1 %, a difference of so much
// noncentrality nine times out of ten. Both distributions are taken for normal where that is near enough: the critical value
// by Wilson and Hilferty's cube, the power by mean and variance.
func found(noncentrality, freedom float64) bool {
	const level, power = 2.326, 1.282 // quantiles of the normal distribution at 0.99 and 0.90
	if freedom < 1 {
		return false
	}
	cube := 1 - 2/(9*freedom) + level*math.Sqrt(2/(9*freedom))
	critical := freedom * cube * cube * cube
	return freedom+noncentrality-power*math.Sqrt(2*(freedom+2*noncentrality)) >= critical
}
