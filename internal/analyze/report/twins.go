package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/realiops/realiops/internal/analyze/attribution"
	"github.com/realiops/realiops/internal/analyze/catalog"
	"github.com/realiops/realiops/internal/analyze/drivers"
)

// Twin says whether two metrics of different services are the same number, as one is documented or was seen to be.
type Twin struct {
	Metric string `json:"metric"`
	Other  string `json:"other"`
	// Sameness is same, proportional (one ratio in all arms, but not one), different (it moves from arm to arm) or unsettled.
	Sameness string     `json:"sameness"`
	Ratio    *Estimate  `json:"ratio"`  // metric / other over all arms
	Spread   *Estimate  `json:"spread"` // the factor by which it varies between arms
	Arms     []RivalArm `json:"arms"`
	Why      *Missing   `json:"why,omitempty"` // there is no ratio
}

// twins are those that the catalog names and the run has both of.
func twins(run *drivers.Run) []Twin {
	all := []Twin{}
	known, err := catalog.Read()
	if err != nil {
		return all // it is part of the program, and tests read it
	}
	for _, t := range attribution.Compare(run, known.Twins(run.Header.Target.Flavor), attribution.Options{}) {
		twin := Twin{
			Metric: t.Metric, Other: t.Other, Sameness: string(t.Sameness), Ratio: estimate(t.Ratio), Spread: estimate(t.Spread),
			Arms: []RivalArm{}, Why: whyNot(t.Missing),
		}
		for _, a := range t.Arms {
			twin.Arms = append(twin.Arms, RivalArm{a.Arm, inArm(a)})
		}
		all = append(all, twin)
	}
	return all
}

// twinsTitle is the question that two services raise.
const twinsTitle = "Two names for one number?"

func (r Report) twinsText(width int) string {
	if len(r.Twins) == 0 {
		return ""
	}
	lines := []string{twinsTitle, ""}
	for _, t := range r.Twins {
		lines = append(lines, bulleted("- ", t.text(), width))
	}
	return strings.Join(lines, "\n")
}

// text says in one sentence what became of a pair.
func (t Twin) text() string {
	pair := short(t.Metric) + " and " + short(t.Other)
	switch t.Sameness {
	case string(attribution.Same):
		return fmt.Sprintf("%s are the same number: the ratio is %s in %d arms.", pair, t.span(), t.inArms())
	case string(attribution.Proportional):
		return fmt.Sprintf("%s go together and are not the same number: the first is %s of the second (%s, %s).",
			pair, quotient(t.Ratio.Value), t.Ratio.between(), percent(t.Ratio.Level))
	case string(attribution.Different):
		return fmt.Sprintf("%s are different numbers: the ratio of the first to the second goes %s.", pair, t.span())
	}
	if t.Ratio == nil {
		return fmt.Sprintf("Whether %s are the same number cannot be told: %s.", pair, t.whyNot())
	}
	return fmt.Sprintf("Whether %s are the same number cannot be told: the ratio is %s in %d arms.", pair, t.span(), t.inArms())
}

func (t Twin) whyNot() string {
	if t.Why == nil {
		return "no arm has both"
	}
	return t.Why.text()
}

func (t Twin) inArms() (n int) {
	for _, a := range t.Arms {
		if a.Ratio.Known() {
			n++
		}
	}
	return n
}

// span is from the least to the greatest ratio of any arm.
func (t Twin) span() string {
	var all []float64
	for _, a := range t.Arms {
		if a.Ratio.Known() {
			all = append(all, a.Ratio.Value)
		}
	}
	if len(all) == 0 {
		return "unknown"
	}
	least, greatest := quotient(slices.Min(all)), quotient(slices.Max(all))
	if least == greatest {
		return least
	}
	return "from " + least + " to " + greatest
}
