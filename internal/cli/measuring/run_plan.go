package measuring

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/spf13/pflag"

	"github.com/realiops/realiops/internal/cli/command"
	"github.com/realiops/realiops/internal/measure/experiment"
	"github.com/realiops/realiops/internal/measure/run"
	"github.com/realiops/realiops/internal/runfile"
)

// planOptions are the flags that choose the loads, their length and repetitions.
type planOptions struct {
	name        string
	budget      time.Duration
	loadSeconds float64
	repetitions int
	sizes       experiment.Sizes
	workers     int
	table       command.Size
	seed        uint64
}

func (o *planOptions) addFlags(f *pflag.FlagSet) {
	sizes := experiment.DefaultSizes()
	f.StringVar(&o.name, "plan", experiment.Default().Name, "the loads to run: default, identify (only inserts), "+
		"published, cloud (the default with --aws), reads, updates, everything, or a JSON `file`")
	f.DurationVar(&o.budget, "budget", 0,
		"how long all loads and pauses may take; sets length and repetitions unless you do, and spends the rest on "+
			"the load that tells most (default: 1m40s; 5m for everything)")
	f.Float64Var(&o.loadSeconds, "load-seconds", 0,
		"`seconds` that each load runs, whatever the budget (default: what fits, up to 5)")
	f.IntVar(&o.repetitions, "repetitions", 0, "how many `times` to run each load, whatever the budget (default: 3, "+
		"or fewer if 3 do not fit; in the plan default, 2 for loads that read or update)")
	f.IntVar(&o.sizes.Clients, "clients", sizes.Clients, "`sessions` that load the server at the same time")
	f.IntVarP(&o.workers, "jobs", "j", 0, "most worker `processes` for the sessions (default 1)")
	f.IntVar(&o.sizes.RowsPerTx, "rows-per-tx", sizes.RowsPerTx, "`rows` per transaction, unless the plan sets it")
	f.Var(&o.table, "read-size", "`size` of the table that loads read (default: twice shared_buffers, from 32M to "+
		"1G, and at most a quarter of the free space)")
	f.Uint64Var(&o.seed, "seed", 0,
		"the `seed` for the random order of the loads (default: random, and recorded)")
}

// program returns the program of a named or written plan, with the user's flags and defaults. If a source has
// periods, in seconds, loads are as long as these need, and by default as few as tell something. rest, in seconds,
// precedes the first load and follows the last.
func (o *planOptions) program(ctx context.Context, flags *pflag.FlagSet, period, rest float64) (*run.Program, error) {
	limits := experiment.Limits{Budget: o.budget, Period: period, Pause: experiment.DefaultPause()}
	name := o.name
	if period > 0 && !flags.Changed("plan") {
		name = experiment.Cloud().Name
	}
	plan, err := experiment.Named(ctx, name)
	if err != nil {
		return nil, err
	}
	if period == 0 && !flags.Changed("budget") {
		limits.Budget = experiment.Budget(name)
	}
	if plan.RestSeconds == 0 {
		plan.RestSeconds = rest
	}
	if err := o.override(&plan, flags); err != nil {
		return nil, err
	}
	if plan.Seed == 0 && !flags.Changed("seed") {
		plan.Seed = uint64(rand.Uint32()) // short enough to type again
	}
	o.sizes.TableBytes = int64(o.table)
	return run.NewProgram(plan, o.sizes, limits, flags.Changed("budget"))
}

// leastTable is the smallest table that loads may read.
const leastTable = 1 << 20

// override applies the flags to the plan. It rejects zero, which in a plan means undecided.
func (o *planOptions) override(plan *runfile.Plan, flags *pflag.FlagSet) error {
	if flags.Changed("load-seconds") {
		if plan.LoadSeconds = o.loadSeconds; o.loadSeconds == 0 {
			return errors.New("--load-seconds is 0 and must be more than 0")
		}
	}
	if flags.Changed("repetitions") {
		if plan.Repetitions = o.repetitions; o.repetitions == 0 {
			return errors.New("--repetitions is 0 and must be at least 1")
		}
		for i := range plan.Loads {
			plan.Loads[i].MostRepetitions = 0
		}
	}
	if flags.Changed("jobs") {
		if plan.Workers = o.workers; o.workers < 1 {
			return fmt.Errorf("--jobs is %d and must be at least 1", o.workers)
		}
	}
	if flags.Changed("rows-per-tx") && o.sizes.RowsPerTx < 1 {
		return fmt.Errorf("--rows-per-tx is %d and must be at least 1", o.sizes.RowsPerTx)
	}
	if flags.Changed("clients") && o.sizes.Clients < 1 {
		return fmt.Errorf("--clients is %d and must be at least 1", o.sizes.Clients)
	}
	if flags.Changed("read-size") && o.table < leastTable {
		return errors.New("--read-size must be at least 1M")
	}
	if flags.Changed("seed") {
		plan.Seed = o.seed
	}
	return nil
}
