package measuring

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/realiops/realiops/internal/cli/command"
	"github.com/realiops/realiops/internal/measure/load/engine"
	"github.com/realiops/realiops/internal/measure/load/script"
	"github.com/realiops/realiops/internal/measure/load/session"
	"github.com/realiops/realiops/internal/measure/load/tables"
	"github.com/realiops/realiops/internal/measure/postgres"
)

func NewLoadCommand(env command.Env) *cobra.Command {
	o := &loadOptions{scale: 1, maxTries: 1, define: map[string]string{}, load: engine.Options{
		Clients: 1, Threads: 1, Mode: engine.Simple, Silence: defaultSilence,
	}}
	cmd := &cobra.Command{
		Use:   "load [DBNAME]",
		Short: "Run pgbench's scripts on a server, with pgbench's flags and report",
		Long: `Put a load on your server, with pgbench's flags, scripts, report and log files, and with features that
pgbench lacks.

Without -f or -b it runs pgbench's TPC-B-like transactions, for which -i makes the tables. DBNAME is a database, a
connection string or a URL; PG* variables, the service file and the password file work as in psql. Unlike realiops run,
it does not ask before it loads a server on another machine, and scripts write wherever they say.`,
		Example: `  realiops load -i -s 10 test
  realiops load -c 8 -T 60 -P 5 test
  realiops load -f insert.sql@9 -f read.sql -M prepared -c 50 -R 2000 -L 20 -T 300 --fail-if 'achieved<0.99' test
  realiops load -f copy.sql -T 60 --warmup 10 --format json test | jq .totals.per_second.rows`,
		RunE: func(cmd *cobra.Command, args []string) error {
			return runLoad(cmd.Context(), env, o, cmd.Flags(), args)
		},
	}
	command.Describe(env, cmd, loadExitHelp,
		command.Group("What to run", o.scriptFlags), command.Group("How to run it", o.loadFlags),
		command.Group("Output", o.reportFlags),
		command.Group("Beyond pgbench", o.ownFlags), command.Group("To make the tables of the built-in scripts",
			o.tableFlags), command.Group("Where", o.connectionFlags))
	cmd.PreRunE = nil // as in pgbench, -h "" means no -h
	return cmd
}

const loadExitHelp = `0  done
1  wrong usage, or no connection: nothing was run
2  the run was interrupted or clients aborted; the report covers what ran
4  the load ran, and a --fail-if holds`

// runLoad does what the flags ask: answer a question about the scripts, make the tables, or run a load.
func runLoad(ctx context.Context, env command.Env, o *loadOptions, flags *pflag.FlagSet, args []string) error {
	if done, err := o.answer(env); done || err != nil {
		return err
	}
	if err := errors.Join(o.connection.name(args), o.check(flags)); err != nil {
		return err
	}
	endpoint, err := postgres.Parse(o.connection.dsn())
	if err != nil {
		return err
	}
	if w := endpoint.Warning(); w != "" {
		env.Tell("%s", w)
	}
	switch {
	case o.aws.IAMAuth:
		if _, err := o.aws.Open(ctx, endpoint); err != nil { // its credentials replace a password from here on
			return err
		}
	case o.aws.Given():
		return errors.New("--instance, --profile, --region and --role are for signing in to AWS and need --iam-auth")
	default:
		password, err := command.AskPassword(ctx, env, endpoint)
		if err != nil {
			return err
		}
		if password != "" {
			endpoint.UsePassword(password)
		}
	}
	if o.initialize {
		return o.runInitialize(ctx, env, endpoint)
	}
	return o.runBenchmark(ctx, env, endpoint, flags)
}

// answer does the work that needs no server, if asked.
func (o *loadOptions) answer(env command.Env) (done bool, err error) {
	switch {
	case o.version:
		_, err = fmt.Fprintf(env.Out, "realiops load (realiops) %s\n", command.Version())
	case o.show != "":
		b, err := script.FindBuiltin(o.show)
		if err == nil {
			fmt.Fprintf(env.Err, "-- %s: %s\n%s\n", b.Name, b.Description, b.Text)
		}
		return true, err
	case o.listScripts:
		fmt.Fprintln(env.Err, "Available builtin scripts:")
		for _, b := range script.Builtins() {
			fmt.Fprintf(env.Err, "  %13s: %s\n", b.Name, b.Description)
		}
	default:
		return false, nil
	}
	return true, err
}

// warnOfStandby says that a load would hang, which it does as silently as pgbench.
func warnOfStandby(ctx context.Context, env command.Env, conn *pgx.Conn) {
	if hangs, err := postgres.Unconfirmed(ctx, conn); err == nil && hangs {
		env.Tell("realiops: warning: every commit waits for a standby that is not connected " +
			"(synchronous_standby_names); start it, or set synchronous_commit to local")
	}
}

// warnOfQueries says whose queries a load that writes may cancel.
func warnOfQueries(ctx context.Context, env command.Env, conn *pgx.Conn) {
	if text, err := postgres.StandbyQueries(ctx, conn, "this load"); err == nil && text != "" {
		env.Tell("realiops: warning: %s", strings.TrimSuffix(text, "."))
	}
}

func (o *loadOptions) runInitialize(ctx context.Context, env command.Env, endpoint *postgres.Endpoint) error {
	conn, err := endpoint.ConnectUser(ctx)
	if err != nil {
		return err
	}
	defer conn.Close(context.WithoutCancel(ctx)) //nolint:errcheck // nothing is left to be done on it
	warnOfStandby(ctx, env, conn)
	warnOfQueries(ctx, env, conn)
	t := o.tables
	t.Scale, t.NoVacuum = o.scale, o.noVacuum
	t.PartitionMethod = tables.Method(strings.ToLower(string(t.PartitionMethod)))
	t.Progress, t.Terminal = env.Err, env.ErrTerminal
	err = tables.Initialize(ctx, conn, t)
	if ctx.Err() != nil {
		return command.WithCode(command.ExitFailed, err)
	}
	return err
}

func (o *loadOptions) runBenchmark(ctx context.Context, env command.Env, endpoint *postgres.Endpoint,
	flags *pflag.FlagSet) error {
	b := &benchmark{loadOptions: o, env: env, password: endpoint.PasswordSource()}
	if err := b.resolve(ctx, endpoint); err != nil {
		return err
	}
	if err := b.prepare(ctx, endpoint, flags.Changed("scale")); err != nil {
		return err
	}
	result, err := b.run(ctx)
	silent := func(err error) bool { return session.KindOf(err) == session.NoAnswer }
	if ctx.Err() == nil && (silent(err) || slices.ContainsFunc(result.Aborted, silent)) {
		if conn, err := endpoint.ConnectUser(ctx); err == nil {
			warnOfStandby(ctx, env, conn) // it may have been lost since
			_ = conn.Close(ctx)           // nothing was done on it
		}
	}
	if err != nil && result.Began.IsZero() {
		return err
	}
	return b.report(ctx, result, err)
}
