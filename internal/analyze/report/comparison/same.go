package comparison

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/realiops/realiops/internal/analyze/attribution"
	"github.com/realiops/realiops/internal/analyze/counts"
	"github.com/realiops/realiops/internal/analyze/number"
	"github.com/realiops/realiops/internal/analyze/report"
	"github.com/realiops/realiops/internal/analyze/report/words"
	"github.com/realiops/realiops/internal/metric"
	"github.com/realiops/realiops/internal/runfile"
)

// differing lists the differences between the runs besides the one under test, and what makes the numbers of one of
// them misleading.
func differing(c Comparison, runs []Compared) (all []string) {
	first := runs[0].Report.Run
	for i, r := range runs[1:] {
		d := r.Report.Run
		for _, v := range []struct{ name, was, is string }{
			{"server", runs[0].Report.Server(), r.Report.Server()},
			{"storage", report.Under(first.Target.Storage), report.Under(d.Target.Storage)},
			{"machine", machineOf(first.Host), machineOf(d.Host)},
			{"plan", report.PlanName(runs[0].Report), report.PlanName(r.Report)},
			{"clients' program", first.Realiops, d.Realiops},
		} {
			if v.was != v.is {
				all = append(all, fmt.Sprintf("Different %s: A %s, %s %s.", v.name, orNone(v.was), c.Runs[i+1].Name,
					orNone(v.is)))
			}
		}
		if long, short := max(first.LoadSeconds, d.LoadSeconds),
			min(first.LoadSeconds, d.LoadSeconds); long > otherLength*short {
			all = append(all, fmt.Sprintf("Different length of loads: A %s s, %s %s s.",
				number.Short(first.LoadSeconds, 4), c.Runs[i+1].Name, number.Short(d.LoadSeconds, 4)))
		}
		all = append(all, words.Filled(otherSettings(first.Target.Settings, d.Target.Settings, c.Runs[i+1].Name),
			c.Runs[i+1].otherWork())...)
	}
	if len(c.LeftOut) > 0 {
		all = append(all, "Left out, because not in all runs: "+strings.Join(c.LeftOut, ", ")+".")
	}
	for i := range runs {
		if c.Runs[i].lacks != nil && len(c.Loads) > 0 {
			all = append(all, words.Listing("Left out, because "+c.Runs[i].Name+" did not count them, or its loads "+
				"cannot tell them from others", c.Runs[i].lacks))
		}
	}
	var conditions words.Gathered
	for i, r := range runs {
		for _, w := range r.Report.Warnings {
			if w.Condition {
				conditions.Add(w.Text, c.Runs[i].Name)
			}
		}
	}
	return append(all, conditions.Sentences(func(of, text string) string { return of + ": " + text })...)
}

// otherLength is the ratio from which on loads differ in length, which affects their share of a checkpoint.
const otherLength = 1.2

func machineOf(h runfile.Host) string {
	if h.OS == "" {
		return ""
	}
	return fmt.Sprintf("%s/%s with %d CPUs", h.OS, h.Arch, h.CPUs)
}

func orNone(s string) string { return cmp.Or(strings.TrimSpace(s), "does not say") }

func otherSettings(was, is map[string]string, run string) string {
	var changed []string
	for _, name := range slices.Sorted(maps.Keys(was)) {
		if now, known := is[name]; known && now != was[name] && name != "server_version" &&
			name != runfile.Tablespaces {
			changed = append(changed, fmt.Sprintf("%s (A %s, %s %s)", name, was[name], run, now))
		}
	}
	if len(changed) == 0 {
		return ""
	}
	return "Different settings: " + words.Enumerated(words.Few(changed), " and ") + "."
}

// unlike returns the loads with the same name that differ.
func unlike(loads []string, was, is Compared) (all []string) {
	for _, name := range loads {
		if work(loadOf(was, name)) != work(loadOf(is, name)) {
			all = append(all, name)
		}
	}
	return all
}

// work returns what a load does, without how often, and without its relation to others.
func work(a counts.Load) runfile.Load {
	a.MostRepetitions, a.Like, a.But, a.MoreEntries = 0, "", "", 0
	return a.Load
}

func (r ComparedRun) otherWork() string {
	if len(r.unlike) == 0 {
		return ""
	}
	return fmt.Sprintf("Different work in A and %s under the same name: %s.", r.Name, strings.Join(r.unlike, ", "))
}

// How a verdict may differ between runs.
const (
	changedVerdict = "verdict" // logical here and physical there
	changedCounts  = "counts"  // another quantity
	changedRatio   = "ratio"   // to the same quantity, with separate intervals
	toldInOne      = "told"    // one run can tell, and another cannot
)

// metrics compares the verdicts.
func (c *Comparison) metrics(runs []Compared) {
	for _, m := range runs[0].Report.Metrics {
		v := ComparedMetric{Metric: m.Metric}
		for i, r := range runs {
			j := slices.IndexFunc(r.Report.Metrics, func(o report.Metric) bool { return o.Metric == m.Metric })
			if j < 0 || r.Report.Metrics[j].Missing != nil {
				break
			}
			other := r.Report.Metrics[j]
			v.Runs = append(v.Runs, VerdictInARun{Verdict: other.Kind, Counts: countedQuantities(other),
				PerUnit: other.PerUnit, of: other})
			if i > 0 && v.Changed == "" {
				v.Changed = changed(m, other)
			}
		}
		if len(v.Runs) == len(runs) {
			c.Metrics = append(c.Metrics, v)
		}
	}
	for _, r := range runs {
		for _, m := range r.Report.Metrics {
			if m.Missing != nil {
				continue
			}
			common := slices.ContainsFunc(c.Metrics, func(v ComparedMetric) bool { return v.Metric == m.Metric })
			if !common && !slices.Contains(c.Alone, m.Metric) {
				c.Alone = append(c.Alone, m.Metric)
			}
		}
	}
}

func countedQuantities(m report.Metric) []metric.Quantity {
	counts := slices.Clone(m.Between)
	switch {
	case m.Mixture != nil && !m.CannotTell():
		counts = nil
		for _, t := range m.Mixture.Terms {
			counts = append(counts, t.Quantity)
		}
	case m.Counts != "":
		counts = []metric.Quantity{m.Counts}
	}
	slices.Sort(counts)
	return append([]metric.Quantity{}, counts...)
}

// contradict reports whether two verdicts cannot both be true of a metric. A metric that is mixed in one run may show
// only one part in another.
func contradict(one, other attribution.Kind) bool {
	return one.Or(other) == attribution.CannotTell && one != attribution.Mixed && other != attribution.Mixed
}

// changed says how a metric's verdict differs from that in another run.
func changed(m, other report.Metric) string {
	judged := func(m report.Metric) bool { return !m.CannotTell() && !m.Silent() }
	switch {
	case !judged(m) && !judged(other):
		return ""
	case !judged(m) || !judged(other):
		return toldInOne
	case contradict(m.Kind, other.Kind):
		return changedVerdict
	case m.Kind != other.Kind || !slices.Equal(countedQuantities(m), countedQuantities(other)):
		return changedCounts
	case m.PerUnit != nil && other.PerUnit != nil &&
		(m.PerUnit.Hi < other.PerUnit.Lo || other.PerUnit.Hi < m.PerUnit.Lo):
		return changedRatio
	}
	return ""
}
