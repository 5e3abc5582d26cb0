package setup

import (
	"github.com/spf13/cobra"

	"github.com/realiops/realiops/internal/cli/command"
)

func NewAWSCommand(env command.Env) *cobra.Command {
	return below(env, "aws", "Ask an AWS account about a run, costs, limits or permissions",
		`Ask an AWS account what it measured during a run, what an Aurora cluster costs, or what its machine classes
carry; or print the permissions this needs.`, `  realiops aws collect LAST
  realiops aws cost --cluster shop --for 90d
  realiops aws limits --region eu-west-1 -o limits.json
  realiops aws policy > policy.json`,
		append(command.EndingAtOnce(newAuroraCostCommand(env)), newCollectCommand(env), newLimitsCommand(env),
			newPolicyCommand(env))...)
}

// below returns a command that only has subcommands.
func below(env command.Env, name, short, long, example string, commands ...*cobra.Command) *cobra.Command {
	c := &cobra.Command{
		Use: name, Short: short, Long: long, Example: example, Args: command.KnownCommand,
		RunE: func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.AddCommand(commands...)
	return command.Describe(env, c, belowExitHelp, command.Group("Flags"))
}

const belowExitHelp = `0  shown
1  wrong usage: there is no such command`
