package report

import (
	"fmt"
	"slices"

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
	return document.Section{Title: "Two names for one number?", Blocks: []document.Block{sentences}}
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
