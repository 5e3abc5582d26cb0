package cli

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/realiops/realiops/internal/analyze/catalog"
	"github.com/realiops/realiops/internal/analyze/drivers"
	"github.com/realiops/realiops/internal/analyze/report"
	"github.com/realiops/realiops/internal/measure/probe/anatomy"
	"github.com/realiops/realiops/internal/measure/probe/block"
	"github.com/realiops/realiops/internal/measure/probe/pgstat"
	"github.com/realiops/realiops/internal/runfile"
)

// explainOptions are the flags of realiops explain.
type explainOptions struct{ format string }

func newExplainCommand(env Env) *cobra.Command {
	var o explainOptions
	cmd := &cobra.Command{
		Use:   "explain [NAME...]",
		Short: "Tell what a metric is documented to mean, and which traps it sets",
		Long: `Tell what a metric is documented to mean: on which kind of server, in which unit, over which period, which traps its
name sets, and what published runs have shown. NAME is a metric of CloudWatch or Performance Insights, one that
realiops reads itself, or a way to count work such as wal_records; without one, all names are listed.

Nothing is asked of anybody: the catalog is part of the program, and each entry names its sources and their state.`,
		Example: `  realiops explain WriteIOPS
  realiops explain VolumeWriteIOPs block/writes wal_records
  realiops explain --format json | jq -r '.meanings[].metric'`,
		ValidArgsFunction: completeNames,
		RunE:              func(_ *cobra.Command, args []string) error { return runExplain(env, o, args) },
	}
	return describe(env, cmd, explainExitHelp, group("Flags", o.addFlags))
}

const explainExitHelp = `0  explained
1  wrong usage, or a name that is not known`

func (o *explainOptions) addFlags(f *pflag.FlagSet) {
	f.StringVar(&o.format, "format", formatText, "the `format`: text or json")
}

func runExplain(env Env, o explainOptions, names []string) error {
	known, err := allKnown()
	if err != nil {
		return err
	}
	asked, err := known.of(names)
	if err != nil {
		return err
	}
	switch o.format {
	case formatText:
		if len(names) == 0 {
			return known.list(env.Out, env.columns())
		}
		return asked.explain(env.Out, env.columns())
	case formatJSON:
		return asked.json(env)
	default:
		return fmt.Errorf("unknown format %q: there are %s and %s", o.format, formatText, formatJSON)
	}
}

// knowledge is what can be explained.
type knowledge struct {
	meanings []catalog.Meaning // what others' services show
	local    []runfile.Metric  // what realiops reads itself
	drivers  []drivers.Driver  // ways to count work
	sources  catalog.Catalog
}

func allKnown() (knowledge, error) {
	c, err := catalog.Read()
	if err != nil {
		return knowledge{}, err
	}
	return knowledge{
		meanings: c.Meanings,
		local:    slices.Concat(anatomy.Metrics(), block.Metrics(), pgstat.Metrics()),
		drivers:  drivers.All(),
		sources:  c,
	}, nil
}

// of picks what goes by one of the names; without names it is everything.
func (k knowledge) of(names []string) (knowledge, error) {
	if len(names) == 0 {
		return k, nil
	}
	picked := knowledge{sources: k.sources}
	for _, name := range names {
		meanings := k.sources.Of(name)
		local := having(k.local, name, func(m runfile.Metric) string { return m.Name })
		ways := having(k.drivers, name, func(d drivers.Driver) string { return d.Name })
		if len(meanings)+len(local)+len(ways) == 0 {
			return picked, fmt.Errorf("nothing is known of %q%s (realiops explain lists all)", name, meant("", name, k.names()))
		}
		picked.meanings = append(picked.meanings, meanings...)
		picked.local = append(picked.local, local...)
		picked.drivers = append(picked.drivers, ways...)
	}
	return picked, nil
}

// having picks what has a name in whatever case, also by the part after the last slash.
func having[T any](all []T, name string, of func(T) string) []T {
	return slices.DeleteFunc(slices.Clone(all), func(t T) bool {
		whole := of(t)
		return !strings.EqualFold(name, whole) && !strings.EqualFold(name, whole[strings.LastIndex(whole, "/")+1:])
	})
}

func (k knowledge) names() []string {
	var names []string
	for _, m := range k.meanings {
		names = append(names, m.Metric)
	}
	for _, m := range k.local {
		names = append(names, m.Name)
	}
	for _, d := range k.drivers {
		names = append(names, d.Name)
	}
	slices.SortStableFunc(names, cmp.Compare)
	return slices.Compact(names)
}

// explainSchema names the form of the explanations for programs, as docs/json.md describes it.
const explainSchema = "realiops.explain/1"

func (k knowledge) json(env Env) error {
	type driver struct {
		Driver string       `json:"driver"`
		Side   drivers.Side `json:"side"`
		Unit   string       `json:"unit"`
		Help   string       `json:"help"`
	}
	all := struct {
		Schema   string            `json:"schema"`
		Meanings []catalog.Meaning `json:"meanings"`
		Local    []runfile.Metric  `json:"local"`
		Drivers  []driver          `json:"drivers"`
		Sources  []catalog.Source  `json:"sources"`
	}{explainSchema, nonNil(k.meanings), nonNil(k.local), []driver{}, k.sources.Sources}
	for _, d := range k.drivers {
		all.Drivers = append(all.Drivers, driver{d.Name, d.Side, d.Unit, d.Help})
	}
	return report.JSON(env.Out, all)
}

// nonNil keeps an empty list a list in JSON.
func nonNil[T any](list []T) []T { return append([]T{}, list...) }
