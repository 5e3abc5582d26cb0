// Package next reads the run file of a measurement that is still going on and says what it should do next: which load
// to run once more ([Chooser]), or that nothing more is learned ([Settling]).
//
// Both go by verdicts, and so lie right of the run file; whoever measures asks them, and knows nothing of verdicts.
package next

import (
	"fmt"
	"slices"

	"github.com/realiops/realiops/internal/analyze/attribution"
	"github.com/realiops/realiops/internal/analyze/counts"
	"github.com/realiops/realiops/internal/metric"
	"github.com/realiops/realiops/internal/runfile"
)

// mostAdded is the number of times that one load is added: a question that two more repetitions leave open, a third
// would hardly settle.
const mostAdded = 2

// Chooser names loads to run once more, and remembers which it has named. Its zero value has named none.
type Chooser struct{ named map[string]int }

// Load returns the one that would tell most of what a run has left open about the metrics asked for, and why; an empty
// name: none would. Of several that tell as much it is the one whose first metric comes first.
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

// reasonFor says what a load would tell.
func reasonFor(open []attribution.Verdict, version int) string {
	apart := open[0].SettleWith.Between
	gain := fmt.Sprintf("%d quantities apart", len(apart))
	if len(apart) == 2 {
		gain = metric.Quantity(apart[0]).Many() + " from " + metric.Quantity(apart[1]).Many()
	}
	why := fmt.Sprintf("it would tell %s for %s", gain, metric.Printed(open[0].Metric.Name, version))
	if more := len(open) - 1; more > 0 {
		why += fmt.Sprintf(" and %d more", more)
	}
	return why
}
