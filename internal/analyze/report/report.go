package report

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/realiops/realiops/internal/analyze/attribution"
	"github.com/realiops/realiops/internal/analyze/counts"
	"github.com/realiops/realiops/internal/analyze/document"
	"github.com/realiops/realiops/internal/analyze/report/causes"
	"github.com/realiops/realiops/internal/analyze/report/purposes"
	"github.com/realiops/realiops/internal/analyze/report/relation"
	"github.com/realiops/realiops/internal/analyze/report/sizes"
	"github.com/realiops/realiops/internal/analyze/report/words"
	"github.com/realiops/realiops/internal/metric"
	"github.com/realiops/realiops/internal/printable"
	"github.com/realiops/realiops/internal/runfile"
)

// Schema names the form of a report. Fields are only added under the same name; none is removed or redefined.
const Schema = "realiops.report/1"

// Report is everything that a rendering shows.
type Report struct {
	Schema   string    `json:"schema"`
	Run      Run       `json:"run"`
	Loads    Loads     `json:"loads"`
	Metrics  Metrics   `json:"metrics"`
	Headline *Headline `json:"headline"` // nil: there is nothing to compare
	Warnings []Warning `json:"warnings"`
	Observed *Observed `json:"observed"`     // nil: the run put load on the server
	Pairs    []Pair    `json:"same_numbers"` // metrics of two services that are said to be one number

	File    string         `json:"-"`       // as the reader named it; empty: unknown
	Volumes []sizes.Volume `json:"volumes"` // of a server with several

	onlyDisks bool // no server: a history of a machine's disks
}

// WithSize is a report with the order, for a page.
type WithSize struct {
	Report
	Size *sizes.Size `json:"size"` // nil: the run does not show it
}

// Loads are all loads of the run, and Metrics all metrics that were read.
type (
	Loads   []Load
	Metrics []Metric
)

// Run identifies the measurement and its end.
type Run struct {
	ID              string         `json:"id"`
	Start           time.Time      `json:"start"`
	Status          string         `json:"status"` // complete, interrupted, failed, cut-off
	Cause           string         `json:"cause,omitempty"`
	Realiops        string         `json:"realiops"` // the version that measured
	Flavor          string         `json:"flavor"`
	Target          runfile.Target `json:"target"`
	Host            runfile.Host   `json:"host"`
	Plan            string         `json:"plan,omitempty"`
	Loads           int            `json:"loads"`
	Repetitions     int            `json:"repetitions"`
	LoadSeconds     float64        `json:"load_seconds"`
	Seed            uint64         `json:"seed"`
	IdleRepetitions int            `json:"idle_repetitions"`
	// OfServer: the device's requests are only those for this server's files.
	OfServer   bool   `json:"device_for_server,omitempty"`
	Provenance string `json:"provenance,omitempty"`
	// Origins lists the sources of figures that realiops did not read itself, by load.
	Origins []runfile.Origin `json:"origins,omitempty"`
	// SettingsChanged lists the target's settings that changed during the run.
	SettingsChanged []runfile.SettingChange `json:"settings_changed,omitempty"`
}

// Headline is the report in a sentence or two: the largest counter read as IOPS, what storage really did for the same
// work, and how far their ratio varies between loads.
type Headline struct {
	Text     string   `json:"text"`
	Metric   string   `json:"metric,omitempty"`    // called IOPS and counts logical work, if there is one
	Load     string   `json:"load"`                // with the largest number
	Loud     Counted  `json:"loud"`                // in Load
	Quiet    Counted  `json:"quiet"`               // in Load
	Smallest InLoad   `json:"smallest"`            // Loud per Quiet, in the load with the least
	Largest  InLoad   `json:"largest"`             // and with the most
	NoFactor []string `json:"no_factor,omitempty"` // loads in which the factor varies too much or is infinite

	ofServer bool
	unsteady []string // of NoFactor, with its known range

	Reads *HeadlineOfReads `json:"reads,omitempty"` // nil: no load reads, or the device was not counted
}

