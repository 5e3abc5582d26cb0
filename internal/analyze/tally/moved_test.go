package tally_test

import (
	"math"
	"strings"
	"testing"
	"time"

	"github.com/realiops/realiops/internal/analyze/counts"
	"github.com/realiops/realiops/internal/analyze/tally"
	"github.com/realiops/realiops/internal/runfile"
	"github.com/realiops/realiops/internal/test/runfiletest"
)

const fiveMinutes = 5 * time.Minute

// stepping returns a run with one load, at the given minute and of the given length, and a source with the values of
// its five-minute periods.
func stepping(t *testing.T, metric string, from, length, periods int, value func(period int) float64) *counts.Run {
	t.Helper()
	noon := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	at := func(minutes int) time.Time { return noon.Add(time.Duration(minutes) * time.Minute) }
	records := []runfile.Record{
		runfile.Run{
			Schema: runfile.Schema, ID: "made", Start: noon, Target: runfile.Target{Flavor: "aurora", Version: "17.5"},
			Plan: runfile.Plan{Repetitions: 1, RestSeconds: 3600, Loads: []runfile.Load{
				{Name: "bulk", Method: "insert-select", RowsPerTx: 1000, Clients: 8}}},
		},
		runfile.Metric{Name: metric, Unit: "operations", Type: runfile.CountPerPeriod, Period: 300},
		runfile.LoadEvent{At: at(from), Load: "bulk", Repetition: 1, Event: runfile.Begin},
		runfile.Work{From: at(from), To: at(from + length), Load: "bulk", Repetition: 1, Transactions: 1000,
			Statements: 1000, Rows: 1_000_000},
		runfile.LoadEvent{At: at(from + length), Load: "bulk", Repetition: 1, Event: runfile.End},
	}
	for i := range periods {
		begin := noon.Add(time.Duration(i) * fiveMinutes)
		records = append(records, runfile.Period{
			From: begin, To: begin.Add(fiveMinutes), Probe: "cloudwatch", Metric: metric, Statistic: "Sum",
			Value: value(i), Fetched: begin.Add(time.Hour),
		})
	}
	run, err := tally.FromRun(runfiletest.Sequence(records))
	if err != nil {
		t.Fatal(err)
	}
	return run
}

// hourly returns one value for an hour, and another for the next.
func hourly(period int) float64 { return 1e6 * float64(1+period/12) }

// TestConstantSource: a source that is constant for an hour says nothing about ten minutes of it, whatever its
// name, and something about three hours. A source that moves each period, or hardly counts, does for ten minutes.
func TestConstantSource(t *testing.T) {
	count := func(run *counts.Run, metric string) counts.Count { return run.Loads[0].Repetitions[0].Counts[metric] }
	const volume, other = "cloudwatch/VolumeWriteIOPs", "cloudwatch/SomethingNew"
	for _, metric := range []string{volume, other} {
		run := stepping(t, metric, 60, 10, 48, hourly)
		c := count(run, metric)
		if c.Missing == nil || c.Missing.Reason != counts.NotMoved {
			t.Fatalf("%s stood still for an hour around ten minutes of load, and was counted: %+v", metric, c)
		}
		if want := "4,000,000 in 10 min; it changes in steps of about 1 h"; !strings.HasPrefix(c.Missing.Detail, want) {
			t.Errorf("%s: %s, want %s", metric, c.Missing.Detail, want)
		}
		if len(run.Notes) == 0 || run.Notes[len(run.Notes)-1].Code != "not-moved" {
			t.Errorf("%s: no note says so: %+v", metric, run.Notes)
		}
		if c := count(stepping(t, metric, 60, 180, 72, hourly), metric); c.Missing != nil {
			t.Errorf("%s moved three times in three hours of load, and is missing: %v", metric, c.Missing)
		}
		if c := count(stepping(t, metric, 60, 180-5, 72, hourly), metric); c.Missing == nil {
			t.Errorf("%s has no three whole steps in less than three hours of load, and was counted", metric)
		}
		moving := func(period int) float64 { return 1e6 + 1000*float64(period) }
		if c := count(stepping(t, metric, 60, 10, 48, moving), metric); c.Missing != nil ||
			math.Abs(c.Amount-2_025_000) > 1 {
			t.Errorf("%s moves each period, and came to %+v", metric, c)
		}
		if c := count(stepping(t, metric, 60, 10, 48, func(int) float64 { return 7 }), metric); c.Missing != nil {
			t.Errorf("%s counts seven each time, which may be chance, and is missing: %v", metric, c.Missing)
		}
	}
	// What is even is no step: work at one rate all along, at two rates between rests, or at a cap for a while.
	for what, value := range map[string]func(int) float64{
		"one rate":  func(int) float64 { return 180_000 },
		"two rates": func(i int) float64 { return []float64{0, 180_000, 0, 90_000, 0}[min(i/4, 4)] },
		"a cap": func(i int) float64 {
			if i >= 10 && i < 16 {
				return 900_001
			}
			return 100_003 + 997*float64(i)
		},
	} {
		if c := count(stepping(t, other, 60, 10, 24, value), other); c.Missing != nil {
			t.Errorf("%s was taken for a source that stood still: %v", what, c.Missing)
		}
	}
	// But a source that is known to stand still for an hour may have done so.
	if c := count(stepping(t, volume, 60, 10, 12, func(int) float64 { return 180_000 }), volume); c.Missing == nil {
		t.Errorf("one value of VolumeWriteIOPs was taken for the load's: %+v", c)
	}
	// Two periods do not show a step, but the volume's is known.
	two := func(int) float64 { return 246_000 }
	if c := count(stepping(t, volume, 0, 10, 2, two), volume); c.Missing == nil ||
		!strings.HasPrefix(c.Missing.Detail, "492,000 in 10 min") {
		t.Errorf("two periods of VolumeWriteIOPs were taken for the load's: %+v", c)
	}
	if c := count(stepping(t, other, 0, 10, 2, two), other); c.Missing != nil {
		t.Errorf("nobody has seen steps of %s: %v", other, c.Missing)
	}
}

