// Package cli is the command line: commands, flags, wiring and exit codes. Nothing imports it but main, and nothing
// else imports cobra.
//
// Each command is a file with three things: newXCommand, xOptions with its flags, and runX, which takes the world as
// an [Env]. Results go to Env.Out, progress and messages to Env.Err, and an error is printed once, by [Main].
package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"runtime/debug"
	"slices"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/realiops/realiops/internal/runfile"
)

// Main runs one command and returns its exit code. The first interrupt asks the command to stop, keep what there is
// and report on it; a second one ends the process.
func Main(env Env, args []string) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	context.AfterFunc(ctx, stop)
	root := newRootCommand(env)
	root.SetArgs(args)
	err := root.ExecuteContext(ctx)
	if err != nil && !errors.Is(err, errSilent) {
		fmt.Fprintln(env.Err, "realiops: "+oneLine(runfile.Scrub(err.Error())))
	}
	return codeOf(err)
}

// errSilent ends a command whose failure has been told already.
var errSilent = errors.New("told already")

// oneLine folds an error text into the one line that people are promised: several errors that were joined may tell the
// same, and a server's message may have lines of its own.
func oneLine(text string) string {
	var told []string
	for line := range strings.Lines(text) {
		line = strings.Join(strings.Fields(line), " ")
		repeated := slices.ContainsFunc(told, func(earlier string) bool {
			return strings.Contains(earlier, line) || strings.Contains(line, earlier)
		})
		if line != "" && !repeated {
			told = append(told, line)
		}
	}
	return strings.Join(told, "; ")
}

func newRootCommand(env Env) *cobra.Command {
	root := &cobra.Command{
		Use:   "realiops",
		Short: "Find out which of the numbers called IOPS are real storage I/O",
		Long: `realiops drives a known write load through PostgreSQL, samples every counter that claims to measure I/O,
and shows what each of them counted for the same work.

  realiops run                 measure a PostgreSQL of its own on this machine
  realiops run --dsn URL       measure yours
  realiops observe --dsn URL   what yours does anyway, without any load of ours
  realiops doctor --dsn URL    what a run could conclude there, and what it lacks
  realiops analyze LAST        the report of the last run again, from its file
  realiops report LAST -o report.html   a page of it, with pictures
  realiops compare A B         two runs, and what is not the same in them
  realiops baseline            what storage delivers, by fio and by the device
  realiops size LAST           what storage to order for what it really needed
  realiops explain WriteIOPS   what a metric is documented to mean`,
		Version:       version(),
		SilenceErrors: true,
		SilenceUsage:  true,
	}
	root.SetIn(env.In)
	root.SetOut(env.Out)
	root.SetErr(env.Err)
	root.CompletionOptions.HiddenDefaultCmd = true
	root.SetFlagErrorFunc(func(c *cobra.Command, err error) error {
		return fmt.Errorf("%w (see %s --help)", err, c.CommandPath())
	})
	root.AddCommand(newRunCommand(env), newAnalyzeCommand(env), newCollectCommand(env), newDoctorCommand(env), newExplainCommand(env), newSizeCommand(env), newReportCommand(env), newCompareCommand(env), newPricesCommand(env), newPolicyCommand(env), newObserveCommand(env), newServerCommand(env), newLoadCommand(env), newKeeperCommand(env))
	root.AddCommand(newBaselineCommand(env), newGuardCommand(env))
	return root
}

// version is the module's as the build knows it.
func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok || info.Main.Version == "" {
		return "(devel)"
	}
	return info.Main.Version
}
