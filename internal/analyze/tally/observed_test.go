package tally_test

import (
	"iter"
	"maps"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/realiops/realiops/internal/analyze/counts"
	"github.com/realiops/realiops/internal/analyze/tally"
	"github.com/realiops/realiops/internal/metric"
	"github.com/realiops/realiops/internal/runfile"
)

// dayBreak is a time at which windows of every length begin.
var dayBreak = time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)

const (
	inserted = "pgstat.cluster/tup_inserted"
	updated  = "pgstat.cluster/tup_updated"
	deleted  = "pgstat.cluster/tup_deleted"
	commits  = "pgstat.cluster/xact_commit"
	records  = "pgstat.wal/wal_records"
)

// rates is the work of a load per second.
type rates struct{ inserted, updated, commits, records float64 }

// observation returns a run file of the given length, read just before each second ends. load returns the work of a
// second. more may add records after a reading, and change the counters.
func observation(seconds int, load func(second int) rates,
	more func(second int, at time.Time, counters map[string]float64) []runfile.Record) iter.Seq2[runfile.Record,
	error] {
	return func(yield func(runfile.Record, error) bool) {
		yield(runfile.Run{Schema: runfile.Schema, ID: "observed", Start: dayBreak, Observed: true}, nil)
		counters := map[string]float64{inserted: 1e6, updated: 1e6, deleted: 1e6, commits: 1e6, records: 1e6}
		for name := range counters {
			yield(runfile.Metric{Name: name, Unit: "rows", Type: runfile.Counter}, nil)
		}
		for second := range seconds {
			at := dayBreak.Add(time.Duration(second+1)*time.Second - 10*time.Millisecond)
			r := load(second)
			counters[inserted] += r.inserted
			counters[updated] += r.updated
			counters[commits] += r.commits
			counters[records] += r.records
			for _, record := range more(second, at, counters) {
				yield(record, nil)
			}
			values := map[string]float64{}
			maps.Copy(values, counters)
			yield(runfile.Reading{At: at, Took: 0.001, Probe: "pgstat", Values: values}, nil)
		}
		yield(runfile.Ended{At: dayBreak.Add(time.Duration(seconds) * time.Second), Status: runfile.Complete}, nil)
	}
}

func startedAnew(at time.Time) []runfile.Record {
	return []runfile.Record{runfile.Gap{At: at, Probe: "pgstat", Reason: runfile.Reset, Detail: "started anew"}}
}

func nothingMore(int, time.Time, map[string]float64) []runfile.Record { return nil }

func unchanging(int) rates { return rates{100, 20, 10, 300} }

func observed(t *testing.T, records iter.Seq2[runfile.Record, error]) *counts.Run {
	t.Helper()
	run, err := tally.FromRun(records)
	if err != nil {
		t.Fatal(err)
	}
	return run
}

// checkRows checks that the rate of the remaining windows is the true one, whatever was left out.
func checkRows(t *testing.T, o *counts.Observation, name string, perSecond float64) {
	t.Helper()
	if got := o.RowsPerSecond[name]; math.Abs(got-perSecond) > 1e-6 {
		t.Errorf("%s: %v a second, want %v", name, got, perSecond)
	}
}

// TestWindowsOfObservation: a minute is twelve windows of five seconds, of which the first has no reading before it.
func TestWindowsOfObservation(t *testing.T) {
	o := observed(t, observation(60, unchanging, nothingMore)).Observed
	if o.Window != 5*time.Second || o.Windows != 11 || o.Whole != 11 || o.Quiet != 0 || o.Used != 11 {
		t.Errorf("%d windows of %v, %d whole, %d quiet, %d used: want 11 of 5 s, all used", o.Windows, o.Window,
			o.Whole, o.Quiet, o.Used)
	}
	checkRows(t, o, "inserted", 100)
	checkRows(t, o, "updated", 20)
}

// TestWindowsOfLongObservation: windows grow before there are more than 720: five hours come in windows of 30 s.
func TestWindowsOfLongObservation(t *testing.T) {
	o := observed(t, observation(5*3600, unchanging, nothingMore)).Observed
	if o.Window != 30*time.Second || o.Windows != 599 || o.Whole != 599 {
		t.Errorf("%d windows of %v, %d whole: want 599 of 30 s", o.Windows, o.Window, o.Whole)
	}
	checkRows(t, o, "inserted", 100)
}

