package cli

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/realiops/realiops/internal/analyze/attribution"
	"github.com/realiops/realiops/internal/analyze/report"
)

// compareOptions are the flags of realiops compare.
type compareOptions struct {
	format  string
	verbose bool
}

func newCompareCommand(env Env) *cobra.Command {
	var o compareOptions
	cmd := &cobra.Command{
		Use:   "compare A B [C...]",
		Short: "Hold runs against each other: rates, and what each metric counts",
		Long: `Hold runs against the first of them, as benchstat does: for each arm that all have, the rates of rows, log records and what
the device did, by how much they changed, and whether that is more than chance explains; and the metrics that were not
found to count the same. What is not the same in the runs, a setting or the plan, comes first: then more than one thing
may have made the difference.

A, B, … are run files, compressed or not; LAST is the run in ./realiops-runs that was written last.`,
		Example: `  realiops compare before.jsonl after.jsonl
  realiops compare pg15.jsonl pg17.jsonl pg18.jsonl -v
  realiops compare before.jsonl LAST --format json | jq '.drivers[].geomean.runs[1].change.ratio'`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) < 2 {
				return fmt.Errorf("name two run files or more (see %s --help)", cmd.CommandPath())
			}
			return nil
		},
		RunE: func(_ *cobra.Command, args []string) error { return runCompare(env, o, args) },
	}
	o.addFlags(cmd.Flags())
	cmd.SetUsageTemplate(cmd.UsageTemplate() + compareExitHelp)
	return cmd
}

const compareExitHelp = `
Exit status:
  0  the comparison was written, whatever it shows
  1  wrong usage, a file cannot be read as a run file, or the runs have nothing in common
`

func (o *compareOptions) addFlags(f *pflag.FlagSet) {
	f.StringVar(&o.format, "format", formatText, "of the comparison: text, json or csv")
	f.BoolVarP(&o.verbose, "verbose", "v", false, "show every way of counting the work, and every metric that changed")
}

func runCompare(env Env, o compareOptions, names []string) error {
	if known := []string{formatText, formatJSON, formatCSV}; !slices.Contains(known, o.format) {
		return fmt.Errorf("unknown format %q: there are %s", o.format, strings.Join(known, ", "))
	}
	if len(names) > 26 {
		return errors.New("at most 26 runs are compared, named A to Z")
	}
	var runs []report.Compared
	for _, name := range names {
		run, err := namedRun(env, name)
		if err != nil {
			return err
		}
		view := report.New(run, attribution.Judge(run, attribution.Options{Asked: metricNames(run)}))
		runs = append(runs, report.Compared{File: name, Run: run, Report: view})
	}
	c, err := report.Compare(runs)
	if err != nil {
		return err
	}
	switch o.format {
	case formatJSON:
		return report.JSON(env.Out, c)
	case formatCSV:
		return report.CompareCSV(env.Out, c)
	default:
		return report.CompareText(env.Out, c, o.verbose, env.columns())
	}
}
