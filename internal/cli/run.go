package cli

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/realiops/realiops/internal/cli/progress"
	"github.com/realiops/realiops/internal/measure/experiment"
	"github.com/realiops/realiops/internal/runfile"
)

// runOptions are the flags of realiops run.
type runOptions struct {
	target targetOptions

	plan       string
	armSeconds float64
	replicates int
	sizes      experiment.Sizes
	seed       uint64
	interval   time.Duration

	out      string
	format   string
	verbose  bool
	progress string
}

func newRunCommand(env Env) *cobra.Command {
	var o runOptions
	cmd := &cobra.Command{
		Use:   "run",
		Short: "Put a known load on a PostgreSQL and show what each counter made of it",
		Long: `Put a known load on a PostgreSQL, arm by arm, and show what each counter made of the same work.

Without --dsn or --container it measures a PostgreSQL of its own, which it fetches once, starts, and removes.
On a server of yours it works in a schema named realiops, which it drops at the end.

A plan file is JSON, in the form in which a run file records it:

  {"arms": [{"name": "idle"},
            {"name": "bulk", "method": "insert-select", "rows_per_tx": 1000, "indexes": 0, "clients": 8}],
   "replicates": 3, "arm_seconds": 5}` + "\n" + exitHelp,
		Example: `  realiops run
  realiops run --pg-version 15 -c shared_buffers=1GB
  realiops run --dsn 'postgres://me@localhost/test' --arm-seconds 10
  realiops run --container`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return runRun(cmd.Context(), env, o, cmd.Flags())
		},
	}
	o.addFlags(cmd.Flags())
	return cmd
}

func (o *runOptions) addFlags(f *pflag.FlagSet) {
	sizes := experiment.DefaultSizes()
	o.target.addFlags(f)
	f.StringVar(&o.plan, "plan", "published", "the arms to run: published, identify, or a JSON `file`")
	f.Float64Var(&o.armSeconds, "arm-seconds", experiment.DefaultArmSeconds, "how long each arm's load runs")
	f.IntVar(&o.replicates, "replicates", experiment.DefaultReplicates, "how often each arm is run")
	f.IntVar(&o.sizes.Clients, "clients", sizes.Clients, "sessions that put load on the server at once")
	f.IntVar(&o.sizes.RowsPerTx, "rows-per-tx", sizes.RowsPerTx, "rows in each transaction")
	f.Uint64Var(&o.seed, "seed", 0, "of the random order of the arms (default: drawn, and recorded)")
	f.DurationVar(&o.interval, "interval", time.Second, "how often the probes read")
	f.StringVarP(&o.out, "output", "o", "", "the run `file` to write; .zst compresses (default: a new one in ./"+runfile.Directory+")")
	f.StringVar(&o.format, "format", "text", "of the report: text or json")
	f.BoolVarP(&o.verbose, "verbose", "v", false, "report everything")
	f.StringVar(&o.progress, "progress", string(progress.Auto), "on standard error: bar, plain, none; auto is a bar on a terminal")
}

// Bounds of how often the probes read: more often costs the server what is to be measured, less often misses arms.
const (
	shortestInterval = 100 * time.Millisecond
	longestInterval  = time.Minute
)

// runRun measures, keeps the record whatever happens, and reports from the record.
func runRun(ctx context.Context, env Env, o runOptions, flags *pflag.FlagSet) error {
	render, err := rendererOf(o.format, o.verbose, env)
	if err != nil {
		return err
	}
	plan, err := o.resolvePlan(flags)
	if err != nil {
		return err
	}
	mode, err := progress.Resolve(o.progress, env.ErrTerminal)
	if err != nil {
		return err
	}
	if o.interval < shortestInterval || o.interval > longestInterval {
		return fmt.Errorf("--interval is %v: from %v to %v", o.interval, shortestInterval, longestInterval)
	}
	id := runfile.NewID(env.Now())
	path := o.out
	if path == "" {
		path = runfile.DefaultPath(id)
	}
	show := progress.New(env.Err, mode, env.Width)
	m := measurement{env: env, options: o, show: show, parameters: parametersOf(flags), id: id, plan: plan, started: env.Now()}
	err = m.run(ctx, path)
	show.Close()
	if !m.recorded {
		return err
	}
	return errors.Join(withCode(exitFailed, err), o.report(env, path, render))
}

// report prints what the file holds, and where it is.
func (o *runOptions) report(env Env, path string, render renderer) error {
	if err := analyzeFile(env, path, requireOptions{}, render); err != nil {
		return withCode(exitFailed, fmt.Errorf("report on %s: %w; realiops analyze %[1]s tries again", path, err))
	}
	again := runfile.Latest
	if o.out != "" {
		again = path
	}
	fmt.Fprintf(env.Err, "The run is kept in %s; realiops analyze %s shows this again.\n", path, again)
	return nil
}

// resolvePlan takes the plan by name or file, what the user said by flag, and defaults for what nobody said.
func (o *runOptions) resolvePlan(flags *pflag.FlagSet) (runfile.Plan, error) {
	plan, err := experiment.Named(o.plan)
	if err != nil {
		return plan, err
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
	return experiment.Complete(plan, o.sizes)
}

// secretFlags are recorded only as having been given.
var secretFlags = map[string]bool{"dsn": true}

func parametersOf(flags *pflag.FlagSet) map[string]string {
	parameters := map[string]string{}
	flags.VisitAll(func(f *pflag.Flag) {
		if f.Name == "help" {
			return
		}
		parameters[f.Name] = f.Value.String()
		if secretFlags[f.Name] && f.Changed {
			parameters[f.Name] = "given"
		}
	})
	return parameters
}

// minutes writes a length of time that is only estimated.
func minutes(d time.Duration) string {
	seconds := int(d.Round(time.Second).Seconds())
	if seconds < 60 {
		return fmt.Sprintf("%d s", seconds)
	}
	return fmt.Sprintf("%d min %d s", seconds/60, seconds%60)
}

// announce says what is going to happen, how long it takes and where it is recorded.
func announce(show *progress.Display, plan runfile.Plan, path string) {
	show.Message(fmt.Sprintf("%d arms x %d replicates x %g s, about %s; recorded in %s",
		len(plan.Arms), plan.Replicates, plan.ArmSeconds, minutes(experiment.Duration(plan)), path))
}
