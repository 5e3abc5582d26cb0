package report

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/realiops/realiops/internal/analyze/attribution"
	"github.com/realiops/realiops/internal/analyze/document"
	"github.com/realiops/realiops/internal/analyze/number"
	"github.com/realiops/realiops/internal/analyze/report/words"
	"github.com/realiops/realiops/internal/metric"
	"github.com/realiops/realiops/internal/shell"
)

// open lists what the run cannot tell, why, and which load would.
func (r Report) open() document.Block {
	open := r.Metrics.grouped(func(m Metric) []string { return []string{m.openQuestion()} })
	if len(open) == 0 {
		return nil
	}
	blocks := document.Together{document.List(open)}
	if slices.ContainsFunc(r.Metrics, func(m Metric) bool { return m.SettleWith != nil }) {
		blocks = append(blocks, r.nextLoads())
	}
	return document.Titled("What this run cannot tell", blocks)
}

// nextLoads returns the commands that would settle the open questions. A server that others use needs another like it.
func (r Report) nextLoads() document.Block {
	c := document.Command{Lead: "To find out:", Lines: []shell.Command{shell.New("realiops run --plan identify")}}
	if r.Run.Target.Kind == "dsn" {
		c.Lines[0] = c.Lines[0].With("--dsn ...")
	}
	if r.Observed != nil {
		c.Lead = "If you may put a short load on the server:"
	}
	return c
}

// openQuestion returns the open question about a metric; empty if there is none.
func (m Metric) openQuestion() string {
	named := m.Counts != "" || m.Mixture != nil || len(m.Between) == 1 || len(m.Parts) > 0
	if m.Silent() || m.belowBackground() || m.Missing != nil || named && !m.CannotTell() {
		return ""
	}
	why := cmp.Or(m.Why, "it is "+string(m.Kind)+", but no quantity explains the number")
	if len(m.Between) > mostListed {
		why = m.tooLittle()
	} else if len(m.Between) > 1 {
		why = "it may count " + words.Alternatives(m.Between)
	}
	return words.Sentences(why, m.underOneLoad(), m.agrees(), m.excluded(), wouldTell(m.SettleWith))
}

// tooLittle says how little the run shows about a metric that may count nearly anything.
func (m Metric) tooLittle() string {
	counted, less := 0, 0
	for _, r := range m.Rivals {
		if r.Status != attribution.Unknown {
			counted++
			if !slices.Contains(m.Between, r.Quantity) {
				less++
			}
		}
	}
	of := fmt.Sprintf("any of the %d counted quantities", counted)
	switch {
	case less > 0:
		of = fmt.Sprintf("more than %d of the %d counted quantities", less, counted)
	case counted == 1:
		of = "the only counted quantity"
	}
	return "It moved too little or too unsteadily to exclude " + of
}

// underOneLoad states the ratio to rows of a metric that only one load has, which is all that is known.
func (m Metric) underOneLoad() string {
	i := slices.IndexFunc(m.Rivals, func(r Rival) bool { return r.Quantity == metric.RowsWritten })
	if i < 0 || !m.CannotTell() || m.Why == attribution.OneLoad { // said for all together
		return ""
	}
	known := slices.DeleteFunc(slices.Clone(m.Rivals[i].Loads), func(a LoadRatio) bool { return !a.Ratio.Known() })
	switch {
	case len(known) != 1 || known[0].Ratio.Value <= 0:
		return ""
	case known[0].Ratio.Value < 1:
		return fmt.Sprintf("It is known in %s only: one for %s rows", known[0].Load,
			number.Ratio(1/known[0].Ratio.Value))
	default:
		return fmt.Sprintf("It is known in %s only: %s for each row", known[0].Load, known[0].Ratio.Ratio())
	}
}

func wouldTell(s *attribution.Settle) string {
	if s == nil {
		return ""
	}
	text := fmt.Sprintf("The load %s would tell: there %s differ", s.Load, words.Conjunction(s.Between))
	if number.Finite(s.Factor) {
		text += " by a factor of " + number.Ratio(s.Factor)
	}
	return text
}
