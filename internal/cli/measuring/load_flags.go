package measuring

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/realiops/realiops/internal/cli/command"
	"github.com/realiops/realiops/internal/measure/load/engine"
	"github.com/realiops/realiops/internal/measure/load/output"
	"github.com/realiops/realiops/internal/measure/load/script"
	"github.com/realiops/realiops/internal/measure/load/tables"
	"github.com/realiops/realiops/internal/measure/target"
)

// loadOptions are the flags of realiops load. Those that pgbench has, too, have its names, letters and defaults.
type loadOptions struct {
	connection connectionOptions
	aws        target.AWSOptions // a load only uses its sign-in

	scripts     []scriptArgument
	listScripts bool
	show        string
	version     bool

	initialize          bool
	tables              tables.Options
	scale               int
	noVacuum, vacuumAll bool

	load     engine.Options // passed to the engine unchanged
	define   map[string]string
	maxTries int
	seed     seed

	log       bool
	logPrefix string
	aggregate int // seconds

	progress                                           time.Duration
	progressTimestamp, failuresDetailed, verboseErrors bool

	format command.FormatFlag
	gates  []output.Gate
}

// defaultSilence bounds a server's silence: longer than a load's transactions take, shorter than a night.
const defaultSilence = 10 * time.Minute

func (o *loadOptions) scriptFlags(f *pflag.FlagSet) {
	f.FuncP("builtin", "b", "add the built-in script `NAME[@W]` with weight W; \"list\" shows them", o.takeBuiltin)
	f.FuncP("file", "f", "add the script in `FILE[@W]` with weight W; - is standard input", o.takeFile)
	f.BoolFuncP("skip-some-updates", "N", "the same as -b simple-update", func(string) error {
		return o.addBuiltin("simple-update", 1)
	})
	f.BoolFuncP("select-only", "S", "the same as -b select-only", func(string) error {
		return o.addBuiltin("select-only", 1)
	})
	f.StringVar(&o.show, "show-script", "", "show the built-in script `NAME` and exit")
	f.FuncP("define", "D", "define a variable of the scripts, as `VARNAME=VALUE`", o.addDefinition)
	f.VarP(whole(&o.scale, 1), "scale", "s", "the scale factor of the tables with -i, else the value of :scale")
}

func (o *loadOptions) loadFlags(f *pflag.FlagSet) {
	f.VarP(whole(&o.load.Clients, 1), "client", "c", "`number` of clients")
	f.VarP(whole(&o.load.Threads, 1), "jobs", "j",
		"divide the clients over up to this `number` of worker processes, as pgbench does over threads")
	f.VarP(whole(&o.load.Transactions, 1), "transactions", "t",
		fmt.Sprintf("`number` of transactions of each client (default %d)", engine.DefaultTransactions))
	f.VarP(&secondsFlag{&o.load.Duration, true}, "time", "T", "how long to run, in `seconds` or with a unit: 10m")
	f.VarP(&modeFlag{&o.load.Mode}, "protocol", "M", "how statements are sent: simple, extended or prepared")
	f.VarP(&positiveFlag{value: &o.load.Rate}, "rate", "R",
		"start this `number` of transactions per second, over all clients")
	f.VarP(&limitFlag{&o.load.LatencyLimit}, "latency-limit", "L",
		"count transactions longer than this many `milliseconds` as late; with -R, skip those already late at their "+
			"start")
	f.BoolVarP(&o.load.Reconnect, "connect", "C", false, "open a connection for each transaction")
	f.Var(whole(&o.maxTries, 0), "max-tries",
		"how often to try a transaction after a serialization failure or deadlock; 0: no limit")
	f.BoolVar(&o.load.ExitOnAbort, "exit-on-abort", false, "end the run when a client aborts")
	f.BoolVar(&o.load.ContinueOnError, "continue-on-error", false,
		"after an error, go on with the next transaction instead of aborting the client")
	f.Func("random-seed", "the seed of random numbers: a `number`, time, or rand", o.seed.set)
	f.BoolVarP(&o.noVacuum, "no-vacuum", "n", false, "do not vacuum pgbench's tables first")
	f.BoolVarP(&o.vacuumAll, "vacuum-all", "v", false, "vacuum pgbench_accounts first, too")
}

