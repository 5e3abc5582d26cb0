// Package next reads the run file of a measurement in progress and decides what to do next: which load to run once more
// ([Chooser]), or that nothing more is learned ([Settling]).
//
// Both use verdicts, and so belong to the analysis of run files; the measuring packages ask them and know nothing of
// verdicts.
package next

import (
	"fmt"
	"slices"

	"github.com/realiops/realiops/internal/analyze/attribution"
	"github.com/realiops/realiops/internal/analyze/counts"
	"github.com/realiops/realiops/internal/metric"
	"github.com/realiops/realiops/internal/runfile"
)

// mostAdded is the number of times that one load is added: a third repetition would hardly settle what two more leave
// open.
const mostAdded = 2

// Chooser names loads to run once more, and remembers them. Its zero value is ready to use.
type Chooser struct{ named map[string]int }

// Load returns the load that would settle most of what is open about the requested metrics, and why; empty if none
// would. Among equals it returns the one whose first metric comes first.
func (c *Chooser) Load(run *counts.Run, metrics []string, loads []runfile.Load) (name, why string) {
	if len(metrics) == 0 {
		return "", ""
	}
	name, why = c.choose(attribution.Judge(run, attribution.Options{Asked: metrics}).Metrics,
		metric.VersionNum(run.Header.Target.Version))
	if !slices.ContainsFunc(loads, func(a runfile.Load) bool { return a.Name == name }) {
		return "", ""
	}
	if c.named == nil {
		c.named = map[string]int{}
	}
	c.named[name]++
	return name, why
}

func (c *Chooser) choose(verdicts []attribution.Verdict, version int) (load, why string) {
	settled := map[string][]attribution.Verdict{}
	for _, v := range verdicts {
		if v.Kind != attribution.CannotTell || v.SettleWith == nil || c.named[v.SettleWith.Load] >= mostAdded {
			continue
		}
		name := v.SettleWith.Load
		settled[name] = append(settled[name], v)
		if len(settled[name]) > len(settled[load]) {
			load = name
		}
	}
	if load == "" {
		return "", ""
	}
	return load, reasonFor(settled[load], version)
}

// reasonFor says what a load would settle.
func reasonFor(open []attribution.Verdict, version int) string {
	apart := open[0].SettleWith.Between
	gain := fmt.Sprintf("%d quantities apart", len(apart))
	if len(apart) == 2 {
		gain = apart[0].Many() + " from " + apart[1].Many()
	}
	why := fmt.Sprintf("it would tell %s for %s", gain, metric.Printed(open[0].Metric.Name, version))
	if more := len(open) - 1; more > 0 {
		why += fmt.Sprintf(" and %d more", more)
	}
	return why
}
