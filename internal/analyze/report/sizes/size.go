package sizes

import (
	"strings"
	"time"

	"github.com/realiops/realiops/internal/analyze/baseline"
	"github.com/realiops/realiops/internal/analyze/catalog"
	"github.com/realiops/realiops/internal/analyze/sizing"
	"github.com/realiops/realiops/internal/analyze/sizing/needs"
	"github.com/realiops/realiops/internal/metric"
	"github.com/realiops/realiops/internal/runfile"
	"github.com/realiops/realiops/internal/series"
)

// SizeSchema names the form of a size report.
const SizeSchema = "realiops.size/1"

// Size is the answer to sizing a run: its needs, the order and the options.
type Size struct {
	Schema   string           `json:"schema"`
	Run      SizeRun          `json:"run"`
	Needs    []SizeNeed       `json:"needs"` // of every load
	Sized    Sized            `json:"sized"`
	Passing  *sizing.Passing  `json:"machine_must_pass"` // null: the class that was asked for does, or it cannot be told
	Cautions []string         `json:"cautions"`          // of the need, before it is ordered for
	Order    *SizeOrder       `json:"order"`             // what to order in short; null: nothing is known to carry it
	Options  []SizeOption     `json:"options"`           // those that carry it first, by cost where that is known
	Aurora   *SizeAurora      `json:"aurora"`            // nil: rows or bytes of WAL are not known
	Misread  *SizeMisread     `json:"misread"`           // what sizing from WAL records would have led to
	Spreads  []catalog.Spread `json:"distributed"`
	Sources  []metric.Source  `json:"sources"` // of the limits and prices above
	Warnings []string         `json:"warnings"`
	Machines []SizeMachine    `json:"machines,omitempty"` // of the class that was asked for, whose price is in no option
	Omitted  []string         `json:"not_in_the_need"`

	Apart []SizeApart `json:"ordered_apart"` // of a server with several volumes, each by itself

	Baseline *SizeBaseline `json:"baseline"` // nil: no device was measured to hold it against

	basis    int    // so many cautions, the first, are of what the order rests on
	inAurora string // the region of its prices, where that is not the one that was asked for
}

// SizeRun is the run that was sized from; its id is empty where the need was said.
type SizeRun struct {
	ID       string         `json:"id"`
	Target   runfile.Target `json:"target"`
	Observed bool           `json:"observed"` // its loads are kinds of load that were seen, and that nobody ran
}

// SizeNeed is the demand of one load on storage.
type SizeNeed struct {
	Run     string          `json:"run,omitempty"` // where there are several
	Load    string          `json:"load"`
	Model   string          `json:"model,omitempty"` // why the device was not read: the rates are a model's
	Missing *series.Missing `json:"missing,omitempty"`
	Mean    *needs.Rate     `json:"mean"` // all that it caused, for each second of the load
	Lowest  *needs.Rate     `json:"lowest"`
	Highest *needs.Rate     `json:"highest"`
	Seconds int             `json:"seconds"` // that peaks rest on
	// how many seconds each of them is long: 1, or the period of a source
	Each float64 `json:"each"`
	// of single seconds, as are the next four; those after the load are among them
	MeanSecond *needs.Rate `json:"mean_second"`
	P95        *needs.Rate `json:"p95"`
	P99        *needs.Rate `json:"p99"`
	PeakSecond *needs.Rate `json:"peak_second"`
	PeakMinute *needs.Rate `json:"peak_minute"`
	Rows       *float64    `json:"rows"` // a second, as are the others
	Commits    *float64    `json:"commits"`
	WALRecords *float64    `json:"wal_records"`
	// How many of the logical things there are for one request of the device, on average; null: not known.
	RowsPerRequest    *float64 `json:"rows_per_request"`
	RecordsPerRequest *float64 `json:"wal_records_per_request"`
}