// TestWindowsOfObservationThatGoesOn: a minute, and another two days later, are two minutes. The first window of each
// has no reading before it.
func TestWindowsOfObservationThatGoesOn(t *testing.T) {
	o := observed(t, func(yield func(runfile.Record, error) bool) {
		for record, err := range observation(120, unchanging, nothingMore) {
			if r, ok := record.(runfile.Reading); ok && r.At.After(dayBreak.Add(time.Minute)) {
				r.At = r.At.Add(48 * time.Hour)
				record = r
			}
			yield(record, err)
		}
	}).Observed
	if o.Windows != 11+12 || o.Whole != 11+11 {
		t.Errorf("%d windows, %d whole: want 23, 22 whole", o.Windows, o.Whole)
	}
	checkRows(t, o, "inserted", 100)
}

// TestRestartCostsAWindow: a restart costs the window that it happens in, whether the new counters are lower
// or higher.
func TestRestartCostsAWindow(t *testing.T) {
	for name, jump := range map[string]float64{"lower": -9e5, "higher": 5e6} {
		t.Run(name, func(t *testing.T) {
			o := observed(t, observation(60, unchanging,
				func(second int, at time.Time, counters map[string]float64) []runfile.Record {
					if second != 32 {
						return nil
					}
					for name := range counters {
						counters[name] += jump
					}
					return startedAnew(at)
				})).Observed
			if o.Windows != 11 || o.Whole != 10 || o.Unread != 1 || o.Why == "" ||
				!strings.Contains(o.UnreadText(), "could not be followed, and no number here includes those windows: "+o.Why) {
				t.Errorf("%d of %d windows are whole, want 10 of 11; %d unread: "+
					"%s", o.Whole, o.Windows, o.Unread, o.Why)
			}
			checkRows(t, o, "inserted", 100)
		})
	}
}

// TestWindowsLackGoneCounter: a counter that disappears costs the windows without it, which are said to lack it. The
// first window begins with the fifth second.
func TestWindowsLackGoneCounter(t *testing.T) {
	for gone, want := range map[int]string{
		28: "7 of 11 windows of 5 s lack a counter that the others have, most often pg_stat_database.tup_updated " +
			"(all " +
			"databases) (it was dropped). They are left out.",
		54: "", // two of them
	} {
		o := observed(t, observation(60, unchanging,
			func(second int, at time.Time, counters map[string]float64) []runfile.Record {
				if second < gone {
					return nil
				}
				delete(counters, updated)
				return []runfile.Record{runfile.Gap{At: at, Probe: "pgstat", Metric: updated, Reason: runfile.Absent,
					Detail: "it was dropped"}}
			})).Observed
		if got := o.LackingText(); got != want || o.Unread != 0 || o.Whole+o.Lacking != 11 {
			t.Errorf("gone after %d s: %q, want %q; %d whole, %d lack it", gone, got, want, o.Whole, o.Lacking)
		}
	}
}

// TestUnevenCounter: a counter that each second reading lacks is known in all windows. Of one that is read in each
// second window there are no figures, which is said.
func TestUnevenCounter(t *testing.T) {
	every := func(seconds int) *counts.Observation {
		return observed(t, observation(60, unchanging,
			func(second int, _ time.Time, counters map[string]float64) []runfile.Record {
				if second%seconds != 0 {
					delete(counters, updated)
				}
				return nil
			})).Observed
	}
	even := every(2)
	if _, known := even.RowsPerSecond["updated"]; !known || even.LackingText() != "" || even.Whole != 11 {
		t.Errorf("%+v", even)
	}
	o := every(10)
	const want = "Read too unevenly for windows of 5 s, and so without figures: pg_stat_database.tup_updated (all " +
		"databases)."
	if got := o.LackingText(); got != want || o.Whole != 11 {
		t.Errorf("%q, want %q; %d whole", got, want, o.Whole)
	}
}

