package report

import (
	"time"

	"github.com/realiops/realiops/internal/analyze/baseline"
	"github.com/realiops/realiops/internal/analyze/drivers"
	"github.com/realiops/realiops/internal/analyze/number"
	"github.com/realiops/realiops/internal/analyze/sizing"
	"github.com/realiops/realiops/internal/runfile"
	"github.com/realiops/realiops/internal/series"
)

// BaselineSchema names the form of what storage delivered.
const BaselineSchema = "realiops.baseline/1"

// Baseline is what storage delivered, measured alone.
type Baseline struct {
	Schema   string            `json:"schema"`
	Run      BaselineRun       `json:"run"`
	Jobs     []BaselineJob     `json:"jobs"`
	LeftOut  []BaselineLeftOut `json:"left_out"`
	Buffered *BaselineBuffered `json:"buffered"` // null: it was not shown
	Throttle *BaselineThrottle `json:"throttle"` // null: nobody waited for it
	Warnings []string          `json:"warnings"`
}

// BaselineRun is what was measured, and how it ended.
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

// BaselineLeftOut is a job without a result.
type BaselineLeftOut struct {
	Job string `json:"job"`
	Why string `json:"why"`
}

// BaselineJob is one job, by two accounts.
type BaselineJob struct {
	Name     string          `json:"name"`
	Options  string          `json:"options"`
	Depth    int             `json:"depth,omitempty"`
	Buffered bool            `json:"buffered,omitempty"`
	Seconds  float64         `json:"seconds"`
	Fio      BaselineFio     `json:"fio"`
	Device   *BaselineDevice `json:"device"` // null: see missing
	Missing  *series.Missing `json:"missing,omitempty"`
	Factor   *float64        `json:"requests_per_operation"` // null: one of the two did nothing, or the device is not known
	Flushed  *float64        `json:"flushes_per_sync"`       // likewise
	Band     string          `json:"latency_band"`           // of the mean by fio
	Findings []string        `json:"findings"`
}

// BaselineFio is what fio says.
type BaselineFio struct {
	Operations int64            `json:"operations"` // reads and writes, in all
	Reads      float64          `json:"reads"`      // a second, as are the next
	Writes     float64          `json:"writes"`
	Syncs      float64          `json:"syncs"`
	ReadBytes  float64          `json:"read_bytes"`
	WriteBytes float64          `json:"write_bytes"`
	Read       *BaselineLatency `json:"read_latency"` // null: there were none
	Write      *BaselineLatency `json:"write_latency"`
	Sync       *BaselineLatency `json:"sync_latency"`
	InFlight   float64          `json:"in_flight"`
}

// BaselineLatency is how long operations took, in seconds.
type BaselineLatency struct {
	Mean float64  `json:"mean"`
	P50  *float64 `json:"p50"`
	P95  *float64 `json:"p95"`
	P99  *float64 `json:"p99"`
	P999 *float64 `json:"p999"`
}

// BaselineDevice is what the kernel counted.
type BaselineDevice struct {
	Counted      int64    `json:"counted"`         // requests in all as the kernel has them, flushes and the background among them
	CountSeconds float64  `json:"counted_seconds"` // between the two readings
	Requests     float64  `json:"requests"`        // that carry data, a second, as are the next; without the background
	Reads        float64  `json:"reads"`
	Writes       float64  `json:"writes"`
	Flushes      *float64 `json:"flushes"` // null: this device does not tell
	Merged       float64  `json:"merged"`
	ReadBytes    float64  `json:"read_bytes"`
	WriteBytes   float64  `json:"write_bytes"`
	ReadLatency  *float64 `json:"read_latency"` // seconds, the mean; null: there were none
	WriteLatency *float64 `json:"write_latency"`
	FlushLatency *float64 `json:"flush_latency"`
	Queue        float64  `json:"queue"`
	QueueBand    string   `json:"queue_band"`
	Busy         float64  `json:"busy"` // share of the time
}

// BaselineBuffered is a write through the page cache, in bytes a second.
type BaselineBuffered struct {
	Said    float64  `json:"said"`
	Direct  *float64 `json:"direct"` // null: it was not measured
	Device  *float64 `json:"device"` // null: it is not known
	Bytes   float64  `json:"bytes"`
	Behind  *float64 `json:"behind_bytes"`
	Flushed *float64 `json:"behind_seconds"`
}

// BaselineThrottle is a slowing down for good.
type BaselineThrottle struct {
	Found   bool             `json:"found"`
	Why     string           `json:"why,omitempty"` // it is none, or cannot be told
	At      *time.Time       `json:"at"`
	Seconds float64          `json:"seconds"` // from the begin of the job
	P       float64          `json:"p"`
	Before  *BaselineLevel   `json:"before"`
	After   *BaselineLevel   `json:"after"`
	Buckets []BaselineBucket `json:"buckets"` // that it fits; none: it fits no published one
}

// BaselineLevel is what held before or after.
type BaselineLevel struct {
	Seconds    int     `json:"seconds"` // that it rests on
	Operations float64 `json:"operations"`
	Bytes      float64 `json:"bytes"`
	Latency    float64 `json:"latency"`
}

