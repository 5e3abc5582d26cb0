package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/realiops/realiops/internal/analyze/attribution"
	"github.com/realiops/realiops/internal/analyze/drivers"
)

// openText says what the run cannot tell, why, and which arm would.
func (r Report) openText(width int) string {
	groups := r.openRemarks()
	if len(groups) == 0 {
		return ""
	}
	lines := []string{"What this run cannot tell", ""}
	for _, g := range groups {
		lines = append(lines, bulleted("- ", strings.Join(g.names, ", ")+": "+g.text, width))
	}
	if slices.ContainsFunc(r.Metrics, func(m Metric) bool { return m.SettleWith != nil }) {
		lines = append(lines, r.settling())
	}
	return strings.Join(lines, "\n")
}

// remark is what is to be said of some metrics.
type remark struct {
	names []string
	text  string
}

func (r Report) openRemarks() []remark {
	return r.grouped(func(m Metric) []string { return []string{m.openQuestion()} })
}

// grouped puts metrics of which the same is to be said together.
func (r Report) grouped(said func(Metric) []string) []remark {
	var groups []remark
	for _, m := range ranked(r.Metrics) {
		for _, text := range said(m) {
			if text == "" {
				continue
			}
			i := slices.IndexFunc(groups, func(g remark) bool { return g.text == text })
			if i < 0 {
				i = len(groups)
				groups = append(groups, remark{text: text})
			}
			groups[i].names = append(groups[i].names, short(m.Metric))
		}
	}
	return groups
}

// cautions are the warnings about single verdicts.
func (r Report) cautions(width int) string {
	var lines []string
	for _, g := range r.grouped(Metric.cautions) {
		lines = append(lines, bulleted("- ", strings.Join(g.names, ", ")+": "+g.text, width))
	}
	return strings.Join(lines, "\n")
}

// ofItself is the code of what is said of metrics that a driver is computed from: it is in the evidence, and no caution.
const ofItself = "itself"

func (m Metric) cautions() []string {
	var texts []string
	for _, w := range m.Warnings {
		if w.Code != ofItself && !m.itself() {
			texts = append(texts, sentences([]string{w.Text}))
		}
	}
	return texts
}

// openQuestion is what is not told of a metric; empty where nothing is open.
func (m Metric) openQuestion() string {
	named := m.Counts != "" || m.Mixture != nil || len(m.Between) == 1
	if m.silent() || m.drowned() || m.Missing != nil || named && !m.undetermined() {
		return ""
	}
	why := cmp.Or(m.Why, "it is "+m.Verdict+", and no driver explains how much of it there is")
	if len(m.Between) > 1 {
		why = alternatives(m.Between)
	}
	return sentences([]string{why, m.inOneArm(), m.SettleWith.sentence()})
}

// sentences joins what is not empty, each part ended by one full stop.
func sentences(parts []string) string {
	var said []string
	for _, p := range parts {
		if p != "" {
			said = append(said, strings.TrimSuffix(p, ".")+".")
		}
	}
	return strings.Join(said, " ")
}

// inOneArm states the ratio to rows of a metric that a single arm has: it is all that is known.
func (m Metric) inOneArm() string {
	i := slices.IndexFunc(m.Rivals, func(r Rival) bool { return r.Driver == drivers.Rows })
	if i < 0 || !m.undetermined() || m.Why == attribution.OneLoad { // said of all at once
		return ""
	}
	var known []RivalArm
	for _, a := range m.Rivals[i].Arms {
		if a.Ratio.Known() {
			known = append(known, a)
		}
	}
	switch {
	case len(known) != 1 || known[0].Ratio.Value <= 0:
		return ""
	case known[0].Ratio.Value < 1:
		return fmt.Sprintf("It is known in %s only: one for %s rows", known[0].Arm, quotient(1/known[0].Ratio.Value))
	default:
		return fmt.Sprintf("It is known in %s only: %s for each row", known[0].Arm, quotient(known[0].Ratio.Value))
	}
}

func (s *Settle) sentence() string {
	if s == nil {
		return ""
	}
	text := fmt.Sprintf("The arm %s would tell: there %s differ", s.Arm, conjunction(s.Between))
	if finite(float64(s.Factor)) {
		text += " by a factor of " + quotient(float64(s.Factor))
	}
	return text
}

// settling says what would tell what this run could not. Of a server that others use it takes another like it.
func (r Report) settling() string {
	if r.Observed != nil {
		return "These arms are short loads of our own, for where you may put one:\n  " + r.command()
	}
	return "To settle it: " + r.command()
}

// command is what to type for the arms that would tell.
func (r Report) command() string {
	if r.Run.Target.Kind == "dsn" {
		return "realiops run --plan identify --dsn ..."
	}
	return "realiops run --plan identify"
}

// bulleted is a paragraph after a mark, hanging from it.
func bulleted(mark, s string, width int) string {
	return mark + strings.ReplaceAll(wrapped(s, width-len(mark)), "\n", "\n"+strings.Repeat(" ", len(mark)))
}
