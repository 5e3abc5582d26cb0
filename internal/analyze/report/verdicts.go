package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/realiops/realiops/internal/analyze/attribution"
)

// question is what people come with, and the title of the answer.
const question = "Which of these are real storage I/O?"

// verdictTable has one row for each metric that does something and says more than that it is itself.
func (r Report) verdictTable(width int) string {
	g := r.verdictGrid(width)
	var parts []string
	if len(g.rows) > 0 {
		parts = append(parts, g.layout(width), wrapped(r.verdictLegend()+" "+r.armByArm()+": -v.", width))
	}
	parts = append(parts,
		listing("Load does not move", r.namesOf(Metric.silent), width),
		listing("Lost in the background of every arm, and so without a ratio", r.namesOf(Metric.drowned), width),
		r.byDefinition(attribution.Physical, width), r.byDefinition(attribution.Logical, width))
	if text := joined(parts...); text != "" {
		return question + "\n\n" + text
	}
	return ""
}

// unlimited is the width of a rendering that breaks its own lines.
const unlimited = 1 << 20

// verdictGrid is that table before it is laid out, with names broken where that makes the columns fit beside each other.
func (r Report) verdictGrid(width int) (g *grid) {
	for _, longest := range []int{26, 22, 18} {
		g = &grid{header: []string{"metric", "verdict", "it counts", "ratio", r.interval(), "n"}, words: 3}
		for _, m := range r.judged() {
			g.rows = append(g.rows, m.rows(longest)...)
		}
		if g.fitting(1, width, tight) == len(g.header) {
			break
		}
	}
	return g
}

// judged are the metrics that get a row.
func (r Report) judged() []Metric {
	var judged []Metric
	for _, m := range ranked(r.Metrics) {
		if !m.silent() && m.Missing == nil && !m.itself() && !m.drowned() {
			judged = append(judged, m)
		}
	}
	return judged
}

// namesOf are those of the metrics that are so.
func (r Report) namesOf(are func(Metric) bool) []string {
	var names []string
	for _, m := range ranked(r.Metrics) {
		if m.Missing == nil && are(m) {
			names = append(names, short(m.Metric))
		}
	}
	return names
}

// drowned tells whether what load adds to it can in no arm be told from what happens without load.
func (m Metric) drowned() bool {
	loaded, lost := 0, 0
	for _, a := range m.Arms {
		if len(a.Per) > 0 && a.PerSecond.Known() { // not idle
			loaded++
			if a.PerSecond.lost() {
				lost++
			}
		}
	}
	return loaded > 0 && lost == loaded && !m.silent() && !m.itself()
}

func (m Metric) silent() bool { return m.Verdict == string(attribution.Silent) }

func (m Metric) undetermined() bool { return m.Verdict == string(attribution.Undetermined) }

// byDefinition names the metrics that are on a side because drivers of that side are made of them.
func (r Report) byDefinition(kind attribution.Kind, width int) string {
	are := func(m Metric) bool { return m.itself() && m.Verdict == string(kind) }
	return listing(label(string(kind))+" by definition, since others are compared with them", r.namesOf(are), width)
}

// short is a metric's name without what all views of PostgreSQL begin with.
func short(metric string) string { return strings.TrimPrefix(metric, "pgstat.") }

// listing is a paragraph of names after a word on them.
func listing(word string, names []string, width int) string {
	if len(names) == 0 {
		return ""
	}
	return wrapped(word+": "+strings.Join(names, ", ")+".", width)
}

// interval is the header over the intervals: their level, as the verdicts have it.
func (r Report) interval() string {
	for _, m := range r.Metrics {
		for _, rival := range m.Rivals {
			if m.PerUnit == nil {
				m.PerUnit = rival.Ratio
			}
		}
		if m.PerUnit != nil {
			return percent(m.PerUnit.Level)
		}
	}
	return "interval"
}

func (r Report) verdictLegend() string {
	text := "PHYSICAL: what storage has to do. LOGICAL: what the database is asked to do and notes in its log."
	if slices.ContainsFunc(r.Metrics, func(m Metric) bool { return m.Verdict == string(attribution.Mixed) }) {
		text += " MIXED: some of both."
	}
	return text + " ratio: how many the metric shows for one of what it counts; n: " + r.armWord() + "s that this rests on."
}

