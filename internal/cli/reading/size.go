package reading

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/realiops/realiops/internal/analyze/baseline"
	"github.com/realiops/realiops/internal/analyze/counts"
	"github.com/realiops/realiops/internal/analyze/report"
	"github.com/realiops/realiops/internal/analyze/report/sizes"
	"github.com/realiops/realiops/internal/analyze/sizing"
	"github.com/realiops/realiops/internal/analyze/tally"
	"github.com/realiops/realiops/internal/cli/command"
	"github.com/realiops/realiops/internal/runfile"
)

// SizeOptions are the flags of realiops size.
type SizeOptions struct {
	sizing.Ask // what the flags say of it; see Asked
	Region     string
	on         []string
	Prices     string
	Limits     string
	repeat     time.Duration
	calibrate  string
	Format     command.FormatFlag
	baseline   string

	Everywhere bool           // the volumes of all clouds, for servers that each have a region
	server     runfile.Target // of the runs, where they agree

	need       string
	hours      float64
	fromMetric string
	flavor     string
	checked    string

	latencyBands string
	queueBands   string
}

func NewSizeCommand(env command.Env) *cobra.Command {
	var o SizeOptions
	cmd := &cobra.Command{
		Use:   "size FILE...",
		Short: "Say what storage to order for a run, and what it costs",
		Long: `Say what storage to order for what a run really needed: its device requests and bytes, not the numbers that are called
IOPS. FILE is a run file; LAST is the run in ./` + runfile.Directory + ` that was written last, and - is standard input.

Of several files, the highest of each number counts. --load picks the load of the run that is most like yours; without
it, the size is for the load that asked most of storage. A load whose table was kept out of memory on purpose (point-cold,
scan-cold) is sized for only if --load names it. --rows-per-second and --growth scale the load.

Limits and prices are those that the providers or others published. --format json names the source of each order and
each line of its bill, by the keys that realiops explain --format json lists. --price and --limits take files that
realiops prices and realiops aws limits write. --calibrate takes a run on Aurora for the forecast of what Aurora bills.

Three questions need no run. --need: what carries these figures, and how long do credits last? --from-metric: what is an
amount of a metric on a console in real I/O? --check: do figures of a console or a benchmark agree with each other
(bytes for each operation, Little's law, caps)?`,
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
		command.Group("What to size", o.addStorageFlags, o.addBaselineFlag),
		command.Group("Without a run", o.addFigureFlags), command.Group("What to tell", o.addFormatFlag))
}

const sizeExitHelp = `0  sized
1  wrong usage, FILE cannot be read as a run file, or it does not tell what storage had to do`

func (o *SizeOptions) addFormatFlag(f *pflag.FlagSet) {
	o.Format.Add(f, command.FormatText, command.FormatJSON, command.FormatCSV)
}

func (o *SizeOptions) addBaselineFlag(f *pflag.FlagSet) {
	f.StringVar(&o.baseline, "baseline", "", "a `file` that realiops baseline wrote: does its device carry the load?")
}

func (o *SizeOptions) addFigureFlags(f *pflag.FlagSet) {
	f.StringVar(&o.need, "need", "",
		"`FIGURES` to size for: two of iops=, mbps= (or 120MiB) and kb= of a request; reads= in percent; flushes=")
	f.Float64Var(&o.hours, "hours", 24, "with --need, `hours` of each day that it lasts")
	f.StringVar(&o.fromMetric, "from-metric", "", "what an amount of a metric is in real I/O, as `NAME=AMOUNT`: "+
		"WriteIOPS=800000; a sum with its time: VolumeReadIOPs=2.43e9/month; of RDS several, with commas, and what "+
		"to order for them")
	f.StringVar(&o.checked, "check", "", "`FIGURES` that should agree with each other: iops=, kbps=, mbps=, ms=, "+
		"queue=, kb= of a request, cap-iops=, cap-mbps=, buffered, or columns of iostat: r/s=, w_await=, aqu-sz=")
	f.StringVar(&o.latencyBands, "latency-bands", "",
		"with --check, up to how many `milliseconds` latency is excellent, good and fair (default 5,10,15)")
	f.StringVar(&o.queueBands, "queue-bands", "",
		"with --check, the `lengths` from which a queue is a bottleneck: if it lasts, and at once (default 2,5)")
	f.StringVar(&o.flavor, "flavor", "", "with --from-metric, the `kind` of server it was read on: aurora, rds or ebs")
}

func (o *SizeOptions) anyOf(flags *pflag.FlagSet) (any bool) {
	known, of := pflag.NewFlagSet("", pflag.ContinueOnError), *o
	of.addLoadFlags(known)
	of.addStorageFlags(known)
	known.VisitAll(func(f *pflag.Flag) { any = any || flags.Changed(f.Name) })
	return any
}

func (o *SizeOptions) addLoadFlags(f *pflag.FlagSet) {
	f.StringVar(&o.Load, "load", "", "the `load` of the run that is like yours (default: the one that asked most of "+
		"storage, but for point-cold, scan-cold and others kept cold)")
	f.Float64Var(&o.RowsPerSecond, "rows-per-second", 0, "scale it to this many `rows` a second")
	f.Float64Var(&o.Growth, "growth", 0, "`percent` to add to that")
	f.Float64Var(&o.Percentile, "percentile", 99, "the `percentile` of its single seconds to size for; 100: the worst")
	f.Float64Var(&o.Headroom, "headroom", 20, "`percent` to order beyond the need")
	o.GiB, o.DefaultGiB = 100, true
	f.Var((*command.Gibibytes)(&o.GiB), "gib", "data to hold: in GiB, or with a unit: 2TB (10^12 bytes), 2TiB (2^40)")
}

