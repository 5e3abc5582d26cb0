package reading

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/realiops/realiops/internal/analyze/baseline"
	"github.com/realiops/realiops/internal/analyze/cost"
	"github.com/realiops/realiops/internal/analyze/counts"
	"github.com/realiops/realiops/internal/analyze/document"
	"github.com/realiops/realiops/internal/analyze/report"
	"github.com/realiops/realiops/internal/analyze/report/sizes"
	"github.com/realiops/realiops/internal/analyze/report/storage"
	"github.com/realiops/realiops/internal/analyze/sizing"
	"github.com/realiops/realiops/internal/cli/command"
	"github.com/realiops/realiops/internal/metric"
	"github.com/realiops/realiops/internal/runfile"
)

type reportOptions struct {
	out     string
	format  command.FormatFlag
	level   Level
	metrics []string
	require RequireOptions
	size    SizeOptions
	sizes   bool // a page has orders, since a size flag was given
}

func NewReportCommand(env command.Env) *cobra.Command {
	var o reportOptions
	cmd := &cobra.Command{
		Use:   "report FILE...",
		Short: "Show what a run found, or write it to a page",
		Long: `Show what a run found. The run file is enough: no server, account or network is needed. The default is
one screen: the numbers that look like IOPS beside what the disk did, and which metrics count disk operations.
--all shows what each metric counts, and how surely; -v shows its ratio under each load. If a run was
interrupted or cut off, the report covers what was measured, and says so.

-o writes a file to share; its extension sets the format: .html for a page with pictures, which needs no network; .md
for a ticket; .csv and .json for programs (realiops size writes the .csv of sizes); .png for the counts under one load,
the headline's or --load's; .svg for one second of that load, to scale. For a baseline, the picture shows its jobs.

With --gib or another sizing flag, .html, .md and .json also say what storage to order and what it costs.

FILE is a run file, compressed or not; LAST is the run in ./` + runfile.Directory + ` that was written last, and - is
standard input. Of several files, the page shows the first; the order covers all of them, with the highest of each
number.`,
		Example: `  realiops report LAST
  realiops report LAST --all
  realiops report LAST --metric WriteIOPS
  realiops report LAST -v | less
  realiops report run.jsonl --require '/proc/diskstats writes'
  realiops report LAST -o report.html
  realiops report run.jsonl -o ticket.md --load bulk-indexed --gib 500
  realiops report LAST -o ladder.png`,
		Args: runFiles,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := o.size.takeFlags(cmd.Flags()); err != nil {
				return err
			}
			o.sizes = len(args) > 1 || o.size.anyOf(cmd.Flags())
			return runReport(env, o, args)
		},
	}
	page := command.Group("The report")
	page.StringVarP(&o.out, "output", "o", "", "`file` to write (default: -, standard output)")
	o.format.AddSome(page.FlagSet, []string{command.FormatText, command.FormatHTML, command.FormatMarkdown,
		command.FormatCSV, command.FormatJSON, command.FormatPNG, command.FormatSVG}, "what measure wrote", CostForms)
	o.level.AddFlags(page.FlagSet)
	page.StringArrayVar(&o.metrics, "metric", nil,
		"show only this `metric`, with evidence, as text; * and ? match any text (repeatable)")
	o.require.AddFlags(page.FlagSet)
	return command.Describe(env, cmd, reportExitHelp, page, command.Group("The load to size for", o.size.addLoadFlags),
		command.Group("What to order", o.size.addStorageFlags))
}

const reportExitHelp = `0  the report was written, even if the run was interrupted or failed
1  wrong usage, FILE cannot be read as a run file, or the report cannot be written
3  the report was written, and a metric that was required got no verdict`

func runReport(env command.Env, o reportOptions, names []string) error {
	if err := o.format.Follow(o.out); err != nil {
		return err
	}
	format := o.format.Chosen
	if err := o.size.check(); err != nil {
		return err
	}
	if slices.ContainsFunc(names, func(name string) bool { return command.SameFile(o.out, name) }) {
		return fmt.Errorf("%s is the run itself; name another file with -o", o.out)
	}
	if base, ok, err := baseIn(names[0]); ok && len(names) == 1 {
		if err != nil {
			return err
		}
		return o.writeAs(env, func(env command.Env) error { return writeCost(env, base, format, o.level.evidence) })
	}
	runs, err := namedRuns(env, names, o.level.reads(format)...)
	if err != nil {
		return err
	}
	if err := o.size.readCalibration(env); err != nil {
		return err
	}
	run := runs[0]
	withSizes := !baseline.Is(run) && !cost.Is(run) &&
		slices.Contains([]string{command.FormatHTML, command.FormatMarkdown, command.FormatJSON}, format)
	if err := o.refuse(run, names, withSizes); err != nil {
		return err
	}
	if err := nameApart(runs, names); err != nil {
		return err
	}
	switch {
	case cost.Is(run):
		c, err := cost.Of(run)
		if err != nil {
			return err
		}
		return o.writeAs(env, func(env command.Env) error { return writeCost(env, c, format, o.level.evidence) })
	case baseline.Is(run):
		return o.writeBaseline(env, run, format)
	}
	return o.reportRuns(env, runs, names[0], withSizes)
}

