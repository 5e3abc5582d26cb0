package reading

import (
	"cmp"

	"github.com/spf13/pflag"

	"github.com/realiops/realiops/internal/analyze/attribution"
	"github.com/realiops/realiops/internal/analyze/counts"
	"github.com/realiops/realiops/internal/analyze/document"
	"github.com/realiops/realiops/internal/analyze/report"
	"github.com/realiops/realiops/internal/analyze/tally"
	"github.com/realiops/realiops/internal/cli/command"
	"github.com/realiops/realiops/internal/metric"
)

// AnalyzeOptions are the flags of every command that ends with the report on one run.
type AnalyzeOptions struct {
	Format  command.FormatFlag
	Level   Level
	Require RequireOptions
	Named   string // the file's name in commands; empty: its path
}

func (o *AnalyzeOptions) AddFlags(f *pflag.FlagSet) {
	o.Format.Add(f, command.FormatText, command.FormatJSON)
	o.Level.AddFlags(f)
	o.Require.AddFlags(f)
}

// AnalyzeFile writes the report on a run file, or on standard input.
func (o AnalyzeOptions) AnalyzeFile(env command.Env, path string) error {
	run, err := command.ReadRun(env, path, o.Level.reads(o.Format.Chosen)...)
	if err != nil {
		return err
	}
	o.Named = cmp.Or(o.Named, path)
	return o.analyzeRun(env, run)
}

// analyzeRun writes the report on a run. If a required metric is missing from the file, it returns an error instead;
// if one gets no verdict, it returns an error after the report.
func (o AnalyzeOptions) analyzeRun(env command.Env, run *counts.Run) error {
	names := run.MetricNames()
	required, err := o.Require.Names(names)
	if err != nil {
		return err
	}
	view, verdicts := o.Level.judge(run, o.Format.Chosen, required)
	view.File = named(o.Named)
	if err := env.Answer(o.Format.Chosen, command.Finding{What: "a run", Value: view,
		Words: wordsOf(run, view, o.Level)}); err != nil {
		return err
	}
	return unmet(required, verdicts, metric.VersionNum(run.Header.Target.Version))
}

// named returns a file's name in commands; standard input has none.
func named(path string) string {
	if path == command.StandardInput {
		return "FILE"
	}
	return path
}

// Level selects how much of a report is shown as text: one screen, everything that matters, or all evidence.
type Level struct{ all, evidence bool }

// AddFlags adds the flags of a report's length.
func (l *Level) AddFlags(f *pflag.FlagSet) {
	f.BoolVar(&l.all, "all", false, "show every load, every metric, and what the run cannot tell")
	f.BoolVarP(&l.evidence, "verbose", "v", false,
		"show all evidence: every metric beside every quantity, load by load")
}

// Evidence reports whether -v asked for all evidence.
func (l Level) Evidence() bool { return l.evidence }

// isScreen reports whether the text is one screen.
func (l Level) isScreen() bool { return !l.all && !l.evidence }

// reads returns the options to read a file for the report: one screen shows no latencies.
func (l Level) reads(format string) []tally.Option {
	if format == command.FormatText && l.isScreen() {
		return []tally.Option{tally.WithoutLatencies}
	}
	return nil
}

// judge makes the report on a run. One screen judges what it shows, and those also named.
func (l Level) judge(run *counts.Run, format string, also []string) (report.Report, attribution.Verdicts) {
	if format == command.FormatText && l.isScreen() {
		return report.OnScreen(run, also)
	}
	return report.Judged(run, nil)
}

// wordsOf returns a function for the text of a report at a level.
func wordsOf(run *counts.Run, view report.Report, level Level) func() document.Document {
	return func() document.Document {
		if level.isScreen() {
			return report.Answer(run, view)
		}
		d := report.Document(run, view, nil, nil)
		if level.evidence {
			d.Blocks = append(d.Blocks, report.Details(view)...)
		}
		return d
	}
}
