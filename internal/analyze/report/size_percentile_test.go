package report_test

import (
	"slices"
	"testing"
	"time"

	"github.com/realiops/realiops/internal/analyze/sizing"
	"github.com/realiops/realiops/internal/analyze/sizing/needs"
	"github.com/realiops/realiops/internal/analyze/tally"
	"github.com/realiops/realiops/internal/metric"
	"github.com/realiops/realiops/internal/runfile"
)

// TestPercentilesAreNearestRanks: in second i of 200, in a shuffled order, the device does i*i writes of 512 bytes. So
// 95% of the seconds have at most 190*190, 99% at most 198*198.
func TestPercentilesAreNearestRanks(t *testing.T) {
	const seconds, prime = 200, 83 // prime does not divide seconds, so each i occurs once
	start := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	at := func(s float64) time.Time { return start.Add(time.Duration(s * float64(time.Second))) }
	load := runfile.Load{Name: "single", Method: "insert-values", RowsPerTx: 1, Clients: 1}
	records := []runfile.Record{runfile.Run{
		Schema: runfile.Schema, ID: "20260301-120000-abcd", Start: start,
		Plan:   runfile.Plan{Name: "made", Loads: []runfile.Load{load}, Repetitions: 1, LoadSeconds: seconds},
		Target: runfile.Target{Storage: runfile.Storage{Device: "vda", Own: true}},
	}}
	counters := []string{
		metric.BlockReads, metric.BlockReadBytes, metric.BlockFlushes, metric.BlockWrites, metric.BlockWriteBytes,
	}
	for _, name := range counters {
		records = append(records, runfile.Metric{Name: name, Unit: "1", Type: runfile.Counter})
	}
	writes := 0
	read := func(s float64) {
		values := map[string]float64{metric.BlockReads: 0, metric.BlockReadBytes: 0, metric.BlockFlushes: 0}
		values[metric.BlockWrites], values[metric.BlockWriteBytes] = float64(writes), float64(512*writes)
		records = append(records, runfile.Reading{At: at(s), Probe: "block", Values: values})
	}
	event := func(s float64, e runfile.Event) {
		records = append(records, runfile.LoadEvent{At: at(s), Load: load.Name, Repetition: 1, Event: e})
	}
	read(-0.1) // the last before the begin
	event(-0.05, runfile.Begin)
	read(0)
	for s := range seconds {
		i := s*prime%seconds + 1
		writes += i * i
		read(float64(s + 1))
	}
	records = append(records, runfile.Work{From: at(0), To: at(seconds - 0.2), Load: load.Name, Repetition: 1,
		Transactions: 1000, Statements: 1000, Rows: 1000})
	event(seconds+0.4, runfile.End)
	records = append(records, runfile.Ended{At: at(seconds + 1), Status: runfile.Complete})
	run, err := tally.FromRun(func(yield func(runfile.Record, error) bool) {
		_ = slices.ContainsFunc(records, func(r runfile.Record) bool { return !yield(r, nil) })
	})
	if err != nil {
		t.Fatal(err)
	}
	size, _ := sizedBy(t, run, sizing.Ask{GiB: 100})
	need := size.Needs[0]
	if need.Missing != nil || need.Seconds != seconds {
		t.Fatalf("%d seconds, %+v", need.Seconds, need.Missing)
	}
	for percent, got := range map[int]*needs.Rate{95: need.P95, 99: need.P99, 100: need.PeakSecond} {
		i := percent * seconds / 100
		if want := float64(i * i); got.Writes != want || got.WriteBytes != 512*want {
			t.Errorf("p%d is %g writes and %g bytes a second, want %g and %g", percent, got.Writes, got.WriteBytes,
				want, 512*want)
		}
	}
}
