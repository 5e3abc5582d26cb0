package tally

import (
	"cmp"
	"maps"
	"slices"

	"github.com/realiops/realiops/internal/analyze/counts"
	"github.com/realiops/realiops/internal/metric"
	"github.com/realiops/realiops/internal/runfile"
)

// The metric of database load, and its dimension for events.
const (
	loadMetric     = metric.InsightsDBLoad
	eventDimension = "db.wait_event.name"
)

// waits returns the waits of a load, the total first and then the most frequent; nil if no period lies in a repetition.
func (b *builder) waits(a counts.Load) []counts.Wait {
	sums, seconds := map[string]float64{}, 0.0
	for key, told := range b.periods[loadMetric] {
		within := func(r counts.Repetition) bool { return !key.from.Before(r.Begin) && !key.to.After(r.End) }
		length := key.to.Sub(key.from).Seconds()
		if key.statistic != runfile.Average || length <= 0 || told.value < 0 ||
			!slices.ContainsFunc(a.Repetitions, within) {
			continue
		}
		event := b.sets[key.dimensions][eventDimension]
		sums[event] += told.value * length
		if event == "" {
			seconds += length
		}
	}
	if seconds == 0 {
		return nil
	}
	var all []counts.Wait
	for _, event := range slices.Sorted(maps.Keys(sums)) {
		all = append(all, counts.Wait{Event: event, Sessions: sums[event] / seconds})
	}
	slices.SortStableFunc(all, func(a, b counts.Wait) int {
		if a.Event == "" || b.Event == "" {
			return cmp.Compare(a.Event, b.Event)
		}
		return cmp.Compare(b.Sessions, a.Sessions)
	})
	return all
}
