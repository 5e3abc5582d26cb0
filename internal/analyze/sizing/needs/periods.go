package needs

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/realiops/realiops/internal/analyze/counts"
	"github.com/realiops/realiops/internal/metric"
	"github.com/realiops/realiops/internal/printable"
	"github.com/realiops/realiops/internal/runfile"
	"github.com/realiops/realiops/internal/series"
)

// IOMetrics names the metrics of storage work of a source with only periods. Its writes include flushes.
type IOMetrics struct{ Reads, Writes, ReadBytes, WriteBytes string }

// OfInstance returns CloudWatch's metrics of an RDS instance. On Aurora the same names count WAL records.
func OfInstance() IOMetrics {
	return IOMetrics{metric.CloudWatchReadIOPS, metric.CloudWatchWriteIOPS, metric.CloudWatchReadThroughput,
		metric.CloudWatchWriteThroughput}
}

// OfDisk returns the kernel's metrics of a disk.
func OfDisk() IOMetrics {
	return IOMetrics{metric.BlockReads, metric.BlockWrites, metric.BlockReadBytes, metric.BlockWriteBytes}
}

// Names returns all four names.
func (k IOMetrics) Names() []string { return []string{k.Reads, k.Writes, k.ReadBytes, k.WriteBytes} }

// device returns the metrics as a device without separate flushes.
func (k IOMetrics) device() device {
	d := deviceOf(k.Reads, k.Writes, "", k.ReadBytes, k.WriteBytes)
	d.dataAlone = true
	d.metrics = slices.DeleteFunc(d.metrics, func(m deviceMetric) bool { return m.name == "" })
	return d
}

// NoVolume is the reason for a need that is not of a volume, or may not be.
const NoVolume series.Reason = "no-volume"

// ioMetricsOf returns the metrics that a run has, or why they are about no volume.
func ioMetricsOf(run *counts.Run) (IOMetrics, *series.Missing) {
	missing := func(why string) (IOMetrics, *series.Missing) {
		return IOMetrics{}, &series.Missing{Reason: NoVolume, Detail: why}
	}
	if _, ok := run.Counter(metric.BlockWrites); ok {
		return OfDisk(), nil
	}
	switch flavor := run.Header.Target.Flavor; {
	case flavor == "aurora":
		return missing("Aurora's storage is not ordered by size or rate; realiops aws cost works out its cost")
	case flavor != "rds":
		return missing("whether it is RDS or Aurora is unknown, and on Aurora WriteIOPS counts WAL records: pass " +
			"--flavor to realiops history")
	}
	return OfInstance(), nil
}

// needOfPeriods returns the need in a history of periods: the mean over all of it, and the highest rate known of each
// period.
func needOfPeriods(run *counts.Run, load counts.Load) Need {
	n := Need{Load: load.Name, Repetitions: len(load.Repetitions)}
	metrics, missing := ioMetricsOf(run)
	if missing == nil {
		known := metrics.device().knownIn(load)
		n.Repetitions = len(known.Repetitions)
		missing = n.measure(known, metrics.device())
	}
	if n.Missing = missing; missing == nil {
		n.Seconds, _ = metrics.device().highest(run, run.Observed.Period)
		n.summarize(run.Observed.Period, nil)
	}
	return n
}

// knownIn returns a load of an observation in the windows that have every metric of the device, or as it is if none
// has.
func (d device) knownIn(load counts.Load) counts.Load {
	known := load
	known.Repetitions = nil
	for _, r := range load.Repetitions {
		sum := counts.Repetition{Number: r.Number, Begin: r.Begin, End: r.End, Counts: map[string]counts.Count{}}
		for _, w := range r.Windows {
			if _, missing := d.rateIn(load, w); missing != nil {
				continue
			}
			sum.Seconds += w.Seconds
			for _, m := range d.metrics {
				all, more := sum.Counts[m.name], w.Counts[m.name]
				sum.Counts[m.name] = counts.Count{Amount: all.Amount + more.Amount, Raw: all.Raw + more.Raw,
					Seconds: all.Seconds + more.Seconds}
			}
		}
		if len(sum.Counts) > 0 {
			known.Repetitions = append(known.Repetitions, sum)
		}
	}
	if len(known.Repetitions) == 0 {
		return load
	}
	return known
}

// Partly returns the rates of an observation's periods in which some of the numbers are unknown, and 0 here.
func Partly(run *counts.Run) []Rate {
	if run == nil || run.Observed == nil || run.Observed.Period == 0 {
		return nil
	}
	metrics, missing := ioMetricsOf(run)
	if missing != nil {
		return nil
	}
	_, partly := metrics.device().highest(run, run.Observed.Period)
	return partly
}

