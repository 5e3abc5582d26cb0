package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/realiops/realiops/internal/input"
	"github.com/realiops/realiops/internal/measure/account"
	"github.com/realiops/realiops/internal/measure/history"
	"github.com/realiops/realiops/internal/measure/history/prometheus"
	"github.com/realiops/realiops/internal/runfile"
)

// historyOptions are the flags of realiops history.
type historyOptions struct {
	store    storeOptions
	account  account.Options
	instance string
	cluster  string
	flavor   string
	query    bool
	analyze  analyzeOptions
	out      string
}

// storeOptions are the flags that say where history is, and of what.
type storeOptions struct {
	url       string
	tokenFile string
	tenant    string
	sigv4     bool
	back      stretch
	until     string
	server    string
	host      string
	device    string
	nameLabel string // labels with commas between them
}

func newHistoryCommand(env Env) *cobra.Command {
	o := historyOptions{store: storeOptions{back: stretch(24 * time.Hour)}}
	cmd := &cobra.Command{
		Use:   "history [FILE...]",
		Short: "Report on a server from what a Prometheus, CloudWatch or sysstat kept of it",
		Long: `Read what others kept of one PostgreSQL server and its disk, write it as a run file like that of realiops observe, and show the
report. realiops size, report and compare take the file as any other. Nothing is written to the source.

From a store with the API of Prometheus come raw samples of the metrics of postgres_exporter, CloudNativePG, pg_exporter, pgwatch,
node_exporter and realiops observe --listen, or hours of an instance that an exporter hands on from CloudWatch. If a store has several servers, --server and --host pick one by label matchers, and --device the disk. From
CloudWatch come the periods of an instance of RDS or Aurora, in minutes of the last 15 days, else longer.

FILEs are what promtool tsdb dump or dump-openmetrics wrote of a store, aws cloudwatch get-metric-data of an instance (--query prints
the question; aws rds describe-db-instances may lie beside it), or of a machine what sadf -j -- -b, iostat -o JSON, az monitor metrics
list or vCenter's Get-Stat wrote.`,
		Example: `  realiops history --prometheus http://prometheus:9090 --for 24h
  realiops history --prometheus https://mimir.example/prometheus --tenant shop --token-file token --for 7d -o shop.jsonl.zst
  realiops history --prometheus http://prometheus:9090 --server 'instance="db1:9187"' --host 'instance="db1:9100"' --device sda
  realiops history --instance shop-1 --region eu-west-1 --for 14d -o shop.jsonl.zst; realiops size shop.jsonl.zst --gib 500
  promtool tsdb dump --match '{instance=~"db1:.*"}' data > db1.txt; realiops history db1.txt`,
		RunE: func(cmd *cobra.Command, files []string) error {
			return runHistory(cmd.Context(), env, o, files, cmd.Flags())
		},
	}
	aws, told := group("CloudWatch"), group("What to tell")
	aws.StringVar(&o.instance, "instance", "", "the `instance` of RDS or Aurora to ask about, or which one of several in the files")
	aws.StringVar(&o.cluster, "cluster", "", "the Aurora `cluster` whose writer to ask about")
	addAccountFlags(aws.FlagSet, &o.account)
	aws.StringVar(&o.flavor, "flavor", "", "`rds` or aurora, where neither AWS nor a file says which it is")
	aws.BoolVar(&o.query, "query", false, "print the question for aws cloudwatch get-metric-data, and ask nobody")
	told.VarP((*recordFlag)(&o.out), "output", "o", "the run `file` to write; .zst compresses (default: a new one in ./"+runfile.Directory+")")
	o.analyze.addFlags(told.FlagSet)
	return describe(env, cmd, historyExitHelp, group("A store", o.store.addFlags), aws, told)
}

const historyExitHelp = `0  read, and the report was written
1  wrong usage, or the source cannot be asked or read or has nothing of a server: nothing was kept
2  it was read and kept, and the report failed
3  read, and a metric that was required got no verdict`

func (o *storeOptions) addFlags(f *pflag.FlagSet) {
	o.addFleetFlags(f)
	f.StringVar(&o.device, "device", "", "the `disk` with its data, as node_exporter names it")
}

// addFleetFlags adds those that make sense for several servers, too.
func (o *storeOptions) addFleetFlags(f *pflag.FlagSet) {
	f.StringVar(&o.url, "prometheus", "", "the `URL` of the store, with the path before /api/v1")
	f.StringVar(&o.tokenFile, "token-file", "", "a `file` with the bearer token")
	f.StringVar(&o.tenant, "tenant", "", "the `ID` for X-Scope-OrgID, if the store has tenants")
	f.BoolVar(&o.sigv4, "sigv4", false, "sign what is asked with the AWS account's credentials, as Amazon Managed Service for Prometheus wants it")
	f.Var(&o.back, "for", "`how long` back: 24h, 7d")
	f.StringVar(&o.until, "until", "", "up to this `time`, as 2026-10-31T18:00:00Z (default: now)")
	f.StringVar(&o.server, "server", "", "label `matchers` that pick the exporters of the server, if there are several")
	f.StringVar(&o.host, "host", "", "label `matchers` that pick node_exporter on its machine, if there are several")
}

