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

// Size is the result of sizing a run: its needs, the order and the options.
type Size struct {
	Schema   string           `json:"schema"`
	Run      SizeRun          `json:"run"`
	Needs    []SizeNeed       `json:"needs"` // of every load
	Sized    Sized            `json:"sized"`
	Passing  *sizing.Passing  `json:"machine_must_pass"` // null: the requested class does, or it cannot be told
	Cautions []string         `json:"cautions"`          // about the need, before the order
	Order    *SizeOrder       `json:"order"`             // null: nothing is known to carry it
	Options  []SizeOption     `json:"options"`           // those that carry it first, by cost if known
	Aurora   *SizeAurora      `json:"aurora"`            // nil: rows or bytes of WAL are unknown
	Misread  *SizeMisread     `json:"misread"`           // what sizing by WAL records would have led to
	Spreads  []catalog.Spread `json:"distributed"`
	Sources  []metric.Source  `json:"sources"` // of the limits and prices above
	Warnings []string         `json:"warnings"`
	Machines []SizeMachine    `json:"machines,omitempty"` // of the requested class, not in the options' prices
	Omitted  []string         `json:"not_in_the_need"`

	Apart []SizeApart `json:"ordered_apart"` // of a server with several volumes, by volume

	Baseline *SizeBaseline `json:"baseline"` // nil: no measured device to compare with

	basis    int    // number of the first cautions, which are about the basis of the order
	inAurora string // the region of Aurora's prices, if not the requested one
}

// SizeRun is the run that was sized; its id is empty if the need was given.
type SizeRun struct {
	ID       string         `json:"id"`
	Target   runfile.Target `json:"target"`
	Observed bool           `json:"observed"` // its loads are kinds of load that were seen, not run
}

// SizeNeed is the need of one load.
type SizeNeed struct {
	Run     string          `json:"run,omitempty"` // id, if there are several
	Of      string          `json:"-"`             // name of the run, if there are several
	Load    string          `json:"load"`
	Model   string          `json:"model,omitempty"` // why the device was not read: the rates are a model's
	Missing *series.Missing `json:"missing,omitempty"`
	Mean    *needs.Rate     `json:"mean"` // everything that it caused, per second of the load
	Lowest  *needs.Rate     `json:"lowest"`
	Highest *needs.Rate     `json:"highest"`
	Seconds int             `json:"seconds"` // number of seconds for the peaks
	// their length in seconds: 1, or the period of a source
	Each float64 `json:"each"`
	// of single seconds, like the next four, including those after the load
	MeanSecond *needs.Rate `json:"mean_second"`
	P95        *needs.Rate `json:"p95"`
	P99        *needs.Rate `json:"p99"`
	PeakSecond *needs.Rate `json:"peak_second"`
	PeakMinute *needs.Rate `json:"peak_minute"`
	Rows       *float64    `json:"rows"` // per second, like the others
	Commits    *float64    `json:"commits"`
	WALRecords *float64    `json:"wal_records"`
	// Logical units per request of the device, on average; null if unknown.
	RowsPerRequest    *float64 `json:"rows_per_request"`
	RecordsPerRequest *float64 `json:"wal_records_per_request"`
}

// Sized is the need for which the options were chosen.
type Sized struct {
	Load          string     `json:"load"`
	Basis         string     `json:"basis"` // p99 or as requested, mean, model or said
	Factor        float64    `json:"factor"`
	Law           []string   `json:"law"`
	Headroom      float64    `json:"headroom_percent"`
	GiB           float64    `json:"gib"`
	DefaultGiB    bool       `json:"default_gib"` // nobody gave the size of the data
	Region        string     `json:"region"`
	DefaultRegion bool       `json:"default_region"` // nobody gave a region for prices
	Currency      string     `json:"currency"`
	Instance      string     `json:"instance,omitempty"` // requested
	Rate          needs.Rate `json:"rate"`               // without headroom
	Least         needs.Rate `json:"least"`
	// how long the server was observed, without gaps; absent if loads were run
	Observed float64 `json:"observed_seconds,omitempty"`
	// Balances are the credit buckets that are not full at the start.
	Balances []SizeBalance `json:"balances"`
	Runs     []SizedRun    `json:"runs"` // rate and least are the largest of each number among them
}

// SizedRun is the need of one run, or of one load of an observation.
type SizedRun struct {
	ID     string     `json:"id"`
	Name   string     `json:"-"`
	Load   string     `json:"load"`
	Basis  string     `json:"basis"`
	Factor float64    `json:"factor"`
	Rate   needs.Rate `json:"rate"`
	Least  needs.Rate `json:"least"`
	// Above counts the seconds above rate with headroom, before any scaling; null if no seconds are known.
	Above *int `json:"seconds_above"`
}

// SizeBalance is the fill level of a credit bucket at the start.
type SizeBalance struct {
	Of      string     `json:"of"` // volume or instance
	Percent float64    `json:"percent"`
	Metric  string     `json:"metric,omitempty"` // of the run that has it; empty: it was given
	At      *time.Time `json:"at"`
}

