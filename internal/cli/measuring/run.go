package measuring

import (
	"cmp"
	"context"
	"errors"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/realiops/realiops/internal/cli/command"
	"github.com/realiops/realiops/internal/measure/run"
	"github.com/realiops/realiops/internal/runfile"
)

type runOptions struct {
	target command.TargetOptions
	plan   planOptions
	cloud  cloudOptions
	readingOptions
}

func NewRunCommand(env command.Env) *cobra.Command {
	var o runOptions
	cmd := &cobra.Command{
		Use:   "run",
		Short: "Run known loads on a PostgreSQL and find out what its counters count",
		Long: `Run known loads on a PostgreSQL, one after another, and find out what each counter really counts.

Without --dsn or --container it measures its own PostgreSQL, which it downloads once, starts, and removes. If the
environment names a server, it asks which of the two to use. On your server it works in a schema named realiops and
drops it at the end.

A plan file is JSON with the keys that a run file has under "plan":

    {"loads": [{"name": "idle"}, {"name": "bulk", "rows_per_tx": 1000,
    "method": "insert-select", "indexes": 0, "clients": 8}],
    "repetitions": 3, "load_seconds": 5}

--budget sets the length and repetitions of loads if the plan does not.`,
		Example: `  realiops run
  realiops run --pg-version 15 -c shared_buffers=1GB
  realiops run --dsn 'postgres://me@localhost/test' --budget 5m
  realiops run --require pg_stat_wal.wal_sync --require '/proc/diskstats writes'
  realiops run --container
  realiops run --dsn 'host=db.cluster-abc.eu-west-1.rds.amazonaws.com dbname=test' --quick-aws
  sudo realiops run --own-device 8G`,
		Args: command.NoArguments,
		RunE: func(cmd *cobra.Command, _ []string) error { return runRun(cmd.Context(), env, o, cmd.Flags()) },
	}
	load := command.Group("The load", o.plan.addFlags)
	load.BoolVar(&o.target.Yes, "yes", false, "do not ask before loading a server on another machine")
	groups := append(o.target.Groups(o.cloud.addFlags), load,
		command.Group("Reading and output", o.readingOptions.addFlags))
	return command.Describe(env, cmd, runExitHelp, groups...)
}

const runExitHelp = `0  done
1  wrong usage, or no server: nothing was measured
2  it failed or was interrupted; what was measured is kept
3  done, and a metric that was required got no verdict`

// runRun measures, always keeps the record, and reports from it.
func runRun(ctx context.Context, env command.Env, o runOptions, flags *pflag.FlagSet) error {
	mode, err := o.resolve(env)
	if err != nil {
		return err
	}
	program, err := o.plan.program(ctx, flags, o.cloud.period()/env.Tempo.Times(), o.cloud.rest(env.Tempo))
	if err != nil {
		return err
	}
	if err := o.target.AskAboutNamed(env); err != nil {
		return err
	}
	if o.cloud.asked() && !o.target.DSN.Given {
		return errors.New("--aws and --quick-aws are for a server in AWS and need --dsn")
	}
	server, err := o.target.Target(ctx, env)
	if err != nil {
		return err
	}
	head := headOf(env, flags)
	path := cmp.Or(o.out, runfile.DefaultPath(head.ID))
	show := env.Display(mode)
	recorded, err := run.Do(ctx, run.Options{
		Head: head, Path: path, Target: server, Program: program, Interval: o.interval, Show: show,
		Verbose: o.level.Evidence(), AWSPeriod: o.cloud.period(), Tempo: env.Tempo, Bill: bill,
		Agree:    func(question string) error { return command.Agree(env, o.target.Yes, question) },
		Required: func(metrics []runfile.Metric) ([]string, error) { return o.require.Names(countedNames(metrics)) },
		Next:     nextLoad(), SoFar: soFar(env, show),
	})
	show.Close()
	if !recorded {
		return err
	}
	return errors.Join(command.WithCode(command.ExitFailed, err), o.report(env, path))
}

// secretFlags are recorded without their values.
var secretFlags = map[string]bool{"dsn": true, "role": true, "prometheus": true}

// headOf returns the first line of a run file, as far as known beforehand.
func headOf(env command.Env, flags *pflag.FlagSet) runfile.Run {
	now := env.Now()
	head := runfile.Run{Schema: runfile.Schema, ID: runfile.NewID(now), Start: now, Version: command.Version(),
		Parameters: map[string]string{}}
	flags.VisitAll(func(f *pflag.Flag) {
		switch {
		case f.Name == "help":
		case secretFlags[f.Name] && f.Changed:
			head.Parameters[f.Name] = "given"
		default:
			head.Parameters[f.Name] = f.Value.String()
		}
	})
	return head
}
