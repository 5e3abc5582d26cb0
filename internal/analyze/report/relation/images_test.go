package relation

import (
	"iter"
	"maps"
	"testing"
	"time"

	"github.com/realiops/realiops/internal/analyze/tally"
	"github.com/realiops/realiops/internal/metric"
	"github.com/realiops/realiops/internal/runfile"
)

// observation is a minute in which the counters grow by perSecond. The first of its twelve windows has no reading
// before it.
func observation(settings map[string]string, perSecond map[string]float64,
	more ...runfile.Record) iter.Seq2[runfile.Record, error] {
	return func(yield func(runfile.Record, error) bool) {
		begin := time.Date(2026, 3, 1, 6, 0, 0, 0, time.UTC)
		yield(runfile.Run{Schema: runfile.Schema, ID: "observed", Start: begin, Observed: true, Target: runfile.Target{
			Settings: settings}}, nil)
		for name := range perSecond {
			yield(runfile.Metric{Name: name, Unit: "bytes", Type: runfile.Counter}, nil)
		}
		for _, r := range more {
			yield(r, nil)
		}
		for second := range 60 {
			values := map[string]float64{}
			for name, v := range perSecond {
				values[name] = v * float64(second)
			}
			at := begin.Add(time.Duration(second+1)*time.Second - 10*time.Millisecond)
			yield(runfile.Reading{At: at, Took: 0.001, Probe: "pgstat", Values: values}, nil)
		}
		yield(runfile.Ended{At: begin.Add(time.Minute), Status: runfile.Complete}, nil)
	}
}

// TestWALOfAnObservation: eleven windows of 5 s are 55 seconds.
func TestWALOfAnObservation(t *testing.T) {
	pages := map[string]string{"block_size": "8192"}
	of14 := map[string]float64{metric.StatWALBytes: 100_000, metric.StatWALFPI: 3}
	with := func(more map[string]float64) map[string]float64 {
		all := maps.Clone(of14)
		maps.Copy(all, more)
		return all
	}
	noon := time.Date(2026, 3, 1, 6, 0, 0, 0, time.UTC)
	// half of the WAL is read, a fifth of that are images
	read := runfile.WAL{From: noon, To: noon.Add(time.Minute), Bytes: 2000, Read: 1000,
		Items: []runfile.WALItem{item("table", "a", 1000, 200)}}
	for _, c := range []struct {
		name, want string
		settings   map[string]string
		perSecond  map[string]float64
		more       []runfile.Record
	}{
		// 55 x 100,000; 55 x 12,000
		{"19 counts bytes", "WAL in 55 s: 5,500,000 bytes, of which page images 660,000 (12%).", pages,
			with(map[string]float64{metric.StatWALFPIBytes: 12_000}), nil},
		// 55 x 3 x 8,192 = 1,351,680, which is 24.6%
		{"14 counts images", "WAL in 55 s: 5,500,000 bytes, of which page images at most 1,351,680 (25%), a whole " +
			"page each: PostgreSQL before 19 does not count their holes and compression.", pages, of14, nil},
		{"pages of 16 kB", "WAL in 55 s: 5,500,000 bytes, of which page images at most 2,703,360 (49%), a whole " +
			"page each: PostgreSQL before 19 does not count their holes and compression.",
			map[string]string{"block_size": "16384"}, of14, nil},
		// 55 x 20 x 8,192 would be more than the total
		{"compressed", "WAL in 55 s: 5,500,000 bytes, of which page images at most 5,500,000 (100%), a whole page " +
			"each: PostgreSQL before 19 does not count their holes and compression.", pages,
			with(map[string]float64{metric.StatWALFPI: 20}), nil},
		{"read", "WAL in 55 s: 5,500,000 bytes, of which page images about 1,100,000 (20%) by the 50% of the WAL " +
			"that was read, at most 1,351,680 (25%).", pages, of14, []runfile.Record{read}},
		{"no images", "WAL in 55 s: 5,500,000 bytes, of which page images 0 (0%).", pages,
			with(map[string]float64{metric.StatWALFPI: 0}), nil},
		{"pages of unknown size",
			"WAL in 55 s: 5,500,000 bytes; the share of page images is unknown: the run has no block_size.", nil, of14, nil},
		{"13", "WAL in 55 s: 5,500,000 bytes; the share of page images is unknown: the run has no " +
			"pg_stat_wal.wal_fpi.", pages,
			map[string]float64{metric.InsertPosition: 100_000}, nil},
		{"refused", "WAL in 55 s: 5,500,000 bytes; the share of page images is unknown: permission denied.", pages,
			map[string]float64{metric.InsertPosition: 100_000}, []runfile.Record{
				runfile.Metric{Name: metric.StatWALFPI, Unit: "images", Type: runfile.Counter},
				runfile.Gap{At: noon, Probe: "pgstat", Metric: metric.StatWALFPI, Reason: runfile.Permission,
					Detail: "permission denied"}}},
		// 50 x 100,000; 50 x 3 x 8,192
		{"reset", "WAL in 50 of 55 s (it was not counted in the rest): 5,000,000 bytes, of which page images at most " +
			"1,228,800 (25%), a whole page each: PostgreSQL before 19 does not count their holes and " +
			"compression.", pages, of14, []runfile.Record{
			runfile.Gap{At: noon.Add(32 * time.Second), Probe: "pgstat", Reason: runfile.Reset,
				Detail: "started anew"}}},
		{"images unread for a while",
			"WAL in 50 of 55 s (it was not counted in the rest): 5,000,000 bytes, of which page images 600,000 (12%).",
			pages, with(map[string]float64{metric.StatWALFPIBytes: 12_000}), []runfile.Record{
				runfile.Gap{At: noon.Add(32 * time.Second), Probe: "pgstat", Metric: metric.StatWALFPIBytes,
					Reason: runfile.Reset}}},
		{"nothing", "The WAL is unknown: the run has no pg_current_wal_insert_lsn().", pages,
			map[string]float64{metric.ClusterTupInserted: 500}, nil},
	} {
		run, err := tally.FromRun(observation(c.settings, c.perSecond, c.more...))
		if err != nil {
			t.Fatal(err)
		}
		if got := WALOf(run).Text(); got != c.want {
			t.Errorf("%s:\n got %s\nwant %s", c.name, got, c.want)
		}
	}
}
