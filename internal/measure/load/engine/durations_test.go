package engine

import (
	"encoding/json"
	"testing"
	"time"
)

// TestDurationsAsJSON: durations survive the way from a worker to the first process. Number, sum and extremes are
// exact; percentiles are the histogram's.
func TestDurationsAsJSON(t *testing.T) {
	var sent, none Durations
	for ms := 1; ms <= 100; ms++ {
		sent.add(time.Duration(ms) * time.Millisecond)
	}
	for name, d := range map[string]Durations{"a hundred": sent, "none": none} {
		text, err := json.Marshal(struct{ D Durations }{d})
		if err != nil {
			t.Fatal(err)
		}
		var got struct{ D Durations }
		if err := json.Unmarshal(text, &got); err != nil {
			t.Fatal(err)
		}
		if got.D.Count != d.Count || got.D.Sum != d.Sum || got.D.Sum2 != d.Sum2 || got.D.Least != d.Least ||
			got.D.Most != d.Most || (got.D.Histogram == nil) != (d.Count == 0) {
			t.Errorf("%s: %+v came as %+v", name, d, got.D)
		}
		if d.Count > 0 && got.D.Histogram.ValueAtQuantile(50) != 50_015 { // the end of its bucket of 32 µs, 49,984 to 50,015
			t.Errorf("%s: the median came as %d µs", name, got.D.Histogram.ValueAtQuantile(50))
		}
	}
}
