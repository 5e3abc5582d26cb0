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

// levels are those of a metric by one statistic and one set of dimensions, in order: the minimum where there is one,
// for what is left of credits is asked about at its worst.
func (c *collector) levels(metric string) []Level {
	periods := c.periods[metric]
	if len(periods) == 0 {
		return nil
	}
	dimensions, statistic := c.dimensions(runfile.Metric{Name: metric}), ""
	for _, name := range []string{"Maximum", "Average", "Minimum"} {
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
