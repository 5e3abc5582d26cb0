package cli

import (
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/spf13/pflag"

	"github.com/realiops/realiops/internal/measure/experiment"
	"github.com/realiops/realiops/internal/runfile"
)

// planOptions are the flags that say which arms are run, how long and how often.
type planOptions struct {
	name       string
	budget     time.Duration
	armSeconds float64
	replicates int
	sizes      experiment.Sizes
	seed       uint64
}

func (o *planOptions) addFlags(f *pflag.FlagSet) {
	sizes := experiment.DefaultSizes()
	f.StringVar(&o.name, "plan", "identify", "the arms to run: identify, published, cloud (with --aws the default), or a JSON `file`")
	f.DurationVar(&o.budget, "budget", experiment.DefaultBudget,
		"how long all arms may take, with what lies between them: decides length and replicates where you do not, and what is left goes to the arm that settles most")
	f.Float64Var(&o.armSeconds, "arm-seconds", 0, "how many `seconds` each arm's load runs, whatever the budget (default: what fits, up to 5)")
	f.IntVar(&o.replicates, "replicates", 0, "how many `times` each arm is run, whatever the budget (default: 3, or 2 where 3 do not fit)")
	f.IntVar(&o.sizes.Clients, "clients", sizes.Clients, "`sessions` that put load on the server at once")
	f.IntVar(&o.sizes.RowsPerTx, "rows-per-tx", sizes.RowsPerTx, "`rows` in each transaction, where the plan leaves it open")
	f.Uint64Var(&o.seed, "seed", 0, "the `number` that draws the random order of the arms (default: drawn, and recorded)")
}

// program is the plan of a run as far as somebody decided it, and what decides the rest.
type program struct {
	open   runfile.Plan // its lengths may be zero: they are the budget's to decide
	limits experiment.Limits
	plan   runfile.Plan // with all decided

	exact bool // the user has set lengths and no budget: nothing is left out, nothing added
}

// resolve takes the plan by name or file, what the user said by flag, and defaults for what nobody said. Where a source has
// periods, in seconds, the arms are as long as these ask for, and by default as few as tell something.
func (o *planOptions) resolve(flags *pflag.FlagSet, period float64) (*program, error) {
	limits := experiment.Limits{Budget: o.budget, Period: period, Pause: experiment.DefaultPause()}
	name := o.name
	if period > 0 && !flags.Changed("plan") {
		name = experiment.Cloud().Name
	}
	if period > 0 && !flags.Changed("budget") {
		limits.Budget = 0
	}
	plan, err := experiment.Named(name)
	if err != nil {
		return nil, err
	}
	if flags.Changed("arm-seconds") {
		plan.ArmSeconds = o.armSeconds
	}
	if flags.Changed("replicates") {
		plan.Replicates = o.replicates
	}
	switch {
	case flags.Changed("seed"):
		plan.Seed = o.seed
	case plan.Seed == 0:
		plan.Seed = uint64(rand.Uint32()) // short enough to type again
	}
	p := &program{limits: limits}
	if p.open, err = experiment.Complete(plan, o.sizes); err != nil {
		return nil, err
	}
	p.exact = (p.decided() || period > 0) && !flags.Changed("budget")
	return p, p.fit()
}

// decided tells whether somebody has said how long or how often.
func (p *program) decided() bool { return p.open.ArmSeconds != 0 || p.open.Replicates != 0 }

func (p *program) fit() (err error) {
	p.plan, err = experiment.Fit(p.open, p.limits)
	return err
}

// duration is about how long it takes.
func (p *program) duration() time.Duration { return experiment.Duration(p.plan, p.limits) }

// until is when all is to be done; zero where the plan alone decides.
func (p *program) until(now time.Time) time.Time {
	if p.exact {
		return time.Time{}
	}
	return now.Add(p.limits.Budget)
}

// announcement says what is going to happen, how long it takes and where it is recorded.
func (p *program) announcement(path string) string {
	cost := ""
	if over := p.duration() - p.limits.Budget; p.decided() && over > time.Second && p.limits.Budget > 0 {
		cost = fmt.Sprintf(", %s more than --budget, as the lengths that were set ask for", minutes(over))
	}
	if p.limits.Short(p.plan.ArmSeconds) {
		cost += fmt.Sprintf(" (too short for two periods of %g s, so some of AWS's metrics will tell little)", p.limits.Period)
	}
	return fmt.Sprintf("%d arms x %d replicates x %g s, about %s%s; recorded in %s",
		len(p.plan.Arms), p.plan.Replicates, p.plan.ArmSeconds, minutes(p.duration()), cost, path)
}

// minutes writes a length of time that is only estimated.
func minutes(d time.Duration) string {
	seconds := int(d.Round(time.Second).Seconds())
	if seconds < 60 {
		return fmt.Sprintf("%d s", seconds)
	}
	if seconds >= 3600 {
		return fmt.Sprintf("%d h %d min", seconds/3600, seconds/60%60)
	}
	return fmt.Sprintf("%d min %d s", seconds/60, seconds%60)
}
