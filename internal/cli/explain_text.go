package cli

import (
	"fmt"
	"io"
	"strings"

	"github.com/jedib0t/go-pretty/v6/text"

	"github.com/realiops/realiops/internal/analyze/catalog"
	"github.com/realiops/realiops/internal/analyze/drivers"
	"github.com/realiops/realiops/internal/runfile"
)

// entry is an explanation: a heading, and what there is to say under each word.
type entry struct {
	heading string
	lines   []line
}

type line struct{ lead, words string }

// flavors are what people call the kinds of server.
var flavors = map[string]string{"aurora": "Aurora", "rds": "RDS", "ebs": "EBS"}

// services are what shows a metric.
var services = map[string]string{"cloudwatch": "CloudWatch", "insights": "Performance Insights"}

// explain writes all entries, a blank line between.
func (k knowledge) explain(w io.Writer, width int) error {
	var entries []entry
	for _, m := range k.meanings {
		entries = append(entries, k.ofMeaning(m))
	}
	for _, m := range k.local {
		entries = append(entries, ofLocal(m))
	}
	for _, d := range k.drivers {
		entries = append(entries, ofDriver(d))
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

func (k knowledge) ofMeaning(m catalog.Meaning) entry {
	e := entry{heading: fmt.Sprintf("%s on %s: %s", m.Metric, flavors[m.On], reading(m))}
	e.add("means", m.Means)
	e.add("where", fmt.Sprintf("%s, of the %s (%s)", services[m.Service], m.Level, m.Dimension))
	e.add("unit", fmt.Sprintf("%s; ask for %s of %.0f s", m.Unit, m.Statistic, m.Period))
	if m.Twin != "" {
		e.add("twin", m.Twin+" is to show the same")
	}
	e.add("delay", m.Delay)
	for _, trap := range m.Traps {
		e.add("trap", trap)
	}
	for _, shown := range m.Shown {
		e.add("shown", shown.Text)
	}
	for _, key := range m.Sources {
		if s, known := k.sources.Source(key); known {
			e.add("source", fmt.Sprintf("%s (%s)", s.Title, s.State))
		}
	}
	return e
}

func ofLocal(m runfile.Metric) entry {
	e := entry{heading: m.Name}
	e.add("means", m.Help)
	e.add("where", "realiops reads it itself")
	e.add("unit", fmt.Sprintf("%s (%s)", m.Unit, m.Type))
	e.add("source", m.Source)
	return e
}

func ofDriver(d drivers.Driver) entry {
	e := entry{heading: fmt.Sprintf("%s: a way to count work, %s", d.Name, d.Side)}
	e.add("means", d.Help)
	e.add("unit", d.Unit)
	return e
}

func (e *entry) add(lead, words string) {
	if words != "" {
		e.lines = append(e.lines, line{lead, words})
	}
}

// explainColumn is where the words begin: after the longest lead and two spaces on both sides.
const explainColumn = 10

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

// hang writes words in a column beside a lead and folds them to the width. An address is left whole, to be clicked on.
func hang(page *strings.Builder, lead string, column int, words string, width int) {
	if strings.Contains(words, " ") {
		words = text.WrapSoft(words, max(width-column, narrowest))
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
			hang(&page, "  "+l.lead, g.column(), l.words, width)
		}
	}
	return writePage(w, page.String())
}

// groups are the names by where they are shown.
func (k knowledge) groups() []entry {
	local, ways := entry{heading: "What realiops reads itself"}, entry{heading: "Ways to count work"}
	for _, m := range k.local {
		local.add(m.Name, m.Help)
	}
	for _, d := range k.drivers {
		ways.add(d.Name, string(d.Side)+": "+d.Help)
	}
	return []entry{k.shownBy("cloudwatch"), k.shownBy("insights"), local, ways}
}

func (k knowledge) shownBy(service string) entry {
	e := entry{heading: services[service]}
	for _, m := range k.meanings {
		if m.Service == service {
			e.add(m.Metric, flavors[m.On]+": "+reading(m))
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
func reading(m catalog.Meaning) string {
	if m.Side == "none" {
		return m.Counts
	}
	words := strings.ToUpper(m.Side) + ", counts " + m.Counts
	if m.Basis != catalog.Documented {
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
