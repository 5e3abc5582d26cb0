package pgstat

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/realiops/realiops/internal/runfile"
)

// Of 100 rows before the first look, 30 more, a reset, 20, and 200 more, 250 are known: a total that exceeds its
// first value hides no reset. A dropped thing keeps its total.
func TestTallyOverAReset(t *testing.T) {
	of := func(rows ...float64) amounts {
		all := amounts{"2": {"still", map[string]float64{"rows": 7}}}
		for _, r := range rows {
			all["1"] = ranked{"busy", map[string]float64{"rows": r}}
		}
		return all
	}
	g := startTally([]string{"rows"}, of(100))
	check := func(rows float64, atLeast bool, now amounts) {
		t.Helper()
		g.look(now)
		items, total := g.most(), g.total
		want := []runfile.TopItem{{Name: "busy", Grew: map[string]float64{"rows": rows}, AtLeast: atLeast}}
		if diff := cmp.Diff(want, items); diff != "" || total["rows"] != rows {
			t.Errorf("of %v (-want +got):\n%s", total, diff)
		}
	}
	check(30, false, of(130))
	check(50, true, of(20))
	check(250, true, of(220))
	check(250, true, of())
}

// Of things that come and go, only enough are kept to know the first. The total stays known, and a new thing
// may be one of the dropped ones.
func TestTallyForgetsWhatDidLittle(t *testing.T) {
	g := startTally([]string{"rows"}, nil)
	const looks, each = 50, 1000
	for look := range looks {
		now := amounts{"busy": {"busy", map[string]float64{"rows": float64(100 * (look + 1))}}}
		for i := range each {
			now[fmt.Sprint(look, " ", i)] = ranked{"passing", map[string]float64{"rows": 1}}
		}
		if look == looks-1 {
			now["late"] = ranked{"late", map[string]float64{"rows": 70}}
		}
		g.look(now)
	}
	if len(g.grew) > 2*mostTallied || g.total["rows"] != looks*(100+each)+70 {
		t.Errorf("it remembers %d things, and of all %v rows", len(g.grew), g.total["rows"])
	}
	want := []runfile.TopItem{
		{Name: "busy", Grew: map[string]float64{"rows": 100 * looks}},
		{Name: "late", Grew: map[string]float64{"rows": 70}, AtLeast: true},
	}
	if diff := cmp.Diff(want, g.most()[:2]); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// A total that was reset is unknown, and one that could not be read is waited for.
func TestServerTallyOverAReset(t *testing.T) {
	g := startServerTally(map[string]float64{"wal_bytes": 1000, "wal_records": 10})
	check := func(want, now map[string]float64) {
		t.Helper()
		if diff := cmp.Diff(want, g.look(now)); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	}
	check(map[string]float64{"wal_bytes": 500, "wal_records": 2},
		map[string]float64{"wal_bytes": 1500, "wal_records": 12})
	check(map[string]float64{"wal_bytes": 500}, map[string]float64{"wal_records": 3})
	check(map[string]float64{"wal_bytes": 900}, map[string]float64{"wal_bytes": 1900, "wal_records": 30})
}
