package cli

import (
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"github.com/realiops/realiops/internal/metric"
	"github.com/realiops/realiops/internal/runfile"
)

// explainOptions are the flags of realiops explain.
type explainOptions struct{ format formatFlag }

func newExplainCommand(env Env) *cobra.Command {
	var o explainOptions
	cmd := &cobra.Command{
		Use:   "explain [NAME...]",
		Short: "Tell what a metric is documented to mean, and how it misleads",
		Long: `Tell what a metric is documented to mean: on which kind of server, in which unit, over which period, what is easily
misread, and what published runs have shown.

NAME is a metric of CloudWatch or Performance Insights, one that realiops reads itself, or a counted quantity such as
"WAL fsyncs"; without one, all names are listed. A metric may be written as PostgreSQL, the kernel or AWS write it, as
a run file does, or by the end of either: pg_stat_wal.wal_sync, pgstat.wal/wal_sync, wal_sync.

It asks nobody: what is known is part of the program, and each entry names its sources with their dates.`,
		Example: `  realiops explain WriteIOPS
  realiops explain VolumeWriteIOPs pg_stat_wal.wal_sync 'WAL fsyncs'
  realiops explain --format json | jq -r '.meanings[].metric'`,
		ValidArgsFunction: completeNames,
		RunE:              func(_ *cobra.Command, args []string) error { return runExplain(env, o, args) },
	}
	flags := group("Flags")
	o.format.add(flags.FlagSet, formatText, formatJSON)
	return describe(env, cmd, explainExitHelp, flags)
}

const explainExitHelp = `0  explained
1  wrong usage, or a name that is not known`

func runExplain(env Env, o explainOptions, names []string) error {
	known := allKnown()
	asked, err := known.of(names)
	if err != nil {
		return err
	}
	words := asked.document
	if len(names) == 0 {
		words = known.list
	}
	return env.answer(o.format.chosen, finding{what: "an explanation", value: asked.tagged(), words: words})
}

// knowledge is what can be explained.
type knowledge struct {
	meanings   []metric.Meaning // what others' services show
	local      metric.Table     // what realiops reads itself
	quantities []metric.Quantity
	elsewhere  []metric.Elsewhere // the same name in services that realiops does not read
}

func allKnown() knowledge { return knownOf(metric.All()) }

func knownOf(table metric.Table) knowledge {
	local := slices.DeleteFunc(slices.Clone(table), func(m metric.Metric) bool { return m.On != "" })
	return knowledge{meanings: metric.Meanings(), local: local, quantities: metric.Quantities()}
}

// of picks what goes by one of the names; without names it is everything.
func (k knowledge) of(names []string) (knowledge, error) {
	if len(names) == 0 {
		return k, nil
	}
	var picked knowledge
	for _, name := range names {
		meanings, others, rows := metric.MeaningsOf(name), metric.ElsewhereOf(name), k.local.Named(name)
		local := slices.DeleteFunc(slices.Clone(k.local), func(m metric.Metric) bool { return !slices.Contains(rows, m.Name) })
		quantity, quantified := metric.QuantityNamed(name)
		if quantified {
			picked.quantities = append(picked.quantities, quantity)
		}
		if len(meanings)+len(local)+len(others) == 0 && !quantified {
			return picked, fmt.Errorf("nothing is known of %q%s (realiops explain lists all)", name, meant("", name, k.names()))
		}
		picked.meanings = append(picked.meanings, meanings...)
		picked.local = append(picked.local, local...)
		picked.elsewhere = append(picked.elsewhere, others...)
	}
	return picked, nil
}

// names are all that can be typed.
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
	names = append(names, metric.ElsewhereNames()...)
	slices.Sort(names)
	return slices.Compact(names)
}

// explainSchema names the form of the explanations for programs, as docs/json.md describes it.
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

		Elsewhere []metric.Elsewhere `json:"elsewhere"`

		Sources []metric.Source `json:"sources"`
	}{explainSchema, append([]metric.Meaning{}, k.meanings...), []local{}, []quantity{}, append([]metric.Elsewhere{}, k.elsewhere...), metric.Sources()}
	for _, m := range k.local {
		all.Local = append(all.Local, local{m.Announced(), m.Spellings()[1:]})
	}
	for _, q := range k.quantities {
		all.Quantities = append(all.Quantities, quantity{string(q), q.Side(), q.Unit(), q.Help()})
	}
	return all
}
