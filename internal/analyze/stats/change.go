package stats

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"
)

// Change is the point at which a series changes its level, by Pettitt's test: of all ways to cut the series in two, the
// one whose parts differ most in their ranks. Ranks let no single value decide. The test takes values to be independent,
// which those of neighbouring seconds are not, so it counts them for as many as their correlation leaves.
type Change struct {
	At            int     // index of the first value after it
	P             float64 // that a series without any change looks so, at most 1
	Before, After float64 // medians of the parts
	// Step and Line are the parts of the variance that are left beside two levels, and beside a straight line: a series
	// that drifts is told from one that steps.
	Step, Line float64
}

// fewest values that can tell anything.
const fewest = 8

// ChangeOf finds the change of a series; false where it is too short or never moves.
func ChangeOf(values []float64) (Change, bool) {
	n := len(values)
	if n < fewest || slices.ContainsFunc(values, func(v float64) bool { return math.IsNaN(v) || math.IsInf(v, 0) }) {
		return Change{}, false
	}
	ranks := midRanks(values)
	at, most, sum := 0, 0.0, 0.0
	for i := range n - 1 {
		sum += ranks[i]
		u := math.Abs(2*sum - float64(i+1)*float64(n+1))
		if u > most {
			at, most = i+1, u
		}
	}
	total := squares(values)
	if at == 0 || total == 0 {
		return Change{}, false
	}
	before, after := values[:at], values[at:]
	c := Change{At: at, Before: median(before), After: median(after), Step: (squares(before) + squares(after)) / total, Line: besideLine(values) / total}
	size := float64(n)
	c.P = min(1, 2*math.Exp(-6*most*most/(size*size*size+size*size)*independent(before, after)))
	return c, true
}

// midRanks are the ranks from 1 on; equal values share the middle of theirs.
func midRanks(values []float64) []float64 {
	order := make([]int, len(values))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int {
		switch {
		case values[a] < values[b]:
			return -1
		case values[a] > values[b]:
			return 1
		}
		return 0
	})
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

func median(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	half := len(sorted) / 2
	if len(sorted)%2 == 1 {
		return sorted[half]
	}
	return (sorted[half-1] + sorted[half]) / 2
}

// squares is the sum of squares about the mean.
func squares(values []float64) float64 {
	mean, sum := stat.Mean(values, nil), 0.0
	for _, v := range values {
		sum += (v - mean) * (v - mean)
	}
	return sum
}

// besideLine is the sum of squares about the straight line through the values.
func besideLine(values []float64) float64 {
	times := make([]float64, len(values))
	for i := range times {
		times[i] = float64(i)
	}
	from, slope := stat.LinearRegression(times, values, nil, false)
	sum := 0.0
	for i, v := range values {
		d := v - from - slope*times[i]
		sum += d * d
	}
	return sum
}

// independent is the part of the values that stand for themselves: (1-r)/(1+r), with the correlation r of neighbours
// within the two parts, where that is above zero.
func independent(before, after []float64) float64 {
	var now, next []float64
	for _, part := range [][]float64{before, after} {
		middle := median(part)
		for i := 1; i < len(part); i++ {
			now, next = append(now, part[i-1]-middle), append(next, part[i]-middle)
		}
	}
	if len(now) < fewest {
		return 1
	}
	r := stat.Correlation(now, next, nil)
	if math.IsNaN(r) || r <= 0 {
		return 1
	}
	return (1 - r) / (1 + r)
}
