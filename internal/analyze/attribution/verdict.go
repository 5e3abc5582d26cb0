package attribution

import (
	"fmt"
	"slices"
	"strings"

	"github.com/realiops/realiops/internal/analyze/counts"
	"github.com/realiops/realiops/internal/analyze/number"
	"github.com/realiops/realiops/internal/metric"
	"github.com/realiops/realiops/internal/runfile"
	"github.com/realiops/realiops/internal/series"
)

// Kind classifies a metric by the work that it counts.
type Kind string

// The kinds of verdict.
const (
	Logical    Kind = "logical"     // what the database was asked to do, and its WAL records
	Requested  Kind = "requested"   // requests to the operating system, which a cache may answer
	Physical   Kind = "physical"    // what storage has to do
	NotLogical Kind = "not_logical" // requested or physical, or both
	Mixed      Kind = "mixed"       // logical work and other work
	Silent     Kind = "silent"      // load does not move it
	CannotTell Kind = "cannot_tell"
)

// Or returns the kind that holds if either of two kinds does: NotLogical if neither has logical work.
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

// Verdict says what one metric counts, with the evidence.
type Verdict struct {
	Metric  runfile.Metric `json:"-"`
	Derived string         `json:"-"` // how it was computed from others; empty: read as it is
	Kind    Kind           `json:"verdict"`

	// Counts is the one quantity that the metric counts; empty for a mixture, several quantities or none.
	Counts  metric.Quantity `json:"counts,omitempty"`
	PerUnit *Estimate       `json:"per_unit"` // the metric's amount per unit of Counts
	Exact   bool            `json:"exact"`    // equal in every repetition, as far as the counters resolve
	// Between are the quantities that this run cannot tell apart for this metric, including unrecorded ones that it
	// could not have told apart. Unless Kind is CannotTell, all are on one side.
	Between []metric.Quantity `json:"between"`
	// Tied are quantities of the same side that this run cannot tell from Counts, which PostgreSQL documents.
	Tied []metric.Quantity `json:"tied,omitempty"`

	ToDevice *ToDevice `json:"to_device,omitempty"` // for requested reads: how many reached the device; nil: unknown

	Mixture *Mixture `json:"mixture"` // nil: not a mixture

	Rivals     []Rival   `json:"-"`             // every quantity of this run, in the order of counts.All
	SettleWith *Settle   `json:"settle_with"`   // the load that would decide; nil: nothing is open, or none would
	Why        string    `json:"why,omitempty"` // one sentence, for CannotTell or Silent
	Warnings   []Warning `json:"warnings"`
}

// Estimate is a number with its interval.
type Estimate struct {
	Value float64 `json:"value"`
	Lo    float64 `json:"lo"` // interval that holds the true value with probability Level
	Hi    float64 `json:"hi"`
	Level float64 `json:"level"`
	N     int     `json:"n"` // number of loads
}

// Status is how far a quantity can explain a metric.
type Status string

// The statuses of a quantity.
const (
	Consistent Status = "consistent" // the ratio is the same in all loads, within the tolerance
	Possible   Status = "possible"   // the interval includes the tolerance
	Excluded   Status = "excluded"   // the ratio varies between loads
	Unknown    Status = "unknown"    // the run lacks the quantity where it has the metric
	Itself     Status = "itself"     // the quantity is computed from this metric
)

// Rival is a quantity compared with a metric.
type Rival struct {
	Quantity metric.Quantity `json:"quantity"`
	Side     counts.Side     `json:"side"`
	Status   Status          `json:"status"`
	// Modelled quantities were computed from the work; their intervals include the model's error.
	Modelled bool `json:"modelled,omitempty"`
	// Spread is the factor by which the ratio varies between loads beyond its variation within them; nil with fewer
	// than two loads. An absent upper end means infinity.
	Spread *Estimate `json:"spread"`
	Ratio  *Estimate `json:"ratio"` // metric / quantity over all loads
	// Beaten is the quantity that explains the metric so much better that this one is excluded; empty if its own spread
	// excludes it.
	Beaten metric.Quantity `json:"beaten,omitempty"`
	// Difference is the difference of two loads that excludes the quantity; nil if none.
	Difference *Difference     `json:"difference,omitempty"`
	Loads      []LoadRatio     `json:"-"`             // in the order of the run's loads, idle left out
	Why        *series.Missing `json:"why,omitempty"` // with Unknown
}

