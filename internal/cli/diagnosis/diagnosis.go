// Package diagnosis predicts what a run could conclude on a target, from one reading of each of its sources.
//
// [New] asks the analysis itself: it makes the records that a run would leave if all its readings were like that one,
// and checks which quantities can be counted from them. So nothing here knows how a quantity is computed, and a run
// keeps every promise made here. A [Diagnosis] is its own JSON, and [Diagnosis.Document] renders it as text.
//
// The package asks no server.
package diagnosis

import (
	"fmt"
	"slices"
	"strings"

	"github.com/realiops/realiops/internal/analyze/attribution"
	"github.com/realiops/realiops/internal/analyze/counts"
	"github.com/realiops/realiops/internal/analyze/report"
	"github.com/realiops/realiops/internal/measure/postgres"
	"github.com/realiops/realiops/internal/measure/probe"
	"github.com/realiops/realiops/internal/metric"
	"github.com/realiops/realiops/internal/runfile"
)

// Schema names the version of the JSON. Fields may be added to it.
const Schema = "realiops.doctor/1"

// Subject holds the facts about a target.
type Subject struct {
	Target   runfile.Target
	Clock    runfile.Clock
	Refusals []string // why a run would not begin; empty: it would
	Cautions []Caution
	Probes   []Probe
	// Settings lists the settings of the database and the role for our sessions.
	Settings []postgres.SessionSetting
	Disk     *Disk // nil if no disk was observed
	AWS      *AWS  // nil if AWS is not asked
	// Remedy returns one sentence of advice about a gap, or "".
	Remedy func(runfile.Gap) string
	Advise func(probe.Remedy) string // in the words of this server
}

// Probe is one reading of one probe.
type Probe struct {
	Name    string
	Metrics []runfile.Metric
	Values  map[string]float64
	Gaps    []runfile.Gap
}

// Diagnosis lists the conclusions that a run could draw on the target.
type Diagnosis struct {
	Schema     string         `json:"schema"`
	Concludes  bool           `json:"concludes"` // a run would begin, and could tell logical work from physical
	Refusals   []string       `json:"refusals,omitempty"`
	Target     runfile.Target `json:"target"`
	Clock      runfile.Clock  `json:"clock"` // the server's
	Quantities []Quantity     `json:"quantities"`
	Sources    []Source       `json:"sources"`
	Cautions   []Caution      `json:"cautions"`
	// Settings lists the settings of the database and the role for our sessions.
	Settings []postgres.SessionSetting `json:"session_settings,omitempty"`
	Disk     *Disk                     `json:"disk,omitempty"`
	AWS      *AWS                      `json:"aws,omitempty"`
}

// Quantity is one way to count the work, and whether a run here would know it. No metric can be
// found to count an unknown one.
type Quantity struct {
	Name  metric.Quantity `json:"quantity"`
	Side  counts.Side     `json:"side"`
	Unit  string          `json:"unit"`
	Help  string          `json:"help"`
	Known bool            `json:"known"`
	// Modelled means that it would not be counted, but computed from the clients' work.
	Modelled bool     `json:"modelled,omitempty"`
	Missing  *Missing `json:"missing,omitempty"`
}

// Missing says why something is unknown, in the terms of a gap.
type Missing struct {
	Reason string `json:"reason"`
	Code   string `json:"code,omitempty"`
	Detail string `json:"detail,omitempty"`
}

// Source is one view of the server, or another probe.
type Source struct {
	Name string `json:"source"`
	Read int    `json:"read"`    // metrics with a value
	Of   int    `json:"metrics"` // metrics in any version
	Gaps []Gap  `json:"gaps"`
}

// Gap lists the metrics that a source lacks for one reason.
type Gap struct {
	Missing
	Metrics []string          `json:"metrics"`
	Costs   []metric.Quantity `json:"costs"` // quantities that would be known without it
	Remedy  string            `json:"remedy,omitempty"`
}

// Caution is a condition that makes numbers misleading, with its remedy.
type Caution struct {
	Code   string `json:"code"`
	Text   string `json:"text"`
	Remedy string `json:"remedy,omitempty"`
}

// New draws the conclusions.
func New(s Subject) Diagnosis {
	for i, p := range s.Probes {
		s.Probes[i] = p.spelled()
	}
	run := rehearse(s.Target, s.Probes, nil)
	d := Diagnosis{
		Schema: Schema, Refusals: s.Refusals, Target: s.Target, Clock: s.Clock,
		Quantities: known(run), Cautions: []Caution{}, Settings: s.Settings, Disk: s.Disk, AWS: s.AWS,
	}
	for _, p := range s.Probes {
		d.Sources = append(d.Sources, sourcesOf(p, s.Remedy)...)
	}
	for _, source := range d.Sources {
		for i, gap := range source.Gaps {
			source.Gaps[i].Costs = costs(s, gap.Metrics, d.unknown())
		}
	}
	// Add the warnings that a run's report would begin with, as far as known now. An unknown
	// device is listed among the sources.
	for _, w := range report.New(run, attribution.Verdicts{}).Warnings {
		if w.Condition && w.Code != "device-unknown" {
			d.Cautions = append(d.Cautions, Caution{Code: w.Code, Text: w.Text, Remedy: s.Advise(remedies[w.Code])})
		}
	}
	d.Cautions = append(d.Cautions, s.Cautions...)
	d.Concludes = len(s.Refusals) == 0 && d.tellsSidesApart()
	return d
}