// highest returns the rates of all periods with every metric known, in order, and those of the others. Shorter periods
// are merged.
func (d device) highest(run *counts.Run, length time.Duration) (whole, partly []Rate) {
	var all []Rate
	places, known := map[time.Time]int{}, map[time.Time]int{}
	for _, m := range d.metrics {
		levels := periodsOf(run, m.name)
		covered := map[time.Time]time.Duration{}
		for _, l := range levels {
			at := series.PeriodDown(l.From, length)
			if _, ok := places[at]; !ok {
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
	for _, at := range slices.SortedFunc(maps.Keys(places), time.Time.Compare) {
		if rate := d.withoutFlushes(all[places[at]]); known[at] == len(d.metrics) {
			whole = append(whole, rate)
		} else {
			partly = append(partly, rate)
		}
	}
	return whole, partly
}

// periodsOf returns the highest value of a metric in each period, or its mean if the source has nothing else.
func periodsOf(run *counts.Run, name string) []counts.Level {
	levels, _ := highest(run, name)
	return levels
}

// Rounding is the share by which a highest minute may be below the mean, since both come from different samples.
const Rounding = 0.01

// highest also returns the number of periods whose highest value is below their mean, which it replaces.
func highest(run *counts.Run, name string) (levels []counts.Level, below int) {
	means := run.Rates(name, runfile.Average)
	if levels = slices.Clone(run.Rates(name, runfile.Maximum)); len(levels) == 0 {
		return means, 0
	}
	of := map[int64]float64{}
	for _, l := range means {
		of[l.From.UnixNano()] = l.Value
	}
	for i := range levels {
		mean := of[levels[i].From.UnixNano()]
		if levels[i].Value < (1-Rounding)*mean {
			below++
		}
		levels[i].Value = max(levels[i].Value, mean)
	}
	return levels, below
}

// LowMaxima names the metrics with periods whose highest value is below their mean, which is impossible; empty if there
// are none.
func LowMaxima(run *counts.Run) string {
	metrics, missing := ioMetricsOf(run)
	if run.Observed == nil || missing != nil {
		return ""
	}
	names := slices.DeleteFunc(metrics.Names(), func(name string) bool {
		_, below := highest(run, name)
		return below == 0
	})
	if len(names) == 0 {
		return ""
	}
	return "At times the Maximum of " + strings.ReplaceAll(strings.Join(names, ", "), metric.CloudWatch+"/", "") +
		" is below the mean, which is impossible: there the order is for the mean, and may be too small"
}

// statisticsOf returns what a run has of a metric: the highest in each period, and their means.
func statisticsOf(run *counts.Run, name string) []string {
	return slices.DeleteFunc([]string{runfile.Maximum, runfile.Average}, func(statistic string) bool {
		return len(run.Rates(name, statistic)) == 0
	})
}

// Stretches returns the usual name of a length of time, singular and plural.
func Stretches(length time.Duration) (singular, plural string) {
	switch {
	case length == time.Second:
		return "second", "seconds"
	case length == time.Minute:
		return "minute", "minutes"
	case length == time.Hour:
		return "hour", "hours"
	}
	if singular = fmt.Sprintf("%.0f minutes", length.Minutes()); length%time.Minute != 0 {
		singular = fmt.Sprintf("%.0f seconds", length.Seconds())
	}
	return singular, "stretches of " + singular
}

// ReadsUnread names what the run lacks of the reads of a disk, and the need takes for 0. Empty: nothing, or nothing of
// the disk was read and the load, our own, needed few pages.
func (n Need) ReadsUnread(run *counts.Run) string {
	disk := OfDisk()
	lacks := func(name string) bool {
		_, seen := run.Counter(name)
		return !seen
	}
	modelled := n.Model != nil && n.Model.Reason != Others
	switch o := run.Observed; {
	case o == nil && (n.PagesAsked == nil || *n.PagesAsked < fewPages) && (modelled || lacks(disk.Writes)),
		o != nil && o.Period > 0 && lacks(disk.Writes):
		return ""
	case modelled || lacks(disk.Reads):
		return "Reads"
	case lacks(disk.ReadBytes):
		return "Bytes read"
	}
	return ""
}

// Everywhere returns what the disk did in each window of an observation, in a load or not; of all programs, or for the
// server's files alone.
func Everywhere(run *counts.Run, forServer bool) []Rate {
	if run == nil || run.Observed == nil || run.Observed.Period > 0 {
		return nil
	}
	d := wholeDevice(run)
	if forServer {
		d = ownRequests()
	}
	return d.stretches(run, time.Unix(0, 0), time.Unix(1<<33, 0), run.Observed.Window)
}

// MeansAlone says that windows are longer than minutes, or names the metrics without maxima by the minute from
// CloudWatch; empty if there are none, or periods are minutes.
func MeansAlone(run *counts.Run) string {
	if o := run.Observed; o != nil && o.Period == 0 && o.Window > time.Minute {
		return fmt.Sprintf("The busiest minutes are unknown, only means over %s: the order may be too small for them",
			printable.Largest(o.Window))
	}
	metrics, missing := ioMetricsOf(run)
	if run.Observed == nil || run.Observed.Period <= time.Minute || missing != nil || metrics == OfDisk() {
		return ""
	}
	asked := func(name string) bool { return len(run.Rates(name, runfile.Maximum)) > 0 }
	names := slices.DeleteFunc(metrics.Names(), asked)
	if len(names) == 0 {
		return ""
	}
	return fmt.Sprintf("The busiest minutes of %s are unknown, only means over %s: the order may be too small for them",
		strings.ReplaceAll(strings.Join(names, ", "), metric.CloudWatch+"/", ""), printable.Largest(run.Observed.Period))
}

// Hourly returns the highest of each number in each hour from first on, by the periods of a source, and how many
// numbers are known.
func (k IOMetrics) Hourly(run *counts.Run, first time.Time, hours int) (rates []Rate, known []int) {
	rates, known = make([]Rate, hours), make([]int, hours)
	for _, m := range k.device().metrics {
		seen := map[int]bool{}
		for _, l := range periodsOf(run, m.name) {
			at := int(l.From.Sub(first) / time.Hour)
			if l.From.Before(first) || at >= hours {
				continue
			}
			*m.field(&rates[at]) = max(*m.field(&rates[at]), l.Value)
			if !seen[at] {
				seen[at], known[at] = true, known[at]+1
			}
		}
	}
	return rates, known
}
