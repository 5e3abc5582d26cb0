package cli

import (
	"fmt"
	"slices"

	"github.com/realiops/realiops/internal/analyze/attribution"
	"github.com/realiops/realiops/internal/analyze/drivers"
	"github.com/realiops/realiops/internal/analyze/report"
	"github.com/realiops/realiops/internal/measure/experiment"
	"github.com/realiops/realiops/internal/runfile"
)

// mostAdded is how often one arm is added: what two more replicates of it left open, a third would hardly settle.
const mostAdded = 2

// chooser names the arm that would settle most of what a run has left open, from its file.
type chooser struct {
	env      Env
	file     *runfile.Writer
	required []string // only these count; none: those of the report's first screen
	arms     []runfile.Arm
	added    map[string]int
}

// newChooser takes the arms that there are: those of the plan, and those of the plan identify beside it.
func newChooser(env Env, file *runfile.Writer, required []string, plan runfile.Plan, sizes experiment.Sizes) (*chooser, error) {
	all, err := experiment.Complete(experiment.Identify(), sizes)
	if err != nil {
		return nil, err
	}
	arms := slices.Clone(plan.Arms)
	for _, arm := range all.Arms {
		if !slices.ContainsFunc(arms, func(a runfile.Arm) bool { return a.Name == arm.Name }) {
			arms = append(arms, arm)
		}
	}
	return &chooser{env: env, file: file, required: required, arms: arms, added: map[string]int{}}, nil
}

// next gives no arm where the file cannot be read: its report will tell.
func (c *chooser) next() (experiment.Addition, bool) {
	if c.file.Sync() != nil {
		return experiment.Addition{}, false
	}
	run, err := readRun(c.env, c.file.Path())
	if err != nil {
		return experiment.Addition{}, false
	}
	name, why := c.choose(attribution.Judge(run, attribution.Options{Asked: c.asked(run)}))
	i := slices.IndexFunc(c.arms, func(a runfile.Arm) bool { return a.Name == name })
	if i < 0 {
		return experiment.Addition{}, false
	}
	c.added[name]++
	return experiment.Addition{Arm: c.arms[i], Why: why}, true
}

// asked are the metrics that count, so that no others are judged between two arms.
func (c *chooser) asked(run *drivers.Run) []string {
	if len(c.required) > 0 {
		return c.required
	}
	return slices.DeleteFunc(metricNames(run), func(name string) bool { return !report.Prominent(name) })
}

// choose is the arm that would settle most metrics, and of several the one whose first metric comes first.
func (c *chooser) choose(verdicts attribution.Verdicts) (arm, why string) {
	settles := map[string][]attribution.Verdict{}
	for _, v := range verdicts.Metrics {
		if v.Kind != attribution.Undetermined || v.SettleWith == nil || c.added[v.SettleWith.Arm] >= mostAdded {
			continue
		}
		if len(c.required) == 0 && !report.Prominent(v.Metric.Name) {
			continue
		}
		name := v.SettleWith.Arm
		settles[name] = append(settles[name], v)
		if len(settles[name]) > len(settles[arm]) {
			arm = name
		}
	}
	if arm == "" {
		return "", ""
	}
	return arm, reasonFor(settles[arm])
}

// reasonFor says what an arm is to settle.
func reasonFor(open []attribution.Verdict) string {
	apart := open[0].SettleWith.Between
	what := fmt.Sprintf("%d drivers apart", len(apart))
	if len(apart) == 2 {
		what = apart[0] + " from " + apart[1]
	}
	why := fmt.Sprintf("it would tell %s for %s", what, open[0].Metric.Name)
	if more := len(open) - 1; more > 0 {
		why += fmt.Sprintf(" and %d more", more)
	}
	return why
}
