package next

import (
	"testing"

	"github.com/realiops/realiops/internal/analyze/attribution"
	"github.com/realiops/realiops/internal/analyze/counts"
	"github.com/realiops/realiops/internal/metric"
	"github.com/realiops/realiops/internal/runfile"
)

// open returns a verdict of CannotTell that a load would settle; "" means none would.
func open(name, load string) attribution.Verdict {
	v := attribution.Verdict{Metric: runfile.Metric{Name: name}, Kind: attribution.CannotTell}
	if load != "" {
		v.SettleWith = &attribution.Settle{Load: load, Between: []metric.Quantity{"rows", "wal_records"}}
	}
	return v
}

func TestMostTellingLoadIsChosen(t *testing.T) {
	check := func(named map[string]int, wantLoad, wantWhy string, verdicts ...attribution.Verdict) {
		t.Helper()
		load, why := (&Chooser{named: named}).choose(verdicts, 170000)
		if load != wantLoad || why != wantWhy {
			t.Errorf("%q, because %q, want %q, because %q", load, why, wantLoad, wantWhy)
		}
	}
	settled := open("block/writes", "single")
	settled.Kind = attribution.Logical
	check(nil, "", "")
	check(nil, "", "", open("pgstat.io/writes", ""), settled)
	check(nil, "copy", "it would tell rows from WAL records for pg_stat_io.writes (relation)",
		open("pgstat.io/writes", "copy"), open("pgstat.io/extends", "multi"), settled)
	check(nil, "multi", "it would tell rows from WAL records for pg_stat_io.extends (relation) and 1 more",
		open("pgstat.io/writes", "copy"), open("pgstat.io/extends", "multi"), open("pgstat.io/fsyncs", "multi"))
	three := open("pgstat.io/writes", "copy")
	three.SettleWith.Between = []metric.Quantity{"rows", "entries", "wal_records"}
	check(nil, "copy", "it would tell 3 quantities apart for pg_stat_io.writes (relation)", three)
	check(map[string]int{"multi": mostAdded}, "copy",
		"it would tell rows from WAL records for pg_stat_io.writes (relation)",
		open("pgstat.io/writes", "copy"), open("pgstat.io/extends", "multi"), open("pgstat.io/fsyncs", "multi"))
}

// TestNoLoadIsChosenForEmptyRuns: a run without requested metrics, or without work, gets no further load.
func TestNoLoadIsChosenForEmptyRuns(t *testing.T) {
	var c Chooser
	for _, metrics := range [][]string{nil, {"block/writes"}} {
		if load, why := c.Load(&counts.Run{}, metrics, []runfile.Load{{Name: "copy"}}); load != "" {
			t.Errorf("%q: %s, because %s", metrics, load, why)
		}
	}
}
