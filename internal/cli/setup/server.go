package setup

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/realiops/realiops/internal/cli/command"
	"github.com/realiops/realiops/internal/measure/server/embedded"
	"github.com/realiops/realiops/internal/measure/stopping"
	"github.com/realiops/realiops/internal/printable"
)

func NewServerCommand(env command.Env) *cobra.Command {
	var o command.EmbeddedOptions
	cmd := &cobra.Command{
		Use:   "server",
		Short: "Start a PostgreSQL, print its address, and keep it running until Ctrl-C",
		Long: `Start a real PostgreSQL without installing one, print its address on standard output, and keep it
running until Ctrl-C.

realiops downloads PostgreSQL's programs once and keeps them in your cache directory; REALIOPS_PG_REPOSITORY names a
mirror. When realiops ends, even by kill -9, it stops the server and removes its data, unless you pass --keep.`,
		Example: `  realiops server
  realiops server --pg-version 15 -c shared_buffers=1GB --data-dir /mnt/disk/new
  realiops server --pg-bin installed
  sudo realiops server --own-device 4G`,
		Args: command.NoArguments,
		RunE: func(cmd *cobra.Command, _ []string) error { return runServer(cmd.Context(), env, o) },
	}
	return command.Describe(env, cmd, serverExitHelp, command.Group("Flags", o.AddFlags))
}

const serverExitHelp = `0  it ran until you stopped it
1  wrong usage, or it could not be started
2  it died`

func runServer(ctx context.Context, env command.Env, o command.EmbeddedOptions) error {
	options := o.From(env)
	if env.ErrTerminal {
		options.Notify = func(stage string) { env.Tell("%s …", stage) }
	}
	s, err := embedded.Start(ctx, options)
	if err != nil {
		return err
	}
	fmt.Fprintln(env.Out, s.URL())
	if env.ErrTerminal {
		env.Tell("PostgreSQL %s runs until Ctrl-C", s.Target().Version)
	}
	var died error
	select {
	case <-ctx.Done():
	case <-s.Died():
		died = fmt.Errorf("the server died: %w", s.Cause())
	}
	defer stopping.For(ctx, "the server to end its sessions and write what is in memory; after "+
		printable.Duration(options.Patience())+" it is stopped without that", 0)()
	// A second Ctrl-C leaves the stop, however long it takes, to the supervisor.
	err = s.Stop(context.WithoutCancel(ctx))
	if remains := s.Kept(); remains != "" {
		env.Tell("%s", remains)
	}
	return command.WithCode(command.ExitFailed, errors.Join(died, err))
}
