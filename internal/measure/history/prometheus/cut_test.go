package prometheus

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// TestSumsThatLackADatabase: a database that is created or renamed lacks nothing; one whose counters were there before
// does, and so does one that other metrics have. One that ends may have been dropped, which is said.
func TestSumsThatLackADatabase(t *testing.T) {
	const minutes = 60
	begin := time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC)
	const late, both = "The sum of pg_stat_database_tup_inserted lacks app at times, and is too low then.",
		"The sums of pg_stat_database_xact_commit and 1 more metric lack app at times, and are too low then."
	const gone = "There are no samples of app after 2026-11-01 00:29 UTC. Unless these databases were dropped, the " +
		"sums lack them from then on."
	for name, c := range map[string]struct {
		from, to [2]int  // minutes of app's rows and commits
		first    float64 // value of both
		old      int     // minutes of both under an older name of the database
		says     string
	}{
		"all there":       {[2]int{0, 0}, [2]int{minutes, minutes}, 1e6, 0, ""},
		"created":         {[2]int{30, 30}, [2]int{minutes, minutes}, 0, 0, ""},
		"dropped":         {[2]int{0, 0}, [2]int{30, 30}, 1e6, 0, gone},
		"dropped at last": {[2]int{0, 0}, [2]int{minutes - 3, minutes - 3}, 1e6, 0, ""},
		"renamed":         {[2]int{30, 30}, [2]int{minutes, minutes}, 1e6, 29, ""},
		"both late":       {[2]int{30, 30}, [2]int{minutes, minutes}, 1e6, 0, both},
		"rows late":       {[2]int{30, 0}, [2]int{minutes, minutes}, 0, 0, late},
		"rows end":        {[2]int{0, 0}, [2]int{30, minutes}, 1e6, 0, late},
		"a scrape late":   {[2]int{1, 0}, [2]int{minutes, minutes}, 1e6, 0, ""},
	} {
		var text strings.Builder
		series := func(metric, database string, from, to int, first float64) {
			for minute := from; minute < to; minute++ {
				fmt.Fprintf(&text, "pg_stat_database_%s{instance=\"db1:9187\",datname=%q} %g %d\n", metric, database,
					first+float64(100*(minute-from)), begin.Add(time.Duration(minute)*time.Minute).Unix())
			}
		}
		for i, metric := range []string{"tup_inserted", "xact_commit"} {
			series(metric, "postgres", 0, minutes, 5)
			series(metric, "app", c.from[i], c.to[i], c.first)
			series(metric, "old", 0, c.old, 1e6)
		}
		fmt.Fprintf(&text, "pg_stat_database_xact_commit{instance=\"db1:9187\",datname=\"postgres\"} NaN %d\n# EOF\n",
			begin.Add(minutes*time.Minute).Unix()) // as promtool marks the end of a series
		s, from, to, err := OpenDump("dump", []byte(text.String()))
		if err != nil {
			t.Fatal(err)
		}
		q := Query{From: from, To: to}
		found, err := s.Find(t.Context(), q)
		if err != nil {
			t.Fatal(err)
		}
		h, err := s.Read(t.Context(), found, q, begin.AddDate(0, 1, 0))
		if err != nil {
			t.Fatal(err)
		}
		if said := strings.Join(h.Notices, " "); said != c.says {
			t.Errorf("%s: %q, want %q", name, said, c.says)
		}
	}
}
