package tally_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/realiops/realiops/internal/analyze/counts"
	"github.com/realiops/realiops/internal/runfile"
)

// TestOverLeavesTheRun: counting a run as one metric saw it changes no other count. A source that stood still under one
// load leaves that repetition's counts as they are, and the background over its periods differs from the run's.
func TestOverLeavesTheRun(t *testing.T) {
	t.Parallel()
	const source, counter = "cloudwatch/SomethingNew", "block/writes"
	records := []runfile.Record{
		runfile.Run{Schema: runfile.Schema, Start: midnight, Plan: runfile.Plan{Repetitions: 1, RestSeconds: 3600,
			Loads: []runfile.Load{{Name: "idle"}, {Name: "short", Method: "copy"},
				{Name: "long", Method: "copy"}}}},
		runfile.Metric{Name: source, Unit: "operations", Type: runfile.CountPerPeriod, Period: 300},
		runfile.Metric{Name: counter, Unit: "operations", Type: runfile.Counter},
	}
	minute := func(n int) time.Time { return sec(float64(60 * n)) }
	value, at := 0.0, 0
	read := func(until int, perMinute func(n int) float64) {
		for ; at < until; at++ {
			records = append(records, runfile.Reading{At: minute(at), Probe: "p", Values: map[string]float64{counter: value}})
			value += perMinute(at)
		}
	}
	quiet := func(n int) float64 { return []float64{600, 60}[min(n/12, 1)] }
	for _, load := range []struct {
		name     string
		from, to int
	}{{"idle", 2, 200}, {"short", 252, 262}, {"long", 330, 530}} {
		read(load.from, quiet)
		records = append(records, runfile.LoadEvent{At: minute(load.from), Load: load.name, Repetition: 1,
			Event: runfile.Begin})
		if load.name == "idle" {
			read(load.to, quiet)
		} else {
			read(load.to, func(int) float64 { return 6000 })
			for n := load.from; n < load.to; n++ {
				records = append(records, runfile.Work{From: minute(n), To: minute(n + 1), Load: load.name, Repetition: 1,
					Transactions: 1000, Statements: 1000, Rows: 1_000_000})
			}
		}
		read(load.to+1, quiet)
		records = append(records, runfile.LoadEvent{At: minute(load.to + 1), Load: load.name, Repetition: 1,
			Event: runfile.End})
	}
	read(660, quiet)
	for i := range 132 {
		records = append(records, runfile.Period{From: minute(5 * i), To: minute(5*i + 5), Probe: "cloudwatch",
			Metric: source, Statistic: "Sum", Value: hourly(i) + float64(i/12), Fetched: minute(700)})
	}
	run, before := fromRecords(t, records...), fromRecords(t, records...)
	if missing := run.Loads[1].Repetitions[0].Counts[source].Missing; missing == nil || missing.Reason != counts.NotMoved {
		t.Fatalf("the source moved under the short load: %v", missing)
	}
	over, _ := run.Over(source)
	if one, other := run.Idle.PerSecond[counter], over.Idle.PerSecond[counter]; one == other {
		t.Fatalf("the background is %g a second either way", one)
	}
	if diff := cmp.Diff(before.Loads, run.Loads, cmpopts.EquateNaNs()); diff != "" {
		t.Errorf("as one metric saw it:\n%.2000s", diff)
	}
}
