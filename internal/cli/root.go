// Package cli is the command line: the tree of commands, help, completion, interrupts and exit codes. Only main
// imports it, and only it imports cobra.
//
// The commands are in reading, measuring and setup, and their common parts in command. Each is a file with
// NewXCommand, xOptions with its flags, and runX, which takes the world as a [command.Env]. Results go to Env.Out,
// progress and messages to Env.Err, and [Main] prints an error once.
package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/realiops/realiops/internal/cli/command"
	"github.com/realiops/realiops/internal/cli/measuring"
	"github.com/realiops/realiops/internal/cli/reading"
	"github.com/realiops/realiops/internal/cli/setup"
	"github.com/realiops/realiops/internal/runfile"
)

// Main runs one command and returns its exit code. The first interrupt asks the command to stop, keep what it has and
// report on it; a second one ends the process.
func Main(env command.Env, args []string) int {
	out := &output{Writer: env.Out}
	env.Out = out
	root := newRootCommand(env)
	root.SetArgs(args)
	var mistake error
	if c, rest, err := root.Find(args); err == nil {
		mistake = command.OneDash(c, rest)
	}
	ctx, stop := stoppable(env.Tell)
	err := errors.Join(command.RenamedCommand(args), mistake)
	if err == nil {
		err = root.ExecuteContext(ctx)
	}
	stop()
	err = cmp.Or(err, out.err)
	if nobodyReads(err) || nobodyWaits(ctx, err) && command.CodeOf(err) == command.ExitUsage {
		return command.ExitPipe
	}
	if err != nil && !nobodyWaits(ctx, err) && !errors.Is(err, command.ErrSilent) {
		env.Tell("realiops: %s", runfile.OneLine(runfile.Scrub(reasonOf(ctx, err))))
	}
	return command.CodeOf(err)
}

// output remembers that standard output could not be written, which cobra keeps to itself when it shows help.
type output struct {
	io.Writer
	err error
}

func (o *output) Write(text []byte) (int, error) {
	n, err := o.Writer.Write(text)
	o.err = cmp.Or(o.err, err)
	return n, err
}

// Unwrap returns the output itself.
func (o *output) Unwrap() io.Writer { return o.Writer }

// reasonOf returns an error's text, naming the signal that ended the command instead of "context canceled".
func reasonOf(ctx context.Context, err error) string {
	cause := context.Cause(ctx)
	if cause == nil || !errors.Is(err, context.Canceled) {
		return err.Error()
	}
	return strings.Replace(err.Error(), context.Canceled.Error(), cause.Error(), 1)
}

// nobodyReads reports whether an error comes from an output without a reader. A broken connection to a server has the
// same errno, but is no *fs.PathError.
func nobodyReads(err error) bool {
	output, ok := errors.AsType[*fs.PathError](err)
	return ok && errors.Is(output.Err, syscall.EPIPE)
}

// nobodyWaits reports whether an error is the end of a command whose output has no reader.
func nobodyWaits(ctx context.Context, err error) bool {
	stopped, ok := errors.AsType[*stoppedError](context.Cause(ctx))
	return ok && stopped.by == syscall.SIGPIPE && errors.Is(err, context.Canceled)
}

// Command returns the tree of all commands, for manuals.
func Command(env command.Env) *cobra.Command { return newRootCommand(env) }

func newRootCommand(env command.Env) *cobra.Command {
	root := &cobra.Command{
		Use:   "realiops",
		Short: "Find out which of the numbers called IOPS are real storage I/O",
		Long: `realiops puts a known load on PostgreSQL, reads every counter that claims to measure I/O, and says what each of them
counts: work of the database, or what storage had to do.`,
		Example: `  realiops run                 measure a PostgreSQL that it starts itself
  realiops run --dsn URL       measure yours
  realiops report LAST         show the report of the last run again
  realiops explain WriteIOPS   say what a metric counts`,
		Args: command.KnownCommand,
		RunE: func(c *cobra.Command, _ []string) error {
			if asked, err := c.Flags().GetBool("version"); asked || err != nil {
				return errors.Join(err, showVersion(env))
			}
			return c.Help()
		},
		SilenceErrors: true,
		SilenceUsage:  true,
	}
	root.SetIn(env.In)
	root.SetOut(env.Out)
	root.SetErr(env.Err)
	root.Flags().BoolP("version", "V", false, "show the version and exit") // not -v, which means --verbose elsewhere
	root.Flags().BoolP("help", "h", false, "show this help and exit")
	root.SetFlagErrorFunc(command.FlagMistake)
	root.SetHelpFunc(func(c *cobra.Command, _ []string) { command.ShowHelp(env, c) })
	addCommands(root, env)
	return root
}

// addCommands adds all commands, the main ones under titles.
func addCommands(root *cobra.Command, env command.Env) {
	for _, g := range []struct {
		title    string
		commands []*cobra.Command
	}{
		{"Measure", []*cobra.Command{
			measuring.NewRunCommand(env), measuring.NewObserveCommand(env), measuring.NewMeasureCommand(env),
			measuring.NewHistoryCommand(env), measuring.NewFleetCommand(env), measuring.NewBaselineCommand(env),
			measuring.NewLoadCommand(env),
		}},
		{"Read", append(command.EndingAtOnce(command.Brief(1, reading.NewReportCommand(env)),
			command.Brief(reading.AtOnce, reading.NewCompareCommand(env)), command.Brief(1, reading.NewSizeCommand(env))),
			reading.NewExplainCommand(env))},
		{"Before", []*cobra.Command{setup.NewDoctorCommand(env), setup.NewPricesCommand(env), setup.NewAWSCommand(env),
			setup.NewServerCommand(env)}},
		{"More", append(command.EndingAtOnce(reading.NewShareCommand(env)), newCompletionCommand(env),
			newVersionCommand(env))},
	} {
		root.AddGroup(&cobra.Group{ID: g.title, Title: g.title + ":"})
		for _, c := range g.commands {
			c.GroupID = g.title
			complete(c)
			root.AddCommand(c)
		}
	}
	root.SetHelpCommand(newHelpCommand(env))
	root.SetHelpCommandGroupID("More")
	root.CompletionOptions.DisableDefaultCmd = true
}

func newHelpCommand(env command.Env) *cobra.Command {
	cmd := &cobra.Command{
		Use:     "help [COMMAND]",
		Short:   "Show the help of a command",
		Example: "  realiops help run",
		RunE: func(c *cobra.Command, args []string) error {
			asked, rest, err := c.Root().Find(args)
			if err != nil || len(rest) > 0 && asked == c.Root() {
				return command.KnownCommand(c.Root(), args)
			}
			return asked.Help()
		},
	}
	return command.Describe(env, cmd, "0  shown\n1  wrong usage: there is no such command", command.Group("Flags"))
}

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
