package counts_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/realiops/realiops/internal/analyze/counts"
	"github.com/realiops/realiops/internal/analyze/tally"
	"github.com/realiops/realiops/internal/metric"
)

// TestMetrics: the requests are the difference of the kernel's two counters, and each metric knows the quantity that it
// defines.
func TestMetrics(t *testing.T) {
	run, err := tally.FromFile("../../../testdata/runs/loads-pg17.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	load, _ := run.Load("single")
	defines := map[metric.Quantity][]string{}
	for _, m := range run.Metrics() {
		for _, quantity := range []metric.Quantity{"wal_records", "wal_writes", "device_requests", "device_flushes"} {
			if q, known := counts.Named(quantity); known && m.Defines(q) {
				defines[quantity] = append(defines[quantity], m.Name)
			}
		}
		if m.Name != "block/requests" {
			continue
		}
		// 49,262 writes with 24,622 flushes in 5.248 s between readings, less the background's 11 in 5.22 s.
		got, err := m.Count(load, load.Repetitions[0])
		if want := 49_262 - 24_622 - 11*5.248/5.22; err != nil || got < want-0.1 || got > want+0.1 {
			t.Errorf("%s counts %g, %v, want %g", m.Name, got, err, want)
		}
	}
	want := map[metric.Quantity][]string{
		"wal_records": {"pgstat.wal/wal_records"}, "wal_writes": {"pgstat.wal/wal_write"},
		"device_requests": {"block/requests"}, "device_flushes": {"block/flushes"},
	}
	if diff := cmp.Diff(want, defines); diff != "" {
		t.Error(diff)
	}
}
