package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/realiops/realiops/internal/analyze/attribution"
	"github.com/realiops/realiops/internal/analyze/counts"
	"github.com/realiops/realiops/internal/analyze/document"
	"github.com/realiops/realiops/internal/analyze/number"
	"github.com/realiops/realiops/internal/analyze/report/words"
	"github.com/realiops/realiops/internal/metric"
)

// comparedPairs returns the pairs of the metric table of which the run has both.
func comparedPairs(run *counts.Run) (all []Pair) {
	for _, t := range attribution.Compare(run, metric.SameNumbers(run.Header.Target.Flavor), attribution.Options{}) {
		all = append(all, Pair{t, ratios(t.Loads)})
	}
	return all
}

// pairSection answers whether two services show the same number.
func (r Report) pairSection() document.Block {
	var sentences document.List
	for _, t := range r.Pairs {
		sentences = append(sentences, t.text(metric.VersionNum(r.Run.Target.Version)))
	}
	return document.Titled("Two names for one number?", sentences)
}

// text describes the relation of a pair in one sentence.
func (t Pair) text(version int) string {
	pair := metric.Printed(t.Metric, version) + " and " + metric.Printed(t.Other, version)
	switch t.Sameness {
	case attribution.Same:
		return fmt.Sprintf("%s are the same number: the ratio is %s under %d loads.", pair, t.span(), t.loads())
	case attribution.Proportional:
		return fmt.Sprintf("%s move together but are different numbers: the first is %s of the second (%s, %s).",
			pair, number.Ratio(t.Ratio.Value), between(*t.Ratio), number.Percent(t.Ratio.Level))
	case attribution.Different:
		return fmt.Sprintf("%s are different numbers: the ratio of the first to the second goes %s.", pair, t.span())
	}
	why := "no load has both"
	switch {
	case t.Ratio != nil:
		why = fmt.Sprintf("the ratio is %s under %d loads", t.span(), t.loads())
	case t.Missing != nil:
		why = words.WhyNot(t.Missing)
	}
	return fmt.Sprintf("This run cannot tell whether %s are the same number: %s.", pair, why)
}

func (t Pair) loads() (n int) {
	for _, a := range t.Loads {
		if a.Ratio.Known() {
			n++
		}
	}
	return n
}

// span returns the range of the ratio over the loads.
func (t Pair) span() string {
	var all []float64
	for _, a := range t.Loads {
		if a.Ratio.Known() {
			all = append(all, a.Ratio.Value)
		}
	}
	if len(all) == 0 {
		return "unknown"
	}
	least, greatest := number.Ratio(slices.Min(all)), number.Ratio(slices.Max(all))
	if least == greatest {
		return least
	}
	return "from " + least + " to " + greatest
}

// differences describes the effect of loads that equal others in all but one parameter, which a ratio over a whole load
// cannot see: the entries of one index more are 1% of the rows, and may cost a multiple of what is claimed.
func differences(run *counts.Run, metrics []Metric) (sentences []string) {
	for _, load := range run.Loads {
		if load.But == "" {
			continue
		}
		for _, m := range metrics {
			excluded := slices.DeleteFunc(slices.Clone(m.Rivals), func(r Rival) bool {
				return r.Difference == nil || r.Difference.Load != load.Name
			})
			if len(excluded) > 0 {
				sentences = append(sentences, differenceText(run, m, load, excluded))
			}
		}
	}
	return sentences
}

// differenceText compares a metric's increase in a load with the increase predicted by the excluded quantities, which
// it therefore does not count.
func differenceText(run *counts.Run, m Metric, load counts.Load, excluded []Rival) string {
	more := excluded[0].Difference.More
	text := fmt.Sprintf("%s differs from %s by %s", load.Name, load.Like, load.But)
	if load.MoreEntries > 0 {
		text += fmt.Sprintf(", which added %s index entries", number.Rate(float64(load.MoreEntries)))
	}
	amount := moreAtEqualRows(run, m.Metric, load)
	text += fmt.Sprintf(". At equal rows %s is %s higher: %s, from %s to %s (%s)", m.Name, number.Rate(amount),
		words.Percent(more.Value), words.Percent(more.Lo), words.Percent(more.Hi), number.Percent(more.Level))
	if load.MoreEntries > 0 {
		text += fmt.Sprintf(", or %s per entry", number.Significant(amount/float64(load.MoreEntries), 3))
	}
	var foretold, names []string
	for _, r := range excluded {
		foretold = append(foretold, words.Percent(r.Difference.Foretold.Value)+" by "+r.Quantity.Many())
		names = append(names, r.Quantity.Many())
	}
	return text + ". Expected: " + strings.Join(foretold, ", ") + ". It does not count " +
		strings.Join(names, " or ") + "."
}

// moreAtEqualRows returns how much more a metric shows in a load than in the load that it is like, beyond the
// difference in rows.
func moreAtEqualRows(run *counts.Run, name string, load counts.Load) float64 {
	other, _ := run.Load(load.Like)
	rows := run.Quantity(metric.RowsWritten)
	mean := func(a counts.Load, count counting) float64 {
		return over(a, func(r counts.Repetition) (float64, error) { return count(a, r) }).Value
	}
	of := func(_ counts.Load, r counts.Repetition) (float64, error) { return r.Count(name) }
	return mean(load, of) - mean(other, of)*mean(load, rows.Count)/mean(other, rows.Count)
}