func (o *loadOptions) reportFlags(f *pflag.FlagSet) {
	f.VarP(&secondsFlag{&o.progress, true}, "progress", "P", "show progress every this many `seconds`")
	f.BoolVar(&o.progressTimestamp, "progress-timestamp", false, "show the time in progress lines as a Unix timestamp")
	f.BoolVarP(&o.load.PerCommand, "report-per-command", "r", false,
		"report latencies, failures and retries of each statement")
	f.BoolVar(&o.failuresDetailed, "failures-detailed", false, "report failures by kind")
	f.BoolVar(&o.verboseErrors, "verbose-errors", false, "show every error")
	f.BoolVarP(&o.log, "log", "l", false,
		"write each transaction to the log file PREFIX.PID, and PREFIX.PID.N for further workers")
	f.StringVar(&o.logPrefix, "log-prefix", "", "`PREFIX` of the log file (default \""+output.DefaultLogPrefix+"\")")
	f.Var(whole(&o.aggregate, 1), "aggregate-interval", "log sums over this many `seconds` instead of each transaction")
	f.Var(&positiveFlag{value: &o.load.SampleRate, most: 1}, "sampling-rate",
		"log this `part` of all transactions: 0.01 for 1%")
}

func (o *loadOptions) ownFlags(f *pflag.FlagSet) {
	o.format.Add(f, command.FormatText, command.FormatJSON)
	f.Var(&secondsFlag{&o.load.Warmup, false}, "warmup", "run this many `seconds` before anything counts")
	f.Func("fail-if", "exit with 4 if this `condition` holds: 'p99>20ms', 'achieved<0.95', 'failed>0' (repeatable)",
		o.addGate)
	f.Var(&secondsFlag{&o.load.Silence, false}, "answer-timeout",
		"give up if the server does not answer for this many `seconds`; 0: never")
}

func (o *loadOptions) tableFlags(f *pflag.FlagSet) {
	t := &o.tables
	f.BoolVarP(&o.initialize, "initialize", "i", false, "make the tables instead of running a load")
	f.StringVarP(&t.Steps, "init-steps", "I", "", "the `steps` of -i: d, t, g, G, v, p, f (default \""+
		tables.DefaultSteps+"\")")
	f.VarP(ranged(&t.Fillfactor, 10, 100), "fillfactor", "F", "fill factor of the tables, in `percent`")
	f.BoolVarP(&t.Quiet, "quiet", "q", false, "show progress only every five seconds")
	f.BoolVar(&t.ForeignKeys, "foreign-keys", false, "create foreign keys between the tables")
	f.Var(whole(&t.Partitions, 0), "partitions", "divide pgbench_accounts into this many partitions")
	f.StringVar((*string)(&t.PartitionMethod), "partition-method", "",
		"partition by `METHOD`: range or hash (default range)")
	f.StringVar(&t.Tablespace, "tablespace", "", "the `tablespace` to create the tables in")
	f.StringVar(&t.IndexTablespace, "index-tablespace", "", "the `tablespace` to create the indexes in")
	f.BoolVar(&t.Unlogged, "unlogged-tables", false, "create the tables unlogged")
}

func (o *loadOptions) connectionFlags(f *pflag.FlagSet) {
	c := &o.connection
	f.StringVarP(&c.host, "host", "h", "", "the server's `host`, or the directory of its socket")
	f.StringVarP(&c.port, "port", "p", "", "its `port`")
	f.StringVarP(&c.user, "username", "U", "", "the `user` to connect as")
	f.StringVarP(&c.database, "dbname", "d", "", "the same as `DBNAME`")
	f.StringVar(&c.database, "dsn", "", "the same as `DBNAME`, as in realiops run")
	command.AddSignInFlags(f, &o.aws)
	f.BoolVarP(&o.version, "version", "V", false, "show the version and exit")
	f.BoolP("help", "?", false, "show this help and exit; -h is --host, as in pgbench")
}

// whole returns an integer flag with a lower bound.
func whole(value *int, least int) *wholeFlag { return ranged(value, least, math.MaxInt32) }

func ranged(value *int, least, most int) *wholeFlag { return &wholeFlag{value, least, most} }

