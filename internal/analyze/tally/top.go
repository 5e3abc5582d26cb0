package tally

import (
	"cmp"
	"maps"
	"math"
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

// takeWAL keeps the tables and indexes of a stretch of WAL. An observation has one stretch.
func (c *collector) takeWAL(w runfile.WAL) {
	if w.Load != "" {
		c.attempt(w.Load, w.Repetition).wal = &w
		return
	}
	c.wal.join(w)
}

// stretches merges the tables and indexes of several stretches of WAL.
type stretches struct {
	all   *runfile.WAL
	place map[[2]string]int // index of an item in all, by kind and name
}

// mostJoined bounds the items listed: a database that keeps making and dropping tables has ever new ones.
const mostJoined = 2_000

func (s *stretches) join(w runfile.WAL) {
	switch {
	case s.all == nil && w.Missing != "":
		s.all = &w
		return
	case w.Missing != "":
		return
	case s.all == nil, s.all.Missing != "":
		s.all, s.place = &runfile.WAL{From: w.From}, map[[2]string]int{}
	}
	s.all.To = w.To
	s.all.Bytes, s.all.Read = s.all.Bytes+w.Bytes, s.all.Read+w.Read
	if w.Read <= 0 {
		return
	}
	scale := max(1, float64(w.Bytes)/float64(w.Read))
	for _, item := range w.Items {
		s.add(item, scale)
	}
}

// add adds an item, scaled up.
func (s *stretches) add(item runfile.WALItem, scale float64) {
	key := [2]string{item.Is, item.Name}
	at, known := s.place[key]
	if !known && len(s.place) >= mostJoined {
		key = [2]string{runfile.OtherRelations, ""}
		at, known = s.place[key]
		item = runfile.WALItem{Is: runfile.OtherRelations, Parts: item.Parts}
	}
	if !known {
		at = len(s.all.Items)
		s.place[key] = at
		s.all.Items = append(s.all.Items, runfile.WALItem{})
	}
	sum := s.all.Items[at].Parts
	if sum == nil {
		sum = map[string]runfile.WALPart{}
	}
	for name, p := range item.Parts {
		times := func(n int64) int64 { return int64(math.Round(scale * float64(n))) }
		before := sum[name]
		sum[name] = runfile.WALPart{Records: before.Records + times(p.Records), Bytes: before.Bytes + times(p.Bytes),
			Images: before.Images + times(p.Images), ImageBytes: before.ImageBytes + times(p.ImageBytes)}
	}
	item.Parts = sum
	s.all.Items[at] = item
}

// top returns the tables and indexes with the most WAL in an observation; none if it was not read.
func (s *stretches) top(flavor string) []counts.Top {
	if s.all == nil {
		return nil
	}
	t := counts.Top{Of: counts.OfWAL, Seconds: s.all.To.Sub(s.all.From).Seconds(), Missing: counts.WhyNoWAL(flavor, s.all.Missing),
		Total: map[string]float64{}}
	items := slices.Clone(s.all.Items)
	slices.SortStableFunc(items, func(a, b runfile.WALItem) int {
		return cmp.Or(cmp.Compare(counts.Written(b).Bytes, counts.Written(a).Bytes), cmp.Compare(a.Name, b.Name))
	})
	for n, i := range items {
		sum := counts.Written(i)
		grew := map[string]float64{"wal_bytes": float64(sum.Bytes), "wal_records": float64(sum.Records),
			"wal_fpi": float64(sum.Images), "image_bytes": float64(sum.ImageBytes)}
		for name, value := range grew {
			t.Total[name] += value
		}
		if n < runfile.MostTopItems {
			t.Items = append(t.Items, runfile.TopItem{Name: i.Called(), Grew: grew})
		}
	}
	if t.Missing == "" {
		t.Total["read_share"] = float64(s.all.Read) / float64(max(1, s.all.Bytes))
	}
	return []counts.Top{t}
}
