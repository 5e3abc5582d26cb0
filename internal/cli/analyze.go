package cli

import (
	"errors"
	"fmt"
	"io"
	"io/fs"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/realiops/realiops/internal/analyze/attribution"
	"github.com/realiops/realiops/internal/analyze/baseline"
	"github.com/realiops/realiops/internal/analyze/cost"
	"github.com/realiops/realiops/internal/analyze/counts"
	"github.com/realiops/realiops/internal/analyze/document"
	"github.com/realiops/realiops/internal/analyze/report"
	"github.com/realiops/realiops/internal/metric"
	"github.com/realiops/realiops/internal/runfile"
)

// standardInput is what a user types for a run file that comes through a pipe.
const standardInput = "-"

// analyzeOptions are the flags of realiops analyze.
type analyzeOptions struct {
	format  string
	verbose bool
	require requireOptions
}

func newAnalyzeCommand(env Env) *cobra.Command {
	var o analyzeOptions
	cmd := &cobra.Command{
		Use:   "analyze FILE",
		Short: "Show again what a run has shown, from its file alone",
		Long: `Show again what a run has shown, from its file alone: no server, no account, no network.

FILE is a run file, compressed or not; LAST is the run in ./` + runfile.Directory + ` that was written last, and - is standard
input. A run that was interrupted or cut off is reported as far as it went, and the report says so.

The report says of each metric whether it counts logical work or real storage I/O, which, and how surely; -v shows its
ratio under each load.`,
		Example: `  realiops analyze LAST
  realiops analyze LAST -v | less
  realiops analyze run.jsonl --require '/proc/diskstats writes'
  realiops analyze run.jsonl.zst --format json | jq .headline.text`,
		Args: oneRunFile,
		RunE: func(_ *cobra.Command, args []string) error { return runAnalyze(env, o, args[0]) },
	}
	return describe(env, cmd, analyzeExitHelp, group("Flags", o.addFlags))
}

const analyzeExitHelp = `0  the report was written, also that of a run which did not end well
1  wrong usage, or FILE cannot be read as a run file
3  the report was written, and a metric that was required got no verdict`

func (o *analyzeOptions) addFlags(f *pflag.FlagSet) {
	f.StringVar(&o.format, "format", formatText, "the `format` of the report: text or json")
	f.BoolVarP(&o.verbose, "verbose", "v", false, "show why: every metric beside every counted quantity, load by load")
	o.require.addFlags(f)
}

func oneRunFile(cmd *cobra.Command, args []string) error {
	if len(args) != 1 {
		return fmt.Errorf("name one run file, LAST for the last run, or - for standard input (see %s --help)", cmd.CommandPath())
	}
	return nil
}

func runAnalyze(env Env, o analyzeOptions, name string) error {
	render, err := rendererOf(o.format, o.verbose, env)
	if err != nil {
		return err
	}
	run, err := namedRun(env, name)
	switch {
	case err != nil:
		return err
	case (baseline.Is(run) || cost.Is(run)) && len(o.require.patterns) > 0:
		return fmt.Errorf("%s: no metric gets a verdict from it: --require is for runs that put loads on a database", name)
	case cost.Is(run):
		return writeCost(env, run, o.format, o.verbose)
	case baseline.Is(run):
		return writeBaseline(env, run, o.format)
	default:
		return analyzeRun(env, run, o.require, render)
	}
}

// Formats of a report.
const (
	formatText = "text"
	formatJSON = "json"
)

// renderer writes a report in a format.
type renderer func(io.Writer, *counts.Run, report.Report) error

// rendererOf checks the name of a format before anything else is done.
func rendererOf(format string, verbose bool, env Env) (renderer, error) {
	switch format {
	case formatText:
		return func(w io.Writer, run *counts.Run, r report.Report) error {
			d := report.Document(run, r, nil, nil)
			if verbose {
				d.Blocks = append(d.Blocks, report.Details(r)...)
			}
			return document.Text(env.coloured(w, env.OutTerminal), d, env.columns())
		}, nil
	case formatJSON:
		return func(w io.Writer, _ *counts.Run, r report.Report) error { return report.JSON(w, r) }, nil
	default:
		return nil, unknownFormat(format)
	}
}

// analyzeFile writes the report on a run file, or on what comes through standard input.
func analyzeFile(env Env, path string, require requireOptions, render renderer) error {
	run, err := readRun(env, path)
	if err != nil {
		return err
	}
	return analyzeRun(env, run, require, render)
}

// analyzeRun writes the report on a run. It is an error that a metric which is required is not in the file, or gets no
// verdict; the report is written in the latter case.
func analyzeRun(env Env, run *counts.Run, require requireOptions, render renderer) error {
	names := run.MetricNames()
	required, err := require.names(names)
	if err != nil {
		return err
	}
	verdicts := attribution.Judge(run, attribution.Options{Asked: names}) // all, also those that are true by definition
	if err := render(env.Out, run, report.New(run, verdicts)); err != nil {
		return err
	}
	return unmet(required, verdicts, metric.VersionNum(run.Header.Target.Version))
}

// namedRun reads the run that a user names: a file, LAST, or standard input.
func namedRun(env Env, name string) (*counts.Run, error) {
	path, err := runfile.Resolve(name)
	if err != nil {
		return nil, err
	}
	return readRun(env, path)
}

func readRun(env Env, path string) (*counts.Run, error) {
	if path == standardInput {
		run, err := counts.FromRun(runfile.Possible(runfile.ReadRows(env.In)))
		return run, naming("standard input", err)
	}
	run, err := counts.FromFile(path)
	return run, naming(path, err)
}

// naming puts the file's name before an error that does not carry it yet.
func naming(file string, err error) error {
	if err == nil {
		return nil
	}
	if path, named := errors.AsType[*fs.PathError](err); named {
		return fmt.Errorf("read the run file %s: %w", path.Path, path.Err)
	}
	return fmt.Errorf("%s: %w", file, err)
}
