package needs_test

import (
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/realiops/realiops/internal/analyze/sizing/needs"
)

// TestRateHasItsSumsInJSON: a program finds the sums beside their parts.
func TestRateHasItsSumsInJSON(t *testing.T) {
	got, err := json.Marshal(needs.Rate{Reads: 1, Writes: 2, Flushes: 4, ReadBytes: 8, WriteBytes: 16})
	const want = `{"requests":3,"reads":1,"writes":2,"flushes":4,"bytes":24,"read_bytes":8,"write_bytes":16}`
	if err != nil || string(got) != want {
		t.Errorf("%s, %v, want %s", got, err, want)
	}
}
