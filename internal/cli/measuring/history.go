package measuring

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/realiops/realiops/internal/cli/command"
	"github.com/realiops/realiops/internal/cli/reading"
	"github.com/realiops/realiops/internal/measure/account"
	"github.com/realiops/realiops/internal/measure/history"
	"github.com/realiops/realiops/internal/runfile"
)

type historyOptions struct {
	store                     command.StoreOptions
	account                   account.Options
	instance, cluster, flavor string
	query                     bool
	// selecting lists the given flags that select a source, or a part of one.
	selecting []string
	analyze   reading.AnalyzeOptions
	out       string
}

func NewHistoryCommand(env command.Env) *cobra.Command {
	o := historyOptions{store: command.StoreOptions{Back: command.Stretch(24 * time.Hour)}}
	store, aws, output := command.Group("A store", o.store.AddFlags), command.Group("CloudWatch"),
		command.Group("Output")
	cmd := &cobra.Command{
		Use:   "history [FILE...]",
		Short: "Report on a server's past from Prometheus, CloudWatch or sysstat",
		Long: `Read the history of one PostgreSQL server and its disk from a store or from files, write a run file as
realiops observe does, and show the report. realiops size, report and compare take the file like any other.
Nothing is written to the source.

From a store with Prometheus' API it reads samples of postgres_exporter, CloudNativePG, pg_exporter, pgwatch,
node_exporter, OpenTelemetry's collector and realiops observe --listen, or CloudWatch's hours from an exporter. If a
store has several servers, pick one with the label matchers --server and --host, and the disk with --device. From
CloudWatch it reads an RDS or Aurora instance: minutes for the last 15 days, longer periods before.

FILEs are the output of promtool tsdb dump or dump-openmetrics for a store; of aws cloudwatch get-metric-data for an
instance (--query prints the request; add the output of aws rds describe-db-instances if you have it); or of sadf -j
-- -b, iostat -o JSON, az monitor metrics list or vCenter's Get-Stat for a machine.`,
		Example: `  realiops history --prometheus http://prometheus:9090 --for 24h
  realiops history --prometheus https://mimir.example/prometheus --tenant shop --token-file token --for 7d -o shop.jsonl.zst
  realiops history --prometheus http://prometheus:9090 --server 'instance="db1:9187"' --host 'instance="db1:9100"' --device sda
  realiops history --instance shop-1 --region eu-west-1 --for 14d -o shop.jsonl.zst; realiops size shop.jsonl.zst --gib 500
  promtool tsdb dump --match '{instance=~"db1:.*"}' data > db1.txt; realiops history db1.txt`,
		RunE: func(cmd *cobra.Command, files []string) error {
			for _, of := range []*pflag.FlagSet{store.FlagSet, aws.FlagSet} {
				of.VisitAll(func(f *pflag.Flag) {
					if f.Changed {
						o.selecting = append(o.selecting, f.Name)
					}
				})
			}
			return runHistory(cmd.Context(), env, o, files, cmd.Flags())
		},
	}
	aws.StringVar(&o.instance, "instance", "",
		"the RDS or Aurora `instance` to ask about, or to pick from the files")
	aws.StringVar(&o.cluster, "cluster", "", "the Aurora `cluster` whose writer to ask about")
	command.AddAccountFlags(aws.FlagSet, &o.account)
	aws.StringVar(&o.flavor, "flavor", "", "the `kind` of server, rds or aurora, if neither AWS nor a file tells")
	aws.BoolVar(&o.query, "query", false, "only print the request for aws cloudwatch get-metric-data")
	output.VarP((*recordFlag)(&o.out), "output", "o",
		"the run `file` to write; .zst compresses (default: a new one in ./"+runfile.Directory+")")
	o.analyze.AddFlags(output.FlagSet)
	return command.Describe(env, cmd, historyExitHelp, store, aws, output)
}

const historyExitHelp = `0  read, and the report was written
1  wrong usage, or the source cannot be read or has no such server: nothing was written
2  the history was written, but the report failed
3  read, and a metric that was required got no verdict`

func runHistory(ctx context.Context, env command.Env, o historyOptions, files []string, flags *pflag.FlagSet) error {
	if err := o.check(files, flags); err != nil {
		return err
	}
	if o.query {
		return o.printQuery(env)
	}
	source := o.sourcesNamed(files)[0]
	if source.heeds != nil {
		if err := o.unheeded(source.title, source.heeds); err != nil {
			return err
		}
	}
	h, err := source.read(o, ctx, env, files)
	if err != nil {
		return err
	}
	head := headOf(env, flags)
	head.Target, head.Provenance = h.target, h.provenance
	for _, notice := range h.Notices {
		head.Notices = append(head.Notices, runfile.OneLine(notice))
	}
	path := cmp.Or(o.out, runfile.DefaultPath(head.ID))
	if err := history.Write(path, head, h.Data); err != nil {
		return err
	}
	o.analyze.Named = keepingOptions{out: o.out}.named()
	return keepingOptions{out: o.out}.conclude(env, path, o.analyze.AnalyzeFile(env, path))
}

// ofAWS reports whether to ask CloudWatch.
func (o historyOptions) ofAWS() bool { return o.instance != "" || o.cluster != "" }

// check rejects contradictory options.
func (o historyOptions) check(files []string, flags *pflag.FlagSet) error {
	switch {
	case len(o.sourcesNamed(files)) != 1:
		return errors.New("name one source: --prometheus URL, --instance or --cluster of an AWS account, or files")
	case o.query && !o.ofAWS():
		return errors.New("--query is for CloudWatch; name the instance with --instance, and Aurora's cluster with --cluster")
	case o.query && o.instance == "":
		return errors.New("--query cannot look up the writer; name it with --instance")
	case len(files) > 0 && flags.Changed("for"):
		return errors.New("--for does not apply to files, which are read whole")
	case !slices.Contains([]string{"", "rds", "aurora"}, o.flavor):
		return fmt.Errorf("--flavor %s: want rds or aurora", o.flavor)
	}
	return nil
}
