package counts

import (
	"cmp"
	"math"
	"slices"
	"strings"

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

// mostJoined bounds the items that are told apart: a database that always makes and drops tables has ever new ones.
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

// OfWAL is a ranking of tables and indexes by the WAL that names their pages.
const OfWAL = "wal"

// WhyNoWAL returns why a server's WAL was not read, without a remedy that a managed server refuses: Aurora has no
// pg_walinspect, and nobody is a superuser there, gets pg_read_server_files or installs anything.
func WhyNoWAL(flavor, why string) string {
	const extension = "pg_walinspect"
	switch {
	case !strings.Contains(why, extension):
		return why
	case flavor == "aurora":
		return "Aurora has no pg_walinspect, so nothing there tells WAL records apart"
	case flavor == "rds" && strings.HasPrefix(why, extension+" is not in this database"):
		return extension +
			" is not in this database; as the master user: create extension pg_walinspect; and measure as that user"
	case flavor == "rds" && (strings.Contains(why, "pg_read_server_files") || strings.Contains(why, "contrib")):
		before, _, _ := strings.Cut(why, " (")
		return before
	default:
		return why
	}
}

// top returns what most of the WAL of an observation was about; none: nobody asked.
func (s *stretches) top(flavor string) []Top {
	if s.all == nil {
		return nil
	}
	t := Top{Of: OfWAL, Seconds: s.all.To.Sub(s.all.From).Seconds(), Missing: WhyNoWAL(flavor, s.all.Missing),
		Total: map[string]float64{}}
	items := slices.Clone(s.all.Items)
	slices.SortStableFunc(items, func(a, b runfile.WALItem) int {
		return cmp.Or(cmp.Compare(Written(b).Bytes, Written(a).Bytes), cmp.Compare(a.Name, b.Name))
	})
	for n, i := range items {
		sum := Written(i)
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
	return []Top{t}
}

// Written returns all that the WAL holds of an item.
func Written(i runfile.WALItem) (sum runfile.WALPart) {
	for _, p := range i.Parts {
		sum.Records, sum.Bytes, sum.Images, sum.ImageBytes = sum.Records+p.Records, sum.Bytes+p.Bytes, sum.Images+
			p.Images, sum.ImageBytes+p.ImageBytes
	}
	return sum
}
