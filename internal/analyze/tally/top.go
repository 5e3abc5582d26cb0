package tally

import (
	"cmp"
	"maps"
	"slices"

	"github.com/realiops/realiops/internal/analyze/counts"
	"github.com/realiops/realiops/internal/metric"
	"github.com/realiops/realiops/internal/runfile"
)

// ranking is a Top that parts are merged into.
type ranking struct {
	counts.Top
	cut bool // some part was cut off
}

// joinTops merges the rankings across restarts of the server.
func (b *builder) joinTops() (all []counts.Top) {
	keys := slices.SortedFunc(maps.Keys(b.tops), func(a, b topKey) int {
		return cmp.Or(a.from.Compare(b.from), cmp.Compare(a.of, b.of))
	})
	b.run.Tops = slices.Collect(maps.Values(b.tops))
	for _, of := range []string{"statements", runfile.Readers, runfile.Digests, runfile.Files, runfile.Programs,
		"tables", "indexes"} {
		t := ranking{Top: counts.Top{Of: of, Total: map[string]float64{}}}
		for _, key := range keys {
			if key.of == of {
				t.join(b.tops[key])
			}
		}
		if t.Seconds > 0 || t.Missing != "" {
			all = append(all, t.Top)
		}
	}
	return all
}

func (t *ranking) join(part runfile.Top) {
	if part.Missing != "" {
		if len(t.Items) == 0 {
			t.Missing = part.Missing
		}
		return
	}
	t.Missing = ""
	t.Seconds += part.At.Sub(part.From).Seconds()
	for name, value := range part.Total {
		t.Total[name] += value
	}
	cut := len(part.Items) >= runfile.MostTopItems
	for i := range t.Items {
		t.Items[i].AtLeast = t.Items[i].AtLeast || cut && !slices.ContainsFunc(part.Items, named(t.Items[i].Name))
	}
	for _, item := range part.Items {
		t.add(item)
	}
	t.cut = t.cut || cut
}

func named(name string) func(runfile.TopItem) bool {
	return func(i runfile.TopItem) bool { return i.Name == name }
}

// add sums up an item by name. The sum is a minimum if some part was cut off.
func (t *ranking) add(item runfile.TopItem) {
	i := slices.IndexFunc(t.Items, named(item.Name))
	if i < 0 {
		item.Grew, item.AtLeast = maps.Clone(item.Grew), item.AtLeast || t.cut
		t.Items = append(t.Items, item)
		return
	}
	for name, value := range item.Grew {
		t.Items[i].Grew[name] += value
	}
	t.Items[i].Text = cmp.Or(item.Text, t.Items[i].Text)
	t.Items[i].AtLeast = t.Items[i].AtLeast || item.AtLeast
}

// The metric of database load, and its dimension for events.
const (
	loadMetric     = metric.InsightsDBLoad
	eventDimension = "db.wait_event.name"
)

// waits returns the waits of a load, the total first and then the most frequent; nil if no period lies in a repetition.
func (b *builder) waits(a counts.Load) (all []counts.Wait) {
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
