package tally

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/realiops/realiops/internal/analyze/counts"
	"github.com/realiops/realiops/internal/metric"
	"github.com/realiops/realiops/internal/runfile"
)

// Levels returns the periods of a metric by the first of the preferred statistics that exists, and one set of
// dimensions, in order.
func (b *builder) Levels(metric string, preferred []string) (all []counts.Level) {
	periods := b.periods[metric]
	if len(periods) == 0 {
		return nil
	}
	dimensions, statistic := b.dimensions(runfile.Metric{Name: metric}), ""
	for _, name := range slices.Backward(preferred) {
		for key := range periods {
			if key.statistic == name && key.dimensions == dimensions {
				statistic = name
			}
		}
	}
	for key, told := range periods {
		if key.statistic == statistic && key.dimensions == dimensions {
			all = append(all, counts.Level{From: key.from, To: key.to, Value: told.value})
		}
	}
	slices.SortFunc(all, func(a, b counts.Level) int { return cmp.Or(a.From.Compare(b.From), a.To.Compare(b.To)) })
	return all
}

// steady is the factor within which an instance's size may vary and still count as constant.
const steady = 1.1

// capacity notes that a Serverless instance was scaled during the measurement: amounts stay comparable, rates do not.
func (k checks) capacity() {
	var units []float64
	for _, l := range k.run.Levels(metric.CloudWatchServerlessDatabaseCapacity) {
		throughout := func(a *attempt) bool {
			return a.clients.lines > 0 && !l.From.Before(a.clients.from) && !l.To.After(a.clients.to)
		}
		if slices.ContainsFunc(k.attempts, throughout) {
			units = append(units, l.Value)
		}
	}
	if len(units) == 0 {
		return
	}
	if least, most := slices.Min(units), slices.Max(units); most > steady*least {
		k.notes.add("capacity-changed", fmt.Sprintf(
			"The instance was scaled under load, from %.3g to %.3g capacity units: rates of different loads cannot "+
				"be compared, and a load may not have been steady", least, most))
	}
}
