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

// The ways in which two metrics can stand to each other.
const (
	Same         Sameness = "same"         // one shows what the other shows, in every load
	Proportional Sameness = "proportional" // their ratio is the same in all loads, and is not one
	Different    Sameness = "different"    // their ratio moves from load to load
	Unsettled    Sameness = "unsettled"    // the run is too short or too unsteady to tell
)

// Pair is one metric held against another that is said to be the same number.
type Pair struct {
	Metric   string    `json:"metric"`
	Other    string    `json:"other"`
	Sameness Sameness  `json:"sameness"`
	Ratio    *Estimate `json:"ratio"` // metric / other over all loads; nil: they have none in common
	// the factor by which it varies between loads; nil: they have fewer than two in common
	Spread  *Estimate       `json:"spread"`
	Loads   []LoadRatio     `json:"-"`
	Missing *series.Missing `json:"why,omitempty"` // why there is no ratio
}

// equalLoads are the loads that it takes to show how two metrics move.
const equalLoads = 2

// sameNumber is the largest ratio between two sources of the same number: they do not read at the same moments.
const sameNumber = 1.03

// Compare holds metrics against each other, in pairs, as a quantity is held against a metric. Pairs of which the run
// does not have both are left out.
func Compare(run *counts.Run, pairs [][2]string, options Options) []Pair {
	if len(pairs) == 0 {
		return nil
	}
	j := &judge{evidence: newEvidence(run), options: options.forRun(run)}
	metrics := run.Metrics()
	find := func(name string) int {
		return slices.IndexFunc(metrics, func(m counts.Metric) bool { return m.Name == name })
	}
	var all []Pair
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
	case len(h.loads) < equalLoads: // one load shows nothing of how they move
	case near:
		t.Sameness = Same
	case h.Status == Excluded:
		t.Sameness = Different
	case h.bounded(mostSpread) && (h.Ratio.Lo > sameNumber || h.Ratio.Hi < 1/sameNumber):
		t.Sameness = Proportional
	}
	return t
}

// fewestOperations are so many that it does not matter when either source began to count.
const fewestOperations = 1000

// leaveOutFew leaves out cells in which both columns have next to nothing.
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
