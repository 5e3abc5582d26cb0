package reading

import (
	"cmp"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/spf13/cobra"

	"github.com/realiops/realiops/internal/analyze/document"
	"github.com/realiops/realiops/internal/analyze/report/words"
	"github.com/realiops/realiops/internal/cli/command"
	"github.com/realiops/realiops/internal/metric"
	"github.com/realiops/realiops/internal/runfile"
	"github.com/realiops/realiops/internal/typo"
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
		Short: "Say what a metric counts, and whether that is storage I/O",
		Long: `Say what a metric counts, whether that is storage I/O, and how it misleads.

NAME is a metric as any of these show it: PostgreSQL's views, /proc, iostat, sar, vmstat, fio, exporters of Prometheus,
CloudWatch and Performance Insights and what exports them, Datadog, Zabbix, Azure, Google Cloud, MySQL, CockroachDB,
YugabyteDB. Case, blanks, labels and statistics do not matter: w/s, "AWS/RDS WriteIOPS", aws_rds_write_iops_average. The
name of a view, a tool or a service lists its metrics. Without a name you see which of these there are.

An answer on a metric has at most 25 lines; --all shows everything that is known. No server and no network is asked: what
is known is part of the program, and each entry names its source.`,
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
				return errors.New("--dashboard explains a file: leave out names and --all")
			}
			return explainDashboard(cmd.Context(), env, o)
		},
	}
	flags := command.Group("Flags")
	o.format.Add(flags.FlagSet, command.FormatText, command.FormatJSON)
	flags.BoolVar(&o.all, "all", false, "show everything that is known")
	flags.StringVar(&o.dashboard, "dashboard", "",
		"explain the panels of this Grafana dashboard, a JSON `file`, and say which titles are wrong")
	return command.Describe(env, cmd, explainExitHelp, flags)
}

const explainExitHelp = `0  explained
1  wrong usage, a name that is not known, or a file that is no dashboard`