// rows are the metric's lines in the table: as many as its name, what it is falsely called and what it counts take.
func (m Metric) rows(longestName int) [][]string {
	names, counts := broken(short(m.Metric), longestName), m.terms()
	if m.Misnomer != "" {
		names = append(names, "  called "+m.Misnomer)
	}
	var rows [][]string
	for i := range max(len(names), len(counts)) {
		row := make([]string, 2, 6)
		if i < len(names) {
			row[0] = names[i]
		}
		if i == 0 {
			row[1] = label(m.Verdict)
		}
		if i < len(counts) {
			rows = append(rows, append(row, counts[i]...))
		} else {
			rows = append(rows, append(row, "", "", "", ""))
		}
	}
	return rows
}

// broken is a name in lines no longer than width, where its points and slashes allow it.
func broken(name string, width int) []string {
	if len(name) <= width {
		return []string{name}
	}
	at := strings.LastIndexAny(name[:width], "./")
	if at <= 0 {
		return []string{name}
	}
	return append([]string{name[:at+1]}, broken("  "+name[at+1:], width)...)
}

// terms are the lines from what the metric counts on.
func (m Metric) terms() [][]string {
	line := func(counts string, e *Estimate) []string { return append([]string{counts}, m.ratioCells(e)...) }
	switch {
	case m.Mixture != nil && !m.undetermined():
		var lines [][]string
		for i, t := range m.Mixture.Terms {
			plus := map[bool]string{true: "+ "}[i > 0]
			lines = append(lines, line(plus+m.called(t.Driver).many, &t.PerUnit))
			for _, other := range t.Or {
				lines = append(lines, line("  or "+m.called(other).many, nil))
			}
		}
		return lines
	case m.Counts != "":
		return [][]string{line(m.called(m.Counts).many, m.PerUnit)}
	case len(m.Between) == 1 && !m.undetermined():
		return [][]string{line("part of", nil), line("  "+noun(m.Between[0]).many, nil)}
	default:
		var lines [][]string
		for i, text := range among(m.Between) {
			lines = append(lines, line(text, map[bool]*Estimate{true: m.PerUnit}[i == 0]))
		}
		return lines
	}
}

// ratioCells are a ratio, its interval and the arms it rests on.
func (m Metric) ratioCells(e *Estimate) []string {
	switch {
	case e == nil:
		return []string{"", "", ""}
	case m.Exact:
		return []string{quotient(e.Value), "exact", fmt.Sprint(e.N)}
	default:
		return append(e.cells(), fmt.Sprint(e.N))
	}
}

// seldom is the ratio below which one of the metric for many of what it counts is easier to read.
const seldom = 0.001

// cells are the estimate and its interval, upside down where it is small.
func (e Estimate) cells() []string {
	if e.Value > 0 && e.Value < seldom && finite(e.Hi) {
		many := Estimate{Value: 1 / e.Value, Lo: 1 / e.Hi, Hi: 1 / max(0, e.Lo)}
		cells := []string{"1/" + many.number(many.Value), many.between()}
		if e.Lo <= 0 {
			cells[1] = ">" + many.number(many.Lo)
		}
		return cells
	}
	return []string{e.number(e.Value), e.between()}
}

// between writes the interval.
func (e Estimate) between() string {
	switch {
	case !finite(e.Lo) || !finite(e.Hi):
		return "unbounded"
	case !(e.Lo <= e.Value && e.Value <= e.Hi):
		return "unknown"
	}
	return e.number(e.Lo) + "-" + e.number(e.Hi)
}

// mostNamed drivers are named in the table.
const mostNamed = 2

// among writes drivers that cannot be told apart, in lines.
func among(between []string) []string {
	if len(between) == 0 {
		return []string{"see below"}
	}
	if len(between) > mostNamed {
		return []string{fmt.Sprintf("one of %s, below", inWords(len(between)))}
	}
	var lines []string
	for i, driver := range between {
		or := map[bool]string{true: "or "}[i > 0]
		lines = append(lines, or+noun(driver).many)
	}
	return lines
}

// label writes a verdict so that it can be found without colour.
func label(verdict string) string {
	if verdict == string(attribution.Undetermined) {
		return "CANNOT TELL"
	}
	return strings.ToUpper(verdict)
}
