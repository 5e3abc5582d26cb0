package cli

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/realiops/realiops/internal/analyze/attribution"
	"github.com/realiops/realiops/internal/analyze/counts"
	"github.com/realiops/realiops/internal/analyze/document"
	"github.com/realiops/realiops/internal/analyze/report"
	"github.com/realiops/realiops/internal/measure/history/sysstat"
	"github.com/realiops/realiops/internal/metric"
	"github.com/realiops/realiops/internal/runfile"
	"github.com/realiops/realiops/internal/shell"
)

// standardInput is what a user types for a run file that comes through a pipe.
const standardInput = "-"

// analyzeOptions are the flags of every command that ends with the report on one run.
type analyzeOptions struct {
	format  formatFlag
	verbose bool
	require requireOptions
}

func (o *analyzeOptions) addFlags(f *pflag.FlagSet) {
	o.format.add(f, formatText, formatJSON)
	f.BoolVarP(&o.verbose, "verbose", "v", false, "show why: every metric beside every counted quantity, load by load")
	o.require.addFlags(f)
}

func oneRunFile(cmd *cobra.Command, args []string) error {
	if len(args) != 1 {
		return fmt.Errorf("name one run file, LAST for the last run, or - for standard input (see %s --help)", cmd.CommandPath())
	}
	return nil
}

// analyzeFile writes the report on a run file, or on what comes through standard input.
func (o analyzeOptions) analyzeFile(env Env, path string) error {
	run, err := readRun(env, path)
	if err != nil {
		return err
	}
	return o.analyzeRun(env, run)
}

// analyzeRun writes the report on a run. It is an error that a metric which is required is not in the file, or gets no
// verdict; the report is written in the latter case.
func (o analyzeOptions) analyzeRun(env Env, run *counts.Run) error {
	names := run.MetricNames()
	required, err := o.require.names(names)
	if err != nil {
		return err
	}
	verdicts := attribution.Judge(run, attribution.Options{Asked: names}) // all, also those that are true by definition
	view := report.New(run, verdicts)
	if err := env.answer(o.format.chosen, finding{what: "a run", value: view, words: wordsOf(run, view, o.verbose)}); err != nil {
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
	if errors.Is(err, runfile.ErrNotRunFile) {
		err = cmp.Or(keptByOthers(path), err)
	}
	return run, naming(path, err)
}

// keptByOthers says how a run file is made of what another program kept; nil: the file is nothing that is known.
func keptByOthers(path string) error {
	if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() {
		return nil
	}
	file, err := os.Open(path)
	if err != nil {
		return nil
	}
	defer file.Close()
	const enough = 64 << 10
	begin := make([]byte, enough)
	n, _ := io.ReadFull(file, begin)
	keeper := sysstat.Keeper(begin[:n])
	history := func(name string) string {
		return shell.InText("realiops history").File(name, "FILE").With("-o history.jsonl").String()
	}
	switch {
	case keeper == "":
		return nil
	case sysstat.IsOwn(begin[:n]):
		return fmt.Errorf("%w, but one of sysstat's own: type %s, then %s", runfile.ErrNotRunFile, sysstat.ToJSON(path), history(filepath.Base(path)+".json"))
	}
	return fmt.Errorf("%w, but what %s wrote: %s makes one of it", runfile.ErrNotRunFile, keeper, history(path))
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