// Counted is the work of a load in one quantity.
type Counted struct {
	Quantity  metric.Quantity `json:"quantity"`
	PerSecond Figure          `json:"per_second"`
}

// HeadlineOfReads compares PostgreSQL's reads with the device's, under the load with the lowest ratio.
type HeadlineOfReads struct {
	Load   string `json:"load"`
	Asked  Figure `json:"asked_per_second"`  // pages
	Device Figure `json:"device_per_second"` // read requests
}

// Pair is two metrics of different services that are documented, or were observed, to be one number, and whether they
// are.
type Pair struct {
	attribution.Pair
	Loads []LoadRatio `json:"loads"`
}

// Warning is something to know before relying on the numbers.
type Warning struct {
	Code string `json:"code"`
	// Condition: it held during the whole run, and the numbers mean something else than they seem to.
	Condition bool `json:"condition"`
	// Rank says how far the numbers can still be trusted.
	Rank document.Rank `json:"rank"`
	Text string        `json:"text"`
}

// Observed describes an observation, in which we put no load on the server.
type Observed struct {
	WindowSeconds float64 `json:"window_seconds"`
	Windows       int     `json:"windows"`
	Whole         int     `json:"whole"` // with nothing missing
	Quiet         int     `json:"quiet"` // whole, with next to no writes
	Used          int     `json:"used"`  // in a kind of load
	// RowsPerSecond holds the row changes in all whole windows: inserted, updated, hot (of the updated), deleted,
	// index_entries. Kinds not counted are absent.
	RowsPerSecond map[string]float64 `json:"rows_per_second"`
	WAL           relation.WAL       `json:"wal"`
	Cost          *ObservedCost      `json:"cost"` // nil: not in the file
	Top           []causes.Top       `json:"top"`
	// nil: requests were not traced, and there was no base backup
	OtherPrograms *purposes.OverTime `json:"other_programs"`
}

// ObservedCost is the cost of observing, per minute.
type ObservedCost struct {
	Queries          float64 `json:"queries_per_minute"`
	WaitedSeconds    float64 `json:"waited_seconds_per_minute"`
	ProcessorSeconds float64 `json:"processor_seconds_per_minute"`
	Bytes            float64 `json:"bytes_per_minute"`
}

func (r Report) when() string {
	text := "Measured on " + r.Run.Start.UTC().Format("2 January 2006, 15:04 UTC")
	if r.Run.Realiops != "" && r.Run.Realiops != "none" && r.Run.Origins == nil {
		text += ", by realiops " + r.Run.Realiops
	}
	return text
}

// Place returns a suffix that says where the server ran, such as ", container"; empty if there is nothing to add.
func place(r Report) string {
	switch t := r.Run.Target; {
	case t.Kind == "container":
		return ", container" + words.InBrackets(t.Image)
	case t.Kind == "dsn" && t.Host != "":
		return ", at " + t.Host
	case t.Kind == "dsn", t.Kind == "":
		return ""
	case t.Kind == "history":
		if t.Cloud != nil {
			return ", from CloudWatch"
		}
		return ", from stored metrics"
	case t.Kind == "embedded":
		return ", started by realiops"
	default:
		return ", " + t.Kind
	}
}

// Server names the server with its version and place, or the disks of a machine without one.
func (r Report) Server() string { return r.server() + place(r) }

func (r Report) server() string {
	if r.onlyDisks {
		return "Disks of a machine"
	}
	return strings.TrimSpace(ServerName(r.Run.Flavor) + " " + r.Run.Target.Version)
}

func ServerName(flavor string) string {
	switch flavor {
	case "aurora":
		return "Aurora PostgreSQL"
	case "rds":
		return "RDS for PostgreSQL"
	default:
		return "PostgreSQL"
	}
}

