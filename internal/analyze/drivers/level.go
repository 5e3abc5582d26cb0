package drivers

import (
	"cmp"
	"slices"
	"time"

	"github.com/realiops/realiops/internal/runfile"
)

// Level is how much there was of something in a period, as its source said.
type Level struct {
	From, To time.Time
	Value    float64
}

// worst are the statistics of what there is less of the worse it is.
func worst() []string { return []string{runfile.Minimum, runfile.Average, runfile.Maximum} }

// levels are those of a metric by one statistic, the first of some that there is, and one set of dimensions, in order.
func (c *collector) levels(metric string, preferred []string) []Level {
	periods := c.periods[metric]
	if len(periods) == 0 {
		return nil
	}
	dimensions, statistic := c.dimensions(runfile.Metric{Name: metric}), ""
	for _, name := range slices.Backward(preferred) {
		for key := range periods {
			if key.statistic == name && key.dimensions == dimensions {
				statistic = name
			}
		}
	}
	var all []Level
	for key, told := range periods {
		if key.statistic == statistic && key.dimensions == dimensions {
			all = append(all, Level{key.from, key.to, told.value})
		}
	}
	slices.SortFunc(all, func(a, b Level) int { return cmp.Or(a.From.Compare(b.From), a.To.Compare(b.To)) })
	return all
}
