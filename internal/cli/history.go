package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/realiops/realiops/internal/input"
	"github.com/realiops/realiops/internal/measure/history"
	"github.com/realiops/realiops/internal/measure/history/prometheus"
	"github.com/realiops/realiops/internal/runfile"
)

// historyOptions are the flags of realiops history.
type historyOptions struct {
	store   storeOptions
	analyze analyzeOptions
	out     string
}

// storeOptions are the flags that say where history is, and of what.
type storeOptions struct {
	url       string
	tokenFile string
	tenant    string
	back      stretch
	until     string
	server    string
	host      string
	device    string
}

func newHistoryCommand(env Env) *cobra.Command {
	o := historyOptions{store: storeOptions{back: stretch(24 * time.Hour)}}
	cmd := &cobra.Command{
		Use:   "history",
		Short: "Report on a server from what a Prometheus kept of it",
		Long: `Read what a store with the API of Prometheus kept of one PostgreSQL server and its disk, write it as a run file like that of
realiops observe, and show the report. realiops size, report and compare take the file as any other.

It asks for raw samples of the metrics of postgres_exporter, CloudNativePG, pg_exporter and node_exporter, and
writes nothing to the store. If a store has several servers, --server and --host pick one by label matchers, and
--device the disk.`,
		Example: `  realiops history --prometheus http://prometheus:9090 --for 24h
  realiops history --prometheus https://mimir.example/prometheus --tenant shop --token-file token --for 7d -o shop.jsonl.zst
  realiops history --prometheus http://prometheus:9090 --server 'instance="db1:9187"' --host 'instance="db1:9100"' --device sda`,
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error { return runHistory(cmd.Context(), env, o, cmd.Flags()) },
	}
	return describe(env, cmd, historyExitHelp, group("The store", o.store.addFlags), group("What to tell", o.addFlags))
}

const historyExitHelp = `0  read, and the report was written
1  wrong usage, or the store cannot be asked or has nothing of a server: nothing was kept
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
	f.Var(&o.back, "for", "`how long` back: 24h, 7d")
	f.StringVar(&o.until, "until", "", "up to this `time`, as 2026-10-31T18:00:00Z (default: now)")
	f.StringVar(&o.server, "server", "", "label `matchers` that pick the exporters of the server, if there are several")
	f.StringVar(&o.host, "host", "", "label `matchers` that pick node_exporter on its machine, if there are several")
}

func (o *historyOptions) addFlags(f *pflag.FlagSet) {
	f.StringVarP(&o.out, "output", "o", "", "the run `file` to write; .zst compresses (default: a new one in ./"+runfile.Directory+")")
	o.analyze.addFlags(f)
}

// open prepares to ask the store, and says what it is to be asked.
func (o storeOptions) open(ctx context.Context, env Env) (*prometheus.Store, prometheus.Options, prometheus.Query, error) {
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
	q = prometheus.Query{Server: o.server, Host: o.host, Device: o.device, From: until.Add(-time.Duration(o.back)), To: until}
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
	return until, nil
}

func runHistory(ctx context.Context, env Env, o historyOptions, flags *pflag.FlagSet) error {
	render, err := rendererOf(o.analyze.format, o.analyze.verbose, env)
	if err != nil {
		return err
	}
	store, asked, q, err := o.store.open(ctx, env)
	if err != nil {
		return err
	}
	head := headOf(env, flags)
	path := cmp.Or(o.out, runfile.DefaultPath(head.ID)+".zst")
	if err := keepHistory(ctx, env, store, q, head, path); err != nil {
		return errors.New(runfile.Scrub(err.Error(), asked.Secrets()...))
	}
	return keepingOptions{out: o.out}.conclude(env, path, analyzeFile(env, path, o.analyze.require, render))
}

// keepHistory reads the store and writes the run file.
func keepHistory(ctx context.Context, env Env, store *prometheus.Store, q prometheus.Query, head runfile.Run, path string) error {
	found, err := store.Find(ctx, q)
	if err != nil {
		return err
	}
	read, err := store.Read(ctx, found, q, env.Now())
	if err != nil {
		return err
	}
	version, err := store.Version(ctx, q)
	if err != nil {
		return err
	}
	for _, notice := range read.Notices {
		env.tell("%s", runfile.OneLine(notice))
	}
	head.Target = runfile.Target{Kind: "history", Flavor: "postgres", Version: version}
	head.Provenance = "scraped by others and kept in a store, which scraped about every " + read.Interval.String() + "; realiops was not there"
	return history.Write(path, head, history.Told{Metrics: read.Metrics, Readings: read.Readings, Gaps: read.Gaps, Interval: read.Interval})
}
