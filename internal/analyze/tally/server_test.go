package tally_test

import (
	"testing"

	"github.com/realiops/realiops/internal/metric"
	"github.com/realiops/realiops/internal/runfile"
	"github.com/realiops/realiops/internal/test/runfiletest"
)

// TestRequestsThatWereNotSeen: where a tenth of the requests that the kernel counts of the disk was not seen, nobody
// knows whose they were, and figures of the device are the device's.
func TestRequestsThatWereNotSeen(t *testing.T) {
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
