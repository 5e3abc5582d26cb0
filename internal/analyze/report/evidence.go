package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/realiops/realiops/internal/analyze/attribution"
)

// evidence is why a metric's verdict stands: what it showed in every arm, for one of every driver, and how far each of
// these ratios moves from arm to arm.
func (m Metric) evidence(armWord string, notes *footnotes, width int) string {
	perSecond := cells{notes: notes}
	g := newGrid(armWord, nil)
	for _, a := range m.Arms {
		g.rows = append(g.rows, []string{a.Arm})
		perSecond.add(a.PerSecond, rate)
	}
	for _, name := range []string{"spread", m.spreadLevel(), "status"} {
		g.rows = append(g.rows, []string{name})
	}
	g.add("per second", append(perSecond.strings(), "", "", ""))
	for _, r := range m.Rivals {
		if r.Status != string(attribution.Unknown) {
			g.add(perHeader(r.Driver), slices.Concat(m.ratios(r, notes), r.summary(notes)))
		}
	}
	return wrapped(m.title(), width) + "\n" + wrapped(m.finding(notes), width) + "\n\n" + g.layout(width)
}

func (m Metric) title() string {
	title := m.Metric + ", " + m.Unit
	if m.Help != "" {
		title += ": " + m.Help
	}
	return title
}

// finding is the verdict in words.
func (m Metric) finding(notes *footnotes) string {
	parts := []string{label(m.Verdict)}
	if counts := m.counted(); counts != "" {
		parts[0] += ": " + counts
	}
	if m.Mixture != nil {
		parts = append(parts, fmt.Sprintf("Loads that it was not fitted to are missed by a factor of %s", quotient(float64(m.Mixture.Off))))
	}
	if m.Misnomer != "" {
		parts = append(parts, "It is called "+m.Misnomer)
	}
	if len(m.Between) < 2 {
		parts = append(parts, m.Why)
	}
	for _, w := range m.Warnings {
		parts = append(parts, w.Text)
	}
	return sentences(append(parts, m.inOneArm(), m.SettleWith.sentence(), m.unknownDrivers(notes)))
}

// counted is what the metric counts, with intervals in brackets.
func (m Metric) counted() string {
	with := func(names string, e Estimate, share string) string {
		cells := e.cells()
		return fmt.Sprintf("%s %s (%s%s)", cells[0], names, cells[1], share)
	}
	switch {
	case m.Mixture != nil:
		var terms []string
		for _, t := range m.Mixture.Terms {
			terms = append(terms, with(m.anyOf(append([]string{t.Driver}, t.Or...)), t.PerUnit, ", "+percent(float64(t.Share))+" of it"))
		}
		return strings.Join(terms, " + ")
	case m.Counts != "" && m.PerUnit != nil:
		return with(m.called(m.Counts).many, *m.PerUnit, "")
	case m.Counts != "":
		return m.called(m.Counts).many
	case len(m.Between) == 1 && !m.undetermined():
		return "a part of " + noun(m.Between[0]).many
	default:
		return alternatives(m.Between)
	}
}

// anyOf writes drivers of which one has a part in the metric.
func (m Metric) anyOf(names []string) string {
	var many []string
	for _, driver := range names {
		many = append(many, m.called(driver).many)
	}
	return enumerated(many, " or ")
}

// unknownDrivers are those that the run does not have where it has the metric.
func (m Metric) unknownDrivers(notes *footnotes) string {
	var names []string
	for _, r := range m.Rivals {
		if r.Status == string(attribution.Unknown) {
			names = append(names, noun(r.Driver).many+" "+notes.mark(r.Why.text()))
		}
	}
	if len(names) == 0 {
		return ""
	}
	return "Not known here, and so not compared: " + strings.Join(names, ", ")
}

// ratios are the metric's to a driver in each of its arms; an idle arm has none.
func (m Metric) ratios(r Rival, notes *footnotes) []string {
	column := cells{notes: notes}
	for _, a := range m.Arms {
		i := slices.IndexFunc(r.Arms, func(ra RivalArm) bool { return ra.Arm == a.Arm })
		if i < 0 {
			column.addText("")
			continue
		}
		column.add(r.Arms[i].Ratio, quotient)
	}
	return column.strings()
}

// summary is how far the ratio moves, with its interval, and what follows.
func (r Rival) summary(notes *footnotes) []string {
	status := r.Status
	if r.Modelled {
		status += " " + notes.mark("modelled from the work of the clients, not counted; the intervals allow for that")
	}
	if r.Beaten != "" {
		status += " " + notes.mark(noun(r.Beaten).many+" explain it far better, although its own spread does not exclude it")
	}
	if r.Spread == nil {
		return []string{"", "", status}
	}
	return []string{factor(r.Spread.Value), factor(r.Spread.Lo) + "-" + strings.TrimPrefix(factor(r.Spread.Hi), "x"), status}
}

// spreadLevel is the level of the intervals of spreads.
func (m Metric) spreadLevel() string {
	for _, r := range m.Rivals {
		if r.Spread != nil {
			return percent(r.Spread.Level)
		}
	}
	return "interval"
}

// farthest is what a spread need not be told beyond.
const farthest = 1000

// factor writes how far a ratio moves.
func factor(v float64) string {
	if !(v <= farthest) {
		return "any"
	}
	return "x" + quotient(v)
}

// perHeader is the header of a ratio's column, in two lines where it has several words.
func perHeader(driver string) string {
	one := noun(driver).one
	i := strings.LastIndex(one, " ")
	if i < 0 {
		return "\n" + one
	}
	return one[:i] + "\n" + one[i+1:]
}
