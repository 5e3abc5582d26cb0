// Package cli is the command line: commands, flags, wiring and exit codes. Nothing imports it but main, and nothing
// else imports cobra.
//
// Each command is a file with three things: newXCommand, xOptions with its flags, and runX, which takes the world as
// an [Env]. Results go to Env.Out, progress and messages to Env.Err, and an error is printed once, by [Main].
package cli

import (
	"context"
	"errors"
	"io/fs"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/realiops/realiops/internal/runfile"
)

// Main runs one command and returns its exit code. The first interrupt asks the command to stop, keep what there is
// and report on it; a second one ends the process.
func Main(env Env, args []string) int {
	root := newRootCommand(env)
	root.SetArgs(args)
	name := ""
	if command, _, err := root.Find(args); err == nil {
		name = command.Name()
	}
	ctx, stop := stoppable(env.tell, name)
	err := renamedCommand(args)
	if err == nil {
		err = root.ExecuteContext(ctx)
	}
	stop()
	if nobodyReads(err) {
		return exitPipe
	}
	if err != nil && !errors.Is(err, errSilent) {
		env.tell("realiops: %s", runfile.OneLine(runfile.Scrub(reasonOf(ctx, err))))
	}
	return codeOf(err)
}

// reasonOf is an error's text, with the signal that ended the command in the place of what a library says of any end.
func reasonOf(ctx context.Context, err error) string {
	cause := context.Cause(ctx)
	if cause == nil || !errors.Is(err, context.Canceled) {
		return err.Error()
	}
	return strings.Replace(err.Error(), context.Canceled.Error(), cause.Error(), 1)
}

// nobodyReads tells whether an error is that of an output whose reader is gone. A connection to a server that is gone breaks with the
// same word, and is no file.
func nobodyReads(err error) bool {
	output, is := errors.AsType[*fs.PathError](err)
	return is && errors.Is(output.Err, syscall.EPIPE)
}

// Command is the tree of all commands, for manuals.
func Command(env Env) *cobra.Command { return newRootCommand(env) }

// errSilent ends a command whose failure has been told already.
var errSilent = errors.New("told already")

func newRootCommand(env Env) *cobra.Command {
	root := &cobra.Command{
		Use:   "realiops",
		Short: "Find out which of the numbers called IOPS are real storage I/O",
		Long: `realiops puts a known load on PostgreSQL, reads every counter that claims to measure I/O, and says what each of them
counts: work of the database, or what storage had to do.`,
		Example: `  realiops run                 measure a PostgreSQL of its own on this machine
  realiops run --dsn URL       measure yours
  realiops report LAST        the report of the last run again, from its file
  realiops explain WriteIOPS   what a metric is documented to mean`,
		Version:       fullVersion(),
		Args:          knownCommand,
		RunE:          func(c *cobra.Command, _ []string) error { return c.Help() },
		SilenceErrors: true,
		SilenceUsage:  true,
	}
	root.SetIn(env.In)
	root.SetOut(env.Out)
	root.SetErr(env.Err)
	root.SetVersionTemplate("{{.Version}}\n")
	root.Flags().BoolP("version", "V", false, "show the version and exit") // not -v, which elsewhere is --verbose
	root.Flags().BoolP("help", "h", false, "show this help and exit")
	root.SetFlagErrorFunc(flagMistake)
	root.SetHelpFunc(func(c *cobra.Command, _ []string) { showHelp(env, c) })
	addCommands(root, env)
	return root
}

// addCommands adds all commands, those that people use under titles.
func addCommands(root *cobra.Command, env Env) {
	for _, g := range []struct {
		title    string
		commands []*cobra.Command
	}{
		{"Measure", []*cobra.Command{
			newRunCommand(env), newObserveCommand(env), newMeasureCommand(env), newHistoryCommand(env), newFleetCommand(env), newBaselineCommand(env), newLoadCommand(env),
		}},
		{"Read", append(endingAtOnce(newReportCommand(env), newCompareCommand(env), newSizeCommand(env)), newExplainCommand(env))},
		{"Before", []*cobra.Command{newDoctorCommand(env), newPricesCommand(env), newAWSCommand(env), newServerCommand(env)}},
		{"More", append(endingAtOnce(newShareCommand(env)), newCompletionCommand(env), newVersionCommand(env))},
	} {
		root.AddGroup(&cobra.Group{ID: g.title, Title: g.title + ":"})
		for _, c := range g.commands {
			c.GroupID = g.title
			complete(c)
			root.AddCommand(c)
		}
	}
	root.SetHelpCommand(newHelpCommand())
	root.SetHelpCommandGroupID("More")
	root.CompletionOptions.DisableDefaultCmd = true
}

func newHelpCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "help [COMMAND]",
		Short: "Show the help of a command",
		RunE: func(c *cobra.Command, args []string) error {
			asked, rest, err := c.Root().Find(args)
			if err != nil || len(rest) > 0 && asked == c.Root() {
				return knownCommand(c.Root(), args)
			}
			return asked.Help()
		},
	}
}
