package setup

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/realiops/realiops/internal/analyze/billing"
	"github.com/realiops/realiops/internal/analyze/catalog"
	"github.com/realiops/realiops/internal/analyze/sizing"
	"github.com/realiops/realiops/internal/analyze/view"
	"github.com/realiops/realiops/internal/cli/command"
	"github.com/realiops/realiops/internal/cli/reading"
	"github.com/realiops/realiops/internal/measure/account"
	"github.com/realiops/realiops/internal/measure/history/cloudwatch"
	"github.com/realiops/realiops/internal/measure/history/exported"
	"github.com/realiops/realiops/internal/measure/rds"
)

// auroraCostOptions are the flags of realiops aws cost.
type auroraCostOptions struct {
	cluster                      string
	back                         command.Stretch
	from                         []string
	month                        string
	classes, instances, reserved []string
	account                      account.Options
	prices                       string
	format                       command.FormatFlag
	query                        bool
}

func newAuroraCostCommand(env command.Env) *cobra.Command {
	o := auroraCostOptions{back: command.Stretch(30 * 24 * time.Hour)}
	cmd := &cobra.Command{
		Use:   "cost",
		Short: "Compare the cost of Aurora Standard and I/O-Optimized",
		Long: `Work out what an Aurora cluster costs in both storage configurations, hour by hour, from its billed
reads and writes, storage, instances and capacity units, at its region's prices. The report says which costs
less per month, how sure that is, how much the days vary, and what would change the answer. Missing figures are
listed and never count as zero.

--cluster asks CloudWatch for the hours. --from reads files that the AWS CLI wrote, without asking AWS; --query prints
the request for the AWS CLI. --month takes a month's totals from a bill.`,
		Example: `  realiops aws cost --cluster shop --for 90d
  realiops aws cost --query --cluster shop --instance shop-1=db.r6g.large > query.json
  aws cloudwatch get-metric-data --cli-input-json file://query.json > metrics.json
  realiops aws cost --from metrics.json --instance shop-1=db.r6g.large --price prices.json
  realiops aws cost --month reads=2.43e9,writes=9e6,gib=800 --class db.r6g.large`,
		Args: command.NoArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := o.check(cmd.Flags()); err != nil {
				return err
			}
			return runAuroraCost(cmd.Context(), env, o)
		},
	}
	did, costs, aws, output := command.Group("What the cluster did"), command.Group("What it costs"),
		command.Group("AWS"), command.Group("Output")
	did.StringVar(&o.cluster, "cluster", "",
		"the `cluster` to ask CloudWatch about, or to pick from the files")
	did.Var(&o.back, "for", "with --cluster, `how long` back from now: 30d, 12w; CloudWatch keeps 455 days")
	did.StringArrayVar(&o.from, "from", nil, "a `file` from aws cloudwatch get-metric-data, rds describe-db-clusters "+
		"or describe-db-instances; - is standard input (repeatable)")
	command.FiguresVar(did.FlagSet, &o.month, "month", "a month's `FIGURES`: billed reads= and writes=, gib= of storage")
	did.StringArrayVar(&o.classes, "class", nil, "the `CLASS` of an instance that ran the whole time (repeatable)")
	did.StringArrayVar(&o.instances, "instance", nil, "the class of an instance in the metrics, as `NAME=CLASS`; if "+
		"it ran only part of the time, add that in UTC: r3=db.r6g.large@2026-10-01T08:00..2026-10-09 (repeatable)")
	costs.StringVar(&o.prices, "price", "",
		"a `file` of prices from realiops prices, used before the built-in ones")
	costs.StringArrayVar(&o.reserved, "reserved", nil,
		"reserved instances, which you pay either way, as `CLASS=NUMBER` (repeatable)")
	command.AddAccountFlags(aws.FlagSet, &o.account)
	aws.Lookup("region").Usage = "the `region` of the cluster and its prices (default: like the AWS CLI; for files, " +
		"the region in them or in --price, or us-east-1)"
	o.format.Add(output.FlagSet, command.FormatText, command.FormatJSON, command.FormatCSV)
	output.BoolVar(&o.query, "query", false, "only print the request for aws cloudwatch get-metric-data")
	return command.Describe(env, cmd, auroraCostExitHelp, did, costs, aws, output)
}

const auroraCostExitHelp = `0  one of the two costs less
1  wrong usage, or the cluster's figures cannot be read
3  which costs less is unknown: the text says what is missing`

// check rejects contradictory options.
func (o auroraCostOptions) check(flags *pflag.FlagSet) error {
	switch {
	case command.CountGiven(len(o.from) > 0, o.month != "", o.cluster != "" && len(o.from) == 0) != 1:
		return errors.New("name one source: --cluster asks CloudWatch, --from reads files, --month takes a month's sums")
	case o.query && (o.cluster == "" || len(o.from) > 0):
		return errors.New("--query asks about a cluster; name it with --cluster, and its instances with --instance")
	case o.month != "" && len(o.instances) > 0:
		return errors.New("--month has no instances for --instance; give the class of each with --class")
	case flags.Changed("for") && (o.cluster == "" || len(o.from) > 0):
		return errors.New("--for works only with --cluster")
	}
	_, err := o.back.OfHours()
	return err
}

type billed struct {
	cluster  rds.Cluster
	use      billing.Use
	region   string
	warnings []string
}

