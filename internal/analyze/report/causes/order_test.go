package causes

import (
	"testing"

	"github.com/realiops/realiops/internal/analyze/counts"
	"github.com/realiops/realiops/internal/runfile"
)

// TestReadersAmongDigests: a statement of which only reads are counted ranks above one that read less and wrote.
func TestReadersAmongDigests(t *testing.T) {
	all := Of(&counts.Run{Top: []counts.Top{{Of: runfile.Digests, Seconds: 60, Total: map[string]float64{"load": 60},
		Items: []runfile.TopItem{
			{Name: "both", Grew: map[string]float64{"load": 30, "shared_blks_read": 10, "shared_blks_written": 5}},
			{Name: "reads", Grew: map[string]float64{"load": 20, "shared_blks_read": 9000}},
			{Name: "neither", Grew: map[string]float64{"load": 40}},
		}}}})
	for n, want := range []string{"reads", "both", "neither"} {
		if got := all[0].Items[n].Name; got != want {
			t.Errorf("%d: %s, want %s", n, got, want)
		}
	}
}
