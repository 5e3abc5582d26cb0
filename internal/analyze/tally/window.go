package tally

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"time"

	"github.com/realiops/realiops/internal/analyze/counts"
	"github.com/realiops/realiops/internal/analyze/tally/sieve"
	"github.com/realiops/realiops/internal/metric"
	"github.com/realiops/realiops/internal/printable"
	"github.com/realiops/realiops/internal/runfile"
	"github.com/realiops/realiops/internal/series"
)

// window is a stretch of an observation, with the growth of every counter.
type window struct {
	number     int64 // on the grid
	repetition counts.Repetition
}

// cutWindows returns all windows from the first to the last, each as long as the time between kept readings. It omits
// the windows of a very long hole, after which the observation went on days later, or a clock was set.
func (o observer) cutWindows() (all []window) {
	first, last, known := o.thin.Span()
	alone, phase := o.onlyPeriods(), time.Duration(0)
	if alone {
		begin, end, longest := o.spanOfPeriods()
		phase = o.phaseOfPeriods(longest)
		first, last, known = o.thin.Window(begin.Add(-phase)), o.thin.Window(end.Add(1-phase))-1, true
	}
	if !known {
		return nil
	}
	length := o.thin.Length
	readings := map[string]series.Series{}
	for _, m := range o.run.Counters {
		if m.Type == runfile.Counter {
			readings[m.Name] = o.Series(m.Name)
		}
	}
	var read []int64
	for row := range o.thin.Rows {
		read = append(read, (row.At.UnixNano()-1)/length)
	}
	slices.Sort(read)
	for k := first + 1; k <= last; k++ {
		i, found := slices.BinarySearch(read, k)
		if !found && i > 0 && i < len(read) && read[i]-read[i-1] > sieve.MostWindows {
			k = read[i]
		}
		begin, end := time.Unix(0, k*length).UTC().Add(phase), time.Unix(0, (k+1)*length).UTC().Add(phase)
		w := window{k, counts.Repetition{Begin: begin, End: end, Counts: map[string]counts.Count{}}}
		for name, s := range readings {
			w.repetition.Counts[name] = inWindow(s, begin, end, time.Duration(length))
		}
		w.repetition.Seconds = betweenReadings(w.repetition)
		w.ofOneTime()
		for metric := range o.stretched {
			if alone { // steps even out over a long time, and nothing is compared with it
				w.repetition.Counts[metric] = inPeriods(o.stretched[metric], begin, end, elapsed)
				continue
			}
			w.repetition.Counts[metric] = o.countIn(metric, begin, end, elapsed)
		}
		all = append(all, w)
	}
	return all
}

// ofOneTime scales all counts to the longest time that any of them covers, at their own rates. It drops counts that
// cover less than half of it, which do not stand for the whole window.
func (w window) ofOneTime() {
	for name, c := range w.repetition.Counts {
		part, late := c.Seconds/w.repetition.Seconds, "it was read over %.0f s of the window's %.0f"
		if c.Missing == nil && part < 1.0/2 {
			w.repetition.Counts[name] = counts.Count{Missing: &series.Missing{Reason: series.Reason(runfile.Late),
				Detail: fmt.Sprintf(late, c.Seconds, w.repetition.Seconds)}}
		} else if c.Missing == nil && part < 0.9 { // sources are never read at the same moment
			w.repetition.Counts[name] = counts.Count{Amount: c.Amount / part, Raw: c.Raw / part, Seconds: w.repetition.Seconds}
		}
	}
}

// inWindow returns a counter's growth in a window, if its readings are close enough to both ends. A reading at an end
// belongs to that moment.
func inWindow(s series.Series, begin, end time.Time, late time.Duration) counts.Count {
	change, err := s.Delta(begin.Add(1), end.Add(1))
	switch {
	case err != nil:
		return counts.Count{Missing: counts.WhyMissing(err)}
	case !change.From.After(begin.Add(-late)):
		return counts.Count{Missing: stale(change.From, "before the window began")}
	case !change.To.After(end.Add(-late)):
		return counts.Count{Missing: stale(change.To, "before the window ended")}
	}
	return counts.Count{Amount: change.Amount, Raw: change.Amount, Seconds: change.Seconds()}
}

// usually is the share of the windows with readings that must have a metric before windows without it are left out. A
// short observation with a restart, a reset and a failover has the row counters in less than half.
const usually = 0.25

