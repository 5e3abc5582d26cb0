package baseline

import (
	"errors"
	"fmt"
	"math"

	"github.com/realiops/realiops/internal/analyze/catalog"
	"github.com/realiops/realiops/internal/analyze/counts"
	"github.com/realiops/realiops/internal/analyze/sizing/figures"
	"github.com/realiops/realiops/internal/analyze/sizing/needs"
	"github.com/realiops/realiops/internal/metric"
	"github.com/realiops/realiops/internal/printable"
	"github.com/realiops/realiops/internal/runfile"
	"github.com/realiops/realiops/internal/series"
)

// Baseline holds the performance of storage.
type Baseline struct {
	Facts    runfile.Baseline
	Rows     []Row
	LeftOut  []LeftOut
	Buffered *Buffered // nil: not shown
	Throttle *Throttle // nil: not waited for
	Warnings []string
}

// LeftOut is a job without a result.
type LeftOut struct {
	Job string `json:"job"`
	Why string `json:"why"`
}

// Row is one job, by fio and by the kernel.
type Row struct {
	Load    runfile.Load
	Seconds float64
	Fio     Side
	Device  *Side           // nil: see Missing
	Missing *series.Missing // why the device is unknown
	// Factor is the number of requests of the device per operation of fio, without flushes, and Flushed the number of
	// its flushes per flush of fio; NaN: fio did none.
	Factor, Flushed float64
	Findings        []string
}

// Side is the work by one of the two counts. Rates are per second. Work that did not occur is 0, and its latency NaN.
type Side struct {
	Rate               needs.Rate
	Merged             float64 // requests merged into others; fio merges none
	Read, Write, Flush Latency
	Queue              float64 // mean operations in flight
	Busy               float64 // share of the time with at least one in flight; NaN: unknown
	// total of the kernel's requests, including flushes and background; for fio, operations
	Counted  int64
	Slowest  float64 // seconds; NaN: unknown
	Elapsed  float64 // seconds that Counted covers
	HasFlush bool    // flushes are counted
}

// Latency is the latency of one kind of operation, in seconds. Unknown percentiles are NaN, and null in JSON.
type Latency struct {
	Mean float64 `json:"mean"`
	P50  float64 `json:"p50"`
	P95  float64 `json:"p95"`
	P99  float64 `json:"p99"`
	P999 float64 `json:"p999"`
}

// Is reports whether a run measured storage alone.
func Is(run *counts.Run) bool { return run.Header.Baseline != nil }

// ErrNone is the error for a run that is no baseline.
var ErrNone = errors.New("this run loaded a database, not storage alone; use a run of realiops baseline")

// FromRun returns the baseline that a run measured.
func FromRun(run *counts.Run) (Baseline, error) {
	if !Is(run) {
		return Baseline{}, ErrNone
	}
	b := Baseline{Facts: *run.Header.Baseline}
	for _, load := range run.Loads {
		for _, out := range load.LeftOut {
			b.LeftOut = append(b.LeftOut, LeftOut{load.Name, out.Why})
		}
		if len(load.Repetitions)+len(load.LeftOut) == 0 && !load.Idle() {
			b.LeftOut = append(b.LeftOut, LeftOut{load.Name, "never run"})
		}
		for _, r := range load.Repetitions {
			if load.Idle() {
				continue
			}
			if err := fioMissing(r); err != nil {
				b.LeftOut = append(b.LeftOut, LeftOut{load.Name, "fio's figures are missing (" + err.Error() + ")"})
				continue
			}
			row := rowOf(run, load, r)
			if row.Fio.Counted == 0 {
				b.LeftOut = append(b.LeftOut, LeftOut{load.Name, fmt.Sprintf("fio did no operation in %.0f s", r.Seconds)})
				continue
			}
			b.Rows = append(b.Rows, row)
		}
	}
	b.warn(run)
	b.Buffered = b.buffered(run)
	b.throttle(run)
	return b, nil
}

func rowOf(run *counts.Run, load counts.Load, r counts.Repetition) Row {
	row := Row{Load: load.Load, Seconds: r.Seconds, Fio: fioSide(run, r), Factor: math.NaN(), Flushed: math.NaN()}
	device, missing := deviceSide(r)
	if row.Missing = missing; missing == nil {
		row.Device = &device
		row.Factor = device.Rate.Requests() / row.Fio.Rate.Requests()
		if row.Fio.Rate.Flushes > 0 && device.HasFlush {
			row.Flushed = device.Rate.Flushes / row.Fio.Rate.Flushes
		}
	}
	row.check(r)
	return row
}

// fioMissing returns why one of fio's counts is unknown; nil if none is.
func fioMissing(r counts.Repetition) error {
	for _, name := range []string{metric.FioReads, metric.FioWrites, metric.FioSyncs, metric.FioReadBytes,
		metric.FioWriteBytes, metric.FioReadTime, metric.FioWriteTime, metric.FioSyncTime} {
		if _, err := r.Count(name); err != nil {
			return err
		}
	}
	return nil
}

