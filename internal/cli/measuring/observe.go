package measuring

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/realiops/realiops/internal/analyze/counts"
	"github.com/realiops/realiops/internal/analyze/next"
	"github.com/realiops/realiops/internal/analyze/tally"
	"github.com/realiops/realiops/internal/cli/command"
	"github.com/realiops/realiops/internal/cli/exporter"
	"github.com/realiops/realiops/internal/measure/observation"
	"github.com/realiops/realiops/internal/printable"
	"github.com/realiops/realiops/internal/runfile"
)

type observeOptions struct {
	target  command.TargetOptions // only an existing server can be observed
	length  time.Duration
	settled bool
	atLeast time.Duration // before --until-settled may end it
	append  bool
	listen  string // empty: do not listen
	readingOptions
}

func NewObserveCommand(env command.Env) *cobra.Command {
	var o observeOptions
	cmd := &cobra.Command{
		Use:   "observe",
		Short: "Watch a PostgreSQL that others use, without adding a load",
		Long: `Watch a PostgreSQL that others use: what it really writes, what its counters count, and who causes it.

It puts no load on the server and changes nothing there: no schema, no setting, no checkpoint, no extension. It
compares quiet and busy times, while realiops run compares its own loads. So verdicts take longer, and some metrics
get none. For those the report names a short load of realiops run that would tell.

If the server restarts or fails over behind the same address, realiops reconnects; the time between is a gap. --append
continues the file of an earlier observation of the same server.`,
		Example: `  realiops observe --dsn 'postgres://me@db.example/shop'
  realiops observe --dsn service=prod --for 72h -o shop.jsonl.zst
  realiops observe --dsn service=prod --for 72h --append -o shop.jsonl.zst
  realiops observe --dsn service=prod --until-settled
  realiops observe --dsn service=prod --for 30d --listen 9650`,
		Args: command.NoArguments,
		RunE: func(cmd *cobra.Command, _ []string) error { return runObserve(cmd.Context(), env, o, cmd.Flags()) },
	}
	server, long, output := command.Group("The server"), command.Group("How long"),
		command.Group("Reading and output", o.readingOptions.addFlags)
	server.Var(&o.target.DSN, "dsn",
		"observe this server: a `URL`, keywords or a database name, completed from PG* variables as psql does")
	long.DurationVar(&o.length, "for", time.Hour, "how long to observe, at most")
	long.BoolVar(&o.settled, "until-settled", false, "stop early when the report no longer changes")
	long.DurationVar(&o.atLeast, "at-least", leastObserved,
		"with --until-settled, how long to observe before it may end")
	long.BoolVar(&o.append, "append", false, "continue the file that -o names")
	output.StringVar(&o.listen, "listen", "",
		"serve the readings to a Prometheus at this `ADDRESS`: HOST:PORT, or a port that only this machine reaches")
	return command.Describe(env, cmd, observeExitHelp, server, command.Group("A server in AWS", o.target.AddAWSFlags),
		long, output)
}

const observeExitHelp = `0  done, or stopped with Ctrl-C
1  wrong usage, or no server to observe: nothing was read
2  it failed; what was read is kept
3  done, and a metric that was required got no verdict`

// leastObserved is the shortest observation with --until-settled, unless the user sets another: checkpoints come
// every five minutes, and jobs every quarter of an hour.
const leastObserved = 20 * time.Minute

// check rejects contradictory options before anything is done.
func (o *observeOptions) check() error {
	switch {
	case o.length <= 0:
		return fmt.Errorf("--for is %s and must be more than 0", printable.Duration(o.length))
	case o.atLeast <= 0:
		return fmt.Errorf("--at-least is %s and must be more than 0", printable.Duration(o.atLeast))
	case o.atLeast != leastObserved && !o.settled:
		return errors.New("--at-least needs --until-settled")
	case o.atLeast != leastObserved && o.atLeast > o.length:
		return fmt.Errorf("--at-least %s is longer than --for %s", printable.Duration(o.atLeast),
			printable.Duration(o.length))
	case o.append && o.out == "":
		return errors.New("--append continues a file; name it with -o")
	}
	return nil
}

// runObserve observes, always keeps the record, and reports from it.
func runObserve(ctx context.Context, env command.Env, o observeOptions, flags *pflag.FlagSet) error {
	mode, err := o.resolve(env)
	if err != nil {
		return err
	}
	if err := o.check(); err != nil {
		return err
	}
	if err := o.target.UseNamed(env); err != nil {
		return err
	}
	head := headOf(env, flags)
	path := cmp.Or(o.out, runfile.DefaultPath(head.ID))
	o.target.DSN.Given = true // without it the PG* variables decide
	server, err := o.target.Target(ctx, env)
	if err != nil {
		return err
	}
	var metrics *exporter.Server
	if o.listen != "" { // open the port before the server is asked anything
		if metrics, err = exporter.Listen(ctx, o.listen, command.Version()); err != nil {
			return err
		}
	}
	show := follower{env.Display(mode), metrics}
	recorded, err := observation.Do(ctx, observation.Options{
		Head: head, Path: path, Append: o.append, Target: server, Interval: o.interval, For: o.length, Show: show,
		Known: func(metrics []runfile.Metric) error {
			_, err := o.require.Names(countedNames(metrics))
			return err
		},
		Settled: o.settling(), AtLeast: o.atLeast, Preview: preview(show), Now: env.Now,
	})
	show.Close()
	if !recorded {
		return command.WithCode(command.ExitUsage, err)
	}
	return errors.Join(command.WithCode(command.ExitFailed, err), o.report(env, path))
}

// preview returns a function that summarizes the file so far; nil if it is not shown.
func preview(show follower) func(path string, after time.Duration) (text string, looked bool) {
	if !show.Looked() && show.metrics == nil {
		return nil
	}
	var p next.Preview
	return func(path string, after time.Duration) (text string, looked bool) {
		seen, looked := p.Ask(after, func() (*counts.Run, error) { return tally.FromFile(path) })
		if looked && show.metrics != nil {
			show.metrics.Judged(seen.Verdicts)
		}
		return seen.String(), looked
	}
}

// settling returns a function that reports when the report no longer changes; nil if only time ends the observation.
func (o *observeOptions) settling() func(path string, after time.Duration) (why string, settled bool) {
	if !o.settled {
		return nil
	}
	settling := next.Settling{AtLeast: o.atLeast}
	return func(path string, after time.Duration) (why string, settled bool) {
		return settling.Ask(after, func() (*counts.Run, error) { return tally.FromFile(path) })
	}
}