// wholeWindows returns the windows that lack no usual metric. A restart, a reset or a pause of ours costs a window or
// two. A window without any counter read is left out, even if a provider's periods cover it. It records in made what
// the others lack, if they counted commits.
func (o observer) wholeWindows(all []window, made *counts.Observation) (whole []window) {
	counters := slices.DeleteFunc(slices.Clone(o.run.Counters), func(m runfile.Metric) bool {
		return m.Type != runfile.Counter
	})
	unread := func(w window) bool {
		for name, count := range w.repetition.Counts {
			if _, periodic := o.stretched[name]; count.Missing == nil && (!periodic || len(counters) == 0) {
				return false
			}
		}
		return true
	}
	read, times := 0, map[string]int{}
	for _, w := range all {
		if !unread(w) {
			read++
		}
		for metric, count := range w.repetition.Counts {
			if count.Missing == nil {
				times[metric]++
			}
		}
	}
	lacked := map[string]int{}
	for _, w := range all {
		lacks := w.lacks(times, usually*float64(read))
		switch commits := w.repetition.Counts[metric.CommitsOfAll]; {
		case unread(w):
		case len(lacks) == 0:
			whole = append(whole, w)
		case commits.Missing == nil:
			made.Lacking++
			for _, name := range lacks {
				lacked[name]++
			}
		}
	}
	made.Lacked, made.WhyLacked = mostMissed(all, lacked)
	var uneven []string
	for _, m := range counters {
		if usual := usually * float64(read); float64(times[m.Name]) <= usual && float64(o.readings(m.Name)) > usual {
			uneven = append(uneven, metric.Printed(m.Name, 0))
		}
	}
	if len(uneven) > 0 {
		made.Uneven = printable.Listed(uneven)
	}
	return whole
}

// readings returns in how many pairs of neighbouring readings a counter is.
func (o observer) readings(name string) (n int) {
	for range o.Series(name).Changes(time.Time{}, farFuture) {
		n++
	}
	return n
}

// lacks returns the metrics that a window lacks and more than usual windows have.
func (w window) lacks(times map[string]int, usual float64) (names []string) {
	for name, count := range w.repetition.Counts {
		if count.Missing != nil && float64(times[name]) > usual {
			names = append(names, name)
		}
	}
	return names
}

// mostMissed returns the metric that most windows lack, and the latest reason.
func mostMissed(all []window, times map[string]int) (most, why string) {
	for _, name := range slices.Sorted(maps.Keys(times)) {
		if most == "" || times[name] > times[most] {
			most = name
		}
	}
	for _, w := range all {
		if missing := w.repetition.Counts[most].Missing; missing != nil {
			why = missing.Error()
		}
	}
	return most, why
}

// Windows with less WAL than this are quiet: steps of counters would look like differences.
const (
	fewestRecords = 100
	leastRecord   = 50 // bytes, at least, if records are not counted
)

// didNothing reports whether a window is known to have no changed row and no request of a disk.
func (w window) didNothing() bool {
	return !slices.ContainsFunc([]string{metric.ClusterTupInserted, metric.ClusterTupUpdated, metric.ClusterTupDeleted,
		metric.BlockWrites, metric.BlockReads}, func(name string) bool {
		count, known := w.repetition.Counts[name]
		return !known || count.Missing != nil || count.Amount > 0
	})
}

// busyWindows returns the windows with enough writes.
func busyWindows(whole []window) (busy []window) {
	for _, w := range whole {
		records, err := w.repetition.Count(metric.StatWALRecords)
		if err != nil {
			if records, err = w.repetition.Count(metric.InsertPosition); err != nil {
				records = math.Inf(1) // unknown
			}
			if w.didNothing() {
				records = 0
			}
			records /= leastRecord
		}
		if records >= fewestRecords {
			busy = append(busy, w)
		}
	}
	return busy
}

// merged merges windows into one repetition; a count missing in one is missing in all.
func merged(number int, windows []window) counts.Repetition {
	r := counts.Repetition{
		Number: number, Begin: windows[0].repetition.Begin, End: windows[len(windows)-1].repetition.End,
		Counts: map[string]counts.Count{},
	}
	for _, w := range windows {
		r.Windows = append(r.Windows, w.repetition)
	}
	for metric := range windows[0].repetition.Counts {
		var sum counts.Count
		for _, w := range windows {
			c := w.repetition.Counts[metric]
			if c.Missing != nil {
				sum = c
				break
			}
			sum.Amount, sum.Raw, sum.Seconds = sum.Amount+c.Amount, sum.Raw+c.Raw, sum.Seconds+c.Seconds
		}
		r.Counts[metric] = sum
	}
	r.Seconds = betweenReadings(r)
	return r
}
