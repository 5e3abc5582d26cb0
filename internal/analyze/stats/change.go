package stats

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
)

// Change is the point at which a series changes its level: the cut whose parts differ most by the test of Mann and
// Whitney (the change-point model of Hawkins and Deng). It uses ranks, so no single value decides. The test assumes
// independent values, which neighbouring seconds are not, so it counts correlated values for less.
type Change struct {
	At int // index of the first value after the change
	// upper bound of the probability without any change: Bonferroni's bound over all cuts
	P             float64
	Before, After float64 // medians of the parts
	// Step and Line are the shares of the variance that remain around two levels, and around a straight line: they
	// distinguish a step from a drift.
	Step, Line float64
}

// ChangeOf returns the change of a series, with at least side values on either side; false if it is too short or
// constant.
func ChangeOf(values []float64, side int) (Change, bool) {
	n := len(values)
	if n < 2*side || side < 1 || slices.ContainsFunc(values, func(v float64) bool {
		return math.IsNaN(v) || math.IsInf(v, 0)
	}) {
		return Change{}, false
	}
	ranks := midRanks(values)
	at, most, sum := 0, 0.0, 0.0 // most is the number of standard deviations between the ranks before and after
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
	c.P = min(1, cuts*math.Erfc(most*math.Sqrt(independent(ranks[:at], ranks[at:])/2))) // both tails
	return c, true
}

// midRanks returns the ranks from 1 on; equal values share their mean rank.
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

// Median returns the median of at least one value.
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
func besideLine(values []float64) (sum float64) {
	times := make([]float64, len(values))
	for i := range times {
		times[i] = float64(i)
	}
	from, slope := momentsOf(times, values).line()
	for i, v := range values {
		d := v - from - slope*times[i]
		sum += d * d
	}
	return sum
}

// independent returns the share of independent values, (1-r)/(1+r), where r is the positive correlation of neighbours
// within the two parts. It uses ranks, too: the second in which a rate falls belongs to neither part, and would make
// neighbours look alike.
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
