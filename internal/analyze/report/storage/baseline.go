package storage

import (
	"math"
	"time"

	"github.com/realiops/realiops/internal/analyze/baseline"
	"github.com/realiops/realiops/internal/analyze/counts"
	"github.com/realiops/realiops/internal/analyze/number"
	"github.com/realiops/realiops/internal/analyze/report/words"
	"github.com/realiops/realiops/internal/analyze/sizing/figures"
	"github.com/realiops/realiops/internal/runfile"
	"github.com/realiops/realiops/internal/series"
)

// BaselineSchema names the form of a baseline.
const BaselineSchema = "realiops.baseline/1"

// Baseline holds the performance of storage, measured without a database.
type Baseline struct {
	Schema   string             `json:"schema"`
	Run      BaselineRun        `json:"run"`
	Jobs     []BaselineJob      `json:"jobs"`
	LeftOut  []baseline.LeftOut `json:"left_out"`
	Buffered *baseline.Buffered `json:"buffered"` // null: not shown
	Throttle *baseline.Throttle `json:"throttle"` // null: not waited for
	Warnings []string           `json:"warnings"`
}

// BaselineRun identifies the measurement and its end.
type BaselineRun struct {
	ID             string          `json:"id"`
	Start          time.Time       `json:"start"`
	Status         string          `json:"status"` // complete, interrupted, failed, cut-off
	Cause          string          `json:"cause,omitempty"`
	Program        string          `json:"program"` // fio 3.33
	Set            string          `json:"set"`
	SizeBytes      int64           `json:"size_bytes"`
	Direct         bool            `json:"direct"`
	UntilThrottled float64         `json:"until_throttled_seconds,omitempty"`
	Storage        runfile.Storage `json:"storage"`
	Host           runfile.Host    `json:"host"`
}

// BaselineJob is one job, as fio and the kernel counted it.
type BaselineJob struct {
	Name     string          `json:"name"`
	Options  string          `json:"options"`
	Depth    int             `json:"depth,omitempty"`
	Buffered bool            `json:"buffered,omitempty"`
	Seconds  float64         `json:"seconds"`
	Fio      BaselineFio     `json:"fio"`
	Device   *BaselineDevice `json:"device"` // null: see missing
	Missing  *series.Missing `json:"missing,omitempty"`
	// NaN: one of the two did nothing, or the device is unknown
	Factor   float64  `json:"requests_per_operation"`
	Flushed  float64  `json:"flushes_per_sync"` // NaN: as above
	Band     string   `json:"latency_band"`     // of fio's mean
	Findings []string `json:"findings"`
}

// BaselineFio holds fio's figures.
type BaselineFio struct {
	Operations int64             `json:"operations"` // reads and writes, total
	Reads      float64           `json:"reads"`      // per second, like the next two
	Writes     float64           `json:"writes"`
	Syncs      float64           `json:"syncs"`
	ReadBytes  float64           `json:"read_bytes"`
	WriteBytes float64           `json:"write_bytes"`
	Read       *baseline.Latency `json:"read_latency"` // null: there were none
	Write      *baseline.Latency `json:"write_latency"`
	Sync       *baseline.Latency `json:"sync_latency"`
	InFlight   float64           `json:"in_flight"`
}

// BaselineDevice holds the kernel's figures.
type BaselineDevice struct {
	// all requests by the kernel, including flushes and the background
	Counted      int64   `json:"counted"`
	CountSeconds float64 `json:"counted_seconds"` // between the two readings
	Requests     float64 `json:"requests"`        // with data, per second, like the next two; without the background
	Reads        float64 `json:"reads"`
	Writes       float64 `json:"writes"`
	Flushes      float64 `json:"flushes"` // NaN: the device does not count them
	Merged       float64 `json:"merged"`
	ReadBytes    float64 `json:"read_bytes"`
	WriteBytes   float64 `json:"write_bytes"`
	ReadLatency  float64 `json:"read_latency"` // mean, in seconds; NaN: there were none
	WriteLatency float64 `json:"write_latency"`
	FlushLatency float64 `json:"flush_latency"`
	Queue        float64 `json:"queue"`
	QueueBand    string  `json:"queue_band"`
	Busy         float64 `json:"busy"` // share of the time
}

// NewBaseline returns a baseline in the form that is shown.
func NewBaseline(run *counts.Run, b baseline.Baseline) Baseline {
	h := run.Header
	status, cause := run.Ended.How()
	return Baseline{
		Schema: BaselineSchema, Jobs: words.Each(baselineJob, b.Rows), LeftOut: b.LeftOut, Buffered: b.Buffered,
		Throttle: b.Throttle, Warnings: b.Warnings,
		Run: BaselineRun{
			ID: h.ID, Start: h.Start, Status: status, Cause: cause, Program: b.Facts.Program, Set: b.Facts.Set,
			SizeBytes: b.Facts.Bytes, Direct: b.Facts.Direct, UntilThrottled: b.Facts.UntilThrottled,
			Storage: h.Target.Storage, Host: h.Host,
		},
	}
}

func baselineJob(r baseline.Row) BaselineJob {
	v := BaselineJob{
		Name: r.Load.Name, Options: r.Load.Job, Depth: r.Load.Depth, Buffered: r.Load.Buffered, Seconds: r.Seconds,
		Factor: r.Factor, Flushed: r.Flushed, Findings: r.Findings,
		Fio: BaselineFio{
			Operations: r.Fio.Counted, Reads: r.Fio.Rate.Reads, Writes: r.Fio.Rate.Writes, Syncs: r.Fio.Rate.Flushes,
			ReadBytes: r.Fio.Rate.ReadBytes, WriteBytes: r.Fio.Rate.WriteBytes, InFlight: r.Fio.Queue,
			Read: measured(r.Fio.Read), Write: measured(r.Fio.Write), Sync: measured(r.Fio.Flush),
		},
	}
	v.Band = figures.DefaultRules().Latency.Of(v.Fio.mean())
	if r.Missing != nil {
		v.Missing = counts.WhyMissing(r.Missing)
	}
	if d := r.Device; d != nil {
		v.Device = &BaselineDevice{
			Counted: d.Counted, CountSeconds: d.Elapsed, Requests: d.Rate.Requests(), Reads: d.Rate.Reads,
			Writes: d.Rate.Writes, Merged: d.Merged,
			ReadBytes: d.Rate.ReadBytes, WriteBytes: d.Rate.WriteBytes, Queue: d.Queue,
			QueueBand: figures.DefaultRules().Queue.Of(d.Queue), Busy: d.Busy,
			ReadLatency: d.Read.Mean, WriteLatency: d.Write.Mean, FlushLatency: d.Flush.Mean, Flushes: math.NaN(),
		}
		if d.HasFlush {
			v.Device.Flushes = d.Rate.Flushes
		}
	}
	return v
}

// measured returns a latency, or nil if no operation had one.
func measured(l baseline.Latency) *baseline.Latency {
	if !number.Finite(l.Mean) {
		return nil
	}
	return &l
}

func (f BaselineFio) operations() float64 { return f.Reads + f.Writes }

// mean returns the time of an operation, including its flush.
func (f BaselineFio) mean() float64 { return f.InFlight / f.operations() }

// slow returns the latency of the kind with the highest 99th percentile; nil if there is none.
func (f BaselineFio) slow() (slowest *baseline.Latency) {
	for _, l := range []*baseline.Latency{f.Read, f.Write, f.Sync} {
		if l != nil && number.Finite(l.P99) && (slowest == nil || l.P99 > slowest.P99) {
			slowest = l
		}
	}
	return slowest
}
