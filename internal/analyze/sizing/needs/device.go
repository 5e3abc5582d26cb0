package needs

import (
	"math"
	"slices"
	"strings"

	"github.com/realiops/realiops/internal/analyze/counts"
	"github.com/realiops/realiops/internal/metric"
)

// device names the metrics of a device's work: its own counters, or its requests for the server's files alone.
type device struct {
	metrics   []deviceMetric
	writes    string // the metric of them
	flushes   string // likewise; empty: it does not tell
	dataAlone bool   // flushes are not among the writes, or cannot be told from them
}

// deviceMetric is a metric of the device, and where its rate goes.
type deviceMetric struct {
	name  string
	field func(*Rate) *float64
}

func deviceOf(reads, writes, flushes, readBytes, writeBytes string) device {
	return device{writes: writes, flushes: flushes, metrics: []deviceMetric{
		{reads, func(r *Rate) *float64 { return &r.Reads }},
		{writes, func(r *Rate) *float64 { return &r.Writes }},
		{flushes, func(r *Rate) *float64 { return &r.Flushes }},
		{readBytes, func(r *Rate) *float64 { return &r.ReadBytes }},
		{writeBytes, func(r *Rate) *float64 { return &r.WriteBytes }},
	}}
}

func wholeDevice(run *counts.Run) device {
	return counted(run, func(metric string) string { return metric })
}

// counted returns what the kernel counts under the names that stand for those of all disks. Before Linux 5.5 it counts
// no flushes by themselves: they are among the writes.
func counted(run *counts.Run, name func(string) string) device {
	k := OfDisk()
	k = IOMetrics{name(k.Reads), name(k.Writes), name(k.ReadBytes), name(k.WriteBytes)}
	if _, counted := run.Counter(name(metric.BlockFlushes)); !counted {
		return k.device()
	}
	return deviceOf(k.Reads, k.Writes, name(metric.BlockFlushes), k.ReadBytes, k.WriteBytes)
}

func ownRequests() device {
	d := deviceOf(metric.ServerReads, metric.ServerWrites, metric.ServerFlushes, metric.ServerReadBytes,
		metric.ServerWriteBytes)
	d.dataAlone = true
	return d
}

// withoutFlushes leaves the writes that carry data, as far as flushes can be told from them.
func (d device) withoutFlushes(r Rate) Rate {
	if d.flushes == "" {
		r.Flushes = math.NaN()
	}
	if !d.dataAlone {
		r.Writes = max(0, metric.Requests(r.Writes, r.Flushes))
	}
	return r
}

// mayMiss reports whether a recording of writes may lack the metric: it counts reads.
func mayMiss(name string) bool {
	return strings.HasSuffix(name, "/reads") || strings.HasSuffix(name, "/read_bytes")
}

// ownNeed returns what the device did for this server's files, where its requests were followed to them and none was
// lost; nil: it is not known. Of what is written it is not believed where it is less than half of what the server
// itself counts: then files were not found.
func ownNeed(run *counts.Run, load counts.Load) *Need {
	n := &Need{Load: load.Name, Repetitions: len(load.Repetitions), ForServer: true}
	// a device of its own has the file system's journal, too
	if run.Header.Target.Storage.Own || n.measure(load, ownRequests()) != nil {
		return nil
	}
	for _, r := range load.Repetitions {
		if lost, err := r.Count(metric.RequestsLost); err != nil || lost > 0 {
			return nil
		}
	}
	if !slices.ContainsFunc(load.Repetitions, func(r counts.Repetition) bool { return !readsAlone(r) }) {
		return n
	}
	if n.estimateOnly(run, load) == nil && n.Mean.WriteBytes < askedOf(run, load).model.WriteBytes/modelOff {
		return nil
	}
	return n
}

// In returns the needs of all loads, by the kernel's counters of the devices under a role.
func In(run *counts.Run, role string) (all []Need) {
	d := counted(run, func(name string) string { return metric.InRole(role, name) })
	for _, load := range run.Loads {
		if load.Idle() || len(load.Repetitions) == 0 {
			continue
		}
		n := Need{Load: load.Name, Repetitions: len(load.Repetitions)}
		if n.Missing = n.measure(load, d); n.Missing == nil {
			n.readSeconds(run, load, d)
			n.Rows = logical(load, counts.Rows)
		}
		all = append(all, n)
	}
	return all
}
