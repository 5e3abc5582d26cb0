package reading

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/realiops/realiops/internal/analyze/baseline"
	"github.com/realiops/realiops/internal/analyze/counts"
	"github.com/realiops/realiops/internal/analyze/report"
	"github.com/realiops/realiops/internal/analyze/report/sizes"
	"github.com/realiops/realiops/internal/analyze/sizing"
	"github.com/realiops/realiops/internal/analyze/tally"
	"github.com/realiops/realiops/internal/cli/command"
	"github.com/realiops/realiops/internal/runfile"
)

func NewSizeCommand(env command.Env) *cobra.Command {
	var o SizeOptions
	cmd := &cobra.Command{
		Use:   "size FILE...",
		Short: "Find out which storage to order, and what it costs",
		Long: `Find out which storage to order for what a run really needed: its device requests and bytes, not the
numbers called IOPS. FILE is a run file; LAST is the run in ./` + runfile.Directory + ` that was written last,
and - is standard input.

With several files, the highest of each number counts. --load picks the load that is most like yours; without it, the
order is for the load that needed most of storage. Loads that keep their table out of memory on purpose (point-cold,
scan-cold) count only if --load names them. --rows-per-second and --growth scale the load.

Limits and prices are the published ones. --format json names the source of each order and each line of its bill, by
the keys that realiops explain --format json lists. --price and --limits take the files of realiops prices and
realiops aws limits. --calibrate takes a run on Aurora to forecast what Aurora bills.

Three questions need no run. --need: what carries these figures, and how long do credits last? --from-metric: how much
real I/O is an amount on a console? --check: do the figures of a console or benchmark agree with each other (bytes per
operation, Little's law, caps)?`,
		Example: `  realiops size LAST --load bulk-indexed --gib 500
  realiops size LAST --rows-per-second 20000 --growth 50 --class db.r6g.large
  realiops size monday.jsonl tuesday.jsonl --on rds,aurora --calibrate aurora.jsonl
  realiops size run.jsonl --format json | jq '.options[0]'
  realiops size --need iops=3000,mbps=120MiB,reads=40%,flushes=900 --gib 500
  realiops size --from-metric WriteIOPS=800000 --flavor aurora
  realiops size --check "iops=489 kbps=62598 kb=4 ms=62.1 queue=30"`,
		Args: func(cmd *cobra.Command, args []string) error {
			if aboutFigures(cmd.Flags()) != "" {
				return noRun(args)
			}
			return runFiles(cmd, args)
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := misplaced(cmd.Flags()); err != nil {
				return err
			}
			if err := o.takeFlags(cmd.Flags()); err != nil {
				return err
			}
			switch aboutFigures(cmd.Flags()) {
			case "check":
				return checkFigures(env, o)
			case "from-metric":
				return convert(cmd.Context(), env, o)
			case "need":
				return sizeNeed(cmd.Context(), env, o)
			}
			return runSize(cmd.Context(), env, o, args)
		},
	}
	return command.Describe(env, cmd, sizeExitHelp, command.Group("The load to size for", o.addLoadFlags),
		command.Group("What to order", o.addStorageFlags, o.addBaselineFlag),
		command.Group("Without a run", o.addFigureFlags), command.Group("Output", o.addFormatFlag))
}

const sizeExitHelp = `0  sized
1  wrong usage, FILE cannot be read as a run file, or it does not show what storage had to do`

// noRun rejects a run if figures are asked about.
func noRun(args []string) error {
	if len(args) > 0 {
		return fmt.Errorf("--need, --from-metric and --check take no run; leave out %s", args[0])
	}
	return nil
}

// runFiles rejects a missing file, and standard input given twice.
func runFiles(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return command.OneRunFile(cmd, args)
	}
	for i, name := range args {
		if slices.Contains(args[:i], name) {
			return fmt.Errorf("%s is given twice", name)
		}
	}
	return nil
}

func runSize(ctx context.Context, env command.Env, o SizeOptions, names []string) error {
	if err := o.check(); err != nil {
		return err
	}
	if err := o.readCalibration(env); err != nil {
		return err
	}
	runs, err := namedRuns(env, names, tally.WithoutLatencies)
	if err != nil {
		return err
	}
	if i := slices.IndexFunc(runs, baseline.Is); i >= 0 {
		return command.Naming(names[i], errors.New("a baseline measured storage alone, not a need; use realiops size RUN "+
			"--baseline FILE to see whether it carries a run's"))
	}
	if err := nameApart(runs, names); err != nil {
		return err
	}
	o.server = commonServer(runs)
	ask, err := o.Asked(ctx)
	if err != nil {
		return err
	}
	answer, err := sizing.Size(ask, runs...)
	switch {
	case errors.Is(err, sizing.ErrNotCalibrated):
		return command.Naming(o.calibrate, err)
	case err != nil && len(names) > 1:
		return suggesting(err) // it names the run
	case err != nil:
		return command.Naming(names[0], suggesting(err))
	}
	return o.answer(env, answer, runs...)
}

// nameApart names several runs by their files, as briefly as tells them apart. It refuses copies of a run.
func nameApart(runs []*counts.Run, files []string) error {
	if len(runs) == 1 {
		return nil
	}
	ids := map[string]string{}
	for i, run := range runs {
		if first, ok := ids[run.Header.ID]; ok {
			return fmt.Errorf("%s and %s are the same run, %s", first, files[i], run.Header.ID)
		}
		ids[run.Header.ID] = files[i]
	}
	stem := func(file string) string {
		return strings.TrimSuffix(strings.TrimSuffix(filepath.Base(file), ".zst"), ".jsonl")
	}
	whole := func(file string) string { return file }
	for _, short := range []func(string) string{stem, filepath.Base, whole} {
		apart := map[string]bool{}
		for i, run := range runs {
			run.File = short(files[i])
			apart[run.File] = true
		}
		if len(apart) == len(runs) {
			break
		}
	}
	return nil
}

// commonServer returns what the runs' servers have in common: the flavor, and the region of a cloud.
func commonServer(runs []*counts.Run) runfile.Target {
	of := runs[0].Header.Target
	for _, run := range runs[1:] {
		other := run.Header.Target
		if other.Flavor != of.Flavor {
			return runfile.Target{}
		}
		if of.Cloud != nil && (other.Cloud == nil || other.Cloud.Region != of.Cloud.Region) {
			of.Cloud = nil
		}
	}
	return of
}

// answer writes what to order, with the cautions of the runs behind it, and compares it with a
// measured device, if one was named.
func (o SizeOptions) answer(env command.Env, answer sizing.Sizing, runs ...*counts.Run) error {
	view := sizes.NewSize(answer)
	for _, run := range runs {
		view.Caution(report.Cautions(run)...)
	}
	if o.Calibrate != nil && answer.Aurora != nil {
		for _, text := range report.Cautions(o.Calibrate) {
			view.Caution(o.calibrate + ": " + text)
		}
	}
	if o.baseline != "" {
		run, err := command.NamedRun(env, o.baseline)
		if err != nil {
			return err
		}
		device, err := baseline.FromRun(run)
		if err != nil {
			return command.Naming(o.baseline, err)
		}
		view.Against(run.Header, device, baseline.Hold(answer.Target.Most, o.Headroom, device))
	}
	return env.Answer(o.Format.Chosen, command.Finding{What: "a size", Value: view, Words: view.Document})
}

func namedRuns(env command.Env, names []string, options ...tally.Option) (runs []*counts.Run, err error) {
	for _, name := range names {
		run, err := command.NamedRun(env, name, options...)
		if err != nil {
			return nil, err
		}
		runs = append(runs, run)
	}
	return runs, nil
}