// addNameLabel adds the flag of whoever asks about many.
func (o *storeOptions) addNameLabel(f *pflag.FlagSet) {
	f.StringVar(&o.nameLabel, "name-label", "", "the `labels` whose values name a database: cluster,instance or pod (default: what its exporter names it by, and what else tells it from others)")
}

// open prepares to ask the store, and says what it is to be asked.
func (o storeOptions) open(ctx context.Context, env Env, who account.Options) (*prometheus.Store, prometheus.Options, prometheus.Query, error) {
	var q prometheus.Query
	asked := prometheus.Options{URL: o.url, Tenant: o.tenant}
	if o.url == "" {
		return nil, asked, q, errors.New("name the store with --prometheus URL")
	}
	if o.tokenFile != "" {
		text, err := input.Read(ctx, o.tokenFile)
		if err != nil {
			return nil, asked, q, fmt.Errorf("read the token: %w", err)
		}
		if asked.Token = strings.TrimSpace(string(text)); asked.Token == "" || strings.ContainsAny(asked.Token, "\r\n") {
			return nil, asked, q, fmt.Errorf("%s: a token is one line", o.tokenFile)
		}
	}
	until, err := o.end(env.Now())
	if err != nil {
		return nil, asked, q, err
	}
	q = prometheus.Query{Server: o.server, Host: o.host, Device: o.device, NameLabels: strings.FieldsFunc(o.nameLabel, func(r rune) bool { return r == ',' }), From: until.Add(-time.Duration(o.back)), To: until}
	if asked.Sign, err = o.signer(ctx, who); err != nil {
		return nil, asked, q, err
	}
	store, err := prometheus.Open(asked)
	return store, asked, q, err
}

// end is until when history is asked for.
func (o storeOptions) end(now time.Time) (time.Time, error) {
	if o.until == "" {
		return now, nil
	}
	until, err := time.Parse(time.RFC3339, o.until)
	if err != nil {
		return until, fmt.Errorf("--until %s: a time as 2026-10-31T18:00:00Z", o.until)
	}
	if until.After(now) { // nothing of the future is history
		return now, nil
	}
	return until, nil
}

func runHistory(ctx context.Context, env Env, o historyOptions, files []string, flags *pflag.FlagSet) error {
	if err := o.check(files, flags); err != nil {
		return err
	}
	if o.query {
		return o.printQuery(env)
	}
	h, err := o.read(ctx, env, files)
	if err != nil {
		return err
	}
	for _, notice := range h.Notices {
		env.tell("%s", runfile.OneLine(notice))
	}
	head := headOf(env, flags)
	head.Target, head.Provenance = h.target, h.whence
	path := cmp.Or(o.out, runfile.DefaultPath(head.ID)+".zst")
	if err := history.Write(path, head, h.Told); err != nil {
		return err
	}
	return keepingOptions{out: o.out}.conclude(env, path, o.analyze.analyzeFile(env, path))
}

// ofAWS tells whether CloudWatch is to be asked.
func (o historyOptions) ofAWS() bool { return o.instance != "" || o.cluster != "" }

// check refuses what makes no sense together.
func (o historyOptions) check(files []string, flags *pflag.FlagSet) error {
	store := o.store
	if store.url == "" && o.ofAWS() {
		store.until = "" // which is for both
	}
	if len(files) > 0 {
		store = storeOptions{back: o.store.back, url: o.store.url, until: o.store.until, tenant: o.store.tenant, sigv4: o.store.sigv4, tokenFile: o.store.tokenFile}
	}
	switch {
	case countGiven(o.store.url != "", o.ofAWS() && len(files) == 0, len(files) > 0) != 1:
		return errors.New("name one source: --prometheus URL, --instance or --cluster of an AWS account, or files")
	case o.query && !o.ofAWS():
		return errors.New("--query asks CloudWatch: name the instance with --instance, and the cluster of one of Aurora with --cluster")
	case o.query && o.instance == "":
		return errors.New("--query asks nobody which instance writes: name it with --instance")
	case len(files) > 0 && flags.Changed("for"):
		return errors.New("--for is how far back a source is asked: of files all is read")
	case !slices.Contains([]string{"", "rds", "aurora"}, o.flavor):
		return fmt.Errorf("--flavor %s: rds or aurora", o.flavor)
	}
	return store.strayed()
}