// TestFewWindowsAreLeft: restarts in more than half of the windows cost those, and the rest shows the rows.
func TestFewWindowsAreLeft(t *testing.T) {
	o := observed(t,
		observation(60, unchanging, func(second int, at time.Time, counters map[string]float64) []runfile.Record {
			if second%10 != 2 && second != 57 {
				return nil
			}
			return startedAnew(at)
		})).Observed
	if o.Windows != 11 || o.Whole != 5 {
		t.Errorf("%d of %d windows are whole, want 5 of 11", o.Whole, o.Windows)
	}
	checkRows(t, o, "inserted", 100)
}

// TestKindsOfLoad: different loads are separated, recurring ones are merged, and windows between two of them belong to
// neither.
func TestKindsOfLoad(t *testing.T) {
	one, other := rates{100, 20, 10, 300}, rates{5000, 0, 10, 300}
	run := observed(t, observation(240, func(second int) rates {
		if second/60%2 == 0 {
			return one
		}
		return other
	}, nothingMore))
	if len(run.Loads) != 2 {
		t.Fatalf("%d kinds of load, want 2", len(run.Loads))
	}
	rows, _ := counts.Named(metric.RowsWritten)
	for _, load := range run.Loads {
		for _, r := range load.Repetitions {
			count, err := rows.Count(load, r)
			if perSecond := count / r.Seconds; err != nil || math.Abs(perSecond-120) > 1e-6 &&
				math.Abs(perSecond-5000) > 1e-6 {
				t.Errorf("%s %d: %v rows a second (%v), want 120 or 5000", load.Name, r.Number, perSecond, err)
			}
		}
	}
	if o := run.Observed; o.Used != o.Whole-6 {
		t.Errorf("%d of %d windows are used: want all but the two at each of three changes", o.Used, o.Whole)
	}
}

// TestQuietWindowsAreNoLoad: an observation without writes has no loads.
func TestQuietWindowsAreNoLoad(t *testing.T) {
	run := observed(t, observation(60, func(int) rates { return rates{commits: 1, records: 2} }, nothingMore))
	if o := run.Observed; o.Quiet != 11 || len(run.Loads) != 0 {
		t.Errorf("%d quiet windows and %d kinds of load, want 11 and none", o.Quiet, len(run.Loads))
	}
}

// TestQuietWindowsWithoutWAL: most exporters show no WAL. A window is quiet if no row changed and no disk
// worked in it.
func TestQuietWindowsWithoutWAL(t *testing.T) {
	for requests, quiet := range map[float64]int{0: 11, 5: 0} {
		o := observed(t, observation(60, func(int) rates { return rates{commits: 10} },
			func(second int, _ time.Time, counters map[string]float64) []runfile.Record {
				delete(counters, records)
				counters[metric.BlockWrites], counters[metric.BlockReads] = 1e6, 1e6+float64(second)*requests
				if second > 0 {
					return nil
				}
				return []runfile.Record{metric.All().Row(metric.BlockWrites).Announced(),
					metric.All().Row(metric.BlockReads).Announced()}
			})).Observed
		if o.Whole != 11 || o.Quiet != quiet {
			t.Errorf("%v device reads a second: %d of %d windows are quiet, want %d of 11", requests, o.Quiet, o.Whole, quiet)
		}
	}
}