// Sized is the basis on which the options were chosen.
type Sized struct {
	Load          string     `json:"load"`
	Basis         string     `json:"basis"` // p99 or as was asked, mean, model or said
	Factor        float64    `json:"factor"`
	Law           []string   `json:"law"`
	Headroom      float64    `json:"headroom_percent"`
	GiB           float64    `json:"gib"`
	DefaultGiB    bool       `json:"default_gib"` // nobody said how much data there is
	Region        string     `json:"region"`
	DefaultRegion bool       `json:"default_region"` // nobody said whose prices count
	Currency      string     `json:"currency"`
	Instance      string     `json:"instance,omitempty"` // that was asked for
	Rate          needs.Rate `json:"rate"`               // headroom not included
	Least         needs.Rate `json:"least"`
	// for how long a server was observed that the order rests on, without what is missing; none: loads were run
	Observed float64 `json:"observed_seconds,omitempty"`
	// Balances of credits at the start, but for buckets taken to be full.
	Balances []SizeBalance `json:"balances"`
	Runs     []SizedRun    `json:"runs"` // rate and least are the most of each number among them
}

// SizedRun is the need of one of the runs, or of one of the loads of an observation.
type SizedRun struct {
	ID     string     `json:"id"`
	Load   string     `json:"load"`
	Basis  string     `json:"basis"`
	Factor float64    `json:"factor"`
	Rate   needs.Rate `json:"rate"`
	Least  needs.Rate `json:"least"`
	// Above counts the seconds that asked for more than rate with headroom, before any scaling; null: no seconds
	// are known.
	Above *int `json:"seconds_above"`
}

// SizeBalance is the fill level of a credit bucket at the start.
type SizeBalance struct {
	Of      string     `json:"of"` // volume or instance
	Percent float64    `json:"percent"`
	Metric  string     `json:"metric,omitempty"` // of the run that tells it; none: it was said
	At      *time.Time `json:"at"`
}

// SizeMachine is the cost of the machine class without its storage.
type SizeMachine struct {
	sizing.MachineCost
	AsOf string `json:"prices_as_of,omitempty"`
}

// SizeCredits is the course of the demand on a size with credits, for the requested time.
type SizeCredits struct {
	GiB     float64 `json:"gib"`
	Tier    string  `json:"tier,omitempty"`
	Seconds int     `json:"seconds"`        // that were played
	Start   float64 `json:"start_percent"`  // of the bucket that was empty first, or else came nearest to it
	Lowest  float64 `json:"lowest_percent"` // of it
	Left    float64 `json:"left_percent"`   // of it, at the end
	// which one that was: operations or bytes, of the volume or of the instance
	Bucket    string     `json:"bucket"`
	Dry       *int       `json:"dry_at"` // the second in which it was first empty; null: never
	Throttled int        `json:"throttled_seconds"`
	DrySecs   int        `json:"dry_seconds"`
	Served    SizeServed `json:"served_dry"`     // on average over those; zeros: there are none
	Refills   float64    `json:"refill_seconds"` // without any demand, from empty to full
	Curve     SizeCurve  `json:"curve"`
	Monthly   *float64   `json:"monthly"`
	AsOf      string     `json:"prices_as_of,omitempty"`
}

// SizeServed is the traffic served per second, in the provider's accounting.
type SizeServed struct {
	Operations float64 `json:"operations"`
	Bytes      float64 `json:"bytes"`
}

// SizeCurve is the course of the demand over time in columns: means over a stretch, and the balance at its end of
// the bucket that is emptiest.
type SizeCurve struct {
	Second     []int     `json:"second"` // with which the stretch begins
	Demanded   []float64 `json:"demanded_operations"`
	Served     []float64 `json:"served_operations"`
	DemandedMB []float64 `json:"demanded_mb"`
	ServedMB   []float64 `json:"served_mb"`
	Balance    []float64 `json:"balance_percent"`
}

