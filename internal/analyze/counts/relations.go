package counts

import (
	"cmp"
	"math"
	"slices"

	"github.com/realiops/realiops/internal/runfile"
)

// takeWAL keeps which tables and indexes a stretch of the WAL is about. Of an observation all stretches are one.
func (c *collector) takeWAL(w runfile.WAL) {
	if w.Load != "" {
		c.attempt(w.Load, w.Repetition).wal = &w
		return
	}
	c.wal.join(w)
}

// stretches joins what several stretches of the WAL are about.
type stretches struct {
	all   *runfile.WAL
	place map[[2]string]int // of an item in all, by what it is and its name
}

// mostJoined are told apart. A database that makes and drops tables all the time has ever new ones.
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

// add takes an item that stands for so many times what it says.
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

// joined is all of it, the item of most bytes first; nil: nobody asked.
func (s *stretches) joined() *runfile.WAL {
	if s.all != nil {
		slices.SortStableFunc(s.all.Items, func(a, b runfile.WALItem) int {
			return cmp.Or(cmp.Compare(Written(b).Bytes, Written(a).Bytes), cmp.Compare(a.Name, b.Name))
		})
	}
	return s.all
}

// Written is all that the WAL holds of an item.
func Written(i runfile.WALItem) (sum runfile.WALPart) {
	for _, p := range i.Parts {
		sum.Records, sum.Bytes, sum.Images, sum.ImageBytes = sum.Records+p.Records, sum.Bytes+p.Bytes, sum.Images+p.Images, sum.ImageBytes+p.ImageBytes
	}
	return sum
}
