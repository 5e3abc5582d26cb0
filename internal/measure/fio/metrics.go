package fio

import (
	"time"

	"github.com/realiops/realiops/internal/metric"
	"github.com/realiops/realiops/internal/runfile"
)

// Name begins the names of the metrics, up to the slash.
const Name = "fio"

// Metrics returns what fio says of its jobs: counters over all of them, and levels of the last.
func Metrics() []runfile.Metric { return metric.All().View(Name).Announced() }

// Totals are the counts of the jobs that are over, to which those of a running one are added.
type Totals struct{ values map[string]float64 }

// Reading returns what is known at a moment: all jobs before, and this one so far. Levels are those of this one.
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

// Close adds a job that is over.
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
