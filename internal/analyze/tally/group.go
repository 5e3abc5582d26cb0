package tally

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/realiops/realiops/internal/analyze/counts"
	"github.com/realiops/realiops/internal/analyze/stats"
	"github.com/realiops/realiops/internal/runfile"
)

// Windows of one kind take the place of a load. They are sorted by the ratios of all quantities. As long as a ratio
// differs much between the windows of a group, the group is split at the largest contrast, the most different group
// first. Ratios are taken over a window and its neighbours, so that a count that arrives a second late does not look
// like another load. Windows next to another group are left out.
const (
	mostGroups = 8
	// fewestWindows is the smallest size of a group.
	fewestWindows = 4
	// different is the factor between the mean logarithms of a group's halves at which it is split.
	different = 1.25
	// fewestCounted is the smallest median count of a quantity that is used for grouping.
	fewestCounted = 50
)

// mostStretches is the number of repetitions that the windows of a group are merged into, in order of time. Consecutive
// windows are alike, and each by itself would look like more evidence than it is.
const mostStretches = 6

// grouped groups busy windows, and leaves out those that belong to no group or lie next to another one.
func grouped(busy []window) (found [][]window) {
	if len(busy) < fewestWindows {
		return nil
	}
	logs := compositions(busy)
	if len(logs) == 0 {
		return nil
	}
	groups := [][]int{make([]int, len(busy))}
	for i := range busy {
		groups[0][i] = i
	}
	for len(groups) < mostGroups {
		parted, ok := partedOnce(busy, logs, groups)
		if !ok {
			break
		}
		groups = parted
	}
	for _, members := range inside(busy, groups) {
		var group []window
		for _, i := range members {
			group = append(group, busy[i])
		}
		found = append(found, group)
	}
	return found
}

// partedOnce splits one group at the largest contrast that leaves enough windows inside every group. Work that comes
// and goes from window to window, such as checkpoints, leaves none inside.
func partedOnce(busy []window, logs [][]float64, groups [][]int) (parted [][]int, ok bool) {
	type choice struct {
		parting
		group int
	}
	var choices []choice
	for g, members := range groups {
		for _, p := range partings(logs, members) {
			choices = append(choices, choice{p, g})
		}
	}
	slices.SortStableFunc(choices, func(a, b choice) int { return cmp.Compare(b.contrast, a.contrast) })
	for _, c := range choices {
		parted := slices.Clone(groups)
		parted[c.group] = c.low
		parted = append(parted, c.high)
		if len(inside(busy, parted)) == len(parted) {
			return parted, true
		}
	}
	return nil, false
}

// compositions returns the logarithms of each quantity around each window, for quantities with enough counts.
func compositions(busy []window) (logs [][]float64) {
	for _, d := range counts.OfObservations() {
		values := make([]float64, len(busy))
		known := true
		for i, w := range busy {
			value, err := d.Count(counts.Load{Load: runfile.Load{Method: runfile.Observed}}, w.repetition)
			known = known && err == nil
			values[i] = value
		}
		if !known {
			continue
		}
		smooth := make([]float64, len(busy))
		for i := range busy {
			smooth[i] = math.Log(max(1, around(busy, values, i)))
		}
		if stats.Median(smooth) >= math.Log(fewestCounted) {
			logs = append(logs, smooth)
		}
	}
	return logs
}

// around returns the mean over a window and its direct neighbours.
func around(busy []window, values []float64, i int) float64 {
	sum, n := values[i], 1.0
	if i > 0 && busy[i-1].number == busy[i].number-1 {
		sum, n = sum+values[i-1], n+1
	}
	if i+1 < len(busy) && busy[i+1].number == busy[i].number+1 {
		sum, n = sum+values[i+1], n+1
	}
	return sum / n
}

type parting struct {
	contrast  float64 // of the logarithms of a ratio
	low, high []int
}

// partings returns the ways to split a group by a ratio of two quantities with enough contrast.
func partings(logs [][]float64, members []int) (found []parting) {
	for i := range logs {
		for k := range i {
			ratio := func(w int) float64 { return logs[i][w] - logs[k][w] }
			order := slices.Clone(members)
			slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(ratio(a), ratio(b)) })
			if at, contrast := cut(order, ratio); contrast >= math.Log(different) {
				low, high := order[:at], order[at:]
				slices.Sort(low)
				slices.Sort(high)
				found = append(found, parting{contrast, low, high})
			}
		}
	}
	return found
}

// cut returns where to split an ascending row so that the sum of squares between the sides is greatest.
func cut(order []int, ratio func(int) float64) (at int, contrast float64) {
	total := 0.0
	for _, w := range order {
		total += ratio(w)
	}
	n, below, most := float64(len(order)), 0.0, 0.0
	for i, w := range order[:max(0, len(order)-fewestWindows)] {
		below += ratio(w)
		left := float64(i + 1)
		if i+1 < fewestWindows {
			continue
		}
		difference := (total-below)/(n-left) - below/left
		if squares := difference * difference * left * (n - left) / n; squares > most {
			most, at, contrast = squares, i+1, difference
		}
	}
	return at, contrast
}

// inside returns the windows, as indexes, of each group without a neighbour of another kind, the largest group first.
func inside(busy []window, groups [][]int) (found [][]int) {
	of := map[int64]int{}
	for g, members := range groups {
		for _, i := range members {
			of[busy[i].number] = g
		}
	}
	for g, members := range groups {
		var left []int
		for _, i := range members {
			before, preceded := of[busy[i].number-1]
			after, followed := of[busy[i].number+1]
			if (!preceded || before == g) && (!followed || after == g) {
				left = append(left, i)
			}
		}
		if len(left) >= fewestWindows {
			found = append(found, left)
		}
	}
	slices.SortStableFunc(found, func(a, b []int) int { return len(b) - len(a) })
	return found
}

func loadOf(place int, windows []window) counts.Load {
	load := counts.Load{Load: runfile.Load{Name: fmt.Sprintf("load %c", 'A'+place), Method: runfile.Observed}}
	stretches := min(mostStretches, len(windows)/2)
	for k := range stretches {
		from, to := k*len(windows)/stretches, (k+1)*len(windows)/stretches
		load.Repetitions = append(load.Repetitions, merged(k+1, windows[from:to]))
	}
	return load
}
