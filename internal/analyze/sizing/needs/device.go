package needs

import (
	"math"
	"slices"
	"strings"

	"github.com/realiops/realiops/internal/analyze/counts"
	"github.com/realiops/realiops/internal/metric"
	"github.com/realiops/realiops/internal/runfile"
	"github.com/realiops/realiops/internal/series"
)

// device names the metrics of a device's work: its own counters, or its requests for the server's files alone.
type device struct {
	metrics   []deviceMetric
	writes    string // the metric of writes
	flushes   string // the metric of flushes; empty: not counted
	dataAlone bool   // flushes are not among the writes, or cannot be separated from them
}

// deviceMetric is a metric of the device, and the field for its rate.
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

// counted returns the kernel's counters, under names that stand for all disks. Before Linux 5.5 it does not count
// flushes separately: they are among the writes.
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

// readIn returns the need of a load, still without figures, and the load with the repetitions in which the device was
// read; with all of them if it was read in none.
func (d device) readIn(load counts.Load) (*Need, counts.Load) {
	n, read := &Need{Load: load.Name, Repetitions: len(load.Repetitions)}, load
	read.Repetitions = slices.DeleteFunc(slices.Clone(load.Repetitions), func(r counts.Repetition) bool {
		_, why := d.rateIn(load, r)
		return why != nil && why.Reason != Background
	})
	if len(read.Repetitions) == 0 {
		return n, load
	}
	n.Repetitions, n.Unread = len(read.Repetitions), n.Repetitions-len(read.Repetitions)
	return n, read
}

// rateIn is rateOf for a repetition of a load as it was run.
func (d device) rateIn(load counts.Load, r counts.Repetition) (Rate, *series.Missing) {
	return d.rateOf(load, r, load.Job != "" || readsAlone(r))
}

// rateOf returns a repetition's rate of storage requests. A load that writes may lack reads in the record; they are
// then 0. A job on storage alone, and a load that only reads, may write less than the background without an error.
func (d device) rateOf(load counts.Load, r counts.Repetition, alone bool) (Rate, *series.Missing) {
	var rate Rate
	for _, m := range d.metrics {
		count, err := r.Count(m.name)
		switch why := reason(err); {
		case why != nil && mayMiss(m.name) && why.Reason == counts.NotRecorded:
			continue
		case why != nil && why.Reason == counts.NoPeriod:
			return Rate{}, &series.Missing{Reason: why.Reason, Detail: "no whole period of " +
				metric.Printed(m.name, 0) + " lies inside"}
		case why != nil:
			return Rate{}, why
		case count < 0 && r.Counts[m.name].Raw > 0 && !mayMiss(m.name) && !alone:
			return Rate{}, background()
		}
		seconds := r.Seconds
		if own := r.Counts[m.name].Seconds; load.Method == runfile.Observed && own > 0 {
			seconds = own // the server's other counters may cover more time
		}
		*m.field(&rate) = max(0, count/seconds)
	}
	if !d.dataAlone && rate.Writes < rate.Flushes && !alone {
		return Rate{}, background()
	}
	return d.withoutFlushes(rate), nil
}

// readsAlone reports whether the clients read rows and wrote none.
func readsAlone(r counts.Repetition) bool { return r.Work.Returned > 0 && r.Work.Rows == 0 }

// withoutFlushes takes flushes out of the writes, if they can be separated.
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

// ownNeed returns the device's work for this server's files, if all its requests were traced; nil if unknown. If it is
// less than half of the server's own count of writes, files were missed and it is not used.
func ownNeed(run *counts.Run, load counts.Load) *Need {
	n := &Need{Load: load.Name, Repetitions: len(load.Repetitions), ForServer: true}
	// on the server's own device, the journal counts too
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
		n, read := d.readIn(load)
		if n.Missing = n.measure(read, d); n.Missing == nil {
			n.readSeconds(run, read, d)
			n.Rows = logical(read, metric.RowsWritten)
		}
		all = append(all, *n)
	}
	return all
}