// LoadRatio is metric / quantity in one load: the geometric mean, the lowest and the highest of its repetitions.
type LoadRatio struct {
	Load                   string
	Value, Lowest, Highest float64
	N                      int // repetitions; if 0, see Missing
	Missing                *series.Missing
}

// Mixture is a sum of quantities with coefficients. A mixture of a single term is nearly that quantity.
type Mixture struct {
	Terms []Term `json:"terms"`
	// Off is the typical factor by which the mixture misses a left-out load.
	Off float64 `json:"off"`
}

// Term is one quantity of a mixture.
type Term struct {
	Quantity metric.Quantity `json:"quantity"`
	Side     counts.Side     `json:"side"`
	PerUnit  Estimate        `json:"per_unit"`
	Share    float64         `json:"share"` // of the metric, averaged over the loads
	// Or are quantities that could replace it: this run cannot tell them apart in a sum.
	Or []metric.Quantity `json:"or"`
}

// Settle is a load that would decide between quantities.
type Settle struct {
	Load    string            `json:"load"`    // by its name in the plan identify
	Between []metric.Quantity `json:"between"` // the quantities that it separates
	Factor  float64           `json:"factor"`  // how much their ratio changes in that load, against the loads that were run
}

// Warning is something to know before relying on a verdict.
type Warning struct {
	Code string `json:"code"` // kind of warning, for programs
	Text string `json:"text"`
}

// Difference is the effect of one change between two loads on a metric, at equal rows, and the effect that a quantity
// predicts. Both are relative to the load without the change.
type Difference struct {
	Load     string   `json:"load"`
	Without  string   `json:"without"`
	More     Estimate `json:"more"`
	Foretold Estimate `json:"foretold"`
}

// ToDevice is the number of device reads, or bytes read, per unit of a metric of requested reads, under the loads with
// the lowest and the highest ratio. The ratio is not fixed, because a cache answers some requests, or all.
type ToDevice struct {
	Of    metric.Quantity `json:"of"` // the quantity of the device
	Least RatioWith       `json:"least"`
	Most  RatioWith       `json:"most"`
}

// RatioWith is a ratio under a load.
type RatioWith struct {
	Load  string  `json:"load"`
	Ratio float64 `json:"ratio"`
}

// has reports whether a term is one of the quantities.
func (m *Mixture) has(quantities []metric.Quantity) bool {
	return m != nil && slices.ContainsFunc(m.Terms, func(t Term) bool { return slices.Contains(quantities, t.Quantity) })
}

// weighty is the share from which on a term counts for the side.
const weighty = 0.1

// named returns the quantities of which the metric counts one.
func (v Verdict) named() []metric.Quantity {
	if v.Counts != "" {
		return []metric.Quantity{v.Counts}
	}
	return v.Between
}

// conjoined lists quantities by their readable names.
func conjoined(names []metric.Quantity) string {
	var words []string
	for _, name := range names {
		words = append(words, name.Many())
	}
	return strings.Join(words, ", ")
}

func capital(s string) string { return strings.ToUpper(s[:1]) + s[1:] }

// perUnit writes a ratio in the direction that is easier to picture.
func perUnit(ratio float64, quantity metric.Quantity) string {
	if ratio > 0 && ratio < 0.5 {
		return fmt.Sprintf("one for about %s of %s", number.Short(1/ratio, 3), quantity)
	}
	return fmt.Sprintf("%s for one of %s", number.Short(ratio, 3), quantity)
}

const uncounted = "It was not counted under any load: "

// Unsure says in a few words why the run cannot tell what the metric counts.
func (v Verdict) Unsure() string {
	why, nowhere := strings.CutPrefix(v.Why, uncounted)
	switch {
	case !nowhere:
		return "this run cannot tell"
	case strings.Contains(why, "was reset"):
		return "it was reset, so this run cannot tell"
	default:
		return "no load counted it, so this run cannot tell"
	}
}