// refuse returns why these files cannot give what was asked for, or nil.
func (o reportOptions) refuse(run *counts.Run, names []string, withSizes bool) error {
	pictures := []string{command.FormatPNG, command.FormatSVG}
	switch {
	case o.sizes && len(names) == 1 && !withSizes && !baseline.Is(run) && !slices.Contains(pictures, o.format.Chosen):
		return fmt.Errorf("%s has no sizes; use realiops size, or -o page.html", o.format.Chosen)
	case len(names) > 1 && !withSizes:
		return fmt.Errorf("this report covers only %s; leave out %s", names[0], strings.Join(names[1:],
			", "))
	case (baseline.Is(run) || cost.Is(run)) && len(o.require.patterns) > 0:
		return fmt.Errorf("%s has no verdicts; --require is for runs that load a database", names[0])
	}
	return nil
}

// reportRuns writes the report on the first run, with the order for all runs if the format has sizes.
func (o reportOptions) reportRuns(env command.Env, runs []*counts.Run, name string, withSizes bool) error {
	run, format := runs[0], o.format.Chosen
	asked := run.MetricNames()
	required, err := o.require.Names(asked)
	if err != nil {
		return err
	}
	only, err := namesOf("--metric", o.metrics, asked)
	if err != nil {
		return err
	}
	if len(only) > 0 && format != command.FormatText {
		return fmt.Errorf("--metric applies only to the text report, not to %s; leave one out", format)
	}
	var size *sizes.Size
	var unsized error
	if withSizes && (o.sizes || format == command.FormatJSON) {
		if size, unsized, err = o.sized(runs); err != nil {
			return err
		}
	}
	view, verdicts := o.level.judge(run, format, slices.Concat(required, only))
	view.File = named(name)
	if err := o.writeAs(env, func(env command.Env) error {
		return o.write(env, run, report.WithSize{Report: view, Size: size}, unsized, format, only)
	}); err != nil {
		return err
	}
	return unmet(required, verdicts, metric.VersionNum(run.Header.Target.Version))
}

// writeAs makes write print to the requested file instead of standard output.
func (o reportOptions) writeAs(env command.Env, write func(command.Env) error) error {
	return command.WriteTo(o.out, env.Out, func(w io.Writer) error {
		if o.out != "" && o.out != command.StandardInput {
			env.OutTerminal = false
		}
		env.Out = w
		return write(env)
	})
}

// writeBaseline reports what storage delivered alone, without verdicts and bill.
func (o reportOptions) writeBaseline(env command.Env, run *counts.Run, format string) error {
	if o.sizes {
		return errors.New("a baseline measured storage alone and has no sizes; leave out --load, --class, --gib and other " +
			"sizing flags")
	}
	return o.writeAs(env, func(env command.Env) error { return WriteBaseline(env, run, format) })
}

// write writes a run's report, with its sizes if the format has them, or why there are none.
func (o reportOptions) write(env command.Env, run *counts.Run, view report.WithSize, unsized error, format string,
	only []string) error {
	words := wordsOf(run, view.Report, o.level)
	if len(only) > 0 {
		words = func() document.Document { return view.Of(only) }
	}
	if format == command.FormatHTML || format == command.FormatMarkdown {
		words = func() document.Document { return report.Document(run, view.Report, view.Size, unsized) }
	}
	return env.Answer(format, command.Finding{What: "a run", Value: view, Words: words,
		Forms: map[string]func(io.Writer) error{
			command.FormatCSV: func(w io.Writer) error {
				return document.CSV(w, report.Document(run, view.Report, nil, nil))
			},
			command.FormatPNG: func(w io.Writer) error { return report.LadderPNG(w, view.Report, o.size.Load) },
			command.FormatSVG: func(w io.Writer) error { return report.SecondSVG(w, view.Report, o.size.Load) },
		}})
}

// sized returns what to order, or why the run cannot tell, which is an error if a load or an instance was asked for.
func (o reportOptions) sized(runs []*counts.Run) (size *sizes.Size, unsized, err error) {
	o.size.server = commonServer(runs)
	ask, err := o.size.Asked(context.Background())
	if err != nil {
		return nil, nil, err
	}
	answer, err := sizing.Size(ask, runs...)
	if errors.Is(err, sizing.ErrNotCalibrated) {
		return nil, nil, command.Naming(o.size.calibrate, err)
	}
	if err != nil && (o.size.Load != "" || o.size.Instance != "") {
		return nil, nil, suggesting(err)
	}
	if err != nil {
		return nil, err, nil // a report without sizes is a report
	}
	view := sizes.NewSize(answer)
	return &view, nil, nil
}

// WriteBaseline writes a baseline's report.
func WriteBaseline(env command.Env, run *counts.Run, format string) error {
	found, err := baseline.FromRun(run)
	if err != nil {
		return err
	}
	view := storage.NewBaseline(run, found)
	return env.Answer(format, command.Finding{
		What: "a baseline", Value: view, Words: func() document.Document { return view.Document(run) },
		Forms: map[string]func(io.Writer) error{
			command.FormatPNG: func(w io.Writer) error { return storage.BaselinePNG(w, run, view) },
		},
	})
}
