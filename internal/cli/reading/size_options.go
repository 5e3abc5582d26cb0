package reading

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/spf13/pflag"

	"github.com/realiops/realiops/internal/analyze/number"
	"github.com/realiops/realiops/internal/analyze/sizing"
	"github.com/realiops/realiops/internal/cli/command"
	"github.com/realiops/realiops/internal/runfile"
)

// SizeOptions are the flags of realiops size.
type SizeOptions struct {
	sizing.Ask     // from the flags; see Asked
	Region         string
	on             []string
	Prices, Limits string
	repeat         time.Duration
	calibrate      string
	Format         command.FormatFlag
	baseline       string

	Everywhere bool           // the volumes of all clouds, for servers with their own regions
	server     runfile.Target // common to the runs

	need                        string
	hours                       float64
	fromMetric, flavor, checked string

	latencyBands, queueBands string
}

func (o *SizeOptions) addLoadFlags(f *pflag.FlagSet) {
	f.StringVar(&o.Load, "load", "", "the `load` of the run that is most like yours (default: the one that needed "+
		"most of storage, except point-cold, scan-cold and other cold loads)")
	f.Float64Var(&o.RowsPerSecond, "rows-per-second", 0, "scale it to this many `rows` per second")
	f.Float64Var(&o.Growth, "growth", 0, "`percent` to add to that")
	f.Float64Var(&o.Percentile, "percentile", 99, "the `percentile` of its seconds to size for; 100 is the worst "+
		"second")
	f.Float64Var(&o.Headroom, "headroom", 20, "`percent` to order above the need")
	o.GiB, o.DefaultGiB = 100, true
	f.Var((*command.Gibibytes)(&o.GiB), "gib", "data to hold, in GiB or with a unit: 2TB (10^12 bytes), 2TiB (2^40)")
}

// addStorageFlags adds the flags for what is ordered, and by which prices.
func (o *SizeOptions) addStorageFlags(f *pflag.FlagSet) {
	f.StringVar(&o.Instance, "class", "", "`class` of the database's machine: db.r6g.large, m5.xlarge")
	f.StringSliceVar(&o.on, "on", nil, "a `list` of what to consider: ebs, rds, aurora, azure, google, yugabytedb, "+
		"cockroachdb, or volumes such as gp3 (default: what the machine class can use, else what the region's cloud "+
		"sells, except the hard disks st1 and sc1)")
	f.IntVar(&o.Disks, "disks", 0, "how `many` disks to stripe over (default: up to 8, if they "+
		"save a tenth against one); not for RDS and Aurora, which stripe by themselves")
	f.BoolVar(&o.MultiAZ, "multi-az", false, "price RDS with a standby in another availability zone")
	f.StringVar(&o.Region, "region", "", "the `region` for prices; also selects the cloud (default: the run's, the "+
		"one in --price, or "+command.DefaultRegion+", eastus and us-central1)")
	f.StringVar(&o.calibrate, "calibrate", "",
		"a run `file` from Aurora to estimate billed writes from, instead of published loads")
	f.StringVar(&o.Prices, "price", "", "a `file` of prices from realiops prices, used before the built-in ones")
	f.StringVar(&o.Limits, "limits", "",
		"a `file` of machine limits from realiops aws limits, used before the built-in ones")
	f.DurationVar(&o.repeat, "repeat", 24*time.Hour, "for volumes with credits, how long the recorded load goes on")
	f.Var(percent{&o.Balance.Volume}, "balance",
		"percent of a volume's credits at the start (default: the last BurstBalance of the run, or 100)")
	f.Var(percent{&o.Balance.Instance}, "instance-balance",
		"percent of the instance's credits at the start (default: the last EBSIOBalance% and EBSByteBalance% of "+
			"the run, or 100)")
}

func (o *SizeOptions) addBaselineFlag(f *pflag.FlagSet) {
	f.StringVar(&o.baseline, "baseline", "", "a `file` from realiops baseline: does that device carry the load?")
}

func (o *SizeOptions) addFigureFlags(f *pflag.FlagSet) {
	command.FiguresVar(f, &o.need, "need",
		"`FIGURES` to size for: two of iops=, mbps= (or 120MiB) and kb= per request; reads= in percent; flushes=")
	f.Float64Var(&o.hours, "hours", 24, "with --need, for how many `hours` a day")
	command.FiguresVar(f, &o.fromMetric, "from-metric", "convert a metric's amount to real I/O, as `NAME=AMOUNT`: "+
		"WriteIOPS=800000; for a sum, add its time: VolumeReadIOPs=2.43e9/month; for RDS, several separated by "+
		"commas also give an order")
	command.FiguresVar(f, &o.checked, "check", "`FIGURES` to check against each other: iops=, kbps=, mbps=, ms=, queue=, "+
		"kb= per request, cap-iops=, cap-mbps=, buffered, or iostat's columns: r/s=, w_await=, aqu-sz=")
	f.StringVar(&o.latencyBands, "latency-bands", "",
		"with --check, up to how many `milliseconds` a latency is excellent, good or fair (default 5,10,15)")
	f.StringVar(&o.queueBands, "queue-bands", "",
		"with --check, the `lengths` from which a queue is a bottleneck if it lasts, and in any case (default 2,5)")
	f.StringVar(&o.flavor, "flavor", "", "with --from-metric, where the metric was read: the `kind` aurora, rds or ebs")
}

func (o *SizeOptions) addFormatFlag(f *pflag.FlagSet) {
	o.Format.Add(f, command.FormatText, command.FormatJSON, command.FormatCSV)
}

func (o *SizeOptions) anyOf(flags *pflag.FlagSet) (any bool) {
	known, of := pflag.NewFlagSet("", pflag.ContinueOnError), *o
	of.addLoadFlags(known)
	of.addStorageFlags(known)
	known.VisitAll(func(f *pflag.Flag) { any = any || flags.Changed(f.Name) })
	return any
}

// percent is an optional flag; nil if it is not given.
type percent struct{ value **float64 }

func (p percent) Set(text string) error {
	v, err := number.Read(text, number.Units{"": 1, "%": 1})
	if err != nil || !(v >= 0 && v <= 100) {
		return errors.New("want 0 to 100")
	}
	*p.value = &v
	return nil
}

func (p percent) String() string {
	if p.value == nil || *p.value == nil {
		return ""
	}
	return strconv.FormatFloat(**p.value, 'g', -1, 64)
}

func (p percent) Type() string { return "percent" }

// misplaced rejects a flag that has no effect on this question.
func misplaced(flags *pflag.FlagSet) (err error) {
	refuse := func(where string, meant bool, name string) {
		if !meant && err == nil {
			err = fmt.Errorf("--%s has no effect %s", name, where)
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

// aboutFigures returns the given flag that asks about figures, without a run; empty: none.
func aboutFigures(flags *pflag.FlagSet) string {
	for _, name := range []string{"check", "from-metric", "need"} {
		if flags.Changed(name) {
			return name
		}
	}
	return ""
}

// takeFlags records which flags were given. It rejects 0 if that means not given.
func (o *SizeOptions) takeFlags(flags *pflag.FlagSet) error {
	o.DefaultGiB = !flags.Changed("gib")
	switch {
	case flags.Changed("disks") && o.Disks == 0:
		return errors.New("--disks must be more than 0")
	case flags.Changed("rows-per-second") && o.RowsPerSecond == 0:
		return errors.New("--rows-per-second must be more than 0")
	}
	return nil
}
