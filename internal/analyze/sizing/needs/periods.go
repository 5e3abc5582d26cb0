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

// Hole is the time of an observation in which storage was not read.
type Hole struct {
	Lost, Of time.Duration

	longest runfile.Stretch
	lacking []string // metrics that lack more of the time than another one
}

// HoleIn adds up the time of an observation, or of the time requested from a source, in which a number of the need was
// not read.
func HoleIn(run *counts.Run) (h Hole) {
	if run == nil || run.Observed == nil {
		return h
	}
	known, missed := readIn(run)
	if len(known) == 0 {
		return h
	}
	from, to := known[0].From, known[len(known)-1].To
	begin, end := about(run)
	lose := func(from, to time.Time, least time.Duration) {
		if lost := to.Sub(from); lost > least {
			h.Lost += lost
			if lost > h.longest.To.Sub(h.longest.From) {
				h.longest = runfile.Stretch{From: from, To: to}
			}
		}
	}
	lose(begin, from, missed)
	for i, s := range known[1:] {
		lose(known[i].To, s.From, 0)
	}
	lose(to, end, missed)
	h.Of = series.Later(to, end).Sub(series.Earlier(from, begin))
	h.lacking = lacking(run)
	return h
}

// lacking returns the metrics of a source with periods that are known for less time than another one.
func lacking(run *counts.Run) []string {
	metrics, missing := ioMetricsOf(run)
	if run.Observed.Period == 0 || missing != nil {
		return nil
	}
	known, most := map[string]time.Duration{}, time.Duration(0)
	for _, name := range metrics.Names() {
		for _, s := range knownOf(run, name) {
			known[name] += s.To.Sub(s.From)
		}
		most = max(most, known[name])
	}
	return slices.DeleteFunc(metrics.Names(), func(name string) bool { return known[name] == most })
}

// knownOf returns the stretches in which a source with periods has all that it has of a metric: the need is made of the
// highest, and the mean and the worst hour of the means.
func knownOf(run *counts.Run, name string) []runfile.Stretch {
	return commonStretches(statisticsOf(run, name), func(statistic string) (all []runfile.Stretch) {
		for _, l := range run.Rates(name, statistic) {
			all = append(all, runfile.Stretch{From: l.From, To: l.To})
		}
		return all
	})
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

// about returns the time that an observation covers, as far as its file says.
func about(run *counts.Run) (from, to time.Time) {
	if a := run.Header.Asked; a != nil {
		return a.From, a.To
	}
	from, to = run.Header.Start, run.Header.Start
	if run.Ended != nil {
		to = run.Ended.At
	}
	return from, to
}

// readIn returns, in order, the stretches of an observation in which all storage numbers were read, and how much may be
// missing at either end without a loss.
func readIn(run *counts.Run) (all []runfile.Stretch, missed time.Duration) {
	if length := run.Observed.Period; length > 0 {
		metrics, missing := ioMetricsOf(run)
		if missing != nil {
			return nil, 0
		}
		return commonStretches(metrics.Names(), func(name string) []runfile.Stretch { return knownOf(run, name) }), length - 1
	}
	most := time.Duration(mostOfWindow * float64(run.Observed.Window))
	read := slices.DeleteFunc(append(OfDisk().Names(), metric.BlockFlushes), func(name string) bool {
		_, ok := run.Counter(name)
		return !ok
	})
	return commonStretches(read, func(name string) (all []runfile.Stretch) {
		for change, err := range run.Series(name).Changes(time.Unix(0, 0), time.Unix(1<<33, 0)) {
			if err == nil && change.To.Sub(change.From) <= most {
				all = append(all, runfile.Stretch{From: change.From, To: change.To})
			}
		}
		return all
	}), most
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

func commonStretches(metrics []string, of func(metric string) []runfile.Stretch) (all []runfile.Stretch) {
	for i, name := range metrics {
		if stretches := joined(of(name)); i == 0 {
			all = stretches
		} else {
			all = common(all, stretches)
		}
	}
	return all
}

// joined merges consecutive or overlapping stretches.
func joined(all []runfile.Stretch) (whole []runfile.Stretch) {
	for _, s := range all {
		if n := len(whole); n > 0 && !s.From.After(whole[n-1].To) {
			whole[n-1].To = series.Later(whole[n-1].To, s.To)
			continue
		}
		whole = append(whole, s)
	}
	return whole
}

// common returns the intersection of two lists of stretches.
func common(a, b []runfile.Stretch) (both []runfile.Stretch) {
	for i, j := 0, 0; i < len(a) && j < len(b); {
		from, to := series.Later(a[i].From, b[j].From), series.Earlier(a[i].To, b[j].To)
		if from.Before(to) {
			both = append(both, runfile.Stretch{From: from, To: to})
		}
		if a[i].To.Before(b[j].To) {
			i++
		} else {
			j++
		}
	}
	return both
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

// String names the unknown times; empty if there are none.
func (h Hole) String() string {
	if h.Lost == 0 {
		return ""
	}
	format := "2006-01-02 15:04"
	if h.longest.To.Sub(h.longest.From) < time.Minute {
		format += ":05"
	}
	lost, are := printable.Largest(h.Lost), "are"
	if of := strings.Fields(lost); of[0] == "1" && len(of) == 2 {
		are = "is"
	}
	text := fmt.Sprintf("%s of these %s %s missing (the longest gap: %s to %s UTC)", lost, printable.Largest(h.Of), are,
		h.longest.From.UTC().Format(format), h.longest.To.UTC().Format(format))
	if len(h.lacking) > 0 {
		text += " for lack of " + strings.ReplaceAll(printable.Listed(h.lacking), metric.CloudWatch+"/", "")
	}
	return text
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
