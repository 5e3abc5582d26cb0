package causes

import (
	"strings"
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

// TestDroppedStatementsAreNotFurtherDown: what dropped statements wrote is in no list.
func TestDroppedStatementsAreNotFurtherDown(t *testing.T) {
	for evictions, want := range map[float64]string{0: "further down", 3: "pg_stat_statements.max"} {
		all := Of(&counts.Run{Top: []counts.Top{{Of: "statements", Seconds: 60, Total: map[string]float64{"wal_bytes": 100,
			runfile.Evictions: evictions}, Items: []runfile.TopItem{
			{Name: "1", Grew: map[string]float64{"wal_bytes": 20}},
		}}}})
		if got := all[0].rest(); !strings.Contains(got, want) {
			t.Errorf("%v evictions: %q, want %q in it", evictions, got, want)
		}
	}
}
