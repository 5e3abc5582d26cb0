package cli

import (
	"fmt"
	"io"
	"strings"

	"github.com/jedib0t/go-pretty/v6/text"

	"github.com/realiops/realiops/internal/metric"
)

// entry is an explanation: a heading, and what there is to say under each word.
type entry struct {
	heading string
	lines   []line
}

type line struct{ lead, words string }

// explain writes all entries, a blank line between.
func (k knowledge) explain(w io.Writer, width int) error {
	var entries []entry
	for _, m := range k.meanings {
		entries = append(entries, ofMeaning(m))
	}
	for _, m := range k.local {
		entries = append(entries, ofLocal(m))
	}
	for _, q := range k.quantities {
		entries = append(entries, ofQuantity(q))
	}
	var page strings.Builder
	for i, e := range entries {
		if i > 0 {
			page.WriteByte('\n')
		}
		e.write(&page, width)
	}
	return writePage(w, page.String())
}

func ofMeaning(m metric.Meaning) entry {
	e := entry{heading: fmt.Sprintf("%s on %s: %s", m.Metric, metric.Flavor(m.On), reading(m))}
	e.add("means", m.Means)
	e.add("where", fmt.Sprintf("%s, of the %s (%s)", metric.Service(m.Service), m.Level, m.Dimension))
	e.add("unit", fmt.Sprintf("%s; ask for %s of %.0f s", m.Unit, m.Statistic, m.Period))
	if m.Twin != "" {
		e.add("same as", metric.Printed(m.Twin, 0)+", as is said")
	}
	e.add("delay", m.Delay)
	for _, trap := range m.Traps {
		e.add("trap", trap)
	}
	for _, shown := range m.Shown {
		e.add("shown", shown.Text)
	}
	for _, key := range m.Sources {
		if s, known := metric.SourceOf(key); known {
			e.add("source", fmt.Sprintf("%s (%s)", s.Title, s.State))
		}
	}
	return e
}

func ofLocal(m metric.Metric) entry {
	e := entry{heading: m.Printed(0)}
	e.add("means", m.Help)
	for _, other := range m.Spellings()[1:] {
		if other != m.Printed(0) {
			e.add("also", other+", in older versions")
		}
	}
	e.add("where", "realiops reads it itself; in run files it is "+m.Name)
	if m.Derived != nil {
		of, less := metric.Printed(m.Derived.Of, 0), metric.Printed(m.Derived.Less, 0)
		e.lines[len(e.lines)-1].words = fmt.Sprintf("%s, less %s; in JSON it is %s", of, less, m.Name)
	}
	e.add("unit", fmt.Sprintf("%s (%s)", m.Unit, m.Kind))
	e.add("versions", versions(m))
	e.add("needs", strings.Join(m.Needs, ", "))
	e.add("beware", m.Caveat)
	e.add("source", m.Source)
	return e
}

// versions says which versions of PostgreSQL show a metric, and what shows it later; nothing of what all show.
func versions(m metric.Metric) string {
	if m.Versions == (metric.Span{}) {
		return ""
	}
	var words strings.Builder
	words.WriteString("PostgreSQL " + m.Versions.String())
	for i, name := range m.Instead {
		words.WriteString([]string{", then ", " and "}[min(i, 1)] + metric.Printed(name, 0))
	}
	return words.String()
}

func ofQuantity(q metric.Quantity) entry {
	e := entry{heading: fmt.Sprintf("%s: a counted quantity, %s", q.Many(), q.Side())}
	e.add("means", q.Help())
	for _, m := range metric.All().Making(q) {
		e.add("counted by", m.Printed(0))
	}
	e.add("unit", q.Unit())
	return e
}

func (e *entry) add(lead, words string) {
	if words != "" {
		e.lines = append(e.lines, line{lead, words})
	}
}

// explainColumn is where the words begin: after the longest lead and two spaces on both sides.
const explainColumn = 14

// write says a lead once for all lines under it.
func (e entry) write(page *strings.Builder, width int) {
	page.WriteString(text.WrapSoft(e.heading, width) + "\n")
	before := ""
	for _, l := range e.lines {
		lead := "  " + l.lead
		if l.lead == before {
			lead = ""
		}
		hang(page, lead, explainColumn, l.words, width)
		before = l.lead
	}
}

// hang writes words in a column beside a lead, or below one that is longer, and folds them to the width. An address is left
// whole, to be clicked on.
func hang(page *strings.Builder, lead string, column int, words string, width int) {
	if strings.Contains(words, " ") {
		words = text.WrapSoft(words, max(width-column, narrowest))
	}
	if len(lead) >= column {
		page.WriteString(lead + "\n")
		lead = ""
	}
	for part := range strings.SplitSeq(words, "\n") {
		page.WriteString(strings.TrimRight(text.Pad(lead, column, ' ')+part, " ") + "\n")
		lead = ""
	}
}

// narrowest is the width below which nothing is folded any narrower.
const narrowest = 20

// list writes all names, each with the few words that matter most.
func (k knowledge) list(w io.Writer, width int) error {
	var page strings.Builder
	for i, g := range k.groups() {
		if i > 0 {
			page.WriteByte('\n')
		}
		page.WriteString(g.heading + "\n")
		for _, l := range g.lines {
			hang(&page, "  "+l.lead, min(g.column(), width/2), l.words, width)
		}
	}
	return writePage(w, page.String())
}

// groups are the names by where they are shown.
func (k knowledge) groups() []entry {
	local, quantities := entry{heading: "What realiops reads itself"}, entry{heading: "Counted quantities"}
	for _, m := range k.local {
		local.add(m.Printed(0), m.Help)
	}
	for _, q := range k.quantities {
		quantities.add(q.Many(), q.Side()+": "+q.Help())
	}
	return []entry{k.shownBy("cloudwatch"), k.shownBy("insights"), local, quantities}
}

func (k knowledge) shownBy(service string) entry {
	e := entry{heading: metric.Service(service)}
	for _, m := range k.meanings {
		if m.Service == service {
			e.add(m.Metric, metric.Flavor(m.On)+": "+reading(m))
		}
	}
	return e
}

// column is where the words begin that stand beside the names of a group.
func (e entry) column() int {
	longest := 0
	for _, l := range e.lines {
		longest = max(longest, len(l.lead))
	}
	return longest + len("  ") + len("  ")
}

// reading is what a metric counts, and how sure that is.
func reading(m metric.Meaning) string {
	if m.Side == "none" {
		return m.Counts
	}
	words := strings.ToUpper(m.Side) + ", counts " + m.Counts
	if m.Basis != metric.Documented {
		words += " (" + string(m.Basis) + ")"
	}
	return words
}

func writePage(w io.Writer, page string) error {
	if _, err := io.WriteString(w, page); err != nil {
		return fmt.Errorf("write what is known: %w", err)
	}
	return nil
}
