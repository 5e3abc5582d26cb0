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
		levels := periodsOf(run, m.name)
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

// periodsOf returns the periods of a metric by the highest in each, or by their means where their source knows nothing else.
func periodsOf(run *counts.Run, name string) []counts.Level {
	if levels := run.Rates(name, runfile.Maximum); len(levels) > 0 {
		return levels
	}
	return run.Rates(name, runfile.Average)
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

// hole is the time of an observation in which storage was not read.
type hole struct {
	lost, of time.Duration
	from, to time.Time // its longest stretch
}

// holeIn adds up the stretches of an observation in which its writes were not read.
func holeIn(run *counts.Run) (h hole) {
	if run == nil || run.Observed == nil {
		return h
	}
	var first, last time.Time
	see := func(from, to time.Time) {
		if lost := from.Sub(last); !last.IsZero() && lost > 0 {
			h.lost += lost
			if lost > h.to.Sub(h.from) {
				h.from, h.to = last, from
			}
		}
		if first.IsZero() {
			first = from
		}
		if to.After(last) {
			last = to
		}
	}
	if run.Observed.Period > 0 {
		kept, missing := keptOf(run)
		if missing != nil {
			return h
		}
		for _, level := range periodsOf(run, kept.Writes) {
			see(level.From, level.To)
		}
	} else {
		most := time.Duration(mostOfWindow * float64(run.Observed.Window))
		for change, err := range run.Series(metric.BlockWrites).Changes(time.Unix(0, 0), time.Unix(1<<33, 0)) {
			if err == nil && change.To.Sub(change.From) <= most {
				see(change.From, change.To)
			}
		}
	}
	h.of = last.Sub(first)
	return h
}

// unseen warns where nothing is known of more time than the percentile leaves out.
func (s Sizing) unseen() (all []string) {
	seen := map[*counts.Run]bool{}
	for _, p := range s.Parts {
		if seen[p.Run] {
			continue
		}
		seen[p.Run] = true
		h := holeIn(p.Run)
		if h.of == 0 || h.lost.Seconds() <= (1-s.Ask.percentile()/100)*h.of.Seconds() {
			continue
		}
		const minutes = "2006-01-02 15:04"
		all = append(all, fmt.Sprintf("Nothing is known of %s of these %s (the longest hole: %s to %s UTC): if more was done then, this order is too small",
			spell(h.lost), spell(h.of), h.from.UTC().Format(minutes), h.to.UTC().Format(minutes)))
	}
	return all
}

// spell gives a length of time in the unit that people would use.
func spell(d time.Duration) string {
	switch {
	case d >= 2*time.Hour:
		return fmt.Sprintf("%.0f h", d.Hours())
	case d >= 2*time.Minute:
		return fmt.Sprintf("%.0f min", d.Minutes())
	}
	return fmt.Sprintf("%.0f s", d.Seconds())
}