// BaselineBucket is a published bucket of credits.
type BaselineBucket struct {
	Title   string   `json:"title"`
	Of      string   `json:"of"` // IOPS, MiB/s, MB/s
	GiB     float64  `json:"gib,omitempty"`
	Burst   float64  `json:"burst"`
	Base    float64  `json:"base"`
	Full    float64  `json:"full_seconds"` // that it lasts when it is full
	Held    float64  `json:"held_percent"` // that it held at the beginning
	Sources []string `json:"sources"`
}

// NewBaseline puts what storage delivered into the form that is shown.
func NewBaseline(run *drivers.Run, b baseline.Baseline) Baseline {
	h, d := run.Header, describe(run)
	v := Baseline{
		Schema: BaselineSchema, Jobs: []BaselineJob{}, LeftOut: []BaselineLeftOut{}, Warnings: append([]string{}, b.Warnings...),
		Run: BaselineRun{
			ID: h.ID, Start: h.Start, Status: d.Status, Cause: d.Cause, Program: b.Facts.Program, Set: b.Facts.Set, SizeBytes: b.Facts.Bytes,
			Direct: b.Facts.Direct, UntilThrottled: b.Facts.UntilThrottled, Storage: h.Target.Storage, Host: h.Host,
		},
	}
	for _, out := range b.LeftOut {
		v.LeftOut = append(v.LeftOut, BaselineLeftOut(out))
	}
	for _, row := range b.Rows {
		v.Jobs = append(v.Jobs, baselineJob(row))
	}
	if s := b.Buffered; s != nil {
		v.Buffered = &BaselineBuffered{s.Said, told(s.Direct), told(s.Device), s.Bytes, told(s.Behind), told(s.Flushed)}
	}
	v.Throttle = baselineThrottle(b)
	return v
}

// told is a number, or nil where it is none.
func told(v float64) *float64 {
	if !number.Finite(v) {
		return nil
	}
	return &v
}

func baselineJob(r baseline.Row) BaselineJob {
	v := BaselineJob{
		Name: r.Arm.Name, Options: r.Arm.Job, Depth: r.Arm.Depth, Buffered: r.Arm.Buffered, Seconds: r.Seconds,
		Factor: told(r.Factor), Flushed: told(r.Flushed), Findings: append([]string{}, r.Findings...),
		Fio: BaselineFio{
			Operations: r.Fio.Counted, Reads: r.Fio.Rate.Reads, Writes: r.Fio.Rate.Writes, Syncs: r.Fio.Rate.Flushes,
			ReadBytes: r.Fio.Rate.ReadBytes, WriteBytes: r.Fio.Rate.WriteBytes, InFlight: r.Fio.Queue,
			Read: baselineLatency(r.Fio.Read), Write: baselineLatency(r.Fio.Write), Sync: baselineLatency(r.Fio.Flush),
		},
	}
	v.Band = sizing.DefaultRules().Latency.Of(v.Fio.mean())
	if r.Missing != nil {
		v.Missing = whyMissing(r.Missing)
	}
	if d := r.Device; d != nil {
		v.Device = &BaselineDevice{
			Counted: d.Counted, CountSeconds: d.Elapsed, Requests: d.Rate.Requests(), Reads: d.Rate.Reads, Writes: d.Rate.Writes, Merged: d.Merged,
			ReadBytes: d.Rate.ReadBytes, WriteBytes: d.Rate.WriteBytes, Queue: d.Queue, QueueBand: sizing.DefaultRules().Queue.Of(d.Queue), Busy: d.Busy,
			ReadLatency: told(d.Read.Mean), WriteLatency: told(d.Write.Mean), FlushLatency: told(d.Flush.Mean),
		}
		if d.HasFlush {
			v.Device.Flushes = &d.Rate.Flushes
		}
	}
	return v
}

func baselineLatency(l baseline.Latency) *BaselineLatency {
	if !number.Finite(l.Mean) {
		return nil
	}
	return &BaselineLatency{l.Mean, told(l.P50), told(l.P95), told(l.P99), told(l.P999)}
}

// operations are reads and writes a second.
func (f BaselineFio) operations() float64 { return f.Reads + f.Writes }

// mean is the time of an operation with the flush that belongs to it.
func (f BaselineFio) mean() float64 { return f.InFlight / f.operations() }

// slow is the latency of the kind that took longest at the 99th percentile; nil: there is none.
func (f BaselineFio) slow() *BaselineLatency {
	var slowest *BaselineLatency
	for _, l := range []*BaselineLatency{f.Read, f.Write, f.Sync} {
		if l != nil && l.P99 != nil && (slowest == nil || *l.P99 > *slowest.P99) {
			slowest = l
		}
	}
	return slowest
}

func baselineThrottle(b baseline.Baseline) *BaselineThrottle {
	t := b.Throttle
	if t == nil {
		return nil
	}
	v := &BaselineThrottle{Found: t.Found, Why: t.Why, Seconds: t.Seconds, P: t.P, Buckets: []BaselineBucket{}}
	if !t.At.IsZero() {
		v.At, v.Before, v.After = &t.At, baselineLevel(t.Before), baselineLevel(t.After)
	}
	for _, k := range b.Buckets {
		v.Buckets = append(v.Buckets, BaselineBucket(k))
	}
	return v
}

func baselineLevel(l baseline.Level) *BaselineLevel {
	return &BaselineLevel{l.Seconds, l.Operations, l.Bytes, l.Latency}
}
