package report

import (
	"fmt"
	"io"
	"strings"

	"github.com/realiops/realiops/internal/analyze/drivers"
)

// Details writes what Text has no room for: the load of each arm; what its log is made of; the verdicts on all metrics,
// and how far their ratios to each driver move; those of the first screen arm by arm; and what could not be read.
func Details(w io.Writer, r Report, width int) error {
	width = max(width, narrowest)
	notes := &footnotes{}
	sections := []string{r.loadTable(notes, width), r.logTable(notes, width), r.others(width), r.spreadTable(width), r.howToRead(width)}
	first, _ := r.firstScreen()
	for _, m := range ranked(first.Metrics) {
		if !m.silent() && m.Missing == nil {
			sections = append(sections, m.evidence(r.armWord(), notes, width))
		}
	}
	return write(w, append(sections, r.unread(width), notes.text(width)))
}

// others are the verdicts on all metrics, where the first screen had not room for all.
func (r Report) others(width int) string {
	if _, hidden := r.firstScreen(); hidden == 0 {
		return ""
	}
	return joined(r.verdictTable(width)+"\n", r.openText(width)+"\n", r.cautions(width))
}

// howToRead explains the tables of evidence.
func (r Report) howToRead(width int) string {
	if len(r.judged()) == 0 {
		return ""
	}
	text := r.armByArm() + ": how many of a metric there are for one of everything that it might count. What a metric counts, it " +
		"keeps one ratio to, so that a driver is excluded when its ratio moves."
	if _, hidden := r.firstScreen(); hidden > 0 {
		text += fmt.Sprintf(" The %d metrics that are not on the first screen stand in --format json, as rivals.", hidden)
	}
	return wrapped(text, width)
}

// loadTable is what clients did in each arm; those of others count no statements and tell no latencies.
func (r Report) loadTable(notes *footnotes, width int) string {
	arms := r.loaded()
	if len(arms) == 0 {
		return ""
	}
	g := newGrid(r.armWord(), names(arms))
	add := func(header string, unit float64, of func(Arm) Figure) {
		column := cells{notes: notes}
		for _, a := range arms {
			column.add(of(a), in(unit))
		}
		g.add(header, column.strings())
	}
	add("seconds", 1, func(a Arm) Figure { return a.Seconds })
	add("trans-\nactions/s", 1, func(a Arm) Figure { return a.Of(drivers.Commits) })
	if r.Observed != nil {
		return "Each kind of load, and how long it was seen at a stretch\n\n" + g.layout(width)
	}
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
