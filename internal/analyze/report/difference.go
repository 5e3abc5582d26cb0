package report

import (
	"fmt"
	"math"
	"slices"

	"github.com/realiops/realiops/internal/analyze/drivers"
	"github.com/realiops/realiops/internal/analyze/number"
)

// farOff is by what factor a difference of two loads must miss what rows and index entries foretell, for it to speak against them. Of two
// single repetitions nobody knows how far they vary.
const farOff = 5

// differences say of loads that equal others but for one thing what that did, which a ratio over all of a load cannot see: an index more is
// a percent of the rows, and may be a multiple of what it is said to cost.
func differences(run *drivers.Run, metrics []Metric) (said []string) {
	for _, arm := range run.Arms {
		other, found := run.Arm(arm.Like)
		if !found || arm.MoreEntries <= 0 || len(arm.Replicates) == 0 || len(other.Replicates) == 0 {
			continue
		}
		for _, m := range metrics {
			if m.Unit != "operations" || !slices.Contains(m.Between, drivers.Rows) && !slices.Contains(m.Between, drivers.Entries) {
				continue
			}
			if more, known := moreAtEqualRows(run, m.Metric, arm, other); known {
				said = append(said, differenceText(m, arm, other, more))
			}
		}
	}
	return said
}

// moreAtEqualRows is by how much a metric is more in a load than in another, beyond what its rows, of which it may have others, foretell.
func moreAtEqualRows(run *drivers.Run, metric string, arm, other drivers.Arm) (more float64, known bool) {
	rows := run.Quantity(drivers.Rows)
	mean := func(a drivers.Arm, count counting) float64 {
		return over(a, func(r drivers.Replicate) (float64, error) { return count(a, r) }).Value
	}
	of := func(_ drivers.Arm, r drivers.Replicate) (float64, error) { return r.Count(metric) }
	with, without := mean(arm, of), mean(other, of)
	more = with - without*mean(arm, rows.Count)/mean(other, rows.Count)
	return more, with > 0 && without > 0 && number.Finite(more)
}

func differenceText(m Metric, arm, other drivers.Arm, more float64) string {
	entries := float64(arm.MoreEntries)
	text := fmt.Sprintf("%s is %s but for %s, which made %s index entries more. At equal rows %s is %s more, %s for each of them",
		arm.Name, other.Name, arm.But, number.Rate(entries), m.Name, number.Rate(more), number.Significant(more/entries, 3))
	if math.Abs(more) > farOff*entries {
		return text + ": it counts neither rows nor index entries alone. One of each was run."
	}
	return text + "."
}