// fioSide returns fio's figures. Its counts begin and end with the job, so they have no background.
func fioSide(run *counts.Run, r counts.Repetition) Side {
	count := func(name string) float64 { return r.Counts["fio/"+name].Raw }
	level := func(name string) float64 {
		p, err := run.Series("fio/" + name).Before(r.End)
		if err != nil || p.At.Before(r.Begin) {
			return math.NaN()
		}
		return p.Value
	}
	latency := func(name string) Latency {
		n := count(name + "s")
		if n == 0 {
			return Latency{math.NaN(), math.NaN(), math.NaN(), math.NaN(), math.NaN()}
		}
		return Latency{count(name+"_time") / n, level(name + "_p50"), level(name + "_p95"), level(name + "_p99"),
			level(name + "_p999")}
	}
	s := Side{
		Rate: needs.Rate{
			Reads: count("reads"), Writes: count("writes"), Flushes: count("syncs"), ReadBytes: count("read_bytes"),
			WriteBytes: count("write_bytes"),
		}.Times(1 / r.Seconds),
		Read: latency("read"), Write: latency("write"), Flush: latency("sync"), Busy: math.NaN(), Elapsed: r.Seconds,
		HasFlush: true, Queue: (count("read_time") + count("write_time") + count("sync_time")) / r.Seconds,
		Counted: int64(count("reads") + count("writes")), Slowest: math.NaN(),
	}
	for _, name := range []string{"read_max", "write_max", "sync_max"} {
		if v := level(name); !math.IsNaN(v) && !(s.Slowest >= v) {
			s.Slowest = v
		}
	}
	return s
}

func deviceSide(r counts.Repetition) (Side, *series.Missing) {
	var missing *series.Missing
	counted := func(name string, raw bool) float64 {
		v, err := r.Count("block/" + name)
		if why, ok := errors.AsType[*series.Missing](err); ok && missing == nil {
			missing = why
		}
		if raw {
			v = r.Counts["block/"+name].Raw
		}
		return max(0, v)
	}
	own := func(name string) float64 { return counted(name, false) }
	raw := func(name string) float64 { return counted(name, true) }
	s := Side{
		Rate: needs.Rate{Reads: own("reads"), ReadBytes: own("read_bytes"), WriteBytes: own("write_bytes")}.Times(
			1 / r.Seconds),
		Merged: (own("reads_merged") + own("writes_merged")) / r.Seconds, Slowest: math.NaN(),
		Read: mean(raw("read_time"), raw("reads")), Write: mean(raw("write_time"), raw("writes")),
		Queue: own("weighted_time") / r.Seconds, Busy: min(1, own("io_time")/r.Seconds),
		Counted: int64(raw("reads") + raw("writes")), Elapsed: r.Counts[metric.BlockWrites].Seconds,
	}
	writes := own("writes")
	if missing != nil {
		return Side{}, missing
	}
	s.Flush = mean(0, 0)
	if flushes, err := r.Count(metric.BlockFlushes); err == nil {
		s.HasFlush, s.Rate.Flushes = true, max(0, flushes)/r.Seconds
		s.Flush = mean(timed(r, "flush_time", "flushes"), r.Counts[metric.BlockFlushes].Raw)
		writes = max(0, metric.Requests(writes, flushes))
	}
	s.Rate.Writes = writes / r.Seconds
	s.leaveOut()
	return s, nil
}

// timed returns how long requests of a kind took, background included; NaN: they were counted, and their time was not.
func timed(r counts.Repetition, time, requests string) float64 {
	if _, err := r.Count("block/" + time); err != nil && r.Counts["block/"+requests].Raw > 0 {
		return math.NaN()
	}
	return r.Counts["block/"+time].Raw
}

// leaveOut drops the latencies of operations that the job hardly did: they are from others.
func (s *Side) leaveOut() {
	const hardly = 0.01
	all := s.Rate.Requests() + s.Rate.Flushes
	for _, kind := range []struct {
		rate float64
		of   *Latency
	}{{s.Rate.Reads, &s.Read}, {s.Rate.Writes, &s.Write}, {s.Rate.Flushes, &s.Flush}} {
		if kind.rate < hardly*all {
			*kind.of = mean(0, 0)
		}
	}
}

// mean returns the latency of a kind of request for which the kernel keeps only sums.
func mean(time, n float64) Latency {
	l := Latency{math.NaN(), math.NaN(), math.NaN(), math.NaN(), math.NaN()}
	if n > 0 {
		l.Mean = time / n
	}
	return l
}

// fewestInFlight is the share of the requested depth that must have been in flight.
const fewestInFlight = 0.8

