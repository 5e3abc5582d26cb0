package metric

import (
	"strings"

	"github.com/realiops/realiops/internal/runfile"
)

// Meaning is the documented meaning of a cloud service's metric on one flavor of server.
type Meaning struct {
	Metric    string  `json:"metric"`
	Service   string  `json:"service"`   // that shows it: cloudwatch, insights
	On        string  `json:"on"`        // flavor: aurora, rds, ebs
	Level     string  `json:"level"`     // instance, cluster, volume, machine
	Dimension string  `json:"dimension"` // that names the instance, cluster or volume
	Unit      string  `json:"unit"`
	Period    float64 `json:"period_seconds"` // the shortest that tells something
	Statistic string  `json:"statistic"`      // that answers how much
	Side      string  `json:"side"`           // logical, physical, or none where it is no amount of work
	Counts    string  `json:"counts"`
	Basis     Basis   `json:"basis"` // of side and counts
	Means     string  `json:"means"`
	// of another service, by its name in a run file: documented or seen to show the same
	SameAs  string   `json:"same_as,omitempty"`
	Delay   string   `json:"delay,omitempty"`
	Traps   []string `json:"traps,omitempty"`
	Shown   []Shown  `json:"shown,omitempty"`
	Sources []string `json:"sources"` // keys

	// of which the document says that the metric shows one for each
	Says       Quantity `json:"-"`
	Statistics []string `json:"-"` // that are asked for, the one that answers how much first
	Only       Having   `json:"-"` // the servers that have it; empty: all of the flavor
	Unread     bool     `json:"-"` // it is explained, and no probe asks for it
	Caveat     string   `json:"-"` // where its name misleads, for a run file
	UnderLoad  bool     `json:"-"` // it has points only while there is load
	// for which it was seen to show the same, where that is longer than a period
	Steps float64 `json:"steps_seconds,omitempty"`
}

// Summed reports whether the metric is a sum over a period, and no rate.
func (m Meaning) Summed() bool {
	return strings.HasSuffix(m.Unit, "in 5 minutes") || m.Statistic == "Sum"
}

// Basis is the kind of evidence behind a reading of a metric.
type Basis string

// What a reading may rest on.
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

// What some metrics take.
const (
	Serverless      Having = "serverless"
	Provisioned     Having = "provisioned"
	Burstable       Having = "a burstable class"
	LocalDisk       Having = "a local NVMe disk"
	LogVolume       Having = "a dedicated log volume"
	GeneralPurpose2 Having = "gp2"
)

// Services of AWS, and the flavors of server that they tell of, as names in run files begin and as people call them.
const (
	CloudWatch = "cloudwatch"
	Insights   = "insights"
)

var services = map[string]string{CloudWatch: "CloudWatch", Insights: "Performance Insights"}

// Service returns what people call a service: CloudWatch.
func Service(name string) string { return services[name] }

var flavors = map[string]string{"aurora": "Aurora", "rds": "RDS", "ebs": "EBS"}

// Flavor returns what people call a kind of server: Aurora.
func Flavor(name string) string { return flavors[name] }

// The periods in which services publish, in seconds.
const (
	Minute      = 60
	FiveMinutes = 300 // of a cluster's volume
	Hour        = 3600
)

// Name returns the metric's name in a run file: cloudwatch/WriteIOPS.
func (m Meaning) Name() string { return m.Service + "/" + m.Metric }

// The factors by which a service's units become base units, and what such a number is in a run file. A kilobyte of
// Performance Insights is one of iostat's.
var factors = map[string]struct {
	unit  string
	scale float64
}{
	"milliseconds": {"seconds", 1e-3}, "microseconds": {"seconds", 1e-6}, "kibibytes": {"bytes", 1024},
	"kilobytes": {"bytes", 1024},
}

// InBase returns the base unit of the metric in a run file, what its kind is there, and by how much the service's
// numbers are multiplied to be in it.
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

// ofCloud tells by its name whether a service of a cloud shows a metric.
func ofCloud(name string) bool {
	view, _, _ := strings.Cut(name, "/")
	service, _, _ := strings.Cut(view, ".")
	return services[service] != ""
}
