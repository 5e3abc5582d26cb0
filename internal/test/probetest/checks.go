package probetest

import (
	"fmt"
	"maps"
	"math"
	"regexp"
	"slices"

	"github.com/realiops/realiops/internal/measure/probe"
	"github.com/realiops/realiops/internal/runfile"
)

var (
	types = []runfile.MetricType{runfile.Counter, runfile.Gauge, runfile.Rate, runfile.CountPerPeriod}
	// Without Reset: only two readings show one, which the clock compares.
	reasons = []runfile.Reason{
		runfile.Unsupported, runfile.Permission, runfile.Throttled, runfile.Late, runfile.Failed, runfile.NotLocal,
		runfile.Disabled, runfile.Absent,
	}
)

// Announcement returns the defects of a sampler's announced metrics.
func Announcement(name string, metrics []runfile.Metric) []string {
	var defects defects
	defects.unless(regexp.MustCompile(`^[a-z]+$`).MatchString(name), "the sampler's name is %q", name)
	defects.unless(len(metrics) > 0, "no metrics")
	form := regexp.MustCompile(`^` + name + `(\.[a-z_]+)?/[a-z0-9_]+$`)
	seen := map[string]bool{}
	for _, m := range metrics {
		defects.unless(form.MatchString(m.Name), "%q does not have the form %s.view/name", m.Name, name)
		defects.unless(!seen[m.Name], "%s is announced twice", m.Name)
		defects.unless(slices.Contains(types, m.Type), "%s has the type %q", m.Name, m.Type)
		defects.unless(m.Unit != "" && m.Help != "" && m.Source != "", "%s lacks a unit, a help or a source", m.Name)
		seen[m.Name] = true
	}
	return defects
}

// Completeness returns violations of the rule that each announced metric is either read or a gap, and no other is.
func Completeness(metrics []runfile.Metric, sample probe.Sample) []string {
	var defects defects
	announced, gaps := map[string]bool{}, map[string]bool{}
	for _, m := range metrics {
		announced[m.Name] = true
	}
	for _, g := range sample.Gaps {
		gaps[g.Metric] = true
		defects.unless(g.Metric == "" || announced[g.Metric], "a gap for %q, which is not announced", g.Metric)
		defects.unless(slices.Contains(reasons, g.Reason) && g.Detail != "", "a gap for %q with reason %q and detail %q",
			g.Metric, g.Reason, g.Detail)
		defects.unless(g.At.IsZero() && g.Probe == "", "a gap for %q that fills in what the clock fills in", g.Metric)
	}
	for name, value := range sample.Values {
		defects.unless(announced[name], "%q is read and not announced", name)
		defects.unless(!gaps[name] && !gaps[""], "%s is read and a gap", name)
		defects.unless(!math.IsNaN(value) && !math.IsInf(value, 0), "%s is %v", name, value)
	}
	for _, m := range metrics {
		_, read := sample.Values[m.Name]
		defects.unless(read || gaps[m.Name] || gaps[""], "%s is neither read nor a gap", m.Name)
	}
	return defects
}

// Growth returns the counters that are negative or fell between two samples.
func Growth(metrics []runfile.Metric, before, after probe.Sample) []string {
	var defects defects
	for _, m := range metrics {
		if m.Type == runfile.Counter {
			a, b := before.Values[m.Name], after.Values[m.Name]
			defects.unless(a >= 0 && b >= a, "%s went from %v to %v", m.Name, a, b)
		}
	}
	return defects
}

// Rise returns the metrics that did not rise between two samples.
func Rise(names []string, before, after probe.Sample) []string {
	var defects defects
	for _, name := range names {
		a, read := before.Values[name]
		b, again := after.Values[name]
		defects.unless(read && again && b > a, "%s went from %v to %v (read: %v, %v)", name, a, b, read, again)
	}
	defects.unless(len(names) > 0, "nothing has to rise; these were read: %v", slices.Sorted(maps.Keys(after.Values)))
	return defects
}

// defects collects the defects found so far.
type defects []string

func (d *defects) unless(ok bool, format string, args ...any) {
	if !ok {
		*d = append(*d, fmt.Sprintf(format, args...))
	}
}
