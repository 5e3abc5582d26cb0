package fio

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/realiops/realiops/internal/metric"
	"github.com/realiops/realiops/internal/runfile"
)

// Status is fio's report on a job, cumulative since its start.
type Status struct {
	At          time.Time // of the report
	Seconds     float64   // of the job's I/O so far
	Read, Write Side
	Sync        Side // flushes that the job requested: fsync, fdatasync
	Error       int  // the job's errno; 0: none
}

// Side holds the totals of one direction. Times are in seconds.
type Side struct {
	Operations, Bytes        int64
	Time                     float64 // summed over operations
	Max, P50, P95, P99, P999 float64
}

// Sides returns the directions by the names of their counts.
func (s Status) Sides() map[string]Side {
	return map[string]Side{"read": s.Read, "write": s.Write, "sync": s.Sync}
}

// output is the part of fio's JSON that is read.
type output struct {
	TimestampMS int64 `json:"timestamp_ms"`
	Jobs        []struct {
		Error int      `json:"error"`
		Read  saidSide `json:"read"`
		Write saidSide `json:"write"`
		Sync  saidSide `json:"sync"`
	} `json:"jobs"`
}

type saidSide struct {
	IOs     int64       `json:"total_ios"`
	Bytes   int64       `json:"io_bytes"`
	Runtime int64       `json:"runtime"` // milliseconds
	Latency saidLatency `json:"lat_ns"`
	// Completion has the percentiles of reads and writes in most versions; those of flushes are in Latency.
	Completion saidLatency `json:"clat_ns"`
}

type saidLatency struct {
	Max        float64            `json:"max"`
	Mean       float64            `json:"mean"`
	N          int64              `json:"N"`
	Percentile map[string]float64 `json:"percentile"`
}

// statusesIn passes every status in fio's output to heed, and returns the lines between them, which are messages. fio
// prints some of them inside its JSON.
func statusesIn(r io.Reader, heed func(Status)) (messages []string) {
	var object bytes.Buffer
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, 16<<20)
	for lines.Scan() {
		switch line := lines.Text(); {
		case strings.HasPrefix(line, "fio:"):
			messages = append(messages, line)
		case line == "{":
			object.Reset()
			object.WriteString(line)
		case object.Len() > 0 && line == "}":
			object.WriteString(line)
			if s, err := statusOf(object.Bytes()); err == nil {
				heed(s)
			} else {
				messages = append(messages, err.Error())
			}
			object.Reset()
		case object.Len() > 0:
			object.WriteString(line)
		case strings.TrimSpace(line) != "":
			messages = append(messages, line)
		}
	}
	return messages
}

// statusOf decodes one object. fio reports sections that run together as one job.
func statusOf(text []byte) (Status, error) {
	var s output
	if err := json.Unmarshal(text, &s); err != nil {
		return Status{}, fmt.Errorf("read fio's output: %w", err)
	}
	if len(s.Jobs) != 1 {
		return Status{}, fmt.Errorf("fio reported %d jobs instead of one", len(s.Jobs))
	}
	j := s.Jobs[0]
	runtime := max(j.Read.Runtime, j.Write.Runtime)
	return Status{
		At: time.UnixMilli(s.TimestampMS), Seconds: float64(runtime) / 1000, Error: j.Error,
		Read: j.Read.side(), Write: j.Write.side(), Sync: j.Sync.side(),
	}, nil
}

// nano is the unit of fio's latencies.
const nano = 1e-9

func (s saidSide) side() Side {
	percentiles := s.Latency.Percentile
	if len(percentiles) == 0 {
		percentiles = s.Completion.Percentile
	}
	return Side{
		Operations: max(s.IOs, s.Latency.N), // flushes are counted only here
		Bytes:      s.Bytes,
		Time:       s.Latency.Mean * float64(s.Latency.N) * nano,
		Max:        s.Latency.Max * nano,
		P50:        percentiles["50.000000"] * nano,
		P95:        percentiles["95.000000"] * nano,
		P99:        percentiles["99.000000"] * nano,
		P999:       percentiles["99.900000"] * nano,
	}
}

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
