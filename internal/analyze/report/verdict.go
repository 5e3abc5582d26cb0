package report

import (
	"cmp"
	"slices"
	"strings"

	"github.com/realiops/realiops/internal/analyze/attribution"
	"github.com/realiops/realiops/internal/analyze/number"
	"github.com/realiops/realiops/internal/analyze/report/figure"
)

// Rival is one quantity, compared with the metric.
type Rival struct {
	attribution.Rival
	Loads []LoadRatio `json:"loads"`
}

// LoadRatio is a ratio in one load as a figure, in which an infinite ratio is missing.
type LoadRatio struct {
	Load  string `json:"load"`
	Ratio Figure `json:"ratio"`
}

// judge sets the verdicts of the metrics. A metric without one is CannotTell.
func judge(metrics []Metric, verdicts attribution.Verdicts) []Metric {
	byName := map[string]attribution.Verdict{}
	for _, v := range verdicts.Metrics {
		byName[v.Metric.Name] = v
	}
	for i := range metrics {
		m := &metrics[i]
		v, judged := byName[m.Metric]
		if !judged {
			v = attribution.Verdict{Kind: attribution.CannotTell, Why: "it was not judged"}
		}
		if v.Mixture != nil {
			mixture := *v.Mixture
			mixture.Terms = slices.SortedStableFunc(slices.Values(mixture.Terms), func(a, b attribution.Term) int {
				return cmp.Compare(b.Share, a.Share)
			})
			v.Mixture = &mixture
		}
		m.Verdict = v
		for _, r := range v.Rivals {
			m.Rivals = append(m.Rivals, Rival{r, ratios(r.Loads)})
		}
		if v.Kind == attribution.Logical && !m.itself() {
			m.Misnomer = claim(*m)
		}
	}
	return metrics
}

func ratios(loads []attribution.LoadRatio) (all []LoadRatio) {
	for _, a := range loads {
		f := Figure{Value: a.Value, Lowest: a.Lowest, Highest: a.Highest, N: a.N, Missing: a.Missing}
		if !number.Finite(f.Value) || !number.Finite(f.Lowest) || !number.Finite(f.Highest) {
			f = Figure{Missing: figure.OutOfBounds()}
		}
		all = append(all, LoadRatio{a.Load, f})
	}
	return all
}

// iops is the most misleading claim.
const iops = "IOPS"

// claim returns the kind of storage I/O that a metric's name and unit claim; empty if none.
func claim(m Metric) string {
	name := strings.ToUpper(m.Metric)
	switch {
	case strings.Contains(name, iops), strings.Contains(name, "IOSPS"):
		return iops
	case strings.Contains(name, "WRITE"):
		return "writes"
	case m.Unit == "operations":
		return "operations"
	default:
		return ""
	}
}
