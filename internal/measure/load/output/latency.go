package output

import (
	"math"

	"github.com/realiops/realiops/internal/measure/load/engine"
)

// quantile is a quantile that reports show.
type quantile struct {
	name    string
	percent float64
}

// quantiles lists the quantiles in the order of the report. The largest is the exact maximum.
func quantiles() []quantile {
	return []quantile{{"p50", 50}, {"p90", 90}, {"p95", 95}, {"p99", 99}, {"p99.9", 99.9}, {"max", 100}}
}

// atQuantile returns milliseconds, at most the longest time recorded.
func atQuantile(d engine.Durations, percent float64) (value float64, known bool) {
	if d.Histogram == nil || d.Count == 0 {
		return 0, false
	}
	return min(float64(d.Histogram.ValueAtQuantile(percent)), d.Most) / 1000, true
}

// mean returns milliseconds.
func mean(d engine.Durations) (value float64, known bool) {
	if d.Count == 0 {
		return 0, false
	}
	return d.Sum / float64(d.Count) / 1000, true
}

// deviation returns pgbench's standard deviation, of the population, in milliseconds.
func deviation(d engine.Durations) float64 {
	average, known := mean(d)
	if !known {
		return 0
	}
	variance := d.Sum2/float64(d.Count)/1e6 - average*average
	return math.Sqrt(max(variance, 0))
}
