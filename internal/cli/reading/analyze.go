package reading

import (
	"github.com/spf13/pflag"

	"github.com/realiops/realiops/internal/analyze/attribution"
	"github.com/realiops/realiops/internal/analyze/counts"
	"github.com/realiops/realiops/internal/analyze/document"
	"github.com/realiops/realiops/internal/analyze/report"
	"github.com/realiops/realiops/internal/cli/command"
	"github.com/realiops/realiops/internal/metric"
)

// AnalyzeOptions are the flags of every command that ends with the report on one run.
type AnalyzeOptions struct {
	Format  command.FormatFlag
	Verbose bool
	Require RequireOptions
}

func (o *AnalyzeOptions) AddFlags(f *pflag.FlagSet) {
	o.Format.Add(f, command.FormatText, command.FormatJSON)
	f.BoolVarP(&o.Verbose, "verbose", "v", false, "show why: every metric beside every counted quantity, load by load")
	o.Require.AddFlags(f)
}

// AnalyzeFile writes the report on a run file, or on what comes through standard input.
func (o AnalyzeOptions) AnalyzeFile(env command.Env, path string) error {
	run, err := command.ReadRun(env, path)
	if err != nil {
		return err
	}
	return o.analyzeRun(env, run)
}

// analyzeRun writes the report on a run. It is an error that a metric which is required is not in the file, or gets no
// verdict; the report is written in the latter case.
func (o AnalyzeOptions) analyzeRun(env command.Env, run *counts.Run) error {
	names := run.MetricNames()
	required, err := o.Require.Names(names)
	if err != nil {
		return err
	}
	verdicts := attribution.Judge(run, attribution.Options{Asked: names}) // all, also those that are true by definition
	view := report.New(run, verdicts)
	if err := env.Answer(o.Format.Chosen, command.Finding{What: "a run", Value: view, Words: wordsOf(run, view, o.Verbose)}); err != nil {
		return err
	}
	return unmet(required, verdicts, metric.VersionNum(run.Header.Target.Version))
}

// wordsOf returns what a report says in text, with all its evidence where that is asked for.
func wordsOf(run *counts.Run, view report.Report, verbose bool) func() document.Document {
	return func() document.Document {
		d := report.Document(run, view, nil, nil)
		if verbose {
			d.Blocks = append(d.Blocks, report.Details(view)...)
		}
		return d
	}
}
