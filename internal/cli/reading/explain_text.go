package reading

import (
	"fmt"
	"slices"
	"strings"

	"github.com/realiops/realiops/internal/analyze/document"
	"github.com/realiops/realiops/internal/analyze/report/words"
	"github.com/realiops/realiops/internal/metric"
	"github.com/realiops/realiops/internal/shell"
)

// aScreen bounds the lines of an answer, unless all is asked for.
const aScreen = 25

// answers holds the texts on each entry of a name, each with the line that answers the question.
type answers []answer

type answer struct {
	line string
	text entry
}

func (a *answers) add(line string, text entry) { *a = append(*a, answer{line, text}) }

// document renders everything known.
func (k knowledge) document() document.Document { return k.answers(entry.everything).document() }

// onAScreen renders as much as fits a screen, and says how to see the rest.
func (k knowledge) onAScreen(width int, names []string) document.Document {
	all := k.answers(entry.everything)
	if d := all.document(); heightOf(d, width) <= aScreen {
		return d
	}
	more := shell.New("realiops explain --all")
	for _, name := range names {
		more = more.File(name, "NAME")
	}
	rest := document.Command{Lead: "Next:", Lines: []shell.Command{more}}
	brief := k.answers(entry.brief)
	fits := func(blocks ...document.Block) (document.Document, bool) {
		d := document.Document{Blocks: append(blocks, rest)}
		return d, heightOf(d, width) <= aScreen
	}
	for first := len(all); first > 0; first-- { // the first few in detail, and a line for each other
		if d, fit := fits(append(brief[:first].document().Blocks, brief[first:].list())...); fit {
			return d
		}
	}
	const few = 12
	for first := len(all); first > 0 && len(all) <= few; first-- {
		if d, fit := fits(append(brief[:first].document().Blocks, brief[first:].names())...); fit {
			return d
		}
	}
	for first := len(all); first > 0; first-- {
		if d, fit := fits(brief[:first].list(),
			document.Paragraph{Text: fmt.Sprintf("and %d more", len(all)-first)}); fit {
			return d
		}
	}
	return brief.document()
}

// heightOf returns how many lines a document takes.
func heightOf(d document.Document, width int) int {
	var page strings.Builder
	if err := document.Text(&page, d, width); err != nil {
		return 0 // a builder takes everything
	}
	return strings.Count(page.String(), "\n")
}

// columns returns the columns of PostgreSQL's views with that name, the database's first, if no console has it
// exactly; and the other metrics.
func (k knowledge) columns() (called, others metric.Table) {
	for _, m := range k.local {
		if _, column, _ := strings.Cut(m.Printed(0), "."); k.askedFor(column) {
			called = append(called, m)
		} else {
			others = append(others, m)
		}
	}
	i := slices.IndexFunc(called, func(m metric.Metric) bool { return strings.HasPrefix(m.Printed(0), "pg_stat_database.") })
	if i > 0 {
		called = slices.Concat(called[i:i+1], called[:i], called[i+1:])
	}
	slices.SortStableFunc(others, func(a, b metric.Metric) int { // pg_stat_io.evictions (relation) first
		column := func(m metric.Metric) string {
			_, column, _ := strings.Cut(m.Printed(0), ".")
			column, _, _ = strings.Cut(column, " (")
			return column
		}
		if k.askedFor(column(a)) == k.askedFor(column(b)) {
			return 0
		}
		return map[bool]int{true: -1, false: 1}[k.askedFor(column(a))]
	})
	return called, others
}

// askedFor reports whether somebody typed just that name.
func (k knowledge) askedFor(name string) bool {
	return slices.ContainsFunc(k.asked, func(asked string) bool { return strings.EqualFold(asked, name) })
}

// exact returns the metrics elsewhere with exactly that name, if the consoles' only end so and realiops reads none: tps
// of pgbench, not of os.diskIO. others are the rest.
func (k knowledge) exact() (called, others []metric.Entry) {
	spelled := func(m metric.Meaning) bool { return !k.askedFor(m.Metric[strings.LastIndexByte(m.Metric, '.')+1:]) }
	if len(k.local) > 0 || slices.ContainsFunc(k.meanings, spelled) {
		return nil, k.elsewhere
	}
	for _, e := range k.elsewhere {
		if slices.ContainsFunc(e.Names, k.askedFor) {
			called = append(called, e)
		} else {
			others = append(others, e)
		}
	}
	return called, others
}