// check checks a row against Little's law, on both sides.
func (r *Row) check(repetition counts.Repetition) {
	syncsEach := r.Fio.Rate.Reads == 0 && r.Fio.Rate.Flushes >= 0.9*r.Fio.Rate.Writes
	if r.Load.Buffered && r.Load.Name != bufferedLoad && !syncsEach {
		r.Findings = append(r.Findings, "the job has no direct=1, so it went through the page cache, and fio's figures "+
			"partly measure memory; go by the device's figures")
	}
	if depth := float64(r.Load.Depth); depth > 0 && !r.Load.Buffered && r.Fio.Queue < fewestInFlight*depth {
		r.Findings = append(r.Findings,
			fmt.Sprintf("fio kept %.1f operations in flight instead of %.0f, so not only storage limited "+
				"it", r.Fio.Queue, depth))
	}
	if d := r.Device; d != nil {
		const noticed = 0.1 // share of others' requests worth mentioning
		reads, writes := repetition.Counts[metric.BlockReads], repetition.Counts[metric.BlockWrites]
		if share := 1 - (reads.Amount+writes.Amount)/(reads.Raw+writes.Raw); share > noticed { // the background's share
			r.Findings = append(r.Findings,
				fmt.Sprintf("%.0f%% of the device's requests match the rate of other programs before the job, and "+
					"were subtracted", 100*share))
		}
		// The kernel's own sums, background included.
		raw := func(name string) float64 { return repetition.Counts["block/"+name].Raw }
		n, seconds := raw("reads")+raw("writes"), repetition.Counts[metric.BlockWrites].Seconds
		f := figures.None()
		f.Operations, f.Latency = n/seconds, (raw("read_time")+raw("write_time")+
			timed(repetition, "flush_time", "flushes")+timed(repetition, "discard_time", "discards"))/n
		f.Queue = raw("weighted_time") / seconds
		for _, finding := range f.Check() {
			r.Findings = append(r.Findings, "of the device: "+finding.Text)
		}
		if d.Queue > r.Fio.Queue*1.25+1 && !r.Load.Buffered {
			r.Findings = append(r.Findings,
				fmt.Sprintf("the device had %.1f requests in flight and fio %.1f operations, so other programs "+
					"used it, too", d.Queue, r.Fio.Queue))
		}
	}
}

func (b *Baseline) warn(run *counts.Run) {
	add := func(format string, args ...any) { b.Warnings = append(b.Warnings, fmt.Sprintf(format, args...)) }
	storage := run.Header.Target.Storage
	if storage.RAM {
		add("%s is in memory (%s): nothing reached a disk, so nothing here measures storage.", storage.Directory,
			storage.FileSystem)
	}
	if text := storage.CachedText(); text != "" {
		add("%s", text)
	}
	if !b.Facts.Direct {
		add("The file system (%s) has no direct I/O: reads and writes went through the page cache, so fio's "+
			"figures partly measure memory. Go by the device's figures.", storage.FileSystem)
	}
	if busy := run.Idle.PerSecond[metric.BlockReads] + run.Idle.PerSecond[metric.BlockWrites]; busy >= 10 {
		add("Other programs use the device: %s requests/s without any job. These are subtracted from the counts, but "+
			"they made the device slower.", printable.Count(busy))
	}
	if run.Ended == nil {
		add("The run was cut off.")
	} else if run.Ended.Status != runfile.Complete {
		add("The run failed: %s.", run.Ended.Cause)
	}
}

func (b *Baseline) throttle(run *counts.Run) {
	if b.Facts.UntilThrottled == 0 || len(b.Rows) == 0 {
		return
	}
	for _, load := range run.Loads {
		for _, r := range load.Repetitions {
			if !load.Idle() {
				b.Throttle = new(Throttled(PointsOf(run, r)))
			}
		}
	}
	if b.Throttle == nil || !b.Throttle.Found {
		return
	}
	b.Throttle.Buckets = BucketsOf(*b.Throttle, catalog.Volumes(), catalog.Instances())
}

// PointsOf returns the seconds of a job, as reported by fio.
func PointsOf(run *counts.Run, r counts.Repetition) (all []Point) {
	sum := func(c series.Change, metrics ...string) (sum float64, err error) {
		for _, metric := range metrics {
			delta, err := run.Series(metric).Delta(c.From.Add(1), c.To.Add(1))
			if err != nil {
				return 0, err
			}
			sum += delta.Amount
		}
		return sum, nil
	}
	for change, err := range run.Series(metric.FioWrites).Changes(r.Begin, r.End) {
		if err != nil || change.Seconds() < 0.5 || change.Seconds() > 2 {
			continue
		}
		n, err := sum(change, metric.FioReads, metric.FioWrites)
		time, errTime := sum(change, metric.FioReadTime, metric.FioWriteTime, metric.FioSyncTime)
		bytes, errBytes := sum(change, metric.FioReadBytes, metric.FioWriteBytes)
		if errors.Join(err, errTime, errBytes) != nil {
			continue
		}
		all = append(all, Point{
			At: change.To, Seconds: change.To.Sub(r.Begin).Seconds(), Operations: n / change.Seconds(),
			Latency: time / n, Bytes: bytes / change.Seconds(),
		})
	}
	return all
}

// Row returns the job with the given name.
func (b Baseline) Row(name string) (Row, bool) {
	for _, r := range b.Rows {
		if r.Load.Name == name {
			return r, true
		}
	}
	return Row{}, false
}
