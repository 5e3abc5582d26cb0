package measuring

import (
	"testing"
	"time"

	"github.com/realiops/realiops/internal/measure/baseline"
)

// A job goes on until storage has slowed down for good, and has been slow for half a minute.
func TestBaselineWaitsUntilThrottled(t *testing.T) {
	stop, second := throttled(), baseline.Second{At: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)}
	for i := range 200 {
		second.Operations = float64(3000 + i%5) // so that ranks differ
		if i >= 60 {
			second.Operations = float64(300 + i%5)
		}
		second.At, second.Seconds = second.At.Add(time.Second), second.Seconds+1
		second.Bytes, second.Latency = second.Operations*8192, 16/second.Operations // of 16 in flight
		if stop(second) {
			if seconds := i + 1; seconds < 90 || seconds > 95 {
				t.Errorf("stopped after %d s", seconds)
			}
			return
		}
	}
	t.Error("never stopped")
}

func TestBaselineDoesNotStopASteadyJob(t *testing.T) {
	stop, second := throttled(), baseline.Second{}
	for i := range 300 {
		second.Seconds++
		second.Operations = float64(3000 + 100*(i*7919%11))
		second.Latency = 16 / second.Operations
		if stop(second) {
			t.Fatalf("stopped after %d s", i+1)
		}
	}
}
