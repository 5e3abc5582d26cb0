package measuring

import (
	"context"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/realiops/realiops/internal/cli/command"
)

func NewFleetCommand(env command.Env) *cobra.Command {
	o := fleetOptions{store: command.StoreOptions{Back: command.Stretch(30 * command.Day)}}
	cmd := &cobra.Command{
		Use:   "fleet [DIR | FILE...]",
		Short: "Rank all your databases by money and by risk",
		Long: `Rank every database that a source knows: what it needed, what it has, what limits it, when its credits end, what to order
instead, and what that saves. The source is a store that speaks Prometheus' language, or with --aws CloudWatch, for the
RDS instances and Aurora clusters of an account. realiops connects to no database. FILEs are what sadf -j -- -b wrote of
the days that sysstat kept; each machine counts as a database.

What a source returns is kept in a directory, hour by hour: a run file and a page of each database, and a page of all.
After an interrupt, run the command again to go on. With DIR alone nobody is asked: what is kept there is ranked again.`,
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
	aws, order, output := command.Group("An AWS account"), command.Group("What to order, and at which price"),
		command.Group("What to tell")
	aws.BoolVar(&o.aws, "aws", false, "ask CloudWatch about all PostgreSQL databases of the account in the region")
	command.AddAccountFlags(aws.FlagSet, &o.account)
	aws.Lookup("region").Usage = "the `region` to ask in, whose prices count where a database does not say its own " +
		"(default: as the AWS programs choose, or us-east-1)"
	aws.Float64Var(&o.maxCost, "max-cost", 1,
		"the most `USD` that the calls may cost at list price; the estimate is shown first")
	order.StringVar(&o.has, "has", "", "a `file` of what databases have, which overrides the source: CSV with "+
		"database,volume,gib and perhaps iops,mibps,class,region,multi_az, or what aws rds describe-db-instances wrote")
	order.StringVar(&o.size.Prices, "price", "",
		"a `file` of prices, before the program's own; realiops prices writes one")
	order.StringVar(&o.size.Limits, "limits", "",
		"a `file` of what machine classes can carry; realiops aws limits writes one")
	order.Float64Var(&o.size.Percentile, "percentile", 99,
		"the `percentile` of hours that the order must cover; 100 is the worst hour")
	order.Float64Var(&o.size.Headroom, "headroom", 20, "`percent` to order beyond the need")
	output.StringVar(&o.out, "dir", "", "the `directory` to keep all in (default: one for today in ./realiops-fleet)")
	output.IntVar(&o.top, "top", 10, "how `many` databases each list of the text shows")
	o.size.Format.Add(output.FlagSet, command.FormatText, command.FormatJSON, command.FormatCSV, command.FormatOpenMetrics)
	return command.Describe(env, cmd, fleetExitHelp, command.Group("A store", o.store.AddFleetFlags,
		o.store.AddNameLabel), aws, order, output)
}

const fleetExitHelp = `0  ranked
1  wrong usage, or nothing can be asked or read
2  ranked, but the source answered only in part: run it again for the rest
3  what the databases need, have and would save is unknown`

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
		env.Tell("the source answered only in part about %d databases: run this again to ask for the rest", partly)
		return errPartly
	case !ranked.Concludes():
		return command.ErrNoConclusion
	}
	return nil
}
