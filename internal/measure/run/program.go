package run

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/realiops/realiops/internal/measure/experiment"
	"github.com/realiops/realiops/internal/printable"
	"github.com/realiops/realiops/internal/runfile"
)

// Program is the plan of a run, and the rules that decide what the user left open.
type Program struct {
	Plan runfile.Plan // complete

	open   runfile.Plan // lengths and repetitions may be zero: the budget decides them
	sizes  experiment.Sizes
	limits experiment.Limits
	exact  bool // the user set lengths and no budget: nothing is left out or added
	kept   bool // the user set the budget: skip a second repetition that does not fit
}

// NewProgram completes a plan by the limits that are known before the server is. Without a budget, loads have the
// lengths that the plan sets or that the sources' periods need.
func NewProgram(plan runfile.Plan, sizes experiment.Sizes, limits experiment.Limits, budgeted bool) (*Program, error) {
	open, err := experiment.Complete(plan, sizes)
	if err != nil {
		return nil, err
	}
	p := &Program{open: open, sizes: sizes, limits: limits, kept: budgeted}
	p.exact = (p.decided() || limits.Period > 0) && !budgeted
	p.Plan, err = experiment.Fit(p.open, p.limits)
	return p, err
}

// measured fits the plan again, once the pause between two loads on the server and the slowest source's
// period are known. It never refuses a budget that was accepted before the server started: on slow storage
// the run exceeds it. If the user set the budget, one repetition of the shortest loads runs; otherwise as
// many as show how far figures vary.
func (p *Program) measured(pause experiment.Pause, period float64) (err error) {
	announced, slower := p.Plan, period > p.limits.Period
	p.limits.Pause, p.limits.Period = pause, max(p.limits.Period, period)
	p.Plan, err = experiment.Fit(p.open, p.limits)
	switch {
	case slower || err != nil && !errors.Is(err, experiment.ErrTooShort):
		return err
	case !p.kept && announced.Repetitions > 1 && p.Plan.Repetitions == 1:
		p.Plan.Repetitions, p.Plan.LoadSeconds = experiment.LeastRepetitions, experiment.LeastLoad
	}
	return nil
}

// fitTable sizes the table of the loads that read for the server, and returns a notice about its size.
func (p *Program) fitTable(room experiment.Room) (notice string) {
	room.Asked = p.sizes.TableBytes
	p.open, notice = experiment.FitTable(p.open, room)
	return notice
}

// decided reports whether the user has set a length or a number of repetitions.
func (p *Program) decided() bool { return p.open.LoadSeconds != 0 || p.open.Repetitions != 0 }

// Duration returns roughly how long the loads take.
func (p *Program) Duration() time.Duration { return experiment.Duration(p.Plan, p.limits) }

// loads returns all loads that may run beyond the plan: its own, and the rest of the plan identify.
func (p *Program) loads() ([]runfile.Load, error) {
	all, err := experiment.Complete(experiment.Identify(), p.sizes)
	if err != nil {
		return nil, err
	}
	loads := slices.Clone(p.Plan.Loads)
	for _, load := range all.Loads {
		if !slices.ContainsFunc(loads, func(a runfile.Load) bool { return a.Name == load.Name }) {
			loads = append(loads, load)
		}
	}
	return loads, nil
}

func (p *Program) repetitions() string {
	fewer := 0
	for _, load := range p.Plan.Loads {
		if p.Plan.Times(load) < p.Plan.Repetitions {
			fewer++
		}
	}
	switch {
	case p.Plan.Repetitions == 1:
		return "1 repetition"
	case fewer == 0:
		return fmt.Sprintf("%d repetitions", p.Plan.Repetitions)
	}
	return fmt.Sprintf("%d repetitions (fewer for %d of them)", p.Plan.Repetitions, fewer)
}

func (p *Program) announcement(path string) string {
	cost := ""
	if over := p.Duration() - p.limits.Budget; over > time.Second && p.limits.Budget > 0 {
		loads := time.Duration(p.Plan.LoadSeconds * float64(p.Plan.Steps()) * float64(time.Second))
		why := fmt.Sprintf("because %s of it are pauses between loads", printable.About(p.Duration()-loads))
		once := p.Plan
		once.Repetitions, once.LoadSeconds = 1, experiment.LeastLoad
		switch {
		case p.decided():
			why = "as the given lengths require"
		case p.Plan.Repetitions > 1 && experiment.Duration(once, p.limits) <= p.limits.Budget:
			why += "; --repetitions 1 stays within it"
		}
		cost = fmt.Sprintf(", %s more than --budget, %s", printable.About(over), why)
	}
	if p.limits.Short(p.Plan.LoadSeconds) {
		cost += fmt.Sprintf(" (too short for two periods of %g s, so some AWS metrics will tell little)", p.limits.Period)
	}
	if rest := p.Plan.RestSeconds; rest > 0 {
		cost += fmt.Sprintf(" with %s of rest before them; metrics of the volume move in steps of about an hour, so "+
			"they cover the whole run, once as much time has passed after it, and a single load only if it lasts "+
			"three hours", printable.About(time.Duration(rest*float64(time.Second))))
	}
	return fmt.Sprintf("%s x %s x %g s, about %s from now%s; recorded in %s",
		printable.Counted(p.Plan.Loaded(), "load"), p.repetitions(), p.Plan.LoadSeconds, printable.About(p.Duration()), cost, path)
}
