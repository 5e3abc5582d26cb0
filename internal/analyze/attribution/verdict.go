package attribution

import (
	"github.com/realiops/realiops/internal/analyze/counts"
	"github.com/realiops/realiops/internal/runfile"
	"github.com/realiops/realiops/internal/series"
)

// Kind classifies a metric by the work that it counts.
type Kind string

// The kinds of verdict.
const (
	Logical    Kind = "logical"     // what the database was asked to do, and its WAL records
	Requested  Kind = "requested"   // what was asked of the operating system, where a cache may answer
	Physical   Kind = "physical"    // what storage has to do
	NotLogical Kind = "not_logical" // requested or physical, or some of both: which, nobody can tell, or both for certain
	Mixed      Kind = "mixed"       // logical work, and other
	Silent     Kind = "silent"      // load does not move it
	CannotTell Kind = "cannot_tell"
)

// Or returns what is true of a metric of which one of two verdicts is: that there is no logical work in it, where neither has any.
func (k Kind) Or(other Kind) Kind {
	noLogicalWork := func(k Kind) bool { return k == Requested || k == Physical || k == NotLogical }
	switch {
	case k == other:
		return k
	case noLogicalWork(k) && noLogicalWork(other):
		return NotLogical
	default:
		return CannotTell
	}
}

// Verdicts holds the verdicts on all metrics of a run.
type Verdicts struct {
	Metrics  []Verdict // by name
	Warnings []Warning // about the run as a whole
}

// Verdict names the quantity that one metric counts, with the evidence.
type Verdict struct {
	Metric  runfile.Metric `json:"-"`
	Derived string         `json:"-"` // how it was computed from others; empty: read as it is
	Kind    Kind           `json:"verdict"`

	// Counts is the one quantity that the metric counts; empty where a mixture, several quantities or none can be named.
	Counts  string    `json:"counts,omitempty"`
	PerUnit *Estimate `json:"per_unit"` // what the metric shows for one of Counts
	Exact   bool      `json:"exact"`    // one to one in every repetition, as far as counters resolve
	// Between are the quantities that this run cannot tell apart for this metric, those among them that it did not record
	// and would not have told apart. With a Kind other than CannotTell they are all on one side.
	Between []string `json:"between"`
	// Tied are quantities of the same side that this run cannot tell from Counts, which is what PostgreSQL documents.
	Tied []string `json:"tied,omitempty"`

	ToDevice *ToDevice `json:"to_device,omitempty"` // of requested reads: how much of them the device did; nil: it was not seen

	Mixture *Mixture `json:"mixture"` // nil: not a mixture

	Rivals     []Rival   `json:"-"`             // every quantity of this run, in the order of counts.All
	SettleWith *Settle   `json:"settle_with"`   // the load that would decide; nil: nothing is open, or no load would help
	Why        string    `json:"why,omitempty"` // in one sentence, for a verdict of CannotTell or Silent
	Warnings   []Warning `json:"warnings"`
}

// Estimate is a number with its interval.
type Estimate struct {
	Value float64 `json:"value"`
	Lo    float64 `json:"lo"` // the interval that holds the true value with probability Level
	Hi    float64 `json:"hi"`
	Level float64 `json:"level"`
	N     int     `json:"n"` // loads that it rests on
}

// Status says what became of a quantity as an explanation of a metric.
type Status string

// What can become of a quantity.
const (
	Consistent Status = "consistent" // the ratio is the same in all loads, within the tolerance
	Possible   Status = "possible"   // it may be: the interval reaches over the tolerance
	Excluded   Status = "excluded"   // the ratio moves from load to load
	Unknown    Status = "unknown"    // the run does not have the quantity where it has the metric
	Itself     Status = "itself"     // the quantity is computed from this very metric
)

// Rival is one quantity held against a metric.
type Rival struct {
	Quantity string      `json:"quantity"`
	Side     counts.Side `json:"side"`
	Status   Status      `json:"status"`
	// Modelled: the quantity was not counted but computed from the work, and its error is in the intervals.
	Modelled bool `json:"modelled,omitempty"`
	// Spread is the factor by which the ratio varies between loads beyond its variation within them; nil: there are not
	// two loads. Without an upper end it is infinite.
	Spread *Estimate `json:"spread"`
	Ratio  *Estimate `json:"ratio"` // metric / quantity over all loads
	// Beaten is, of an excluded quantity, the one that makes what was seen so much more likely; empty: its own spread
	// excludes it.
	Beaten string `json:"beaten,omitempty"`
	// Difference is, of an excluded quantity, that of two loads which excludes it; nil: none.
	Difference *Difference     `json:"difference,omitempty"`
	Loads      []LoadRatio     `json:"-"`             // in the order of the run's loads, idle ones left out
	Why        *series.Missing `json:"why,omitempty"` // with Unknown
}

// LoadRatio is metric / quantity in one load: the geometric mean of its repetitions, from the lowest to the highest.
type LoadRatio struct {
	Load            string
	Value           float64
	Lowest, Highest float64
	N               int // repetitions; 0: see Missing
	Missing         *series.Missing
}

// Mixture is a sum of quantities, each with its coefficient. One of a single term is nearly that quantity, and not all of it.
type Mixture struct {
	Terms []Term `json:"terms"`
	// Off is the typical factor by which the mixture misses a load that it was not fitted to.
	Off float64 `json:"off"`
}

// Term is one quantity of a mixture.
type Term struct {
	Quantity string      `json:"quantity"`
	Side     counts.Side `json:"side"`
	PerUnit  Estimate    `json:"per_unit"`
	Share    float64     `json:"share"` // of what the metric shows, on average over the loads
	// Or are quantities that could stand in its place: this run cannot tell them apart in a sum.
	Or []string `json:"or"`
}

// Settle is a load that would decide between quantities.
type Settle struct {
	Load    string   `json:"load"`    // by its name in the plan identify
	Between []string `json:"between"` // the quantities that it parts
	Factor  float64  `json:"factor"`  // by which their ratio in that load differs from their ratio in the loads that were run
}

// Warning is something that whoever believes a verdict should know.
type Warning struct {
	Code string `json:"code"` // of one kind of warning, for programs
	Text string `json:"text"`
}
