package tally

import (
	"cmp"
	"math"
	"slices"

	"github.com/realiops/realiops/internal/analyze/counts"
	"github.com/realiops/realiops/internal/runfile"
)

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
