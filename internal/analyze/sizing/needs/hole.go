package needs

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/realiops/realiops/internal/analyze/counts"
	"github.com/realiops/realiops/internal/metric"
	"github.com/realiops/realiops/internal/printable"
	"github.com/realiops/realiops/internal/runfile"
	"github.com/realiops/realiops/internal/series"
)

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
