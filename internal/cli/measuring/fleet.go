package measuring

import (
	"context"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/realiops/realiops/internal/cli/command"
	"github.com/realiops/realiops/internal/printable"
)

func NewFleetCommand(env command.Env) *cobra.Command {
	o := fleetOptions{store: command.StoreOptions{Back: command.Stretch(30 * command.Day)}}
	cmd := &cobra.Command{
		Use:   "fleet [DIR | FILE...]",
		Short: "Rank all your databases by cost and risk",
		Long: `Rank all your databases by what they overpay and by when storage limits them. For each, the report says what
it needed and has, when its credits run out, what to order instead, and how much that saves. realiops connects to no
database.

--prometheus reads a store with Prometheus' API. --aws reads CloudWatch for the RDS instances and Aurora clusters of an
account. FILEs are the output of sadf -j -- -b for one or more machines; each machine counts as a database.

--dir gets a run file and a page for each database, and a page for all. After an interrupt, run the command again to
continue. With only DIR, realiops ranks what that directory holds and asks no source.`,
		Example: `  realiops fleet --prometheus http://prometheus:9090 --has has.csv
  realiops fleet --aws --region eu-west-1 --price prices.json --dir fleet
  realiops fleet fleet --format csv
  sadf -j /var/log/sysstat/sa15 -- -b > db1-15.json; realiops fleet db*.json --dir machines`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 && !isDirectory(args[0]) {
				o.files, args = args, nil
			}
			if err := o.check(args, cmd.Flags()); err != nil {
				return err
			}
			return runFleet(cmd.Context(), env, o, args, cmd.Flags())
		},
	}
	aws, order, output := command.Group("An AWS account"), command.Group("Orders and prices"), command.Group("Output")
	aws.BoolVar(&o.aws, "aws", false, "ask CloudWatch about all PostgreSQL databases of the account in this region")
	command.AddAccountFlags(aws.FlagSet, &o.account)
	aws.Lookup("region").Usage = "the `region` to ask, and for prices of databases whose region is unknown (default: " +
		"like the AWS CLI, or us-east-1)"
	aws.Float64Var(&o.maxCost, "max-cost", 1,
		"the most `USD` to spend on API calls at list price; the estimate is shown first")
	order.StringVar(&o.has, "has", "", "a `file` that lists what databases have, used before the source: CSV with "+
		"database,volume,gib and optionally iops,mibps,class,region,multi_az, or the output of aws rds "+
		"describe-db-instances")
	order.StringVar(&o.size.Prices, "price", "",
		"a `file` of prices from realiops prices, used before the built-in ones")
	order.StringVar(&o.size.Limits, "limits", "",
		"a `file` of machine limits from realiops aws limits, used before the built-in ones")
	order.Float64Var(&o.size.Percentile, "percentile", 99,
		"the `percentile` of hours that the order must carry; 100 is the worst hour")
	order.Float64Var(&o.size.Headroom, "headroom", 20, "`percent` to order above the need")
	output.StringVar(&o.out, "dir", "", "the `directory` to write (default: a new one for today in ./realiops-fleet)")
	output.IntVar(&o.top, "top", 10, "how `many` databases to show in each list")
	o.size.Format.Add(output.FlagSet, command.FormatText, command.FormatJSON, command.FormatCSV, command.FormatOpenMetrics)
	return command.Describe(env, cmd, fleetExitHelp, command.Group("A store", o.store.AddFleetFlags,
		o.store.AddNameLabel), aws, order, output)
}

const fleetExitHelp = `0  ranked
1  wrong usage, or no source can be read
2  ranked, but the source answered only in part: run the command again for the rest
3  no database could be judged: what they need, have or would save is unknown`

// errPartly is the error of an incomplete fleet.
var errPartly = command.WithCode(command.ExitFailed, command.ErrSilent)

func runFleet(ctx context.Context, env command.Env, o fleetOptions, args []string, flags *pflag.FlagSet) error {
	ask, err := o.ask(ctx, env)
	if err != nil {
		return err
	}
	directory, partly := "", 0
	if len(args) > 0 {
		directory = args[0]
	} else if directory, partly, err = o.fetch(ctx, env, headOf(env, flags)); err != nil {
		return err
	}
	ranked, err := rankFleet(ask, directory)
	if err != nil {
		return err
	}
	if err := o.answer(env, ranked); err != nil {
		return err
	}
	switch {
	case partly > 0:
		env.Tell("the source's answer about %s is incomplete; run this again for the rest", printable.Counted(partly,
			"database"))
		return errPartly
	case !ranked.Concludes():
		return command.ErrNoConclusion
	}
	return nil
}
