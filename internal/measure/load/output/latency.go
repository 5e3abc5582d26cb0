package output

import (
	"math"

	"github.com/realiops/realiops/internal/measure/load/engine"
)

// quantile is one that reports show.
type quantile struct {
	name    string
	percent float64
}

// quantiles lists them, in the order in which they are shown; the largest is the maximum, which is exact.
func quantiles() []quantile {
	return []quantile{{"p50", 50}, {"p90", 90}, {"p95", 95}, {"p99", 99}, {"p99.9", 99.9}, {"max", 100}}
}

// atQuantile is in milliseconds. No quantile of a histogram may be more than the longest time there was.
func atQuantile(d engine.Durations, percent float64) (value float64, known bool) {
	if d.Histogram == nil || d.Count == 0 {
		return 0, false
	}
	return min(float64(d.Histogram.ValueAtQuantile(percent)), d.Most) / 1000, true
}

// mean is in milliseconds.
func mean(d engine.Durations) (value float64, known bool) {
	if d.Count == 0 {
		return 0, false
	}
	return d.Sum / float64(d.Count) / 1000, true
}

// deviation is pgbench's standard deviation, of the population, in milliseconds.
func deviation(d engine.Durations) float64 {
	average, known := mean(d)
	if !known {
		return 0
	}
	variance := d.Sum2/float64(d.Count)/1e6 - average*average
	return math.Sqrt(max(variance, 0))
}