func runAuroraCost(ctx context.Context, env command.Env, o auroraCostOptions) error {
	members, err := parseInstances(o.instances)
	if err != nil {
		return err
	}
	always, err := parseClasses(o.classes)
	if err != nil {
		return err
	}
	members = append(always, members...)
	if o.query {
		return o.printQuery(env, members)
	}
	reserved, err := parseReserved(o.reserved)
	if err != nil {
		return err
	}
	known, doubts, err := reading.ReadPrices(ctx, o.prices)
	if err != nil {
		return err
	}
	b, err := o.billed(ctx, env, members, known)
	if err != nil {
		return err
	}
	tariff := sizing.Tariff{Region: b.region, Prices: known}
	if err := reading.CheckRegion(b.region, tariff.Regions()); err != nil {
		return err
	}
	if cloud := catalog.CloudOfRegion(b.region, nil); cloud != "" && cloud != catalog.AWS {
		return fmt.Errorf("--region %s is a region of %s; name one of AWS, such as %s", b.region, cloud.Title(),
			catalog.AWS.Home())
	}
	c := billing.Compare(b.use, tariff, reserved)
	c.Cluster, c.Now = b.cluster.Name, b.cluster.Storage
	if !b.cluster.NextSwitch.IsZero() {
		c.NextSwitch = &b.cluster.NextSwitch
	}
	for i := range doubts {
		doubts[i] += "."
	}
	c.Warnings = slices.Concat(doubts, b.warnings, c.Warnings)
	err = env.Answer(o.format.Chosen, command.Finding{What: "a bill", Value: c, Words: c.Document})
	if err == nil && c.Verdict.Cheaper == "" {
		return command.ErrNoConclusion
	}
	return err
}

// billed reads the cluster's use from the chosen source.
func (o auroraCostOptions) billed(ctx context.Context, env command.Env, members []rds.Member,
	prices []catalog.Price) (billed, error) {
	var b billed
	var err error
	switch {
	case o.month != "":
		b, err = o.ofMonth(members)
	case len(o.from) > 0:
		b, err = o.ofFiles(ctx, env, members)
	default:
		b, err = o.ofCloudWatch(ctx, env, members)
	}
	if err != nil {
		return b, err
	}
	if b.region = cmp.Or(o.account.Region, b.region); b.region == "" {
		b.region = reading.HomeRegion(o.prices, prices)
		if o.prices == "" {
			b.warnings = append(b.warnings, fmt.Sprintf("The cluster's region is unknown; these are the prices of %s. Name "+
				"another with --region.", b.region))
		}
	}
	return b, nil
}

func (o auroraCostOptions) ofFiles(ctx context.Context, env command.Env, members []rds.Member) (billed, error) {
	var e exported.Export
	for _, name := range o.from {
		text, err := command.ReadExported(ctx, env, name)
		if err != nil {
			return billed{}, fmt.Errorf("read the exported file: %w", err)
		}
		if err := e.Read(text, env.Now()); err != nil {
			return billed{}, command.Naming(name, err)
		}
	}
	c, err := e.Cluster(o.cluster)
	if err != nil {
		return billed{}, err
	}
	if err := c.OnAurora(); err != nil {
		return billed{}, err
	}
	if len(e.Periods) == 0 {
		return billed{}, errors.New("the files have no points of VolumeReadIOPs or any other metric of a cluster; --query " +
			"prints the request for aws cloudwatch get-metric-data")
	}
	if err := e.Check(); err != nil {
		return billed{}, err
	}
	from, to := e.Span()
	b := billed{cluster: c, region: e.Region(c.Name), warnings: e.Warnings}
	named, always := instancesOf(append(c.Members, members...))
	b.use = billing.FromPeriods(e.Periods, from, to, named).Always(always)
	return b, nil
}

// ofCloudWatch asks AWS for the cluster, and CloudWatch for its use.
func (o auroraCostOptions) ofCloudWatch(ctx context.Context, env command.Env, members []rds.Member) (billed, error) {
	a, err := command.OpenInRegion(ctx, o.account)
	if err != nil {
		return billed{}, err
	}
	c, err := rds.FindCluster(ctx, a.Config(), o.cluster)
	if err != nil {
		return billed{}, err
	}
	to := cloudwatch.Settled(env.Now())
	from := to.Add(-time.Duration(o.back))
	periods, gaps, err := cloudwatch.Hours(ctx, a, cloudwatch.ForBill(c), from, to)
	if err != nil {
		return billed{}, err
	}
	env.Tell("%s", account.Text(a.Calls()))
	named, always := instancesOf(append(c.Members, members...))
	b := billed{cluster: c, region: a.Region(), warnings: cloudwatch.Refused(gaps)}
	b.use = billing.FromPeriods(periods, from, to, named).Always(always)
	return b, nil
}

// printQuery writes the request for the aws program.
func (o auroraCostOptions) printQuery(env command.Env, members []rds.Member) error {
	c := rds.Cluster{Name: o.cluster}
	for _, m := range members {
		if m.Name == "" {
			return fmt.Errorf("--class %s: CloudWatch needs the instance's name; use --instance NAME=%s", m.Class, m.Class)
		}
		c.Members = append(c.Members, m)
	}
	to := cloudwatch.Settled(env.Now())
	return view.JSON(env.Out, exported.QueryOf(cloudwatch.ForBill(c), to.Add(-time.Duration(o.back)), to))
}

// instancesOf returns the instances with metrics, and those that run all the time. The user's
// description comes last, and wins.
func instancesOf(members []rds.Member) (named, always []billing.Instance) {
	for _, m := range members {
		i := slices.IndexFunc(named, func(n billing.Instance) bool { return n.Name == m.Name })
		switch {
		case m.Name == "":
			always = append(always, billing.Instance{Name: m.Class, Class: m.Class})
		case i >= 0:
			named[i].Class = m.Class
		default:
			i = len(named)
			named = append(named, billing.Instance{Name: m.Name, Class: m.Class})
		}
		if !m.From.IsZero() {
			named[i].Ran = append(named[i].Ran, billing.Run{From: m.From, To: m.To})
		}
	}
	return named, always
}
