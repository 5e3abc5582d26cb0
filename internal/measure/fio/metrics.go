package fio

import (
	"time"

	"github.com/realiops/realiops/internal/runfile"
)

// Name begins the names of the metrics, up to the slash.
const Name = "fio"

const source = "https://fio.readthedocs.io/en/latest/fio_doc.html"

// own is what to beware of in every count of fio's.
const own = "as fio says it; one of its operations may be several requests of the device, or a part of one"

// Metrics are what fio says of its jobs: counters over all of them, and levels of the last.
func Metrics() []runfile.Metric {
	var all []runfile.Metric
	add := func(kind runfile.MetricType, name, unit, help string) {
		all = append(all, runfile.Metric{Name: Name + "/" + name, Unit: unit, Type: kind, Source: source, Help: help, Caveat: own})
	}
	for _, side := range []struct{ name, one, many string }{
		{"read", "read", "reads"}, {"write", "write", "writes"}, {"sync", "flush that a job asked for", "flushes that jobs asked for, by fsync or fdatasync"},
	} {
		add(runfile.Counter, side.name+"s", "operations", side.many+", completed")
		if side.name != "sync" {
			add(runfile.Counter, side.name+"_bytes", "bytes", "bytes in them")
		}
		add(runfile.Counter, side.name+"_time", "seconds", "time that they took, from submission to completion, summed over operations")
		for _, p := range []struct{ name, share string }{{"p50", "half"}, {"p95", "95 %"}, {"p99", "99 %"}, {"p999", "99.9 %"}} {
			add(runfile.Gauge, side.name+"_"+p.name, "seconds", "time within which "+p.share+" were done, of the job that ran last")
		}
		add(runfile.Gauge, side.name+"_max", "seconds", "the longest "+side.one+" of the job that ran last")
	}
	return all
}

// Totals are the counts of the jobs that are over, to which those of a running one are added.
type Totals struct{ values map[string]float64 }

// Reading is what is known at a moment: all jobs before, and this one so far. Levels are those of this one.
func (t *Totals) Reading(at time.Time, s Status) runfile.Reading {
	values := map[string]float64{}
	for name, side := range s.Sides() {
		add := func(what string, v float64) { values[Name+"/"+name+what] = t.values[Name+"/"+name+what] + v }
		add("s", float64(side.Operations))
		add("_time", side.Time)
		if name != "sync" {
			add("_bytes", float64(side.Bytes))
		}
		if side.Operations == 0 {
			continue
		}
		for what, v := range map[string]float64{"_p50": side.P50, "_p95": side.P95, "_p99": side.P99, "_p999": side.P999, "_max": side.Max} {
			values[Name+"/"+name+what] = v
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
