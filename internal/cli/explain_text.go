package cli

import (
	"fmt"
	"strings"

	"github.com/realiops/realiops/internal/analyze/document"
	"github.com/realiops/realiops/internal/metric"
)

// document explains all of it.
func (k knowledge) document() document.Document {
	var d document.Document
	add := func(heading string, said entry) {
		d.Blocks = append(d.Blocks, under(heading, said))
	}
	for _, m := range k.meanings {
		add(fmt.Sprintf("%s on %s: %s", m.Metric, metric.Flavor(m.On), counting(m)), ofMeaning(m))
	}
	for _, m := range k.local {
		add(m.Printed(0), ofLocal(m))
	}
	for _, q := range k.quantities {
		add(fmt.Sprintf("%s: a counted quantity, %s", q.Many(), q.Side()), ofQuantity(q))
	}
	if len(k.elsewhere) > 0 {
		add("The same name elsewhere, which realiops does not read", ofElsewhere(k.elsewhere))
	}
	return d
}

// ofElsewhere tells services apart that show the same name, or something else in its place.
func ofElsewhere(all []metric.Elsewhere) (e entry) {
	for _, other := range all {
		said := other.Says
		if s, known := metric.SourceOf(other.Source); known {
			said += fmt.Sprintf(" [%s, %s]", s.Title, s.State)
		}
		e.say(other.Service, said)
	}
	return e
}

func under(heading string, said entry) document.Block {
	return document.Together{document.Paragraph{Text: heading}, document.Terms(said)}
}

// entry is what there is to say under each word.
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
	e.say("where", fmt.Sprintf("%s, of the %s (%s)", metric.Service(m.Service), m.Level, m.Dimension))
	e.say("unit", fmt.Sprintf("%s; ask for %s of %.0f s", m.Unit, m.Statistic, m.Period))
	if m.SameAs != "" {
		e.say("same as", metric.Printed(m.SameAs, 0)+", as is said")
	}
	e.say("delay", m.Delay)
	e.say("trap", m.Traps...)
	var shown, sources []string
	for _, s := range m.Shown {
		shown = append(shown, s.Text)
	}
	for _, key := range m.Sources {
		if s, known := metric.SourceOf(key); known {
			sources = append(sources, fmt.Sprintf("%s (%s)", s.Title, s.State))
		}
	}
	e.say("shown", shown...)
	e.say("source", sources...)
	return e
}

func ofLocal(m metric.Metric) (e entry) {
	e.say("means", m.Help)
	for _, other := range m.Spellings()[1:] {
		if other != m.Printed(0) {
			e.say("also", other+", in older versions")
		}
	}
	if m.Derived == nil {
		e.say("where", "realiops reads it itself; in run files it is "+m.Name)
	} else {
		e.say("where", fmt.Sprintf("%s, less %s; in JSON it is %s", metric.Printed(m.Derived.Of, 0), metric.Printed(m.Derived.Less, 0), m.Name))
	}
	e.say("unit", fmt.Sprintf("%s (%s)", m.Unit, m.Kind))
	e.say("versions", versions(m))
	e.say("needs", strings.Join(m.Needs, ", "))
	e.say("beware", m.Caveat)
	e.say("on Aurora", m.OnAurora())
	e.say("source", m.Source)
	return e
}

// versions says which versions of PostgreSQL show a metric, and what shows it later; nothing of what all show.
func versions(m metric.Metric) string {
	if m.Versions == (metric.Span{}) {
		return ""
	}
	var later []string
	for _, name := range m.Instead {
		later = append(later, metric.Printed(name, 0))
	}
	if len(later) == 0 {
		return "PostgreSQL " + m.Versions.String()
	}
	return "PostgreSQL " + m.Versions.String() + ", then " + strings.Join(later, " and ")
}

func ofQuantity(q metric.Quantity) (e entry) {
	e.say("means", q.Help())
	var by []string
	for _, m := range metric.All().Making(q) {
		by = append(by, m.Printed(0))
	}
	e.say("counted by", by...)
	e.say("unit", q.Unit())
	return e
}

// list names everything, each with the few words that matter most, by where it is shown.
func (k knowledge) list() document.Document {
	var local, quantities entry
	for _, m := range k.local {
		local.say(m.Printed(0), m.Help)
	}
	for _, q := range k.quantities {
		quantities.say(q.Many(), q.Side()+": "+q.Help())
	}
	return document.Document{Blocks: []document.Block{
		under(metric.Service("cloudwatch"), k.shownBy("cloudwatch")), under(metric.Service("insights"), k.shownBy("insights")),
		under("What realiops reads itself", local), under("Counted quantities", quantities),
	}}
}

func (k knowledge) shownBy(service string) (e entry) {
	for _, m := range k.meanings {
		if m.Service == service {
			e.say(m.Metric, metric.Flavor(m.On)+": "+counting(m))
		}
	}
	return e
}

// counting is what a metric counts, and how sure that is.
func counting(m metric.Meaning) string {
	if m.Side == "none" {
		return m.Counts
	}
	words := strings.ToUpper(m.Side) + ", counts " + m.Counts
	if m.Basis != metric.Documented {
		words += " (" + string(m.Basis) + ")"
	}
	return words
}
