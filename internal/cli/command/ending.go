package command

import (
	"context"

	"github.com/spf13/cobra"
)

// EndingAtOnce makes commands that only read files end at the first interrupt: they have nothing to clean up, and may
// be waiting for a pipe without a writer.
func EndingAtOnce(commands ...*cobra.Command) []*cobra.Command {
	for _, c := range commands {
		run := c.RunE
		c.RunE = func(cmd *cobra.Command, args []string) error {
			done := make(chan error, 1)
			go func() { done <- run(cmd, args) }()
			select {
			case err := <-done:
				return err
			case <-cmd.Context().Done():
				return context.Cause(cmd.Context())
			}
		}
	}
	return commands
}
