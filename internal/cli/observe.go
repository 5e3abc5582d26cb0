package cli

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/realiops/realiops/internal/cli/progress"
	"github.com/realiops/realiops/internal/runfile"
)

// observeOptions are the flags of realiops observe.
type observeOptions struct {
	target  targetOptions // of which only a server that is there already can be observed
	length  time.Duration
	settled bool
	atLeast time.Duration // before it may be settled
	append  bool
	readingOptions
}

func newObserveCommand(env Env) *cobra.Command {
	var o observeOptions
	cmd := &cobra.Command{
		Use:   "observe",
		Short: "Say what a PostgreSQL that others use does, without adding to it",
		Long: `Say what a PostgreSQL that others use really writes, what its counters count, and who causes it.

It puts no load on the server and changes nothing there: no schema, no setting, no checkpoint, no extension. Windows of
natural variation stand in for the arms of realiops run, so that a verdict takes more evidence, and some metrics get
none that a short load would settle: the report says which load that is.

A server that is restarted, or that fails over behind the same address, is a gap and not the end. --append goes on in
the file of an earlier observation of the same server.`,
		Example: `  realiops observe --dsn 'postgres://me@db.example/shop'
  realiops observe --dsn service=prod --for 72h -o shop.jsonl.zst
  realiops observe --dsn service=prod --for 72h --append -o shop.jsonl.zst
  realiops observe --dsn service=prod --until-settled`,
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error { return runObserve(cmd.Context(), env, o, cmd.Flags()) },
	}
	return describe(env, cmd, observeExitHelp, group("The server", o.addTargetFlags), group("A server in AWS", o.target.aws.addFlags),
		group("How long", o.addFlags), group("What to read and tell", o.readingOptions.addFlags))
}

func (o *observeOptions) addTargetFlags(f *pflag.FlagSet) {
	f.Var(&o.target.dsn, "dsn", "observe this server: a `URL`, keywords or a database name, completed from PG* variables as psql does")
}

func (o *observeOptions) addFlags(f *pflag.FlagSet) {
	f.DurationVar(&o.length, "for", time.Hour, "how long to observe, at most")
	f.BoolVar(&o.settled, "until-settled", false, "end before that when nothing more is learned")
	f.DurationVar(&o.atLeast, "at-least", leastObserved, "with --until-settled, how long to observe before it may end")
	f.BoolVar(&o.append, "append", false, "go on in the file that -o names")
}

const observeExitHelp = `0  done, also where Ctrl-C ended it
1  wrong usage, or no server to observe: nothing was read
2  it failed; what was read is kept
3  done, and a metric that was required got no verdict`

// check finds what makes no sense before anything is done.
func (o *observeOptions) check() error {
	switch {
	case o.length <= 0:
		return fmt.Errorf("--for is %v: there is nothing to observe in that", o.length)
	case o.atLeast <= 0:
		return fmt.Errorf("--at-least is %v: nothing is settled by that", o.atLeast)
	case o.atLeast != leastObserved && !o.settled:
		return errors.New("--at-least is for --until-settled, which was not asked for")
	case o.atLeast != leastObserved && o.atLeast > o.length:
		return fmt.Errorf("--at-least %v is longer than it is observed (--for %v)", o.atLeast, o.length)
	case o.append && o.out == "":
		return errors.New("--append goes on in a file: name it with -o")
	}
	return nil
}

// runObserve observes, keeps the record whatever happens, and reports from the record.
func runObserve(ctx context.Context, env Env, o observeOptions, flags *pflag.FlagSet) error {
	render, mode, err := o.resolve(env)
	if err != nil {
		return err
	}
	if err := o.check(); err != nil {
		return err
	}
	id := runfile.NewID(env.Now())
	path := o.out
	if path == "" {
		path = runfile.DefaultPath(id) + ".zst" // days of it are large
	}
	o.target.dsn.given = true // without it the PG* variables say where
	w := &watching{
		env: env, options: o, id: id, started: env.Now(), parameters: parametersOf(flags), show: progress.New(env.Err, mode, env.Width),
	}
	err = w.run(ctx, path)
	w.show.Close()
	if !w.recorded {
		return withCode(exitUsage, err)
	}
	return errors.Join(withCode(exitFailed, err), o.report(env, path, render))
}
