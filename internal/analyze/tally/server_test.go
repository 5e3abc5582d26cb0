package tally_test

import (
	"testing"

	"github.com/realiops/realiops/internal/metric"
	"github.com/realiops/realiops/internal/runfile"
	"github.com/realiops/realiops/internal/test/runfiletest"
)

// TestUntracedRequests: if a tenth of the kernel's disk requests was not traced, their owner is unknown, and
// figures of the device are the device's.
func TestUntracedRequests(t *testing.T) {
	beside := runfiletest.BesideOtherProgram(runfiletest.Records(t, "../../../testdata/runs/local-pg17.jsonl.zst"), 300)
	for seen, want := range map[float64]bool{1: true, 0.95: true, 0.85: false} {
		var records []runfile.Record
		var counted float64
		for _, record := range beside {
			reading, is := record.(runfile.Reading)
			switch {
			case is && reading.Probe == "block":
				counted = reading.Values[metric.BlockWrites]
			case is && reading.Probe == "request":
				reading.Values[metric.RequestWrites] = seen * counted
			}
			records = append(records, record)
		}
		if got := fromRecords(t, records...).OfServer; got != want {
			t.Errorf("of %.0f%% of the requests: told apart %v, want %v", 100*seen, got, want)
		}
	}
}