// answers explains each entry, in the wanted detail.
func (k knowledge) answers(wanted func(entry) entry) (all answers) {
	columns, others := k.columns()
	for _, m := range columns {
		all.add(m.Printed(0)+": "+counting(m.Side(), m.Help), wanted(ofLocal(m)))
	}
	addEntries := func(entries []metric.Entry) {
		for _, e := range entries {
			all.add(fmt.Sprintf("%s %s: %s", e.System, strings.Join(e.Names, ", "), counting(e.Side, e.Counts)),
				wanted(ofEntry(e)))
		}
	}
	exact, elsewhere := k.exact()
	addEntries(exact)
	for _, m := range k.meanings {
		all.add(fmt.Sprintf("%s on %s: %s", m.Metric, metric.Flavor(m.On), counting(m.Side, m.Counts)),
			wanted(ofMeaning(m)))
	}
	for _, m := range others {
		all.add(m.Printed(0)+": "+counting(m.Side(), m.Help), wanted(ofLocal(m)))
	}
	for _, q := range k.quantities {
		all.add(fmt.Sprintf("%s: a counted quantity, %s", q.Many(), q.Side()), wanted(ofQuantity(q)))
	}
	addEntries(elsewhere)
	return all
}

func (a answers) document() (d document.Document) {
	for _, answer := range a {
		d.Blocks = append(d.Blocks, under(answer.line, answer.text))
	}
	return d
}

func (a answers) list() document.Block {
	var lines document.Together
	for _, answer := range a {
		lines = append(lines, document.Paragraph{Text: answer.line})
	}
	return lines
}

// names lists entries for which there is no room.
func (a answers) names() document.Block {
	var names []string
	for _, answer := range a {
		name, _, _ := strings.Cut(answer.line, ": ")
		names = append(names, name)
	}
	return document.Paragraph{Text: "Shown elsewhere too: " + strings.Join(names, "; ")}
}

func (e entry) everything() entry { return e }

// brief leaves out what only a doubtful reader needs, and all traps but the first.
func (e entry) brief() (short entry) {
	for _, term := range e {
		switch term.Name {
		case "means", "claimed", "unit", "beware", "on Aurora", "counted by":
			short = append(short, term)
		case "trap":
			short.say(term.Name, term.Texts[0])
		}
	}
	return short
}

// ofEntry explains a metric that realiops does not read.
func ofEntry(o metric.Entry) (e entry) {
	e.say("unit", o.Unit)
	e.say("trap", o.Trap)
	if o.Same != "" {
		e.say("same as", metric.Printed(o.Same, 0))
	}
	e.say("known", map[metric.Basis]string{
		metric.Documented: "its documentation", metric.Read: "its source code",
		metric.Inferred: "inferred from what is documented",
	}[o.Basis])
	e.say("source", titles(o.Sources)...)
	return e
}

func titles(keys []string) (all []string) {
	for _, key := range keys {
		if s, known := metric.SourceOf(key); known {
			all = append(all, fmt.Sprintf("%s (%s)", s.Title, s.State))
		}
	}
	return all
}

func under(heading string, text entry) document.Block {
	return document.Together{document.Paragraph{Text: heading}, document.Terms(text)}
}

// entry holds the text under each word.
type entry document.Terms

func (e *entry) say(word string, texts ...string) {
	if len(texts) > 0 && texts[0] != "" {
		*e = append(*e, document.Term{Name: word, Texts: texts})
	}
}

func ofMeaning(m metric.Meaning) (e entry) {
	e.say("means", m.Means)
	if m.Metric == "WriteIOPS" && m.On == "aurora" {
		e.say("claimed", metric.WriteIOPSOnAurora)
	}
	where := metric.Service(m.Service)
	if m.Service == metric.Insights {
		where += ", and CloudWatch Database Insights"
	}
	e.say("where", fmt.Sprintf("%s, of the %s (%s)", where, m.Level, m.Dimension))
	e.say("unit", fmt.Sprintf("%s; ask for %s of %.0f s", m.Unit, m.Statistic, m.Period))
	if m.SameAs != "" {
		e.say("same as", metric.Printed(m.SameAs, 0)+", reportedly")
	}
	e.say("delay", m.Delay)
	e.say("trap", m.Traps...)
	shown := words.Each(func(s metric.Shown) string { return s.Text }, m.Shown)
	e.say("shown", shown...)
	e.say("known", map[metric.Basis]string{
		metric.Documented: "its documentation", metric.Measured: "measurements by others",
		metric.Inferred: "inferred from what is documented",
	}[m.Basis])
	e.say("source", titles(m.Sources)...)
	return e
}

