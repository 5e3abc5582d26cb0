package stats

import "math"

// Difference is the difference of two means with its standard error and degrees of freedom. With a group of one the
// error is unknown and Freedom is 0.
type Difference struct{ Value, Err, Freedom float64 }

// Welch returns the mean of b less the mean of a, for normal distributions with different variances (Welch 1947).
func Welch(a, b []float64) Difference {
	meanA, varA := meanVariance(a)
	meanB, varB := meanVariance(b)
	d := Difference{Value: meanB - meanA}
	if len(a) < 2 || len(b) < 2 {
		return d
	}
	partA, partB := varA/float64(len(a)), varB/float64(len(b))
	d.Err = math.Sqrt(partA + partB)
	d.Freedom = freedomOf([]float64{partA, partB}, []float64{float64(len(a) - 1), float64(len(b) - 1)})
	return d
}

// MeanDifference returns the mean of independent differences.
func MeanDifference(of []Difference) (mean Difference) {
	var parts, freedoms []float64
	n := float64(len(of))
	known := len(of) > 0
	for _, d := range of {
		mean.Value += d.Value / n
		part := d.Err * d.Err / (n * n)
		parts, freedoms = append(parts, part), append(freedoms, d.Freedom)
		mean.Err += part
		known = known && d.Freedom > 0
	}
	mean.Err = math.Sqrt(mean.Err)
	if !known {
		return Difference{Value: mean.Value}
	}
	mean.Freedom = freedomOf(parts, freedoms)
	return mean
}

// freedomOf returns the degrees of freedom of a sum of variances (Satterthwaite 1946); if all are zero, the sum of
// freedoms.
func freedomOf(variances, freedoms []float64) float64 {
	sum, squares, all := 0.0, 0.0, 0.0
	for i, v := range variances {
		sum += v
		squares += v * v / freedoms[i]
		all += freedoms[i]
	}
	if squares == 0 {
		return all
	}
	return sum * sum / squares
}

// Interval returns the interval that holds the true difference with probability level; unbounded without freedom.
func (d Difference) Interval(level float64) Interval {
	if d.Freedom <= 0 {
		return Interval{d.Value, math.Inf(-1), math.Inf(1)}
	}
	half := d.Err * Student(level, d.Freedom)
	return Interval{d.Value, d.Value - half, d.Value + half}
}

// P returns the probability of a difference at least as large by chance; NaN without freedom.
func (d Difference) P() float64 {
	switch {
	case d.Freedom <= 0:
		return math.NaN()
	case d.Err == 0 && d.Value == 0:
		return 1
	case d.Err == 0:
		return 0
	}
	return studentBeyond(d.Value/d.Err, d.Freedom)
}
