package measuring

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/spf13/pflag"
)

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
