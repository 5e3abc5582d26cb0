package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/realiops/realiops/internal/cli/command"
)

func newVersionCommand(env command.Env) *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Show which realiops this is",
		Args:  command.NoArguments,
		RunE:  func(*cobra.Command, []string) error { return showVersion(env) },
	}
}

// showVersion is not cobra's: its template would link reflection in that keeps every method of every type in the
// program.
func showVersion(env command.Env) error {
	_, err := fmt.Fprintln(env.Out, command.FullVersion())
	return err
}