// TestWindowNeedsItsOwnReadings: two readings 77 minutes apart make no window of 77 minutes, however many periods a
// provider has.
func TestWindowNeedsItsOwnReadings(t *testing.T) {
	all := []runfile.Record{
		runfile.Run{Schema: runfile.Schema, ID: "observed", Start: dayBreak, Observed: true},
		runfile.Metric{Name: inserted, Unit: "rows", Type: runfile.Counter},
		runfile.Metric{Name: "cloudwatch/WriteIOPS", Unit: "operations", Type: runfile.Rate, Period: 60},
	}
	for minute := range 77 {
		from := dayBreak.Add(time.Duration(minute) * time.Minute)
		all = append(all, runfile.Period{
			From: from, To: from.Add(time.Minute), Probe: "cloudwatch", Metric: "cloudwatch/WriteIOPS",
			Statistic: "Average", Value: 100,
		})
	}
	for i, at := range []time.Duration{time.Second, 77*time.Minute - time.Second} {
		all = append(all, runfile.Reading{At: dayBreak.Add(at), Probe: "pgstat", Values: map[string]float64{
			inserted: 1e6 * float64(i+1)}})
	}
	run, err := tally.FromRun(func(yield func(runfile.Record, error) bool) {
		for _, r := range all {
			if !yield(r, nil) {
				return
			}
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	if run.Observed.Whole > 1 {
		t.Errorf("%d windows of %v, %d of them whole", run.Observed.Windows, run.Observed.Window, run.Observed.Whole)
	}
}

// TestWindowsAreFiveScrapesLong: the windows of a history last five scrapes, and there are as many as for readings by
// the second.
func TestWindowsAreFiveScrapesLong(t *testing.T) {
	for interval, want := range map[time.Duration]time.Duration{15 * time.Second: 75 * time.Second,
		14998 * time.Millisecond: 75 * time.Second, 30 * time.Second: 150 * time.Second,
		time.Minute: 5 * time.Minute, time.Hour: time.Hour} {
		run := observed(t, func(yield func(runfile.Record, error) bool) {
			for r, err := range observation(60, unchanging, nothingMore) {
				switch r := r.(type) {
				case runfile.Run:
					r.Parameters = map[string]string{"interval": interval.String()}
					yield(r, err)
				case runfile.Reading: // as far apart as scrapes
					r.At = dayBreak.Add(time.Duration(r.At.Sub(dayBreak).Seconds()+1) * interval)
					yield(r, err)
				default:
					yield(r, err)
				}
			}
		})
		if o := run.Observed; o.Window != want || interval < time.Hour && (o.Whole < 10 || o.Used != o.Whole) {
			t.Errorf("scraped each %v: %d windows of %v, %d whole, %d used", interval, o.Windows, o.Window,
				o.Whole, o.Used)
		}
	}
}

// TestReadingEndsItsWindow: an hour scraped at each full minute, both ends included, is twelve windows of five
// minutes.
func TestReadingEndsItsWindow(t *testing.T) {
	run := observed(t, func(yield func(runfile.Record, error) bool) {
		n := 0
		for r, err := range observation(61, unchanging, nothingMore) {
			switch r := r.(type) {
			case runfile.Run:
				r.Parameters = map[string]string{"interval": "1m"}
				yield(r, err)
			case runfile.Reading:
				r.At = dayBreak.Add(time.Duration(n) * time.Minute)
				n++
				yield(r, err)
			default:
				yield(r, err)
			}
		}
	})
	if o := run.Observed; o.Window != 5*time.Minute || o.Windows != 12 || o.Whole != 12 {
		t.Errorf("%d windows of %v, %d whole", o.Windows, o.Window, o.Whole)
	}
	for _, load := range run.Loads {
		for _, r := range load.Repetitions {
			// work of one second in each minute
			if c := r.Counts[inserted]; math.Abs(c.Amount/r.End.Sub(r.Begin).Seconds()-100.0/60) > 1e-9 {
				t.Errorf("%g rows from %v to %v", c.Amount, r.Begin, r.End)
			}
		}
	}
}

// TestWindowCountsCoverOneTime: a counter read for three of the last window's five minutes has its usual rate there.
func TestWindowCountsCoverOneTime(t *testing.T) {
	run := observed(t, func(yield func(runfile.Record, error) bool) {
		n := 0
		for r, err := range observation(61, unchanging, nothingMore) {
			switch r := r.(type) {
			case runfile.Run:
				r.Parameters = map[string]string{"interval": "1m"}
				yield(r, err)
				yield(runfile.Metric{Name: metric.BlockWrites, Unit: "operations", Type: runfile.Counter}, nil)
			case runfile.Reading:
				r.At = dayBreak.Add(time.Duration(n) * time.Minute)
				yield(r, err)
				if n <= 58 {
					yield(runfile.Reading{At: r.At, Took: 0.001, Probe: "block", Values: map[string]float64{
						metric.BlockWrites: float64(600 * n)}}, nil)
				}
				n++
			default:
				yield(r, err)
			}
		}
	})
	if run.Observed.Whole != 12 || len(run.Loads) == 0 {
		t.Fatalf("%d whole windows, %d loads", run.Observed.Whole, len(run.Loads))
	}
	for _, load := range run.Loads {
		for _, r := range load.Repetitions {
			if rate, err := r.PerSecond(r.Count(metric.BlockWrites)); err != nil || math.Abs(rate-10) > 1e-9 {
				t.Errorf("%g writes a second to %v, %v: want 10", rate, r.End, err)
			}
		}
	}
}

// TestScrapedWALBytes: bytes of WAL are known if only pg_stat_wal was scraped.
func TestScrapedWALBytes(t *testing.T) {
	const bytes = "pgstat.wal/wal_bytes"
	run := observed(t, func(yield func(runfile.Record, error) bool) {
		for r, err := range observation(60, unchanging,
			func(_ int, _ time.Time, counters map[string]float64) []runfile.Record {
				counters[bytes] += 5000
				return nil
			}) {
			if !yield(r, err) {
				return
			}
			if _, head := r.(runfile.Run); head {
				yield(runfile.Metric{Name: bytes, Unit: "bytes", Type: runfile.Counter}, nil)
			}
		}
	})
	d := run.Quantity(metric.WALBytes)
	for _, load := range run.Loads {
		for _, r := range load.Repetitions {
			if n, err := d.Count(load, r); err != nil || math.Abs(n/r.Seconds-5000) > 1 {
				t.Errorf("%g bytes of WAL in %g s, %v", n, r.Seconds, err)
			}
		}
	}
	if len(run.Loads) == 0 {
		t.Error("no load was seen")
	}
}

// moved shifts the readings from a second on.
func moved(records iter.Seq2[runfile.Record, error], from, by time.Duration) iter.Seq2[runfile.Record, error] {
	return func(yield func(runfile.Record, error) bool) {
		for record, err := range records {
			if r, ok := record.(runfile.Reading); ok && r.At.After(dayBreak.Add(from)) {
				r.At = r.At.Add(by)
				record = r
			}
			yield(record, err)
		}
	}
}

// TestClockSetDuringObservation: seconds that come twice are counted once, and seconds that never come change nothing
// else: a window that lacks a counter is left out.
func TestClockSetDuringObservation(t *testing.T) {
	for _, c := range []struct {
		by                   time.Duration
		windows, whole, lost int
		warned               string
	}{
		{-59500 * time.Millisecond, 36, 34, 59, "The clock was set back by 59 s at 2026-03-01 00:01:59 UTC, " +
			"and what was read until it had caught up (59 readings) is left out."},
		{-time.Hour, 23, 22, 120, "The clock was set back by 59 min 59 s at 2026-03-01 00:01:59 UTC, " +
			"and what was read until it had caught up (120 readings) is left out."},
		{30 * time.Minute, 23 + 360 + 24, 22 + 23, 0, ""},
	} {
		o := observed(t, moved(observation(240, unchanging,
			func(second int, at time.Time, _ map[string]float64) []runfile.Record {
				if second != 33 {
					return nil
				}
				return []runfile.Record{runfile.Gap{At: at, Probe: "pgstat", Metric: updated, Reason: runfile.Reset}}
			}), 2*time.Minute, c.by)).Observed
		if o.Windows != c.windows || o.Whole != c.whole || o.SetBack.Lost != c.lost || o.SetBack.Text() != c.warned {
			t.Errorf("by %v: %d windows, %d whole, %d readings lost: %s", c.by, o.Windows, o.Whole, o.SetBack.Lost, o.SetBack.Text())
		}
		checkRows(t, o, "inserted", 100)
	}
}

// TestLinesOfObservationMoved: a reading that is earlier than the one before it, with lower counters, was moved.
func TestLinesOfObservationMoved(t *testing.T) {
	var all []runfile.Record
	for record := range observation(60, unchanging, nothingMore) {
		all = append(all, record)
	}
	last := len(all) - 2 // the end is the last
	all[last], all[last-20] = all[last-20], all[last]
	_, err := tally.FromRun(func(yield func(runfile.Record, error) bool) {
		for _, record := range all {
			if !yield(record, nil) {
				return
			}
		}
	})
	const want = "a reading of pgstat at 2026-03-01 00:00:40 UTC follows one at 2026-03-01 00:00:59 UTC, and its " +
		"counters are lower: lines of the file were moved, or two files were joined"
	if err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
}
