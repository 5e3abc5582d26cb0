package setup

import (
	"bytes"
	"context"
	"io"

	"github.com/spf13/cobra"

	"github.com/realiops/realiops/internal/analyze/view"
	"github.com/realiops/realiops/internal/cli/command"
	"github.com/realiops/realiops/internal/measure/account"
	"github.com/realiops/realiops/internal/measure/limits"
)

// limitsOptions are the flags of realiops aws limits.
type limitsOptions struct {
	account account.Options
	out     string
}

func newLimitsCommand(env command.Env) *cobra.Command {
	var o limitsOptions
	cmd := &cobra.Command{
		Use:   "limits",
		Short: "Fetch limits of machine classes, for realiops size --limits",
		Long: `Ask AWS how many operations and bytes per second each machine class in a region passes to EBS, and
which storage RDS sells with each class for PostgreSQL. Write a file for realiops size --limits, which uses it
before the built-in limits. The credentials need ec2:DescribeInstanceTypes and
rds:DescribeOrderableDBInstanceOptions.

RDS has one offer per PostgreSQL version, so this takes a few hundred calls and a minute or two.`,
		Example: `  realiops aws limits --region eu-west-1 -o limits.json
  realiops size LAST --class db.r9g.large --limits limits.json`,
		Args: command.NoArguments,
		RunE: func(cmd *cobra.Command, _ []string) error { return runLimits(cmd.Context(), env, o) },
	}
	flags := command.Group("Flags")
	flags.StringVarP(&o.out, "output", "o", "", "`file` to write (default: standard output)")
	command.AddAccountFlags(flags.FlagSet, &o.account)
	flags.Lookup("region").Usage = "the `region` of the classes (default: like the AWS CLI)"
	return command.Describe(env, cmd, limitsExitHelp, flags)
}

const limitsExitHelp = `0  written
1  wrong usage, or AWS could not be asked`

func runLimits(ctx context.Context, env command.Env, o limitsOptions) error {
	a, err := command.OpenInRegion(ctx, o.account)
	if err != nil {
		return err
	}
	all, err := limits.Ask(ctx, a.Config())
	if err != nil {
		return account.Explain(err)
	}
	return writeList(env, o.out, all)
}

// writeList writes a list for realiops size, completely or not at all.
func writeList(env command.Env, name string, list any) error {
	var text bytes.Buffer
	if err := view.JSON(&text, list); err != nil {
		return err
	}
	return command.WriteTo(name, env.Out, func(w io.Writer) error { _, err := w.Write(text.Bytes()); return err })
}
