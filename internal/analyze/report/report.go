package report

import (
	"fmt"
	"time"

	"github.com/realiops/realiops/internal/analyze/attribution"
	"github.com/realiops/realiops/internal/analyze/document"
	"github.com/realiops/realiops/internal/analyze/report/causes"
	"github.com/realiops/realiops/internal/analyze/report/purposes"
	"github.com/realiops/realiops/internal/analyze/report/relation"
	"github.com/realiops/realiops/internal/analyze/report/sizes"
	"github.com/realiops/realiops/internal/analyze/report/words"
	"github.com/realiops/realiops/internal/printable"
	"github.com/realiops/realiops/internal/runfile"
)

// Schema names the form of a report. Fields are added under the same name; none is taken away or given another meaning.
const Schema = "realiops.report/1"

// Report is everything a rendering shows.
type Report struct {
	Schema   string    `json:"schema"`
	Run      Run       `json:"run"`
	Loads    Loads     `json:"loads"`
	Metrics  Metrics   `json:"metrics"`
	Headline *Headline `json:"headline"` // nil: there is nothing to compare
	Warnings []Warning `json:"warnings"`
	Observed *Observed `json:"observed"`     // nil: it put a load on the server
	Pairs    []Pair    `json:"same_numbers"` // metrics of two services that are said to be one number

	File    string         `json:"-"`       // by which whoever reads it has named the run; empty: it is not known
	Volumes []sizes.Volume `json:"volumes"` // of a server that has several
}

// WithSize is a report together with the order, for a page.
type WithSize struct {
	Report
	Size *sizes.Size `json:"size"` // nil: the run does not tell
}

// Loads are all that were put on the server, and Metrics all that were read.
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
	// OfServer: only requests for this server's files count as the device's.
	OfServer   bool   `json:"device_for_server,omitempty"`
	Provenance string `json:"provenance,omitempty"`
	// Origins lists the sources of figures that realiops did not read itself, load by load.
	Origins []runfile.Origin `json:"origins,omitempty"`
	// SettingsChanged lists the target's settings that changed during the run.
	SettingsChanged []runfile.SettingChange `json:"settings_changed,omitempty"`
}

// Headline is the whole report in a sentence or two: what the loudest counter would say if it were read as IOPS, what
// storage really did for the same work, and how far the two lie apart in one load and in another.
type Headline struct {
	Text     string   `json:"text"`
	Metric   string   `json:"metric,omitempty"`    // that is called IOPS and counts logical work, where there is one
	Load     string   `json:"load"`                // in which the loud counter is loudest
	Loud     Counted  `json:"loud"`                // there
	Quiet    Counted  `json:"quiet"`               // there
	Smallest InLoad   `json:"smallest"`            // how many loud for one quiet, in the load where that is least
	Largest  InLoad   `json:"largest"`             // and where it is most
	NoFactor []string `json:"no_factor,omitempty"` // loads in which it varies too much to be one, or has no end

	ofServer bool
	unsteady []string // of NoFactor, with its known range

	Reads *HeadlineOfReads `json:"reads,omitempty"` // nil: no load reads, or the device is out of sight
}

// Counted is one way of counting the work of a load.
type Counted struct {
	Quantity  string `json:"quantity"`
	PerSecond Figure `json:"per_second"`
}

// HeadlineOfReads sets PostgreSQL's reads against the device's, under the load in which the device did least for
// them.
type HeadlineOfReads struct {
	Load   string `json:"load"`
	Asked  Figure `json:"asked_per_second"`  // pages
	Device Figure `json:"device_per_second"` // read requests
}

// Pair is two metrics of different services that are documented, or were seen, to show the same number, and whether they do.
type Pair struct {
	attribution.Pair
	Loads []LoadRatio `json:"loads"`
}

// Warning is something that a reader must know before believing the numbers.
type Warning struct {
	Code string `json:"code"`
	// Condition: it was so during the whole run and makes all numbers speak of something else than they seem to.
	Condition bool `json:"condition"`
	// Rank grades how far the numbers can still be trusted.
	Rank document.Rank `json:"rank"`
	Text string        `json:"text"`
}

// Observed describes an observation, in which none of our loads ran on the server.
type Observed struct {
	WindowSeconds float64 `json:"window_seconds"`
	Windows       int     `json:"windows"`
	Whole         int     `json:"whole"` // nothing was missing in them
	Quiet         int     `json:"quiet"` // of the whole: next to nothing was written
	Used          int     `json:"used"`  // belong to a kind of load
	// RowsPerSecond holds the changes to rows in all whole windows: inserted, updated, hot (of the updated),
	// deleted, index_entries. Kinds that were not counted are absent.
	RowsPerSecond map[string]float64 `json:"rows_per_second"`
	WAL           relation.WAL       `json:"wal"`
	Cost          *ObservedCost      `json:"cost"` // nil: the file does not tell
	Top           []causes.Top       `json:"top"`
	// nil: requests were not followed, and no base backup was seen
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

// Place returns a suffix that tells where the server ran, such as ", container", or "" if there is nothing to add.
func Place(r Report) string {
	t := r.Run.Target
	switch {
	case t.Kind == "container":
		return ", container" + words.InBrackets(t.Image)
	case t.Kind == "dsn" && t.Host != "":
		return ", at " + t.Host
	case t.Kind == "dsn":
		return ""
	case t.Kind == "history":
		if t.Cloud != nil {
			return ", from CloudWatch"
		}
		return ", from stored metrics"
	default:
		return ", " + t.Kind
	}
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

// repetitions returns how often the loads were run; of a run without any that was measured, how often they were to be.
func (r Report) repetitions() string {
	fewest, most := r.Loads.measuredTimes()
	switch {
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
	fewest, most := r.Loads.measuredTimes()
	if r.Observed != nil {
		return "Means of the windows of each kind; ± half the range of up to six stretches of them."
	}
	n := fmt.Sprint(most)
	if fewest != most {
		n = fmt.Sprintf("%d to %d", fewest, most)
	}
	if most == 1 {
		return "±? one repetition does not show how far a figure varies"
	}
	return fmt.Sprintf("Means of %s repetitions; ± half their range, that of the background included.", n)
}
