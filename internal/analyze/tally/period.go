package tally

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"sort"
	"time"

	"github.com/realiops/realiops/internal/analyze/counts"
	"github.com/realiops/realiops/internal/runfile"
	"github.com/realiops/realiops/internal/series"
)

// periodKey identifies a period, so that a later line replaces an earlier one.
type periodKey struct {
	statistic, dimensions string
	from, to              time.Time
}

type told struct {
	value float64
	open  bool // the source may still correct it
}

// period adds a line of a source with periods.
func (c *collector) period(p runfile.Period) {
	c.belongs(p.Metric, p.Probe)
	if c.periods[p.Metric] == nil {
		c.periods[p.Metric] = map[periodKey]told{}
	}
	// fmt prints maps in order of their keys.
	key := periodKey{p.Statistic, fmt.Sprint(p.Dimensions), p.From.UTC(), p.To.UTC()}
	c.sets[key.dimensions] = p.Dimensions
	c.periods[p.Metric][key] = told{p.Value, p.Unsettled}
}

// onlyPeriods reports whether an observation has only amounts in periods, and no readings.
func (c *collector) onlyPeriods() bool {
	_, to, _ := c.spanOfPeriods()
	return c.thin != nil && c.thin.Empty() && !to.IsZero()
}

// spanOfPeriods returns the begin of the first and the end of the last period with an amount, and the longest period.
func (c *collector) spanOfPeriods() (from, to time.Time, longest time.Duration) {
	var all runfile.Stretch
	for name, periods := range c.periods {
		for key := range periods {
			if key.statistic != c.metrics[name].Type.Statistic() {
				continue
			}
			all.Extend(key.from, key.to)
			longest = max(longest, key.to.Sub(key.from))
		}
	}
	return all.From, all.To, longest
}

// phaseOfPeriods returns how long after a multiple of their length the longest periods begin: CloudWatch's hours begin
// at half past if the request did. It is 0 if they differ, as no windows hold all of them.
func (c *collector) phaseOfPeriods(longest time.Duration) time.Duration {
	var phase time.Duration
	first := true
	for name, periods := range c.periods {
		for key := range periods {
			if key.statistic != c.metrics[name].Type.Statistic() || key.to.Sub(key.from) != longest {
				continue
			}
			of := key.from.Sub(series.PeriodDown(key.from, longest))
			if !first && of != phase {
				return 0
			}
			phase, first = of, false
		}
	}
	return phase
}

// stretch is a period and the amount in it.
type stretch struct {
	from, to time.Time
	amount   float64
	open     bool
}

func (s stretch) seconds() float64 { return s.to.Sub(s.from).Seconds() }

// stretch sorts the periods of all metrics.
func (b *builder) stretch() {
	b.stretched = map[string][]stretch{}
	for _, m := range b.run.Counters {
		if m.Type != runfile.Counter && len(b.periods[m.Name]) > 0 {
			b.stretched[m.Name] = b.stretches(m)
		}
	}
}

// stretches returns the consecutive periods of a metric, in order. Of several sets of dimensions it uses the first by
// name and adds a note.
func (b *builder) stretches(m runfile.Metric) []stretch {
	var all []stretch
	dimensions := b.dimensions(m)
	for key, told := range b.periods[m.Name] {
		s := stretch{key.from, key.to, told.value, told.open}
		if key.statistic != m.Type.Statistic() || key.dimensions != dimensions || s.seconds() <= 0 {
			continue
		}
		if m.Type == runfile.Rate {
			s.amount *= s.seconds()
		}
		all = append(all, s)
	}
	slices.SortFunc(all, func(a, b stretch) int { return cmp.Or(a.from.Compare(b.from), a.to.Compare(b.to)) })
	end := time.Time{}
	return slices.DeleteFunc(all, func(s stretch) bool { // overlaps with the one before
		if s.from.Before(end) {
			return true
		}
		end = s.to
		return false
	})
}

// dimensions returns the set of dimensions that is used for a metric.
func (c *collector) dimensions(m runfile.Metric) string {
	sets := map[string]bool{}
	for key := range c.periods[m.Name] {
		sets[key.dimensions] = true
	}
	names := slices.Sorted(maps.Keys(sets))
	if len(names) > 1 {
		c.notes.add("metric-contradictory", fmt.Sprintf("%s comes for %s and for %s; only the first was used", m.Name,
			names[0], names[1]))
	}
	return names[0]
}

// inPeriods returns a metric's growth between two moments from the whole periods between them. The rest at either end
// is extrapolated by its work, or without work by its time: a load need not be steady, only of one kind. Periods that
// the source may still correct are too low, and are not used.
func inPeriods(all []stretch, from, to time.Time, work func(from, to time.Time) float64) counts.Count {
	var amount, covered, worked float64
	open := 0
	for _, s := range between(all, from, to) {
		switch {
		case s.open:
			open++
			continue
		case !(s.amount >= 0):
			detail := fmt.Sprintf("its source reports %g for a period", s.amount)
			return counts.Count{Missing: &series.Missing{Reason: series.Reason(runfile.Failed), Detail: detail}}
		}
		amount, covered, worked = amount+s.amount, covered+s.seconds(), worked+work(s.from, s.to)
	}
	switch {
	case covered == 0 && open > 0:
		return counts.Count{Missing: &series.Missing{Reason: counts.Unsettled,
			Detail: "its source may still change its values: realiops aws collect asks again"}}
	case covered == 0:
		return counts.Count{Missing: &series.Missing{Reason: counts.NoPeriod, Detail: "no whole period of its source lies inside"}}
	case worked == 0:
		return counts.Count{
			Missing: &series.Missing{Reason: counts.NoPeriod, Detail: "no load was recorded in the periods of its source"}}
	}
	share := work(from, to) / worked
	return counts.Count{Amount: amount * share, Raw: amount * share, Seconds: covered * share}
}

// between returns the consecutive periods that lie entirely between two moments.
func between(all []stretch, from, to time.Time) []stretch {
	first := sort.Search(len(all), func(i int) bool { return !all[i].from.Before(from) })
	end := sort.Search(len(all), func(i int) bool { return all[i].to.After(to) })
	return all[first:max(first, end)]
}

// elapsed uses time as work, for loads without work.
func elapsed(from, to time.Time) float64 { return to.Sub(from).Seconds() }