func (o *loadOptions) addDefinition(s string) error {
	name, value, found := strings.Cut(s, "=")
	if !found || name == "" || value == "" {
		return errors.New("it must be VARNAME=VALUE")
	}
	o.define[name] = value
	return script.NewSet().NewVars().Define(name, value) // of no script: only the name is checked
}

func (o *loadOptions) addGate(s string) error {
	g, err := output.ParseGate(s)
	if err == nil {
		o.gates = append(o.gates, g)
	}
	return err
}

// check rejects invalid options, in pgbench's order and nearly its words, and fills in the default script.
func (o *loadOptions) check(flags *pflag.FlagSet) error {
	if err := o.checkPhase(flags); err != nil {
		return err
	}
	switch {
	case o.initialize && flags.Changed("init-steps") && o.tables.Steps == "":
		return errors.New("no initialization steps specified")
	case o.initialize:
		return nil
	case o.load.Transactions > 0 && o.load.Duration > 0:
		return errors.New("specify either a number of transactions (-t) or a duration (-T), not both")
	case o.progressTimestamp && o.progress == 0:
		return errors.New("--progress-timestamp is allowed only under --progress")
	}
	if err := o.checkLog(flags); err != nil {
		return err
	}
	switch {
	case o.maxTries == 0 && o.load.LatencyLimit == 0 && o.load.Duration == 0:
		return errors.New("an unlimited number of transaction tries can only be used with --latency-limit or " +
			"a duration (-T)")
	case len(o.scripts) == 0:
		return o.addBuiltin(defaultScript, 1)
	case !slices.ContainsFunc(o.scripts, func(s scriptArgument) bool { return s.weight > 0 }):
		return errors.New("total script weight must not be zero")
	}
	return nil
}

// defaultScript runs if neither -f nor -b is given.
const defaultScript = "tpcb-like"

// checkPhase rejects flags of a load when making the tables, and the reverse.
func (o *loadOptions) checkPhase(flags *pflag.FlagSet) (err error) {
	both := []string{"initialize", "scale", "no-vacuum", "host", "port", "username", "dbname", "dsn"}
	makes := []string{
		"init-steps", "fillfactor", "quiet", "foreign-keys", "partitions", "partition-method", "tablespace",
		"index-tablespace",
		"unlogged-tables",
	}
	flags.Visit(func(f *pflag.Flag) {
		switch {
		case err != nil || slices.Contains(both, f.Name):
		case o.initialize && !slices.Contains(makes, f.Name):
			err = fmt.Errorf("%s cannot be used in initialization (-i) mode", shown(f))
		case !o.initialize && slices.Contains(makes, f.Name):
			err = fmt.Errorf("%s can be used in initialization (-i) mode only", shown(f))
		}
	})
	return err
}

func shown(f *pflag.Flag) string {
	if f.Shorthand == "" {
		return "--" + f.Name
	}
	return "-" + f.Shorthand + "/--" + f.Name
}

func (o *loadOptions) checkLog(flags *pflag.FlagSet) error {
	interval, duration := time.Duration(o.aggregate)*time.Second, o.load.Duration
	switch {
	case !o.log && o.load.SampleRate > 0:
		return errors.New("log sampling (--sampling-rate) is allowed only when logging transactions (-l)")
	case o.load.SampleRate > 0 && o.aggregate > 0:
		return errors.New("log sampling (--sampling-rate) and aggregation (--aggregate-interval) cannot be used " +
			"at the same time")
	case !o.log && o.aggregate > 0:
		return errors.New("log aggregation (--aggregate-interval) is allowed only when logging transactions (-l)")
	case !o.log && flags.Changed("log-prefix"):
		return errors.New("log file prefix (--log-prefix) is allowed only when logging transactions (-l)")
	case duration > 0 && interval > duration:
		return fmt.Errorf("number of seconds for aggregation (%d) must not be higher than test duration (%g)",
			o.aggregate, duration.Seconds())
	case duration > 0 && interval > 0 && duration%interval != 0:
		return fmt.Errorf("duration (%g) must be a multiple of aggregation interval (%d)",
			duration.Seconds(), o.aggregate)
	}
	return nil
}
