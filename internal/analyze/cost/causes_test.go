package cost

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/realiops/realiops/internal/analyze/counts"
	"github.com/realiops/realiops/internal/runfile"
)

// ranked returns a ranking of a repetition: bytes of WAL by the texts of statements.
func ranked(number int, bytes ...any) runfile.Top {
	top := runfile.Top{Of: "statements", Load: runfile.OperationLoad, Repetition: number}
	for i := 0; i < len(bytes); i += 2 {
		top.Items = append(top.Items, runfile.TopItem{Name: string(rune('1' + i)), Text: bytes[i].(string),
			Grew: map[string]float64{"wal_bytes": float64(bytes[i+1].(int))}})
	}
	return top
}

// TestCausesAreMedians: causes are as in most of the repetitions: neither what was done once, nor the mean.
func TestCausesAreMedians(t *testing.T) {
	tops := []runfile.Top{
		ranked(1, "insert", 3, "update", 1),
		ranked(2, "insert", 3, "insert", 1, "/* realiops */ select", 9,
			"select pg_catalog.pg_relation_filenode(c.oid) from pg_catalog.pg_class c", 9), // as in 18
		ranked(3, "insert", 1000, "update", 1000),
		ranked(4, "vacuum", 1, "insert", 90),
	}
	counted := []counts.Repetition{{Number: 1}, {Number: 2}, {Number: 4}}
	want := Causes{Items: []Cause{{Name: "1", Text: "insert", Each: map[string]float64{"wal_bytes": 4}}}}
	if diff := cmp.Diff(want, causes(tops, counted, "statements")); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if got := causes(tops[:2], counted, "statements"); len(got.Items) > 0 || got.Missing == "" {
		t.Errorf("one was not asked: %v", got)
	}
	tops[1].Total = map[string]float64{runfile.Evictions: 1}
	if got := causes(tops, counted, "statements"); len(got.Items) != 1 || !got.Items[0].AtLeast {
		t.Errorf("statements were dropped meanwhile: %+v, want at least", got.Items)
	}
}
