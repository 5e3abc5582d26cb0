package insights_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/realiops/realiops/internal/metric"
	"github.com/realiops/realiops/internal/test/insightstest"
)

// AWS's lists for PostgreSQL (USER_PerfInsights_Counters, in the guides to Aurora and to RDS). Loads move the
// counters, which get verdicts; times and shares are explained.
const (
	countersOfBoth = "db.Cache.blks_hit db.SQL.tup_fetched db.SQL.tup_returned db.SQL.queries_started " +
		"db.SQL.queries_finished db.IO.blks_read"
	countersOfAurora = "db.IO.storage_blks_read db.IO.orcache_blks_hit db.IO.local_blks_read"
	countersOfRDS    = "os.diskIO.rdsdev.tps"
	timesOfBoth      = "db.IO.blk_read_time db.IO.read_latency"
	timesOfRDS       = "os.diskIO.rdsdev.util"
)

// TestCountersOfTheConsole: each listed counter of I/O of Aurora and RDS is asked for, kept, and judged or explained.
func TestCountersOfTheConsole(t *testing.T) {
	for _, c := range []struct{ engine, flavor, judged, explained string }{
		{"aurora-postgresql", "aurora", countersOfBoth + " " + countersOfAurora, timesOfBoth},
		{"postgres", "rds", countersOfBoth + " " + countersOfRDS, timesOfBoth + " " + timesOfRDS},
	} {
		judged, explained := strings.Fields(c.judged), strings.Fields(c.explained)
		all := slices.Concat(judged, explained)
		s := start(t, insightstest.Options{}, all...)
		for _, name := range all {
			s.Tell(periods(name, time.Minute, 2, 3)...)
		}
		cloud := aurora()
		cloud.Engine = c.engine
		got, err := take(t, t.Context(), asking(s.URL(), cloud, noon.Add(2*time.Hour)), noon, noon.Add(2*time.Minute))
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range all {
			if len(got.values["insights/"+name]) != 2 {
				t.Errorf("%s: %s was listed, and of 2 points %d are kept", c.engine, name,
					len(got.values["insights/"+name]))
			}
			of := slices.DeleteFunc(metric.MeaningsOf(name), func(m metric.Meaning) bool {
				return m.On != c.flavor || m.Metric != name
			})
			switch {
			case len(of) != 1 || of[0].Means == "":
				t.Errorf("%s: %s has %d explanations", c.engine, name, len(of))
			case slices.Contains(judged, name) == (of[0].Side == "none"):
				t.Errorf("%s: the side of %s is %q", c.engine, name, of[0].Side)
			}
		}
	}
}
