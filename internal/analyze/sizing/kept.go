package sizing

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/realiops/realiops/internal/analyze/counts"
	"github.com/realiops/realiops/internal/metric"
	"github.com/realiops/realiops/internal/runfile"
	"github.com/realiops/realiops/internal/series"
)

// Kept are the metrics by which a source that keeps nothing but periods tells what storage did. Flushes are among its writes.
type Kept struct{ Reads, Writes, ReadBytes, WriteBytes string }

// OfInstance is what CloudWatch tells of an instance of RDS. On Aurora the same names are about WAL records.
func OfInstance() Kept {
	return Kept{metric.CloudWatchReadIOPS, metric.CloudWatchWriteIOPS, metric.CloudWatchReadThroughput, metric.CloudWatchWriteThroughput}
}

// OfDisk is what a kernel tells of a disk.
func OfDisk() Kept {
	return Kept{metric.BlockReads, metric.BlockWrites, metric.BlockReadBytes, metric.BlockWriteBytes}
}

// Metrics are their names.
func (k Kept) Metrics() []string { return []string{k.Reads, k.Writes, k.ReadBytes, k.WriteBytes} }

// device is the same, without flushes to be told apart.
func (k Kept) device() device {
	d := deviceOf(k.Reads, k.Writes, "", k.ReadBytes, k.WriteBytes)
	d.dataAlone = true
	d.metrics = slices.DeleteFunc(d.metrics, func(m deviceMetric) bool { return m.name == "" })
	return d
}

// NoVolume is the reason for a need that is none of a volume, or of which that is not known.
const NoVolume series.Reason = "no-volume"

// keptOf finds which of them a run has, or why what it has is about no volume.
func keptOf(run *counts.Run) (Kept, *series.Missing) {
	missing := func(why string) (Kept, *series.Missing) {
		return Kept{}, &series.Missing{Reason: NoVolume, Detail: why}
	}
	if _, is := run.Counter(metric.BlockWrites); is {
		return OfDisk(), nil
	}
	switch flavor := run.Header.Target.Flavor; {
	case flavor == "aurora":
		return missing("Aurora's storage is not ordered by size or rate: realiops aws cost says what it costs")
	case flavor != "rds":
		return missing("whether it is RDS or Aurora, on which WriteIOPS counts WAL records, is not known: realiops history takes --flavor")
	}
	return OfInstance(), nil
}

// needOfPeriods is what a history of periods tells: on average over all of it, and of each period the highest that its source knows.
func needOfPeriods(run *counts.Run, load counts.Load) Need {
	n := Need{Load: load.Name, Repetitions: len(load.Repetitions)}
	kept, missing := keptOf(run)
	if missing == nil {
		missing = n.measure(load, kept.device())
	}
	if n.Missing = missing; missing == nil {
		n.Seconds = kept.device().highest(run, run.Observed.Period)
		n.summarize(run.Observed.Period, nil)
	}
	return n
}

// highest are the rates of all periods of which each metric is known, one after the other. Shorter ones are put together.
func (d device) highest(run *counts.Run, length time.Duration) []Rate {
	var all []Rate
	places, known := map[time.Time]int{}, map[time.Time]int{}
	for _, m := range d.metrics {
		levels := run.Rates(m.name, runfile.Maximum)
		if len(levels) == 0 {
			levels = run.Rates(m.name, runfile.Average)
		}
		covered := map[time.Time]time.Duration{}
		for _, l := range levels {
			at := series.PeriodDown(l.From, length)
			if _, is := places[at]; !is {
				places[at] = len(all)
				all = append(all, Rate{})
			}
			v := m.field(&all[places[at]])
			*v = max(*v, l.Value)
			covered[at] += l.To.Sub(l.From)
		}
		for at, of := range covered {
			if float64(of) >= runfile.MostOfHour*float64(length) {
				known[at]++
			}
		}
	}
	var whole []Rate
	for _, at := range slices.SortedFunc(maps.Keys(places), time.Time.Compare) {
		if known[at] == len(d.metrics) {
			whole = append(whole, d.withoutFlushes(all[places[at]]))
		}
	}
	return whole
}

// Stretches is what people call one stretch of so long, and several.
func Stretches(length time.Duration) (one, several string) {
	switch {
	case length == time.Second:
		return "second", "seconds"
	case length == time.Minute:
		return "minute", "minutes"
	case length == time.Hour:
		return "hour", "hours"
	}
	if one = fmt.Sprintf("%.0f minutes", length.Minutes()); length < time.Minute {
		one = fmt.Sprintf("%.0f seconds", length.Seconds())
	}
	return one, "stretches of " + one
}
