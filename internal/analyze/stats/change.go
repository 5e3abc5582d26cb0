package stats

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
)

// Change is the point at which a series changes its level: of all ways to cut it in two, the one whose parts differ
// most by the test of Mann and Whitney (the change-point model of Hawkins and Deng). It goes by ranks, so that no
// single value decides. The test takes values to be independent, which those of neighbouring seconds are not: it counts
// them for as many as their correlation leaves.
type Change struct {
	At int // index of the first value after it
	// at most the probability that a series without any change looks so: Bonferroni's bound over all cuts
	P             float64
	Before, After float64 // medians of the parts
	// Step and Line are the parts of the variance that remain around two levels, and around a straight line: they
	// tell a series that drifts from one that steps.
	Step, Line float64
}

// ChangeOf finds the change of a series, with so many values on either side of it at least; false where it is too short
// or never moves.
func ChangeOf(values []float64, side int) (Change, bool) {
	n := len(values)
	if n < 2*side || side < 1 || slices.ContainsFunc(values, func(v float64) bool {
		return math.IsNaN(v) || math.IsInf(v, 0)
	}) {
		return Change{}, false
	}
	ranks := midRanks(values)
	at, most, sum := 0, 0.0, 0.0 // most is by how many standard deviations the ranks before and after differ there
	for i, rank := range ranks {
		sum += rank
		t := i + 1
		if t < side || n-t < side {
			continue
		}
		deviation := math.Sqrt(float64(t) * float64(n-t) * float64(n+1) / 12)
		if z := math.Abs(sum-float64(t)*float64(n+1)/2) / deviation; z > most {
			at, most = t, z
		}
	}
	total := squares(values)
	if at == 0 || total == 0 {
		return Change{}, false
	}
	before, after := values[:at], values[at:]
	c := Change{At: at, Before: Median(before), After: Median(after), Step: (squares(before) + squares(after)) / total,
		Line: besideLine(values) / total}
	cuts := float64(n - 2*side + 1)
	c.P = min(1, cuts*math.Erfc(most*math.Sqrt(independent(ranks[:at], ranks[at:])/2))) // of both tails
	return c, true
}

// midRanks returns the ranks from 1 on; equal values share the middle of theirs.
func midRanks(values []float64) []float64 {
	order := make([]int, len(values))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(values[a], values[b]) })
	ranks := make([]float64, len(values))
	for i := 0; i < len(order); {
		j := i
		for j < len(order) && values[order[j]] == values[order[i]] {
			j++
		}
		for _, k := range order[i:j] {
			ranks[k] = float64(i+j+1) / 2
		}
		i = j
	}
	return ranks
}

// Median returns the middle one of at least one value, or the mean of the two.
func Median(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	return (sorted[(len(sorted)-1)/2] + sorted[len(sorted)/2]) / 2
}

func squares(values []float64) float64 {
	mean, sum := floats.Sum(values)/float64(len(values)), 0.0
	for _, v := range values {
		sum += (v - mean) * (v - mean)
	}
	return sum
}

// besideLine returns the sum of squares about the straight line through the values.
func besideLine(values []float64) float64 {
	times := make([]float64, len(values))
	for i := range times {
		times[i] = float64(i)
	}
	from, slope := momentsOf(times, values).line()
	sum := 0.0
	for i, v := range values {
		d := v - from - slope*times[i]
		sum += d * d
	}
	return sum
}

// independent returns the part of the values that stand for themselves: (1-r)/(1+r), with the correlation r of
// neighbours within the two parts, where that is above zero. It goes by ranks too: the one second in which a rate falls
// belongs to neither part, and would by itself make neighbours look alike.
func independent(before, after []float64) float64 {
	var now, next []float64
	for _, part := range [][]float64{before, after} {
		middle := Median(part)
		for i := 1; i < len(part); i++ {
			now, next = append(now, part[i-1]-middle), append(next, part[i]-middle)
		}
	}
	const fewest = 8
	if len(now) < fewest {
		return 1
	}
	r := momentsOf(now, next).correlation()
	if math.IsNaN(r) || r <= 0 {
		return 1
	}
	return (1 - r) / (1 + r)
}
