package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/realiops/realiops/internal/analyze/agreement"
	"github.com/realiops/realiops/internal/analyze/attribution"
	"github.com/realiops/realiops/internal/analyze/number"
	"github.com/realiops/realiops/internal/analyze/report/words"
	"github.com/realiops/realiops/internal/metric"
	"github.com/realiops/realiops/internal/printable"
)

// agrees states whether the metric counts what its document says, which is weaker than a verdict; empty if no document
// describes it in quantities of this run.
func (m Metric) agrees() string {
	d := m.Document
	if d == nil {
		return ""
	}
	says := d.Quantity.Many()
	if d.Some {
		says = "some of the " + says
	}
	switch {
	case d.Says == agreement.NotTested && !m.CannotTell():
		return "" // the verdict says more
	case d.Says == agreement.NotTested:
		return fmt.Sprintf("%s says %s. That was not tested: %s", words.Capital(d.Document), says, d.Why)
	case d.Says == agreement.Contradicts && d.Refuted.Ratio == nil:
		return fmt.Sprintf("It contradicts %s, which says %s: it counted none under %s", d.Document, says,
			d.Refuted.Load)
	case d.Says == agreement.Contradicts:
		return fmt.Sprintf("It contradicts %s, which says %s: %s for each under %s", d.Document, says,
			number.Ratio(*d.Refuted.Ratio), d.Refuted.Load)
	case d.Some:
		return fmt.Sprintf("It agrees with %s: %s, in %s", d.Document, says, printable.Counted(d.Loads, "load"))
	}
	ratio, interval := estimated(attribution.Estimate{Value: d.Ratio.Value, Lo: d.Ratio.Lo, Hi: d.Ratio.Hi})
	return fmt.Sprintf("It agrees with %s: %s, %s (%s) in %s", d.Document, says, ratio, interval,
		printable.Counted(d.Loads, "load"))
}

func (m Metric) contradictsItsDocument() bool {
	return m.Document != nil && m.Document.Says == agreement.Contradicts
}

// excluded names the work that a metric without a verdict is often taken for but does not count, and how much of the
// documented meaning remains possible.
func (m Metric) excluded() string {
	if m.Document == nil || m.contradictsItsDocument() {
		return ""
	}
	var names words.Gathered
	var left []string
	for _, r := range m.Rivals {
		switch {
		case r.Status == attribution.Consistent:
			left = append(left, r.Quantity.Many())
		case r.Status == attribution.Excluded &&
			slices.Contains([]metric.Quantity{metric.RowsWritten, metric.Entries, metric.Statements, metric.Commits}, r.Quantity):
			names.Add(r.because(), r.Quantity.Many())
		}
	}
	if len(names.Said) == 0 {
		return ""
	}
	text := "It does not count " + strings.Join(names.Sentences(func(names, why string) string {
		return words.Enumerated(strings.Split(names, ", "), " or ") + why
	}), ", nor ")
	if m.Document.Says == agreement.NotTested && len(left) > 0 {
		text += ". Among the counted quantities, it may be " + words.Enumerated(left, " or ")
	}
	return text
}

// because returns the figure that excludes a quantity, in brackets.
func (r Rival) because() string {
	switch {
	case r.Difference != nil && number.Finite(r.Difference.More.Value):
		return fmt.Sprintf(" (at equal rows %s more in %s)", words.Percent(r.Difference.More.Value), r.Difference.Load)
	case r.Spread != nil && number.Finite(r.Spread.Value):
		return fmt.Sprintf(" (the ratio varies %s-fold)", number.Ratio(number.Rounded(r.Spread.Value, r.Spread.Value/200)))
	}
	return ""
}

func (ms Metrics) contradictory() []string {
	return ms.grouped(func(m Metric) []string {
		if !m.contradictsItsDocument() {
			return nil
		}
		return []string{words.Sentences(m.agrees())}
	})
}
