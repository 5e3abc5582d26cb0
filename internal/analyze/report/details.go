package report

import (
	"io"
	"strings"

	"github.com/realiops/realiops/internal/analyze/drivers"
)

// Details writes what Text has no room for: the load of each arm, every metric that moved with its rate and its ratios
// arm by arm, and those that did not move or could not be read.
func Details(w io.Writer, r Report, width int) error {
	width = max(width, narrowest)
	notes := &footnotes{}
	sections := []string{r.loadTable(notes, width)}
	for _, m := range r.moved() {
		sections = append(sections, m.table(notes, width))
	}
	return write(w, append(sections,
		r.listed(No, "No load moved", width),
		r.listed(Uncertain, "Cannot be told from the background", width),
		r.unread(width), notes.text(width)))
}

// loadTable is what our clients did in each arm.
func (r Report) loadTable(notes *footnotes, width int) string {
	arms := r.loaded()
	if len(arms) == 0 {
		return ""
	}
	g := newGrid("arm", names(arms))
	add := func(header string, unit float64, of func(Arm) Figure) {
		column := cells{notes: notes}
		for _, a := range arms {
			column.add(of(a), in(unit))
		}
		g.add(header, column.strings())
	}
	add("seconds", 1, func(a Arm) Figure { return a.Seconds })
	add("trans-\nactions/s", 1, func(a Arm) Figure { return a.Of(drivers.Commits) })
	add("state-\nments/s", 1, func(a Arm) Figure { return a.Of(drivers.Statements) })
	add("p50\nms", millisecond, func(a Arm) Figure { return a.latency().P50 })
	add("p95\nms", millisecond, func(a Arm) Figure { return a.latency().P95 })
	add("p99\nms", millisecond, func(a Arm) Figure { return a.latency().P99 })
	add("max\nms", millisecond, func(a Arm) Figure { return a.latency().Max })
	return "The load of each arm\n\n" + g.layout(width)
}

// millisecond is the unit that latencies are shown in, in seconds.
const millisecond = 1e-3

// latency is the arm's, or what stands in its place.
func (a Arm) latency() Latency {
	if a.Latency != nil {
		return *a.Latency
	}
	none := Figure{Missing: &Missing{Reason: string(drivers.NotRecorded), Detail: "latencies of every replicate of the arm"}}
	return Latency{none, none, none, none}
}

// table is one metric in every arm.
func (m Metric) table(notes *footnotes, width int) string {
	perSecond := cells{notes: notes}
	g := newGrid("arm", nil)
	for _, a := range m.Arms {
		g.rows = append(g.rows, []string{a.Arm})
		perSecond.add(a.PerSecond, rate)
	}
	g.add("per second", perSecond.strings())
	for _, reference := range References() {
		column := cells{notes: notes}
		for _, a := range m.Arms {
			if f, compared := a.Per[reference]; compared {
				column.add(f, quotient)
			} else {
				column.addText("") // an idle arm
			}
		}
		g.add(referenceHeader(reference), column.strings())
	}
	title := m.Metric + ", " + m.Unit
	if m.Help != "" {
		title += ": " + m.Help
	}
	return wrapped(title, width) + "\n\n" + g.layout(width)
}

// listed names the metrics that were moved so, after a word on them.
func (r Report) listed(moved Moved, word string, width int) string {
	var names []string
	for _, m := range r.Metrics {
		if m.Moved == moved {
			names = append(names, m.Metric)
		}
	}
	if len(names) == 0 {
		return ""
	}
	return wrapped(word+": "+strings.Join(names, ", ")+".", width)
}

// unread lists the metrics that no arm has a figure of, by their reason.
func (r Report) unread(width int) string {
	var reasons []string
	names := map[string][]string{}
	for _, m := range r.Metrics {
		if m.Missing == nil {
			continue
		}
		why := m.Missing.text()
		if names[why] == nil {
			reasons = append(reasons, why)
		}
		names[why] = append(names[why], m.Metric)
	}
	var all []string
	for _, why := range reasons {
		all = append(all, wrapped("Missing: "+strings.Join(names[why], ", ")+": "+why+".", width))
	}
	return strings.Join(all, "\n")
}