func ofLocal(m metric.Metric) (e entry) {
	for _, other := range m.Spellings()[1:] {
		if other != m.Printed(0) {
			e.say("also", other+", in older versions")
		}
	}
	if m.Derived == nil {
		e.say("where", "realiops reads it itself; in run files it is "+m.Name)
	} else {
		e.say("where", fmt.Sprintf("%s, less %s; in JSON it is %s", metric.Printed(m.Derived.Of, 0),
			metric.Printed(m.Derived.Less, 0), m.Name))
	}
	e.say("unit", fmt.Sprintf("%s (%s)", m.Unit, m.Kind))
	e.say("versions", versions(m))
	e.say("needs", strings.Join(m.Needs, ", "))
	e.say("beware", m.Caveat)
	e.say("on Aurora", m.OnAurora())
	e.say("source", m.Source)
	return e
}

// versions says which versions of PostgreSQL have a metric, and what replaces it later; empty if all have it.
func versions(m metric.Metric) string {
	if m.Versions == (metric.Span{}) {
		return ""
	}
	later := words.Each(func(name string) string { return metric.Printed(name, 0) }, m.Instead)
	if len(later) == 0 {
		return "PostgreSQL " + m.Versions.String()
	}
	return "PostgreSQL " + m.Versions.String() + ", then " + strings.Join(later, " and ")
}

func ofQuantity(q metric.Quantity) (e entry) {
	e.say("means", q.Help())
	by := words.Each(func(m metric.Metric) string { return m.Printed(0) }, metric.All().Making(q))
	e.say("counted by", by...)
	e.say("unit", q.Unit())
	return e
}

// list lists everything by source, in a few words each.
func (k knowledge) list() document.Document {
	var local, counted entry
	for _, m := range k.local {
		local.say(m.Printed(0), m.Help)
	}
	for _, q := range k.quantities {
		counted.say(q.Many(), q.Side()+": "+q.Help())
	}
	return document.Document{Blocks: []document.Block{
		under(metric.Service("cloudwatch"), k.shownBy("cloudwatch")),
		under(metric.Service("insights"), k.shownBy("insights")),
		under("What realiops reads itself", local), under("Counted quantities", counted),
		under("What others show", k.others()),
	}}
}

// overview lists the sources with the number of their metrics, and how to see them.
func (k knowledge) overview() document.Document {
	var groups entry
	for _, g := range k.sources() {
		groups.say(g.kind, strings.Join(words.Each(func(name string) string {
			return fmt.Sprintf("%s %d", name, len(k.named(name).answers(entry.brief)))
		}, g.names), "; "))
	}
	return document.Document{Blocks: []document.Block{
		document.Together{document.Paragraph{Text: "Views, tools and services, each with its number of metrics:"},
			document.Terms(groups)},
		document.Paragraph{Text: "To list one of them: " + shell.New("realiops explain pg_stat_wal").Unbroken() +
			"; also quantities, and --all."},
	}}
}

// lines has a line for each metric.
func (k knowledge) lines() document.Document {
	return document.Document{Blocks: []document.Block{k.answers(entry.brief).list()}}
}

// others lists the metrics that realiops does not read.
func (k knowledge) others() (e entry) {
	for _, other := range k.elsewhere {
		for _, name := range other.Names {
			e.say(name, other.System+": "+counting(other.Side, other.Counts))
		}
	}
	return e
}

func (k knowledge) shownBy(service string) (e entry) {
	for _, m := range k.meanings {
		if m.Service == service {
			e.say(m.Metric, metric.Flavor(m.On)+": "+counting(m.Side, m.Counts))
		}
	}
	return e
}

// counting says what a metric counts, and whether that is storage I/O.
func counting(side, counts string) string {
	if is := map[string]string{
		metric.Logical:   "work of the database, not storage I/O",
		metric.Requested: "asked of the operating system, not of the disk",
		metric.Physical:  "storage I/O", metric.EitherSide: "storage I/O or not, depending on where",
		metric.ALimit: "a limit, not a measurement",
	}[side]; is != "" {
		what, more, found := strings.Cut(counts, "; ")
		return what + " (" + is + ")" + map[bool]string{true: "; "}[found] + more
	}
	return counts
}
