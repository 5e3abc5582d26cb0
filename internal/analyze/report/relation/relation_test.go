package relation

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/realiops/realiops/internal/analyze/counts"
	"github.com/realiops/realiops/internal/runfile"
)

func item(is, name string, bytes, images int64) runfile.WALItem {
	return runfile.WALItem{Is: is, Name: name, Parts: map[string]runfile.WALPart{
		"x": {Records: 1, Bytes: bytes, ImageBytes: images}}}
}

// TestShares: a repetition of which a quarter was read weighs as much as one that was read entirely: 4 x 300 and 600 of
// 3,600 bytes are the index's.
func TestShares(t *testing.T) {
	quarter := runfile.WAL{Bytes: 2400, Read: 600, Items: []runfile.WALItem{item("index", "a_pkey", 300, 150),
		item("table", "a", 295, 0), item("other", "", 5, 0)}}
	whole := runfile.WAL{Bytes: 1200, Read: 1200, Items: []runfile.WALItem{item("table", "a", 580, 0),
		item("index", "a_pkey", 600, 300), item("other", "", 20, 0)}}
	repetitions := []counts.Repetition{{WAL: &quarter}, {WAL: &whole}}
	got := Shares(repetitions)
	want := []Share{{Of: "index a_pkey", Share: 1800. / 3600, Images: 0.5}, {Of: "table a", Share: 1760. / 3600},
		{Of: "commits and others", Share: 40. / 3600}}
	if diff := cmp.Diff(want, got, cmpopts.IgnoreUnexported(Share{}), cmpopts.EquateApprox(0, 1e-9)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if rows := Rows("bulk", got); len(rows) != 3 || rows[0].Cells[2].Text != "50%" {
		t.Errorf("%v", rows)
	}
	if rows := Rows("bulk", got[1:]); rows != nil {
		t.Errorf("without an index: %v", rows)
	}
	if got := Shares(append(repetitions, counts.Repetition{})); got != nil {
		t.Errorf("one was not told: %v", got)
	}
}
