// Package gaps records what AWS answered instead of values at the end of a run: a metric that was never collected must
// not look like one that AWS does not have.
package gaps

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/realiops/realiops/internal/metric"
	"github.com/realiops/realiops/internal/runfile"
)

// AWS records AWS's answers without values. The zero value is ready to use.
type AWS struct {
	without map[string]bool   // metrics or probes for which a service answered that it has nothing
	refused string            // why the latest request failed
	gone    map[string]string // by probe that has nothing, or no longer: why
}

// Add adds a gap of a run file; gaps of other sources are ignored.
func (a *AWS) Add(g runfile.Gap) {
	of := cmp.Or(g.Metric, g.Probe)
	if service(of) == "" {
		return
	}
	switch g.Reason {
	case runfile.Permission, runfile.Failed, runfile.Throttled:
		a.refused = g.Detail
	default:
		if a.without == nil {
			a.without = map[string]bool{}
		}
		a.without[of] = true
		if g.Metric == "" {
			if a.gone == nil {
				a.gone = map[string]string{}
			}
			a.gone[of] = strings.TrimSuffix(g.Detail, ".")
		}
	}
}

// service returns the AWS service of a metric or a probe; empty if there is none.
func service(name string) string {
	switch {
	case strings.HasPrefix(name, "cloudwatch"):
		return "CloudWatch"
	case strings.HasPrefix(name, "insights"):
		return "Performance Insights"
	default:
		return ""
	}
}

// history is the kind of target of a file that realiops aws collect cannot complete.
const history = "history"

// wanted returns the probes whose metrics of AWS a run was to collect.
func wanted(run runfile.Run) (probes []string) {
	if cloud := run.Target.Cloud; cloud != nil && (run.Parameters["aws"] == "true" || run.Parameters["quick-aws"] == "true") {
		probes = []string{"cloudwatch"}
		if cloud.Insights {
			probes = append(probes, "insights")
		}
	}
	return probes
}

// Lacking counts the announced metrics that neither came nor were reported missing, and names the services
// that the run was to ask and that have no announced metric; empty if there are none.
func (a *AWS) Lacking(run runfile.Run, announced map[string]runfile.Metric, came func(name string) bool) string {
	all, open, lacking, unannounced := 0, 0, map[string]bool{}, map[string]bool{}
	for _, probe := range wanted(run) {
		unannounced[service(probe)] = !a.without[probe]
	}
	for name := range announced {
		if service(name) == "" {
			continue
		}
		all++
		delete(unannounced, service(name))
		if probe, _, _ := strings.Cut(name, "/"); !came(name) && !a.without[name] && !a.without[probe] {
			open++
			lacking[service(name)] = true
		}
	}
	why := ""
	if a.refused != "" {
		why = " (" + a.refused + ")"
	}
	maps.DeleteFunc(unannounced, func(_ string, unknown bool) bool { return !unknown })
	switch {
	case len(unannounced) > 0 && run.Target.Kind != history:
		return fmt.Sprintf("The run file has no metric of %s%s, so none has a verdict. Fetch them with realiops aws collect.",
			strings.Join(slices.Sorted(maps.Keys(unannounced)), " or "), why)
	case open == 0:
		return ""
	}
	which, were, they, them := fmt.Sprintf("%d of the %d metrics", open, all), "were not", "they have", "them"
	switch {
	case all == 1:
		which, were, they, them = "The only metric", "was not", "it has", "it"
	case open == all:
		which, were = fmt.Sprintf("None of the %d metrics", all), "was"
	case open == 1:
		were, they, them = "was not", "it has", "it"
	}
	again := "Fetch " + them + " with realiops aws collect."
	if run.Target.Kind == history {
		again = "Read or export " + them + " again."
	}
	return fmt.Sprintf("%s that AWS publishes for this server %s collected, from %s%s, so %s no verdict. %s",
		which, were, strings.Join(slices.Sorted(maps.Keys(lacking)), " and "), why, they, again)
}

// Without names the announced metrics that AWS does not have, or no longer has: all of a service, or those that each
// running database has; empty if there are none.
func (a *AWS) Without(announced map[string]runfile.Metric, came func(name string) bool) string {
	var texts []string
	for _, probe := range slices.Sorted(maps.Keys(a.gone)) {
		for name := range announced {
			if strings.HasPrefix(name, probe+"/") && !came(name) {
				texts = append(texts, a.gone[probe]+". None of its metrics has a verdict.")
				break
			}
		}
	}
	var silent []string
	for name := range announced {
		if _, short, _ := strings.Cut(name, "/"); a.without[name] && !came(name) &&
			(short == "ReadIOPS" || short == "WriteIOPS") {
			silent = append(silent, metric.Printed(name, 0))
		}
	}
	if slices.Sort(silent); len(silent) > 0 {
		texts = append(texts,
			fmt.Sprintf("AWS has no points of %s for the time of the run, although every running database has "+
				"them: was it another instance?", strings.Join(silent, " and ")))
	}
	return strings.Join(texts, " ")
}
