package reading

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/realiops/realiops/internal/analyze/dashboard"
	"github.com/realiops/realiops/internal/analyze/document"
	"github.com/realiops/realiops/internal/cli/command"
	"github.com/realiops/realiops/internal/input"
	"github.com/realiops/realiops/internal/metric"
	"github.com/realiops/realiops/internal/runfile"
)

// explainOptions are the flags of realiops explain.
type explainOptions struct {
	format    command.FormatFlag
	all       bool
	dashboard string
}

func NewExplainCommand(env command.Env) *cobra.Command {
	var o explainOptions
	cmd := &cobra.Command{
		Use:   "explain [NAME...]",
		Short: "Explain what a metric counts, and whether that is storage I/O",
		Long: `Say what a metric counts, whether that is storage I/O, and how it misleads.

NAME is a metric as PostgreSQL's views, pgbench, /proc, iostat, sar, vmstat, fio, Windows, vCenter, Prometheus exporters,
Telegraf, OpenTelemetry, CloudWatch, Performance Insights, Datadog, Zabbix, Azure, Google Cloud, MySQL, CockroachDB or
YugabyteDB show it. Case, blanks, labels and statistics do not matter: w/s, "AWS/RDS WriteIOPS",
aws_rds_write_iops_average. The name of a view, tool or service lists its metrics. Without a name, realiops explain
lists views, tools and services.

An answer has at most 25 lines; --all shows everything. The knowledge is built in, so no server or network is needed,
and each entry names its source.`,
		Example: `  realiops explain WriteIOPS
  realiops explain w/s node_disk_writes_completed_total
  realiops explain pg_stat_wal
  realiops explain CloudWatch
  realiops explain --all | less
  realiops explain --dashboard grafana.json
  realiops explain --format json | jq -r '.elsewhere[].names[]'`,
		ValidArgsFunction: CompleteNames,
		RunE: func(cmd *cobra.Command, args []string) error {
			switch {
			case o.dashboard == "":
				return runExplain(env, o, args)
			case len(args) > 0 || o.all:
				return errors.New("--dashboard explains a file; leave out names and --all")
			}
			return explainDashboard(cmd.Context(), env, o)
		},
	}
	flags := command.Group("Flags")
	o.format.Add(flags.FlagSet, command.FormatText, command.FormatJSON)
	flags.BoolVar(&o.all, "all", false, "show everything that is known")
	flags.StringVar(&o.dashboard, "dashboard", "",
		"explain the panels of this Grafana dashboard, a JSON `file`, and flag wrong titles")
	return command.Describe(env, cmd, explainExitHelp, flags)
}

const explainExitHelp = `0  explained
1  wrong usage, an unknown name, or a file that is not a dashboard`

func runExplain(env command.Env, o explainOptions, names []string) error {
	if slices.Contains(names, "") {
		return errors.New("empty name; name a metric, or leave it out for a list")
	}
	known := allKnown()
	asked, err := known.of(names)
	if err != nil {
		return err
	}
	shown := func() document.Document { return asked.onAScreen(env.Columns(), names) }
	switch {
	case len(names) == 0 && o.all:
		shown = known.list
	case len(names) == 0:
		shown = known.overview
	case o.all:
		shown = asked.document
	case !slices.ContainsFunc(names, func(name string) bool { return !known.isSource(name) }):
		shown = asked.lines
	}
	return env.Answer(o.format.Chosen, command.Finding{What: "an explanation", Value: asked.tagged(), Words: shown})
}

func explainDashboard(ctx context.Context, env command.Env, o explainOptions) error {
	text, err := input.Read(ctx, o.dashboard)
	if path, ok := errors.AsType[*fs.PathError](err); ok {
		return fmt.Errorf("read the dashboard %s: %w", path.Path, path.Err)
	}
	if err != nil {
		return command.Naming(o.dashboard, err)
	}
	panels, err := dashboard.Read(text)
	if err != nil {
		return command.Naming(o.dashboard, err)
	}
	b := allKnown().board(panels)
	return env.Answer(o.format.Chosen, command.Finding{What: "a dashboard", Value: b, Words: b.document})
}

// explainSchema names the version of the JSON explanations, which docs/reference/json.md describes.
const explainSchema = "realiops.explain/1"

// tagged returns the knowledge under the name of its version.
func (k knowledge) tagged() any {
	type local struct {
		runfile.Metric
		Printed []string `json:"printed"`
	}
	type quantity struct {
		Quantity string `json:"quantity"`
		Side     string `json:"side"`
		Unit     string `json:"unit"`
		Help     string `json:"help"`
	}
	all := struct {
		Schema     string           `json:"schema"`
		Meanings   []metric.Meaning `json:"meanings"`
		Local      []local          `json:"local"`
		Quantities []quantity       `json:"quantities"`

		Elsewhere []metric.Entry `json:"elsewhere"`

		Sources []metric.Source `json:"sources"`
	}{explainSchema, append([]metric.Meaning{}, k.meanings...), []local{}, []quantity{},
		append([]metric.Entry{}, k.elsewhere...), metric.Sources()}
	for _, m := range k.local {
		all.Local = append(all.Local, local{m.Announced(), m.Spellings()[1:]})
	}
	for _, q := range k.quantities {
		all.Quantities = append(all.Quantities, quantity{string(q), q.Side(), q.Unit(), q.Help()})
	}
	return all
}

// CompleteNames offers every name that explain knows and that needs no quotes in a shell.
func CompleteNames(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
	bare := slices.DeleteFunc(allKnown().names(), func(name string) bool { return strings.ContainsAny(name, " ()*") })
	return bare, cobra.ShellCompDirectiveNoFileComp
}