func runExplain(env command.Env, o explainOptions, names []string) error {
	if slices.Contains(names, "") {
		return errors.New("a name is empty: name a metric, or none to see what there is")
	}
	known := allKnown()
	asked, err := known.of(names)
	if unknown, ok := errors.AsType[*unknownMetricError](err); ok {
		lines := words.Each(func(name string) string { return known.named(name).line(name) }, unknown.closest)
		for _, line := range slices.Compact(lines) {
			env.Tell("%s", line)
		}
	}
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

// knowledge holds everything that can be explained.
type knowledge struct {
	meanings   []metric.Meaning // what others' services show
	local      metric.Table     // what realiops reads itself
	quantities []metric.Quantity
	elsewhere  []metric.Entry // what realiops does not read
	asked      []string       // names that were typed and that no console shows just so
}

func allKnown() knowledge { return knownOf(metric.All()) }

func knownOf(table metric.Table) knowledge {
	local := slices.DeleteFunc(slices.Clone(table), func(m metric.Metric) bool { return m.On != "" })
	return knowledge{meanings: metric.Meanings(), local: local, quantities: metric.Quantities(),
		elsewhere: metric.Dictionary()}
}

// of picks the things that go by one of the names; without names, everything.
func (k knowledge) of(names []string) (knowledge, error) {
	if len(names) == 0 {
		return k, nil
	}
	var picked knowledge
	for _, name := range names {
		found := k.named(name)
		if found.empty() && len(k.ending(name)) == 0 {
			for _, mentioned := range metric.Mentioned(name) {
				found.add(k.named(mentioned))
			}
		}
		if found.empty() && len(k.ending(name)) == 0 {
			return picked, &unknownMetricError{name, typo.Closest(name, k.names(), 3)}
		}
		if !slices.ContainsFunc(found.meanings, func(m metric.Meaning) bool {
			return strings.EqualFold(m.Metric, name)
		}) {
			picked.asked = append(picked.asked, name)
			found.meanings = append(k.ending(name), found.meanings...)
		}
		picked.add(found)
	}
	return picked, nil
}

// ending returns the metrics of AWS's consoles whose last word is the name, as it is of WriteIOPS if that is IOPS.
func (k knowledge) ending(name string) []metric.Meaning {
	return slices.DeleteFunc(slices.Clone(k.meanings), func(m metric.Meaning) bool {
		before := len(m.Metric) - len(name)
		return before <= 0 || !strings.EqualFold(m.Metric[before:], name) || !unicode.IsUpper(rune(m.Metric[before]))
	})
}

func (k *knowledge) add(other knowledge) {
	k.meanings = append(k.meanings, other.meanings...)
	k.local = append(k.local, other.local...)
	k.quantities = append(k.quantities, other.quantities...)
	k.elsewhere = append(k.elsewhere, other.elsewhere...)
}

// unknownMetricError is a name in no known use, with the most similar names.
type unknownMetricError struct {
	name    string
	closest []string
}

// within are names that metrics have inside of a query of CloudWatch only.
var within = regexp.MustCompile(`(?:^|[^\w.])([em][0-9]+)(?:[^\w.]|$)|METRICS\(`)

func (e *unknownMetricError) Error() string {
	if name := within.FindStringSubmatch(e.name); name != nil {
		return fmt.Sprintf("unknown metric %q: %s stands for a metric in one query only: type that metric's name",
			e.name, cmp.Or(name[1], "METRICS()"))
	}
	if len(e.closest) == 0 {
		return fmt.Sprintf("unknown metric %q (realiops explain says what can be asked)", e.name)
	}
	return fmt.Sprintf("unknown metric %q: did you mean one of these? (realiops explain says what can be asked)", e.name)
}

// named picks the things of a name, or everything in a view of that name.
func (k knowledge) named(name string) knowledge {
	rows := k.local.Named(name)
	found := knowledge{
		meanings: metric.MeaningsOf(name), elsewhere: metric.EntriesOf(name),
		local: slices.DeleteFunc(slices.Clone(k.local), func(m metric.Metric) bool {
			view, _, _ := strings.Cut(m.Name, "/")
			return !slices.Contains(rows, m.Name) && !strings.EqualFold(metric.PrintedView(view), name) &&
				!strings.EqualFold(sourceOf(m), name)
		}),
	}
	if len(found.meanings) == 0 {
		found.meanings = slices.DeleteFunc(slices.Clone(k.meanings), func(m metric.Meaning) bool {
			return !strings.EqualFold(metric.Service(m.Service), name)
		})
	}
	if strings.EqualFold(name, quantities) {
		found.quantities = k.quantities
	}
	if quantity, known := metric.QuantityNamed(name); known {
		found.quantities = append(found.quantities, quantity)
	}
	return found
}

func (k knowledge) empty() bool {
	return len(k.meanings)+len(k.local)+len(k.quantities)+len(k.elsewhere) == 0
}

// names returns all that can be typed.
func (k knowledge) names() []string {
	var names []string
	for _, m := range k.meanings {
		names = append(names, m.Metric)
	}
	for _, m := range k.local {
		names = append(names, m.Spellings()...)
	}
	for _, q := range k.quantities {
		names = append(names, string(q))
	}
	for _, e := range k.elsewhere {
		names = append(names, e.Names...)
	}
	for _, group := range k.sources() {
		names = append(names, group.names...)
	}
	names = append(names, quantities)
	slices.Sort(names)
	return slices.Compact(names)
}

// explainSchema names the form of the explanations for programs, as docs/reference/json.md describes it.
const explainSchema = "realiops.explain/1"

// tagged returns what is known under the name of its form.
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

// CompleteNames offers every name that explain knows and that a shell takes without quotes.
func CompleteNames(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
	bare := slices.DeleteFunc(allKnown().names(), func(name string) bool { return strings.ContainsAny(name, " ()*") })
	return bare, cobra.ShellCompDirectiveNoFileComp
}