// repetitions returns how often the loads were run; if none was measured, how often they were planned.
func (r Report) repetitions() string {
	switch fewest, most := r.Loads.measuredTimes(); {
	case most == 0:
		return printable.Counted(r.Run.Repetitions, "repetition")
	case fewest == most:
		return printable.Counted(most, "repetition")
	case fewest+1 == most:
		return fmt.Sprintf("%d or %s", fewest, printable.Counted(most, "repetition"))
	default:
		return fmt.Sprintf("%d to %s", fewest, printable.Counted(most, "repetition"))
	}
}

func (r Report) plusMinusLegend() string {
	_, most := r.Loads.measuredTimes()
	if r.Observed != nil {
		return "Means over the windows of each kind; ± half the range of up to six stretches."
	}
	if most == 1 {
		return "±? one repetition does not show the spread"
	}
	return fmt.Sprintf("Means of %s; ± half their range, including the background's.", r.repetitions())
}

// New makes the report of a run, with the verdict on each of its metrics.
func New(run *counts.Run, verdicts attribution.Verdicts) Report {
	r := Report{
		Schema: Schema, Run: describe(run), Loads: loads(run), Metrics: judge(metrics(run), verdicts),
	}
	r.Headline = headline(run, r.Loads, r.Metrics)
	r.Observed, r.onlyDisks = observed(run), run.Header.Target.Kind == "history" && hasOnlyDisks(run)
	r.Pairs, r.Volumes = comparedPairs(run), sizes.Volumes(run)
	r.Warnings = warnings(run, r)
	r.Warnings = r.warnedOf(verdicts)
	return r
}

// Judged makes the report of a run in which the named metrics are judged; nil: all.
func Judged(run *counts.Run, names []string) (Report, attribution.Verdicts) {
	if names == nil {
		names = run.MetricNames() // including those true by definition
	}
	verdicts := attribution.Judge(run, attribution.Options{Asked: names})
	return New(run, verdicts), verdicts
}

// OnScreen makes the report of a run for [Answer] and [Report.SoFar]. It judges the metrics that these show, and those
// also named; of a run with hundreds, that takes a fraction of the time.
func OnScreen(run *counts.Run, also []string) (Report, attribution.Verdicts) {
	names := run.MetricNames()
	shown := slices.DeleteFunc(slices.Clone(names), func(name string) bool {
		return !metric.All().First(name) && !metric.All().FirstOfReads(name) && claim(Metric{Metric: name}) != iops
	})
	contrasted := slices.ContainsFunc(run.Loads, func(l counts.Load) bool { return l.But != "" }) // any metric may be odd
	if len(names) > 2*roomFor && len(shown) > 0 && !contrasted {
		r, verdicts := Judged(run, slices.Concat(shown, also))
		if first, _ := r.firstScreen(); len(first.Metrics.judged()) > 0 {
			return r, verdicts
		}
	}
	return Judged(run, nil)
}

// warnedOf adds the warnings of the verdicts, unless their code is already there or there is nothing to judge.
func (r Report) warnedOf(verdicts attribution.Verdicts) []Warning {
	all := r.Warnings
	if len(r.Loads.Loaded()) == 0 {
		return all
	}
	for _, w := range verdicts.Warnings {
		if !slices.ContainsFunc(r.Warnings, func(earlier Warning) bool { return earlier.Code == w.Code }) {
			all = append(all, Warning{Code: w.Code, Rank: document.Note, Text: words.Sentences(w.Text)})
		}
	}
	return all
}

func describe(run *counts.Run) Run {
	h := run.Header
	status, cause := run.Ended.How()
	return Run{
		ID: h.ID, Start: h.Start, Status: status, Cause: cause, Realiops: h.Version, Flavor: h.Target.Flavor,
		Target: h.Target, Host: h.Host,
		Plan: h.Plan.Name, Loads: h.Plan.Loaded(), Repetitions: h.Plan.Repetitions, LoadSeconds: h.Plan.LoadSeconds,
		Seed:            h.Plan.Seed,
		IdleRepetitions: run.Idle.Repetitions, OfServer: run.OfServer, Provenance: h.Provenance, Origins: run.Origins,
		SettingsChanged: run.SettingChanges,
	}
}