// tellsSidesApart reports whether a quantity is known on either side. WAL bytes alone are not physical: they follow
// the rows, whatever reaches the storage. On Aurora nothing else reaches it.
func (d Diagnosis) tellsSidesApart() bool {
	on := func(side counts.Side) bool {
		return slices.ContainsFunc(d.Quantities, func(quantity Quantity) bool {
			return quantity.Known && quantity.Side == side &&
				(quantity.Name != metric.WALBytes || d.Target.Flavor == "aurora")
		})
	}
	return on(counts.Logical) && on(counts.Physical)
}

func (d Diagnosis) unknown() (names []metric.Quantity) {
	for _, quantity := range d.Quantities {
		if !quantity.Known {
			names = append(names, quantity.Name)
		}
	}
	return names
}

// known returns all quantities, each with the run's data on it.
func known(run *counts.Run) (all []Quantity) {
	load := run.Loads[0]
	for _, d := range run.Quantities() {
		quantity := Quantity{Name: d.Name, Side: d.Side, Unit: d.Unit, Help: d.Help, Known: true, Modelled: d.Modelled}
		if _, err := d.Count(load, load.Repetitions[0]); err != nil {
			quantity.Known, quantity.Missing = false, missing(err)
		}
		if d.Modelled {
			quantity.Help += ", and off by at most " + within(run, d)
		}
		all = append(all, quantity)
	}
	return all
}

// within returns a model's error for each sort of load, with a confidence of 95 %.
func within(run *counts.Run, d counts.Quantity) string {
	var parts []string
	for _, a := range run.Loads {
		r := a.Repetitions[0]
		if n, err := d.Count(a, r); err == nil {
			parts = append(parts, fmt.Sprintf("%.2g%% under a load of %s", 100*2*d.StandardError(a, r)/n, a.Method))
		}
	}
	return strings.Join(parts, " and ")
}

// remedies maps the conditions that a report warns of to advice.
var remedies = map[string]probe.Remedy{
	"fsync-off":              {Setting: "fsync", Text: "set fsync = on, as a server that keeps its data has it"},
	"full-page-writes-off":   {Setting: "full_page_writes", Text: "set full_page_writes = on"},
	"checksums-under-way":    {Text: "wait until data_checksums is on"},
	"synchronous-commit-off": {Text: "set synchronous_commit = on, or remember that commits are not flushes here"},
	"ram":                    {Text: "keep the data directory, the WAL and every tablespace on a disk"},
	"device-unseen":          {Machine: true, Text: "run as the server's user, or as root"},
	"pooler":                 {Text: "connect to the server itself"},
}

// view returns the part of a metric's name before the slash.
func view(metric string) string {
	name, _, _ := strings.Cut(metric, "/")
	return name
}

// sourcesOf splits a probe by view, in the order of its metrics.
func sourcesOf(p Probe, remedy func(runfile.Gap) string) (all []Source) {
	for _, m := range p.Metrics {
		i := slices.IndexFunc(all, func(s Source) bool { return s.Name == view(m.Name) })
		if i < 0 {
			i = len(all)
			all = append(all, Source{Name: view(m.Name), Gaps: []Gap{}})
		}
		all[i].Of++
		if _, read := p.Values[m.Name]; read {
			all[i].Read++
		}
	}
	for _, gap := range p.Gaps {
		i := slices.IndexFunc(all, func(s Source) bool { return s.Name == view(gap.Metric) })
		if i >= 0 {
			all[i].add(gap, remedy(gap))
		}
	}
	return all
}

// add adds a metric to those missing for the same reason with the same remedy.
func (s *Source) add(gap runfile.Gap, remedy string) {
	why := Missing{Reason: string(gap.Reason), Code: gap.Code, Detail: gap.Detail}
	i := slices.IndexFunc(s.Gaps, func(g Gap) bool { return g.Missing == why && g.Remedy == remedy })
	if i < 0 {
		i = len(s.Gaps)
		s.Gaps = append(s.Gaps, Gap{Missing: why, Remedy: remedy})
	}
	s.Gaps[i].Metrics = append(s.Gaps[i].Metrics, gap.Metric)
}

// costs returns the unknown quantities that would be known if these metrics were read.
func costs(subject Subject, metrics []string, unknown []metric.Quantity) []metric.Quantity {
	found := []metric.Quantity{}
	for _, d := range known(rehearse(subject.Target, subject.Probes, metrics)) {
		if d.Known && slices.Contains(unknown, d.Name) {
			found = append(found, d.Name)
		}
	}
	return found
}

// spelled replaces a gap of the whole probe by gaps of its metrics.
func (p Probe) spelled() Probe {
	var gaps []runfile.Gap
	for _, gap := range p.Gaps {
		if gap.Metric != "" {
			gaps = append(gaps, gap)
			continue
		}
		for _, m := range p.Metrics {
			gap.Metric = m.Name
			gaps = append(gaps, gap)
		}
	}
	p.Gaps = gaps
	return p
}
