package counts

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/realiops/realiops/internal/runfile"
)

// Stretches of which a part was read stand for all of it, and those of one table add up; what is missing at times is known from the rest.
func TestTheWALOfAnObservation(t *testing.T) {
	noon := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	item := func(name string, records, bytes, images int64) runfile.WALItem {
		return runfile.WALItem{Name: name, Is: runfile.WALIndex, Parts: map[string]runfile.WALPart{
			"btree_insert_leaf": {Records: records, Bytes: bytes, Images: images, ImageBytes: 100 * images}}}
	}
	c := newCollector()
	for _, w := range []runfile.WAL{
		{From: noon, To: noon.Add(time.Minute), Missing: "no answer"},
		{From: noon, To: noon.Add(time.Minute), Bytes: 4000, Read: 1000, Items: []runfile.WALItem{item("public.a", 5, 900, 2), item("public.b", 1, 50, 0)}},
		{From: noon.Add(time.Minute), To: noon.Add(2 * time.Minute), Missing: "no answer"},
		{From: noon.Add(2 * time.Minute), To: noon.Add(3 * time.Minute), Bytes: 500, Read: 500, Items: []runfile.WALItem{item("public.b", 2, 450, 1)}},
	} {
		c.take(w)
	}
	want := []Top{{
		Of: OfWAL, Seconds: 180,
		Items: []runfile.TopItem{
			{Name: "index public.a", Grew: map[string]float64{"wal_bytes": 3600, "wal_records": 20, "wal_fpi": 8, "image_bytes": 800}},
			{Name: "index public.b", Grew: map[string]float64{"wal_bytes": 4*50 + 450, "wal_records": 4*1 + 2, "wal_fpi": 1, "image_bytes": 100}},
		},
		Total: map[string]float64{"wal_bytes": 4250, "wal_records": 26, "wal_fpi": 9, "image_bytes": 900, "read_share": 1500.0 / 4500},
	}}
	if diff := cmp.Diff(want, c.wal.top(), cmp.AllowUnexported(Top{})); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if none := newCollector().wal.top(); none != nil {
		t.Errorf("of a file that says nothing: %+v", none)
	}
}
