package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/realiops/realiops/internal/cli/command"
)

func newVersionCommand(env command.Env) *cobra.Command {
	cmd := &cobra.Command{
		Use:     "version",
		Short:   "Show the version of realiops",
		Example: "  realiops version",
		Args:    command.NoArguments,
		RunE:    func(*cobra.Command, []string) error { return showVersion(env) },
	}
	return command.Describe(env, cmd, "0  printed\n1  wrong usage: version takes no arguments", command.Group("Flags"))
}

// showVersion replaces cobra's, whose template would link reflection that keeps every
// method of every type in the program.
func showVersion(env command.Env) error {
	_, err := fmt.Fprintln(env.Out, command.FullVersion())
	return err
}
