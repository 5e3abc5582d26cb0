package attribution

import (
	"math"
	"slices"

	"github.com/realiops/realiops/internal/analyze/counts"
	"github.com/realiops/realiops/internal/analyze/stats"
	"github.com/realiops/realiops/internal/series"
)

// Sameness is the relation between two metrics.
type Sameness string

// The relations between two metrics.
const (
	Same         Sameness = "same"         // they are equal in every load
	Proportional Sameness = "proportional" // their ratio is constant and not one
	Different    Sameness = "different"    // their ratio varies between loads
	Unsettled    Sameness = "unsettled"    // the run is too short or too unsteady to tell
)

// Pair compares a metric with another that is said to be the same number.
type Pair struct {
	Metric   string    `json:"metric"`
	Other    string    `json:"other"`
	Sameness Sameness  `json:"sameness"`
	Ratio    *Estimate `json:"ratio"` // metric / other over all loads; nil: no load has both
	// factor by which the ratio varies between loads; nil: fewer than two loads have both
	Spread  *Estimate       `json:"spread"`
	Loads   []LoadRatio     `json:"-"`
	Missing *series.Missing `json:"why,omitempty"` // why there is no ratio
}

// equalLoads is the number of loads needed to show how two metrics move.
const equalLoads = 2

// sameNumber is the largest ratio between two sources of one number that are read at different moments.
const sameNumber = 1.03

// Compare compares metrics in pairs, and skips pairs of which the run lacks one.
func Compare(run *counts.Run, pairs [][2]string, options Options) (all []Pair) {
	if len(pairs) == 0 {
		return nil
	}
	j := &judge{evidence: newEvidence(run), options: options.forRun(run)}
	metrics := run.Metrics()
	find := func(name string) int {
		return slices.IndexFunc(metrics, func(m counts.Metric) bool { return m.Name == name })
	}
	for _, pair := range pairs {
		if one, other := find(pair[0]), find(pair[1]); one >= 0 && other >= 0 {
			all = append(all, j.pair(metrics[one], metrics[other]))
		}
	}
	return all
}

func (j *judge) pair(one, other counts.Metric) Pair {
	y, x := j.column(one, one.From, j.stepOf(one)), j.column(other, other.From, j.stepOf(other))
	if one.Unit == "operations" {
		y.leaveOutFew(x)
	}
	h := j.against(y, x, j.blank(y), held{})
	t := Pair{Metric: one.Name, Other: other.Name, Sameness: Unsettled, Ratio: h.Ratio, Spread: h.Spread,
		Loads: h.Loads, Missing: h.Why}
	near := !slices.ContainsFunc(h.groups.Of, func(g stats.Group) bool {
		return math.Abs(g.Mean) > math.Log(sameNumber)
	})
	switch {
	case len(h.loads) < equalLoads: // one load does not show how they move
	case near:
		t.Sameness = Same
	case h.Status == Excluded:
		t.Sameness = Different
	case h.bounded(mostSpread) && (h.Ratio.Lo > sameNumber || h.Ratio.Hi < 1/sameNumber):
		t.Sameness = Proportional
	}
	return t
}

// fewestOperations is a count large enough that it does not matter when either source began to count.
const fewestOperations = 1000

// leaveOutFew marks cells as missing in which both columns count next to nothing.
func (c column) leaveOutFew(other column) {
	for a := range c {
		for r := range c[a] {
			if of := &c[a][r]; of.missing == nil && other[a][r].missing == nil &&
				max(of.value, other[a][r].value) < fewestOperations {
				of.missing = &series.Missing{Reason: series.NeverRead, Detail: "there were too few to compare"}
			}
		}
	}
}
