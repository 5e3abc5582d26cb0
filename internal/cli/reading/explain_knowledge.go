package reading

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/realiops/realiops/internal/analyze/report/words"
	"github.com/realiops/realiops/internal/metric"
	"github.com/realiops/realiops/internal/typo"
)

// knowledge holds everything that can be explained.
type knowledge struct {
	meanings   []metric.Meaning // metrics of other services
	local      metric.Table     // metrics that realiops reads
	quantities []metric.Quantity
	elsewhere  []metric.Entry // metrics that realiops does not read
	asked      []string       // typed names that no console has exactly
}

func allKnown() knowledge { return knownOf(metric.All()) }

func knownOf(table metric.Table) knowledge {
	local := slices.DeleteFunc(slices.Clone(table), func(m metric.Metric) bool { return m.On != "" })
	return knowledge{meanings: metric.Meanings(), local: local, quantities: metric.Quantities(),
		elsewhere: metric.Dictionary()}
}

// of returns the entries with one of the names; without names, all.
func (k knowledge) of(names []string) (picked knowledge, err error) {
	if len(names) == 0 {
		return k, nil
	}
	for _, name := range names {
		const schema = "pg_catalog." // of PostgreSQL's views and functions
		if len(name) > len(schema) && strings.EqualFold(name[:len(schema)], schema) {
			name = name[len(schema):]
		}
		if strings.EqualFold(name, "io.stat") { // the kernel's file, which reads like iostat
			name = "cgroup io.stat"
		}
		found, label := k.named(name), strings.ReplaceAll(metric.Label(name), " ", "")
		if found.empty() && len(k.ending(label)) == 0 {
			for _, mentioned := range metric.Mentioned(name) {
				found.add(k.named(mentioned))
			}
		}
		if found.empty() && len(k.ending(label)) == 0 {
			return picked, &unknownMetricError{name, k.closest(name)}
		}
		if !slices.ContainsFunc(found.meanings, func(m metric.Meaning) bool {
			return strings.EqualFold(m.Metric, label)
		}) {
			picked.asked = append(picked.asked, name)
			found.meanings = append(k.ending(label), found.meanings...)
		}
		picked.add(found)
	}
	return picked, nil
}

// ending returns the metrics of AWS's consoles whose last words are the name: IOPS finds WriteIOPS.
func (k knowledge) ending(name string) []metric.Meaning {
	return slices.DeleteFunc(slices.Clone(k.meanings), func(m metric.Meaning) bool {
		before := len(m.Metric) - len(name)
		return before <= 0 || !strings.EqualFold(m.Metric[before:], name) || !unicode.IsUpper(rune(m.Metric[before]))
	})
}

// closest returns names that may have been meant: similar ones, and metrics of the consoles that end with its last word,
// as in Total IOPS.
func (k knowledge) closest(name string) []string {
	const most = 3
	all := typo.Closest(name, k.names(), most)
	for _, m := range k.ending(name[strings.LastIndexByte(name, ' ')+1:]) {
		if !slices.Contains(all, m.Metric) && len(all) < most {
			all = append(all, m.Metric)
		}
	}
	var said []string
	return slices.DeleteFunc(all, func(name string) bool { // one spelling of each
		line := name
		if answers := k.named(name).answers(entry.brief); len(answers) > 0 {
			line = answers[0].line
		}
		known := slices.Contains(said, line)
		said = append(said, line)
		return known
	})
}

func (k *knowledge) add(other knowledge) {
	k.meanings = append(k.meanings, other.meanings...)
	k.local = append(k.local, other.local...)
	k.quantities = append(k.quantities, other.quantities...)
	k.elsewhere = append(k.elsewhere, other.elsewhere...)
}

// unknownMetricError is an unknown name, with the most similar names.
type unknownMetricError struct {
	name    string
	closest []string
}

// within matches names that metrics have only inside a CloudWatch query.
var within = regexp.MustCompile(`(?:^|[^\w.])([em][0-9]+)(?:[^\w.]|$)|METRICS\(`)

func (e *unknownMetricError) Error() string {
	if name := within.FindStringSubmatch(e.name); name != nil {
		return fmt.Sprintf("unknown metric %q: %s stands for a metric within one query only; name that metric", e.name,
			cmp.Or(name[1], "METRICS()"))
	}
	if len(e.closest) == 0 {
		return fmt.Sprintf("unknown metric %q; realiops explain lists views, tools and services", e.name)
	}
	return fmt.Sprintf("unknown metric %q; did you mean %s?", e.name, words.Enumerated(e.closest, " or "))
}

// named returns the entries of a name, or all in a view of that name.
func (k knowledge) named(name string) knowledge {
	rows, meanings, elsewhere := k.local.Named(name), metric.MeaningsOf(name), metric.EntriesOf(name)
	if len(rows)+len(meanings)+len(elsewhere) == 0 {
		rows = k.local.Scraped(name)
	}
	found := knowledge{
		meanings: meanings, elsewhere: elsewhere,
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

// names returns all names that can be typed.
func (k knowledge) names() []string {
	names := words.Each(func(m metric.Meaning) string { return m.Metric }, k.meanings)
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

// quantities is the name for all of them.
const quantities = "quantities"

// sourceOf returns the source of a metric that realiops reads: a view, or a file of the kernel.
func sourceOf(m metric.Metric) string {
	view, _, _ := strings.Cut(m.Name, "/")
	if strings.HasPrefix(view, "request") {
		return "requests by file"
	}
	name, _, _ := strings.Cut(metric.PrintedView(view), " (")
	return name
}

// sourceGroup are sources of one kind, in order.
type sourceGroup struct {
	kind  string
	names []string
}

// sources returns all sources of metrics, each once.
func (k knowledge) sources() []sourceGroup {
	var seen []string
	group := func(kind string, names []string) sourceGroup {
		slices.SortFunc(names, func(a, b string) int { return strings.Compare(strings.ToLower(a), strings.ToLower(b)) })
		names = slices.DeleteFunc(slices.Compact(names), func(name string) bool { return slices.Contains(seen, name) })
		seen = append(seen, names...)
		return sourceGroup{kind, names}
	}
	return []sourceGroup{
		group("AWS", words.Each(func(m metric.Meaning) string { return metric.Service(m.Service) }, k.meanings)),
		group("local", words.Each(sourceOf, k.local)),
		group("other", words.Each(func(e metric.Entry) string { return e.System }, k.elsewhere)),
	}
}

// isSource reports whether a name is a source's.
func (k knowledge) isSource(name string) bool {
	return strings.EqualFold(name, quantities) || slices.ContainsFunc(k.sources(), func(g sourceGroup) bool {
		return slices.ContainsFunc(g.names, func(source string) bool { return strings.EqualFold(source, name) })
	})
}