// addStorageFlags adds those that say what is ordered, and by whose prices.
func (o *SizeOptions) addStorageFlags(f *pflag.FlagSet) {
	f.StringVar(&o.Instance, "class", "", "`class` of the database's machine: db.r6g.large, m5.xlarge")
	f.StringSliceVar(&o.on, "on", nil, "only on these, a `list` of: ebs, rds, aurora, azure, google, yugabytedb, "+
		"cockroachdb, or volumes such as gp3 (default: what the class of machine can have, else what the region's "+
		"cloud sells, but for the hard disks st1 and sc1)")
	f.IntVar(&o.Disks, "disks", 0, "how `many` disks to stripe over (default: 1 to 8, as many as cost least); not on "+
		"RDS and Aurora, which do that themselves")
	f.BoolVar(&o.MultiAZ, "multi-az", false, "price RDS with a standby in another zone")
	f.StringVar(&o.Region, "region", "", "the `region` whose prices count, and whose cloud the order is for "+
		"(default: the run's, that of --price, or "+command.DefaultRegion+", eastus and us-central1)")
	f.StringVar(&o.calibrate, "calibrate", "",
		"a run `file` from Aurora to estimate billed writes by, instead of the published loads")
	f.StringVar(&o.Prices, "price", "", "a `file` of prices that realiops prices wrote, used before the program's own")
	f.StringVar(&o.Limits, "limits", "",
		"a `file` of limits that realiops aws limits wrote, used before the program's own")
	f.DurationVar(&o.repeat, "repeat", 24*time.Hour, "for volumes with credits, how long to repeat the recorded seconds")
	f.Var(percent{&o.Balance.Volume}, "balance",
		"percent of a volume's credits at the start (default: the last BurstBalance of the run, or 100)")
	f.Var(percent{&o.Balance.Instance}, "instance-balance",
		"percent of the instance's credits at the start (default: the last EBSIOBalance% and EBSByteBalance% of "+
			"the run, or 100)")
}

// aboutFigures returns the flag that asks about figures, without a run; empty: none was given.
func aboutFigures(flags *pflag.FlagSet) string {
	for _, name := range []string{"check", "from-metric", "need"} {
		if flags.Changed(name) {
			return name
		}
	}
	return ""
}

// noRun refuses a run where figures are asked about.
func noRun(args []string) error {
	if len(args) > 0 {
		return fmt.Errorf("--need, --from-metric and --check ask without a run: leave %s out", args[0])
	}
	return nil
}

// misplaced refuses a flag that means nothing in this question, since the user would believe that it was heeded.
func misplaced(flags *pflag.FlagSet) (err error) {
	refuse := func(where string, meant bool, name string) {
		if !meant && err == nil {
			err = fmt.Errorf("--%s means nothing %s", name, where)
		}
	}
	flags.Visit(func(f *pflag.Flag) {
		switch {
		case flags.Changed("check"):
			refuse("with --check", slices.Contains([]string{"check", "latency-bands", "queue-bands"}, f.Name), f.Name)
		case flags.Changed("from-metric"):
			refuse("with --from-metric", slices.Contains([]string{"from-metric", "flavor", "format", "calibrate",
				"load", "region", "price", "limits", "on", "disks", "multi-az", "gib", "class", "headroom", "growth",
				"balance", "instance-balance", "repeat"}, f.Name), f.Name)
		case flags.Changed("need"):
			refuse("with --need", !slices.Contains([]string{"load", "rows-per-second", "percentile", "calibrate",
				"flavor", "latency-bands", "queue-bands"}, f.Name), f.Name)
		default:
			refuse("for a run", !slices.Contains([]string{"hours", "flavor", "latency-bands", "queue-bands"}, f.Name),
				f.Name)
		}
	})
	return err
}

// runFiles refuses no files, and more of standard input than there is.
func runFiles(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return command.OneRunFile(cmd, args)
	}
	for i, name := range args {
		if slices.Contains(args[:i], name) {
			return fmt.Errorf("%s is named twice", name)
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
		return command.Naming(names[i], errors.New("a baseline measured storage alone: what that gave is no need. "+
			"realiops size RUN --baseline FILE says whether it carries what a run needed"))
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
		return suggesting(err) // it tells which run
	case err != nil:
		return command.Naming(names[0], suggesting(err))
	}
	return o.answer(env, answer, runs...)
}

// commonServer returns what runs agree on of their server: the flavor, and the region of a cloud.
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

// answer writes what to order, with the cautions of the runs that it rests on, and holds it against a device that was
// measured, where one was named.
func (o SizeOptions) answer(env command.Env, answer sizing.Sizing, runs ...*counts.Run) error {
	view := sizes.NewSize(answer)
	for _, run := range runs {
		view.Caution(report.Cautions(run)...)
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

// readCalibration reads the run on Aurora that was named, if any was.
func (o *SizeOptions) readCalibration(env command.Env) (err error) {
	if o.calibrate != "" {
		o.Calibrate, err = command.NamedRun(env, o.calibrate, tally.WithoutLatencies)
	}
	return err
}
