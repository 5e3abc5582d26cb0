package observation

import (
	"testing"

	"github.com/realiops/realiops/internal/runfile"
)

// TestCostInWords: connecting and the last reading say nothing about a minute.
func TestCostInWords(t *testing.T) {
	const rest = " took 60 queries, 500 ms of waiting for answers, 250 ms of processor time here, and 90 kB of file"
	for seconds, of := range map[float64]string{1: "1 s", 30: "30 s", 120: "Each minute"} {
		minutes := max(1, seconds/60)
		c := runfile.Cost{Seconds: seconds, Queries: int64(60 * minutes), Waited: 0.5 * minutes, Processor: 0.25 * minutes,
			Bytes: int64(90_000 * minutes)}
		if got, want := inWords(c), of+" of observing"+rest; got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}
