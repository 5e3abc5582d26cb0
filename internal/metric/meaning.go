package metric

import (
	"strings"

	"github.com/realiops/realiops/internal/runfile"
)

// Meaning is the documented meaning of a cloud service's metric on one flavor of server.
type Meaning struct {
	Metric    string  `json:"metric"`
	Service   string  `json:"service"`   // cloudwatch, insights
	On        string  `json:"on"`        // flavor: aurora, rds, ebs
	Level     string  `json:"level"`     // instance, cluster, volume, machine
	Dimension string  `json:"dimension"` // of the instance, cluster or volume
	Unit      string  `json:"unit"`
	Period    float64 `json:"period_seconds"` // the shortest useful one
	Statistic string  `json:"statistic"`      // the one for amounts
	Side      string  `json:"side"`           // logical, requested, physical, or none if it is no amount of work
	Counts    string  `json:"counts"`
	Basis     Basis   `json:"basis"` // of side and counts
	Means     string  `json:"means"`
	// of another service, by its name in a run file: documented or observed to be the same number
	SameAs  string   `json:"same_as,omitempty"`
	Delay   string   `json:"delay,omitempty"`
	Traps   []string `json:"traps,omitempty"`
	Shown   []Shown  `json:"shown,omitempty"`
	Sources []string `json:"sources"` // keys

	// that the metric equals, by its document
	Says       Quantity `json:"-"`
	Statistics []string `json:"-"` // requested ones, the one for amounts first
	Only       Having   `json:"-"` // the servers that have it; empty: all of the flavor
	Unread     bool     `json:"-"` // explained, but read by no probe
	Caveat     string   `json:"-"` // for run files, if its name is misleading
	UnderLoad  bool     `json:"-"` // it has points only under load
	// how long it was observed to stay the same, if longer than a period
	Steps float64 `json:"steps_seconds,omitempty"`
}

// Summed reports whether the metric is a sum over a period, as opposed to a rate.
func (m Meaning) Summed() bool {
	return strings.HasSuffix(m.Unit, "in 5 minutes") || m.Statistic == "Sum"
}

// Basis is the kind of evidence for a meaning.
type Basis string

// The kinds of evidence.
const (
	Documented Basis = "documented" // the vendor says so
	Measured   Basis = "measured"   // others have published measurements
	Inferred   Basis = "inferred"   // it follows from other documented facts
)

// Shown is the evidence of a published run about a metric.
type Shown struct {
	Text   string `json:"text"`
	Source string `json:"source"` // key
}

// Having is a feature that a server needs for a metric to be shown.
type Having string

// Features that some metrics need.
const (
	Serverless      Having = "serverless"
	Provisioned     Having = "provisioned"
	Burstable       Having = "a burstable class"
	LocalDisk       Having = "a local NVMe disk"
	LogVolume       Having = "a dedicated log volume"
	GeneralPurpose2 Having = "gp2"
)

// Services of AWS and flavors of server: prefixes of names in run files, with their usual names.
const (
	CloudWatch = "cloudwatch"
	Insights   = "insights"
)

var services = map[string]string{CloudWatch: "CloudWatch", Insights: "Performance Insights"}

// Service returns the usual name of a service: CloudWatch.
func Service(name string) string { return services[name] }

var flavors = map[string]string{"aurora": "Aurora", "rds": "RDS", "ebs": "EBS"}

// Flavor returns the usual name of a kind of server: Aurora.
func Flavor(name string) string { return flavors[name] }

// The periods in which services publish, in seconds.
const (
	Minute      = 60
	FiveMinutes = 300 // of a cluster's volume
	Hour        = 3600
)

// Name returns the metric's name in a run file: cloudwatch/WriteIOPS.
func (m Meaning) Name() string { return m.Service + "/" + m.Metric }

// The factors from a service's units to base units, and the type of such a number in a run file. A kilobyte of
// Performance Insights is one of iostat's.
var factors = map[string]struct {
	unit  string
	scale float64
}{
	"milliseconds": {"seconds", 1e-3}, "microseconds": {"seconds", 1e-6}, "kibibytes": {"bytes", 1024},
	"kilobytes": {"bytes", 1024},
}

// InBase returns the metric's type and base unit in a run file, and the factor from the service's unit.
func (m Meaning) InBase() (kind runfile.MetricType, unit string, scale float64) {
	unit, per, _ := strings.Cut(m.Unit, " per ")
	unit = strings.TrimSuffix(unit, " in 5 minutes")
	kind, scale = runfile.Gauge, 1
	switch {
	case per != "":
		kind = runfile.Rate
	case m.Statistic == runfile.Sum:
		kind = runfile.CountPerPeriod
	}
	if per == "minute" {
		scale = 1.0 / Minute
	}
	if base, other := factors[unit]; other {
		unit, scale = base.unit, scale*base.scale
	}
	if m.Service == Insights && kind == runfile.Rate {
		switch unit {
		case "requests":
			unit = "operations"
		case "commits":
			unit = "transactions"
		}
	}
	return kind, unit, scale
}

// Row returns the metric as a row of the table.
func (m Meaning) Row() Metric {
	kind, unit, _ := m.InBase()
	row := Metric{
		Name: m.Name(), Kind: kind, Unit: unit, Period: m.Period, Steps: m.Steps, Help: m.Counts, Caveat: m.Caveat,
		Source: m.document(), On: m.On, First: true, Matters: m.Side != NoSide, says: m.Says,
	}
	return row.As(services[m.Service] + " " + m.Metric)
}

// document returns the address of the documentation of the service's metrics for that flavor.
func (m Meaning) document() string {
	const guides = "https://docs.aws.amazon.com/AmazonRDS/latest/"
	switch {
	case m.Service == Insights && m.On == "aurora":
		return guides + "AuroraUserGuide/USER_PerfInsights_Counters.html"
	case m.Service == Insights:
		return guides + "UserGuide/USER_PerfInsights_Counters.html"
	case m.On == "aurora":
		return guides + "AuroraUserGuide/Aurora.AuroraMonitoring.Metrics.html"
	case m.On == "rds":
		return guides + "UserGuide/rds-metrics.html"
	default:
		return "https://docs.aws.amazon.com/ebs/latest/userguide/using_cloudwatch_ebs.html"
	}
}

// isCloud reports whether a name is of a cloud service's metric.
func isCloud(name string) bool {
	view, _, _ := strings.Cut(name, "/")
	service, _, _ := strings.Cut(view, ".")
	return services[service] != ""
}