// SizeAurora predicts the load's metrics and cost on Aurora.
type SizeAurora struct {
	WriteIOPS    *float64   `json:"write_iops"`    // WAL records a second
	BilledWrites [3]float64 `json:"billed_writes"` // a second: at least, as estimated, at most
	BilledReads  float64    `json:"billed_reads"`  // a second, as estimated
	ReadsSpan    [2]float64 `json:"billed_reads_span"`
	// a second; nil: not counted, and billed reads follow from what the device read
	PagesAsked  *float64    `json:"pages_asked"`
	Calibration string      `json:"calibration"`
	Calibrated  string      `json:"calibrated_by,omitempty"` // the run of one's own; none: it was published
	IOCost      *[3]float64 `json:"io_cost"`                 // a month
	// The whole cluster a month, with one instance of the class that was asked for; null: no such price is known.
	Standard  *[3]float64 `json:"standard"`
	Optimized *float64    `json:"optimized"`              // the same on I/O-Optimized, whatever the I/O
	BreakEven *float64    `json:"break_even"`             // I/O in money from which on that is cheaper
	AsOf      string      `json:"prices_as_of,omitempty"` // of all these
}

// SizeMisread is the order that would follow from taking the WAL records for I/O.
type SizeMisread struct {
	Requests float64  `json:"requests"` // a second
	Factor   float64  `json:"factor"`   // of the device's
	Cheapest *float64 `json:"cheapest"` // a month; nil: nothing carries it, or no price is known
	Volume   string   `json:"volume,omitempty"`
	AsOf     string   `json:"prices_as_of,omitempty"` // of cheapest
	IOCost   *float64 `json:"aurora_io_cost"`         // a month, were each billed
	// IOCostAsOf are the dates of the prices in aurora_io_cost.
	IOCostAsOf string `json:"aurora_io_cost_prices_as_of,omitempty"`
}

// machine returns the class that was asked for, as its provider says it in short.
func (s Sized) machine() string { return strings.TrimPrefix(s.Instance, "Standard_") }

// Behind names the machine that was asked for.
func (s Sized) Behind() string {
	if s.Instance == "" {
		return ""
	}
	return " behind one " + s.machine()
}

// SizeOption is one way to carry it.
type SizeOption struct {
	Volume   string `json:"volume"`
	Title    string `json:"title"`
	Provider string `json:"provider"`
	// carries, unknown, held-back (by the machine), unasked (hard disks), too-small
	Standing string  `json:"standing"`
	Why      string  `json:"why,omitempty"` // it does not carry it, or is not known to
	Tier     string  `json:"tier,omitempty"`
	Disks    int     `json:"disks,omitempty"` // of this size and make that are striped; none: one
	GiB      float64 `json:"gib,omitempty"`
	IOPS     float64 `json:"iops,omitempty"`    // bought beside the size
	MiBps    float64 `json:"mibps,omitempty"`   // likewise
	MBps     float64 `json:"mbps,omitempty"`    // the same in MB of 10^6, where it is sold so
	Volumes  int     `json:"volumes,omitempty"` // that the provider stripes it over
	// operations and MiB a second, for good; null: it cannot, or no limit is published
	Carries *[2]float64 `json:"carries"`
	Binding string      `json:"binding,omitempty"`
	// that the provider counts: where it merges all it can, and where nothing
	Operations [2]float64  `json:"operations"`
	Monthly    *float64    `json:"monthly"`
	Span       *[2]float64 `json:"monthly_span"` // what monthly may come to; null: it is no estimate
	Currency   string      `json:"currency,omitempty"`
	Region     string      `json:"region"` // whose prices count
	// from the oldest to the newest date of those in monthly
	AsOf     string `json:"prices_as_of,omitempty"`
	Inferred bool   `json:"inferred,omitempty"` // one of them was, so that it ranks no order
	// of a day for which the machine carries it by its burst alone
	OnCredits  float64           `json:"on_credits_seconds,omitempty"`
	Bill       []sizing.BillLine `json:"bill"`    // what monthly is made of
	Sources    []string          `json:"sources"` // keys, of the limits
	NoPrice    string            `json:"no_price,omitempty"`
	Instance   *sizing.Cap       `json:"instance"`
	Credits    *SizeCredits      `json:"credits"` // a smaller size that credits carry; null: none, or not known
	Bare       *SizeCredits      `json:"bare"`    // the smallest that holds the data, where its credits do not last
	Note       string            `json:"note,omitempty"`
	Unverified string            `json:"unverified,omitempty"`
}