// SizeMachine is the cost of the machine class without its storage.
type SizeMachine struct {
	sizing.MachineCost
	AsOf string `json:"prices_as_of,omitempty"`
}

// SizeCredits simulates the demand on a size with credits, for the requested time.
type SizeCredits struct {
	GiB     float64 `json:"gib"`
	Tier    string  `json:"tier,omitempty"`
	Seconds int     `json:"seconds"`        // simulated
	Start   float64 `json:"start_percent"`  // of the bucket that was empty first, or came nearest to it
	Lowest  float64 `json:"lowest_percent"` // of that bucket
	Left    float64 `json:"left_percent"`   // of that bucket, at the end
	// that bucket: operations or bytes, of the volume or of the instance
	Bucket    string     `json:"bucket"`
	Dry       *int       `json:"dry_at"` // the second in which it was first empty; null: never
	Throttled int        `json:"throttled_seconds"`
	DrySecs   int        `json:"dry_seconds"`
	Served    SizeServed `json:"served_dry"`     // mean while dry; zeros if never
	Refills   float64    `json:"refill_seconds"` // without demand, from empty to full
	Curve     SizeCurve  `json:"curve"`
	Monthly   *float64   `json:"monthly"`
	AsOf      string     `json:"prices_as_of,omitempty"`
}

// SizeServed is the traffic served per second, as the provider counts it.
type SizeServed struct {
	Operations float64 `json:"operations"`
	Bytes      float64 `json:"bytes"`
}

// SizeCurve is the course of the demand over time, in columns: means over a stretch, and the balance of the emptiest
// bucket at its end.
type SizeCurve struct {
	Second     []int     `json:"second"` // at which the stretch begins
	Demanded   []float64 `json:"demanded_operations"`
	Served     []float64 `json:"served_operations"`
	DemandedMB []float64 `json:"demanded_mb"`
	ServedMB   []float64 `json:"served_mb"`
	Balance    []float64 `json:"balance_percent"`
}

// SizeAurora predicts the load's metrics and cost on Aurora.
type SizeAurora struct {
	WriteIOPS    *float64   `json:"write_iops"`    // WAL records per second
	BilledWrites [3]float64 `json:"billed_writes"` // per second: at least, estimated, at most
	BilledReads  float64    `json:"billed_reads"`  // per second, estimated
	ReadsSpan    [2]float64 `json:"billed_reads_span"`
	// per second; nil: not counted, and billed reads follow the device's reads
	PagesAsked  *float64    `json:"pages_asked"`
	Calibration string      `json:"calibration"`
	Calibrated  string      `json:"calibrated_by,omitempty"` // the user's own run; empty: published figures
	IOCost      *[3]float64 `json:"io_cost"`                 // per month
	// Monthly cost of the whole cluster, with one instance of the requested class; null if a price is unknown.
	Standard  *[3]float64 `json:"standard"`
	Optimized *float64    `json:"optimized"`              // the same on I/O-Optimized, whatever the I/O
	BreakEven *float64    `json:"break_even"`             // monthly cost of I/O from which on that is cheaper
	AsOf      string      `json:"prices_as_of,omitempty"` // of all these
}

// SizeMisread is the order that would follow from taking WAL records for I/O.
type SizeMisread struct {
	Requests float64  `json:"requests"` // per second
	Factor   float64  `json:"factor"`   // of the device's
	Cheapest *float64 `json:"cheapest"` // per month; nil: nothing carries it, or no price is known
	Volume   string   `json:"volume,omitempty"`
	AsOf     string   `json:"prices_as_of,omitempty"` // of cheapest
	IOCost   *float64 `json:"aurora_io_cost"`         // per month, if each was billed
	// IOCostAsOf has the dates of the prices in aurora_io_cost.
	IOCostAsOf string `json:"aurora_io_cost_prices_as_of,omitempty"`
}

// machine returns the requested class in its provider's short form.
func (s Sized) machine() string { return strings.TrimPrefix(s.Instance, "Standard_") }

// Behind names the requested machine.
func (s Sized) Behind() string {
	if s.Instance == "" {
		return ""
	}
	return " behind one " + s.machine()
}

