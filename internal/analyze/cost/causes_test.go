package cost

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/realiops/realiops/internal/analyze/counts"
	"github.com/realiops/realiops/internal/runfile"
)

// ranked is a repetition with so many bytes of WAL of statements, by their texts.
func ranked(number int, bytes ...any) counts.Repetition {
	top := runfile.Top{Of: "statements"}
	for i := 0; i < len(bytes); i += 2 {
		top.Items = append(top.Items, runfile.TopItem{Name: string(rune('1' + i)), Text: bytes[i].(string), Grew: map[string]float64{"wal_bytes": float64(bytes[i+1].(int))}})
	}
	return counts.Repetition{Number: number, Tops: []runfile.Top{top}}
}

// What caused it is told as it was in most repetitions: neither what was done once, nor the mean.
func TestCausesAreMedians(t *testing.T) {
	got := causes([]counts.Repetition{
		ranked(1, "insert", 3, "update", 1),
		ranked(2, "insert", 3, "insert", 1, "/* realiops */ select", 9),
		ranked(4, "vacuum", 1, "insert", 90),
	}, "statements")
	want := Causes{Items: []Cause{
		{Name: "1", Text: "insert", Each: map[string]float64{"wal_bytes": 4}},
	}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if got := causes([]counts.Repetition{ranked(1, "insert", 3), {Number: 2}}, "statements"); len(got.Items) > 0 || got.Missing == "" {
		t.Errorf("one was not asked: %v", got)
	}
}
