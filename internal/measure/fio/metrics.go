package fio

import (
	"time"

	"github.com/realiops/realiops/internal/metric"
	"github.com/realiops/realiops/internal/runfile"
)

// Name is the prefix of the metrics' names.
const Name = "fio"

// Metrics returns fio's metrics: counters over all jobs, and gauges of the last.
func Metrics() []runfile.Metric { return metric.All().View(Name).Announced() }

// Totals sums up the counts of finished jobs.
type Totals struct{ values map[string]float64 }

// Reading returns the counters of all finished jobs plus this one so far, and this one's gauges.
func (t *Totals) Reading(at time.Time, s Status) runfile.Reading {
	values := map[string]float64{}
	for name, side := range s.Sides() {
		add := func(suffix string, v float64) { values[Name+"/"+name+suffix] = t.values[Name+"/"+name+suffix] + v }
		add("s", float64(side.Operations))
		add("_time", side.Time)
		if name != "sync" {
			add("_bytes", float64(side.Bytes))
		}
		if side.Operations == 0 {
			continue
		}
		for suffix, v := range map[string]float64{"_p50": side.P50, "_p95": side.P95, "_p99": side.P99,
			"_p999": side.P999, "_max": side.Max} {
			values[Name+"/"+name+suffix] = v
		}
	}
	return runfile.Reading{At: at, Probe: Name, Values: values}
}

// Close adds a finished job.
func (t *Totals) Close(s Status) {
	counters := map[string]float64{}
	reading := t.Reading(time.Time{}, s)
	for _, m := range Metrics() {
		if v, known := reading.Values[m.Name]; known && m.Type == runfile.Counter {
			counters[m.Name] = v
		}
	}
	t.values = counters
}