// SizeOption is one way to carry the need.
type SizeOption struct {
	Volume   string `json:"volume"`
	Title    string `json:"title"`
	Provider string `json:"provider"`
	// carries, unknown, held-back (by the machine), unasked (hard disks), too-small
	Standing string  `json:"standing"`
	Why      string  `json:"why,omitempty"` // why it does not, or may not, carry the need
	Tier     string  `json:"tier,omitempty"`
	Disks    int     `json:"disks,omitempty"` // striped, each of this size; absent: one
	GiB      float64 `json:"gib,omitempty"`
	IOPS     float64 `json:"iops,omitempty"`    // bought beside the size
	MiBps    float64 `json:"mibps,omitempty"`   // bought beside the size
	MBps     float64 `json:"mbps,omitempty"`    // MB of 10^6, if sold so
	Volumes  int     `json:"volumes,omitempty"` // that the provider stripes it over
	// operations and MiB per second, sustained; null: it does not carry it, or no limit is published
	Carries *[2]float64 `json:"carries"`
	Binding string      `json:"binding,omitempty"`
	// as the provider counts them: with the most merging, and without
	Operations [2]float64  `json:"operations"`
	Monthly    *float64    `json:"monthly"`
	Span       *[2]float64 `json:"monthly_span"` // range of monthly; null: it is no estimate
	Currency   string      `json:"currency,omitempty"`
	Region     string      `json:"region"` // of the prices
	// dates of the prices in monthly, oldest and newest
	AsOf     string `json:"prices_as_of,omitempty"`
	Inferred bool   `json:"inferred,omitempty"` // a price was, so it ranks no order
	// per day, for which the machine carries it only by its burst
	OnCredits  float64           `json:"on_credits_seconds,omitempty"`
	Bill       []sizing.BillLine `json:"bill"`    // the lines of monthly
	Sources    []string          `json:"sources"` // keys, of the limits
	NoPrice    string            `json:"no_price,omitempty"`
	Instance   *sizing.Cap       `json:"instance"`
	Credits    *SizeCredits      `json:"credits"` // a smaller size that credits carry; null: none, or unknown
	Bare       *SizeCredits      `json:"bare"`    // the smallest that holds the data, if its credits do not last
	Note       string            `json:"note,omitempty"`
	Unverified string            `json:"unverified,omitempty"`
}

// SizeOrder is the order in short.
type SizeOrder struct {
	SizeChosen
	If string `json:"if,omitempty"` // unknown condition for it
	// others that carry it, at a price that is unknown or inferred
	Also []SizeChosen `json:"also"`
	// the cheapest single volume; null: the order is one, or none carries it
	Single *SizeChosen `json:"one_volume"`
	// gp3 raised for the hours of the need; null: it lasts all day
	Raised *SizeRaised `json:"raised"`
	// the cheapest of another kind; null: no other is known to carry it
	Next *SizeChosen `json:"next"`
	// per day, for which the machine carries it only by its burst
	OnCredits float64  `json:"on_credits_seconds,omitempty"`
	Decides   string   `json:"decides"`
	Changes   []string `json:"changes"` // the effect of another load, other data or more knowledge

	unranked bool // it has no price to compare
	grown    bool // larger than its data, for its performance
}

// SizeRaised is an order whose performance is raised only while a batch runs.
type SizeRaised struct {
	SizeChosen
	Hours float64 `json:"hours"` // per day, raised
}

// SizeChosen is one order.
type SizeChosen struct {
	Volume   string   `json:"volume"`
	Title    string   `json:"title"`           // with the name of the size, if it has one
	Disks    int      `json:"disks,omitempty"` // striped, each as given here; absent: one
	GiB      float64  `json:"gib"`
	IOPS     float64  `json:"iops,omitempty"`  // bought beside the size
	MiBps    float64  `json:"mibps,omitempty"` // bought beside the size
	MBps     float64  `json:"mbps,omitempty"`  // MB of 10^6, if sold so
	Monthly  *float64 `json:"monthly"`
	Currency string   `json:"currency,omitempty"`
	Region   string   `json:"region"`                 // of the prices
	AsOf     string   `json:"prices_as_of,omitempty"` // dates of its prices, oldest and newest
	Inferred bool     `json:"inferred,omitempty"`     // a price was, so it ranks no order

	unpriced string // the unit whose price is missing; empty: none is
	regions  bool   // its price names its region: there are several, or none was requested
}

// SizeBaseline compares the sized need with a measured device.
type SizeBaseline struct {
	ID      string           `json:"id"` // of the baseline's run
	Storage runfile.Storage  `json:"storage"`
	Fits    *bool            `json:"fits"`        // null: unknown
	First   string           `json:"binds_first"` // empty: unknown
	Bounds  []baseline.Bound `json:"bounds"`
	// Throttled: the device slowed down for good during the measurement, and this is about its rate after that.
	Throttled bool `json:"throttled"`
}

// SizeApart is the order for one of several volumes.
type SizeApart struct {
	Volume
	Rate  *needs.Rate `json:"rate"` // sized, without headroom; null: see Why
	GiB   float64     `json:"gib,omitempty"`
	Order *SizeChosen `json:"order"` // null: nothing is known to carry it, or see Why
	Why   string      `json:"why,omitempty"`
}

// Volume holds each load's demand on one volume of a server with separate WAL, tablespaces or temporary files.
type Volume struct {
	Name    string       `json:"volume"` // its contents: WAL, data and temporary files
	Devices []string     `json:"devices"`
	Shared  bool         `json:"shared,omitempty"` // another volume shares some of the devices
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
