package prometheus

import (
	"maps"
	"slices"
	"testing"
)

// TestReplicasFillHoles: only what one replica missed is taken from the other.
func TestReplicasFillHoles(t *testing.T) {
	const minute = 60_000
	a, b := &part{labelSet{}, map[int64]float64{}}, &part{labelSet{}, map[int64]float64{}}
	var want []int64
	for i := range int64(100) {
		at := i * minute
		switch {
		case i < 50 || i > 60: // a is down from the 50th to the 60th scrape, b at one and from the 80th on
			a.values[at] = float64(at)
			want = append(want, at)
		default:
			want = append(want, at+5000)
		}
		if i < 80 && i != 20 {
			b.values[at+5000] = float64(at + 5000)
		}
	}
	all := sortedParts(map[string]*part{"a\x00{}": a, "b\x00{}": b})
	if len(all) != 1 {
		t.Fatalf("%d series", len(all))
	}
	slices.Sort(want)
	if got := slices.Sorted(maps.Keys(all[0].values)); !slices.Equal(got, want) {
		t.Errorf("samples at %d, want %d", got, want)
	}
}
