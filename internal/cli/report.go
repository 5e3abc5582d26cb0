package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/realiops/realiops/internal/analyze/attribution"
	"github.com/realiops/realiops/internal/analyze/baseline"
	"github.com/realiops/realiops/internal/analyze/counts"
	"github.com/realiops/realiops/internal/analyze/document"
	"github.com/realiops/realiops/internal/analyze/report"
	"github.com/realiops/realiops/internal/analyze/sizing"
	"github.com/realiops/realiops/internal/runfile"
)

// reportOptions are the flags of realiops report.
type reportOptions struct {
	out    string
	format string
	size   sizeOptions
}

// Formats of a report beside those of analyze.
const (
	formatHTML     = "html"
	formatMarkdown = "md"
	formatCSV      = "csv"
	formatPNG      = "png"
	formatSVG      = "svg"
)

func newReportCommand(env Env) *cobra.Command {
	var o reportOptions
	cmd := &cobra.Command{
		Use:   "report FILE...",
		Short: "Make a page of a run: verdicts, pictures, sizes, the bill",
		Long: `Make a page of a run to pass around: the verdicts, the counts from rows down to device requests, the load over time, how
far each ratio varies, what storage to order and what it costs. It is one file that needs no network, for a screen, a
phone or paper.

FILE is a run file; LAST is the run in ./` + runfile.Directory + ` that was written last, and - is standard input. Of several files
the page is of the first, and what to order is for all: the highest of each number counts.

The ending of the name given with -o chooses the format: .html; .md for a ticket; .csv and .json for programs (realiops
size makes the .csv of sizes); .png for the counts under one load, that of the headline unless --load names another;
.svg for one second of it, to scale. Of a baseline, a picture is what each job did, or how the one went that was throttled.`,
		Example: `  realiops report LAST -o report.html
  realiops report run.jsonl -o ticket.md --load bulk-indexed --gib 500
  realiops report LAST -o ladder.png`,
		Args: runFiles,
		RunE: func(_ *cobra.Command, args []string) error { return runReport(env, o, args) },
	}
	page := group("The page")
	page.StringVarP(&o.out, "output", "o", "", "`file` to write (default: standard output)")
	page.StringVar(&o.format, "format", "", "the `format`: html, md, csv, json, png or svg (default: by the name of the file, or html)")
	return describe(env, cmd, reportExitHelp, page, group("The load to size for", o.size.addLoadFlags), group("What to size", o.size.addStorageFlags))
}

const reportExitHelp = `0  the report was written, also that of a run which did not end well
1  wrong usage, FILE cannot be read as a run file, or the report cannot be written`

func runReport(env Env, o reportOptions, names []string) error {
	format, err := o.formatOf()
	if err != nil {
		return err
	}
	o.size.format = formatText
	if err := o.size.check(); err != nil {
		return err
	}
	if slices.ContainsFunc(names, func(name string) bool { return sameFile(o.out, name) }) {
		return fmt.Errorf("%s is the run itself, which the report would replace: name another file with -o", o.out)
	}
	runs, err := namedRuns(env, names)
	if err != nil {
		return err
	}
	if err := o.size.readCalibration(env); err != nil {
		return err
	}
	if len(runs) > 1 && (baseline.Is(runs[0]) || format == formatCSV || format == formatPNG || format == formatSVG) {
		return fmt.Errorf("what is to be written has no sizes, and so is of %s alone: leave %s out", names[0], strings.Join(names[1:], ", "))
	}
	if baseline.Is(runs[0]) {
		return o.writeBaseline(env, runs[0], format)
	}
	return writeTo(o.out, env.Out, func(w io.Writer) error { return o.write(w, runs, format) })
}

// writeBaseline makes a page of what storage delivered alone, which has no verdicts and no bill.
func (o reportOptions) writeBaseline(env Env, run *counts.Run, format string) error {
	if o.size.load != "" || o.size.instance != "" {
		return errors.New("a baseline measured storage alone and has no sizes: --load and --instance are for runs on a database")
	}
	if format == formatSVG {
		return errors.New("a baseline has no second of a load to draw: .png shows what each job did")
	}
	found, err := baseline.FromRun(run)
	if err != nil {
		return err
	}
	view := report.NewBaseline(run, found)
	return writeTo(o.out, env.Out, func(w io.Writer) error {
		switch format {
		case formatCSV:
			return document.CSV(w, view.Document(run))
		case formatPNG:
			return report.BaselinePNG(w, run, view)
		case formatJSON:
			return report.JSON(w, view)
		case formatMarkdown:
			return document.Markdown(w, view.Document(run))
		default:
			return document.HTML(w, view.Document(run))
		}
	})
}

// formatOf is the format that was asked for, or that the file's name tells.
func (o reportOptions) formatOf() (string, error) {
	format := o.format
	if format == "" {
		format = strings.TrimPrefix(strings.ToLower(filepath.Ext(o.out)), ".")
	}
	if format == "" || format == "htm" {
		return formatHTML, nil
	}
	return format, checkFormat("report", format)
}

// write makes the report of the first run, with the sizes for all.
func (o reportOptions) write(w io.Writer, runs []*counts.Run, format string) error {
	run := runs[0]
	view := report.New(run, attribution.Judge(run, attribution.Options{Asked: run.MetricNames()}))
	switch format {
	case formatCSV:
		return document.CSV(w, report.Document(run, view, nil, nil))
	case formatPNG:
		return report.LadderPNG(w, view, o.size.load)
	case formatSVG:
		return report.SecondSVG(w, view, o.size.load)
	}
	size, unsized, err := o.sized(runs)
	if err != nil {
		return err
	}
	if format == formatJSON {
		return report.JSON(w, report.WithSize{Report: view, Size: size})
	}
	d := report.Document(run, view, size, unsized)
	if format == formatMarkdown {
		return document.Markdown(w, d)
	}
	return document.HTML(w, d)
}

// sized is what to order, or the reason why a run does not tell; that is an error where a load or an instance was asked for.
func (o reportOptions) sized(runs []*counts.Run) (size *report.Size, unsized, err error) {
	ask, err := o.size.ask(context.Background())
	if err != nil {
		return nil, nil, err
	}
	answer, err := sizing.Size(ask, runs...)
	if errors.Is(err, sizing.ErrNotCalibrated) {
		return nil, nil, naming(o.size.calibrate, err)
	}
	if err != nil && (o.size.load != "" || o.size.instance != "") {
		return nil, nil, suggesting(err)
	}
	if err != nil {
		return nil, err, nil // a report without sizes is a report
	}
	view := report.NewSize(answer)
	return &view, nil, nil
}