// SizeOrder is the order in short.
type SizeOrder struct {
	SizeChosen
	If string `json:"if,omitempty"` // what is not known and must hold for it
	// what carries it, too, at a price that is not known, or inferred
	Also []SizeChosen `json:"also"`
	// the cheapest that is one volume; null: the order is, or none carries it
	Single *SizeChosen `json:"one_volume"`
	// gp3 that is raised for the hours of the need; null: it lasts all day
	Raised *SizeRaised `json:"raised"`
	// the cheapest of another kind; null: nothing else is known to carry it
	Next *SizeChosen `json:"next"`
	// of a day for which the machine carries it by its burst alone
	OnCredits float64  `json:"on_credits_seconds,omitempty"`
	Decides   string   `json:"decides"`
	Changes   []string `json:"changes"` // what another load, other data or more knowledge would do to it

	unranked bool // no price holds it against others
	grown    bool // it is larger than its data, for what it does
}

// SizeRaised is an order that has what a batch needs only while it runs.
type SizeRaised struct {
	SizeChosen
	Hours float64 `json:"hours"` // of a day that it stays raised
}

// SizeChosen is one order.
type SizeChosen struct {
	Volume   string   `json:"volume"`
	Title    string   `json:"title"`           // with the name of the size, where sizes have names
	Disks    int      `json:"disks,omitempty"` // that are striped, each as it stands here; none: one
	GiB      float64  `json:"gib"`
	IOPS     float64  `json:"iops,omitempty"`  // bought beside the size
	MiBps    float64  `json:"mibps,omitempty"` // likewise
	MBps     float64  `json:"mbps,omitempty"`  // the same in MB of 10^6, where it is sold so
	Monthly  *float64 `json:"monthly"`
	Currency string   `json:"currency,omitempty"`
	Region   string   `json:"region"`                 // whose prices count
	AsOf     string   `json:"prices_as_of,omitempty"` // from the oldest to the newest date of its prices
	Inferred bool     `json:"inferred,omitempty"`     // a price in it was, so that it ranks no order

	unpriced string // the unit whose price is missing; empty: it has none of its own, or nothing is missing
	regions  bool   // its price names its region: it is one of several, or nobody named it
}

// SizeBaseline compares the sized need with a device that was measured.
type SizeBaseline struct {
	ID      string           `json:"id"` // of the baseline's run
	Storage runfile.Storage  `json:"storage"`
	Fits    *bool            `json:"fits"`        // null: it cannot be told
	First   string           `json:"binds_first"` // empty: nothing can be told
	Bounds  []baseline.Bound `json:"bounds"`
	// Throttled: the device slowed down for good while it was measured, and this is about what it gave after that.
	Throttled bool `json:"throttled"`
}

// SizeApart is the order for one of several volumes.
type SizeApart struct {
	Volume
	Rate  *needs.Rate `json:"rate"` // that is sized for, headroom not included; null: see Why
	GiB   float64     `json:"gib,omitempty"`
	Order *SizeChosen `json:"order"` // null: nothing is known to carry it, or see Why
	Why   string      `json:"why,omitempty"`
}

// Volume holds each load's demand on one volume of a server that keeps WAL, tablespaces or temporary files apart.
type Volume struct {
	Name    string       `json:"volume"` // by what it holds: WAL, data and temporary files
	Devices []string     `json:"devices"`
	Shared  bool         `json:"shared,omitempty"` // another volume has some of the devices, too
	Loads   []VolumeLoad `json:"loads"`
}

// VolumeLoad is one load's demand on a volume per second, less the background.
type VolumeLoad struct {
	Load    string          `json:"load"`
	Mean    *needs.Rate     `json:"mean"`   // null: see Missing
	Lowest  *needs.Rate     `json:"lowest"` // of the repetitions
	Highest *needs.Rate     `json:"highest"`
	Missing *series.Missing `json:"missing,omitempty"`
}