// TestWholeRun: the run with an hour before and after it, and nothing if a part of that is missing.
func TestWholeRun(t *testing.T) {
	const volume = "cloudwatch/VolumeWriteIOPs"
	amount, from, to, ok := stepping(t, volume, 60, 60, 36, hourly).Whole(volume)
	if want := 12e6 * (1 + 2 + 3); !ok || amount != want || to.Sub(from) != 3*time.Hour {
		t.Errorf("the run came to %g from %v to %v (%t), want %g in three hours", amount, from, to, ok, want)
	}
	run := stepping(t, volume, 60, 10, 36, hourly)
	// 12 + 12 + 2 periods
	if note := run.Notes[len(run.Notes)-1]; !strings.HasSuffix(note.Text, "it says 42,000,000 in 2 h 10 min") {
		t.Errorf("the note says nothing of the whole run: %s", note.Text)
	}
	if _, _, _, ok := stepping(t, volume, 60, 60, 30, hourly).Whole(volume); ok {
		t.Error("half an hour of the rest is not told, and was taken for nothing")
	}
}

// TestFlavorIsFound: a file that lacks its target's flavor is read like one that has it, if its engine or a metric that
// only one flavor has tells it.
func TestFlavorIsFound(t *testing.T) {
	for _, c := range []struct {
		target runfile.Target
		metric string
		want   string
	}{
		{runfile.Target{}, "cloudwatch/WriteIOPS", ""},
		{runfile.Target{}, "cloudwatch/VolumeWriteIOPs", "aurora"},
		{runfile.Target{}, "cloudwatch.shop-2/VolumeWriteIOPs", "aurora"},
		{runfile.Target{Cloud: &runfile.Cloud{Engine: "aurora-postgresql"}}, "cloudwatch/WriteIOPS", "aurora"},
		{runfile.Target{Cloud: &runfile.Cloud{Engine: "postgres"}}, "cloudwatch/WriteIOPS", "rds"},
		{runfile.Target{Flavor: "postgres"}, "cloudwatch/VolumeWriteIOPs", "postgres"},
	} {
		run, err := tally.FromRun(runfiletest.Sequence([]runfile.Record{
			runfile.Run{Schema: runfile.Schema, ID: "made", Start: time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC), Target: c.target},
			runfile.Metric{Name: c.metric, Type: runfile.Rate, Unit: "operations"},
		}))
		if err != nil {
			t.Fatal(err)
		}
		if got := run.Header.Target.Flavor; got != c.want {
			t.Errorf("%s of %+v: flavor %q, want %q", c.metric, c.target.Cloud, got, c.want)
		}
	}
}
