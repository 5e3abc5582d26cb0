package report

import (
	"slices"
	"time"

	"github.com/realiops/realiops/internal/analyze/attribution"
	"github.com/realiops/realiops/internal/analyze/counts"
	"github.com/realiops/realiops/internal/analyze/document"
	"github.com/realiops/realiops/internal/analyze/report/sizes"
	"github.com/realiops/realiops/internal/analyze/report/words"
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

// New makes the report of a run, with the verdict on each of its metrics.
func New(run *counts.Run, verdicts attribution.Verdicts) Report {
	r := Report{
		Schema:  Schema,
		Run:     describe(run),
		Loads:   loads(run),
		Metrics: judge(metrics(run), verdicts),
	}
	r.Headline = headline(run, r.Loads, r.Metrics)
	r.Observed = observed(run)
	r.Pairs, r.Volumes = comparedPairs(run), sizes.Volumes(run)
	r.Warnings = warnings(run, r)
	r.Warnings = r.warnedOf(verdicts)
	return r
}

// warnedOf adds what the verdicts warn of, unless there is a word on it already, or nothing to judge.
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
