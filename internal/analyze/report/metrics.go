package report

import (
	"cmp"
	"slices"

	"github.com/realiops/realiops/internal/analyze/agreement"
	"github.com/realiops/realiops/internal/analyze/attribution"
	"github.com/realiops/realiops/internal/analyze/counts"
	"github.com/realiops/realiops/internal/analyze/report/figure"
	"github.com/realiops/realiops/internal/analyze/report/purposes"
	"github.com/realiops/realiops/internal/analyze/report/words"
	"github.com/realiops/realiops/internal/metric"
	"github.com/realiops/realiops/internal/series"
)

// Metric compares one counter with each load's work.
type Metric struct {
	Metric  string `json:"metric"` // as in the run file
	Name    string `json:"name"`   // as people write it, in this version of the server
	Unit    string `json:"unit"`
	Help    string `json:"help,omitempty"`
	Source  string `json:"source,omitempty"`  // where its meaning is documented
	Derived string `json:"derived,omitempty"` // how it was computed from others
	Moved   Moved  `json:"moved"`
	// Missing says why no load has a figure for it.
	Missing *series.Missing `json:"missing,omitempty"`
	// AcrossLoads are the ratios to References over all loads but idle ones. A metric counts the quantity to which it
	// keeps one ratio.
	AcrossLoads map[metric.Quantity]Span `json:"across_loads"`
	Loads       []MetricLoad             `json:"loads"`

	attribution.Verdict
	// Document compares the run with the metric's documentation; nil if that names nothing that the run counts.
	Document *agreement.Agreement `json:"document"`
	Rivals   []Rival              `json:"rivals"` // every quantity, compared with it
	// of a device metric, if each request was traced to its file
	Parts    purposes.Parts `json:"parts,omitempty"`
	made     []string       // of these, the ones in its row
	Misnomer string         `json:"misnomer,omitempty"` // what it is called although it counts logical work
}

// Span is the range of a ratio over the loads.
type Span struct {
	All      Figure `json:"all"`      // the mean of the loads' figures
	Smallest InLoad `json:"smallest"` // the load with the lowest ratio
	Largest  InLoad `json:"largest"`  // the load with the highest ratio
	// Without says why some load has no ratio although others have one.
	Without *series.Missing `json:"without,omitempty"`
}

// MetricLoad is a counter's growth under one load.
type MetricLoad struct {
	Load      string                     `json:"load"`
	PerSecond Figure                     `json:"per_second"`
	Per       map[metric.Quantity]Figure `json:"per"` // ratio to each of References

	amount Figure // of a load of unknown length
}

// shown returns the metric's rate, or else its amount.
func (a MetricLoad) shown() Figure {
	if a.PerSecond.Known() {
		return a.PerSecond
	}
	return a.amount
}

// Moved is whether load moved a metric.
type Moved string

// Whether load moved a metric.
const (
	Yes       Moved = "yes"       // in some load, in every repetition, whichever background is taken off
	No        Moved = "no"        // in no load
	Uncertain Moved = "uncertain" // it may be the background
	Unknown   Moved = "unknown"   // no load has a figure
)

// References returns the quantities that every metric is compared with.
func References() []metric.Quantity {
	return []metric.Quantity{metric.RowsWritten, metric.Entries, metric.WALRecords, metric.DeviceRequests}
}

func metrics(run *counts.Run) []Metric {
	references := words.Each(func(name metric.Quantity) counts.Quantity { return CountedAs(run, name) }, References())
	loads := words.Each(func(a counts.Load) measured { return newMeasured(a, references) }, run.Loads)
	return attribution.AtOnce(run.Metrics(), func(c counts.Metric) Metric { return newMetric(run, c, loads) })
}

func newMetric(run *counts.Run, c counts.Metric, loads []measured) Metric {
	m := Metric{
		Metric: c.Name, Name: metric.Printed(c.Name, metric.VersionNum(run.Header.Target.Version)), Unit: c.Unit,
		Help: c.Help, Source: c.Source, Derived: c.Derived,
		AcrossLoads: map[metric.Quantity]Span{}, Loads: []MetricLoad{}, Document: agreement.Of(run, c),
		Parts: purposes.PartsOf(run, c.Name),
	}
	for _, a := range loads {
		m.Loads = append(m.Loads, a.load(c))
	}
	m.Moved, m.made = moved(m.Loads), m.Parts.Lines(run.OfServer)
	m.Missing = missingEverywhere(m.Loads)
	for _, name := range References() {
		m.AcrossLoads[name] = acrossLoads(m.Loads, name)
	}
	return m
}

// measured is a load with its References.
type measured struct {
	counts.Load
	references []divisor // none if it is idle
}

func newMeasured(a counts.Load, references []counts.Quantity) measured {
	m := measured{Load: beforeEnds(a)}
	if !a.Idle() {
		m.references = words.Each(func(q counts.Quantity) divisor { return newDivisor(a, q) }, references)
	}
	return m
}

// load returns the metric's growth under the load.
func (a measured) load(c counts.Metric) MetricLoad {
	load := MetricLoad{Load: a.Name, Per: map[metric.Quantity]Figure{}}
	each := amounts(c.Count, a.Load)
	load.PerSecond = overEach(a.Load, func(n int, r counts.Repetition) (float64, error) {
		return r.PerSecond(each[n].get())
	})
	amount := overEach(a.Load, func(n int, _ counts.Repetition) (float64, error) { return each[n].get() })
	if !load.PerSecond.Known() {
		load.amount = amount
	}
	for _, d := range a.references {
		load.Per[d.name] = d.ratio(each, a.Load, amount)
	}
	return load
}

// moved considers the loads that have ratios: idle ones have none.
func moved(loads []MetricLoad) Moved {
	is := Unknown
	for _, a := range loads {
		switch f := a.shown(); {
		case len(a.Per) == 0 || !f.Known():
		case f.Lowest > figure.Resolution:
			return Yes
		case f.Highest > figure.Resolution:
			is = Uncertain
		case is == Unknown:
			is = No
		}
	}
	return is
}

// missingEverywhere returns nil if a load has a figure, else the reason of the first load that has repetitions.
func missingEverywhere(loads []MetricLoad) (why *series.Missing) {
	for _, a := range loads {
		if a.shown().Known() {
			return nil
		}
		if why == nil || why.Reason == leftOut {
			why = cmp.Or(a.PerSecond.Missing, why)
		}
	}
	return why
}

// acrossLoads returns the range of the ratios of all loads that have one.
func acrossLoads(loads []MetricLoad, name metric.Quantity) (span Span) {
	for _, a := range loads {
		switch f, compared := a.Per[name]; {
		case !compared, f.Missing != nil && f.Missing.Reason == leftOut: // an idle load, or one not measured
		case !f.Known() && span.Without == nil:
			span.Without = f.Missing
		case f.Known():
			extend(&span.Smallest, &span.Largest, InLoad{a.Load, f})
			span.All = span.All.Joined(f)
		}
	}
	if !span.All.Known() {
		span.All.Missing,
			span.Without = cmp.Or(span.Without, &series.Missing{Reason: leftOut, Detail: "no load was measured"}), nil
	}
	return span
}

// InLoad is a figure of one load.
type InLoad struct {
	Load   string `json:"load"`
	Figure Figure `json:"figure"`
}

// extend extends a range to a figure.
func extend(smallest, largest *InLoad, f InLoad) {
	if !smallest.Figure.Known() || f.Figure.Value < smallest.Figure.Value {
		*smallest = f
	}
	if !largest.Figure.Known() || f.Figure.Value > largest.Figure.Value {
		*largest = f
	}
}

// ranked sorts metrics by interest.
func ranked(metrics []Metric) []Metric {
	all := slices.Clone(metrics)
	slices.SortStableFunc(all, func(a, b Metric) int {
		return cmp.Compare(metric.Rank(a.Metric), metric.Rank(b.Metric))
	})
	return all
}

// itself reports whether the metric is part of the definition of the quantity that it counts, and no other quantity is
// tied: a tautology, not a finding.
func (m Metric) itself() bool {
	i := slices.IndexFunc(m.Rivals, func(r Rival) bool { return r.Quantity == m.Counts })
	return m.Counts != "" && len(m.Tied) == 0 && i >= 0 && m.Rivals[i].Status == attribution.Itself
}

func (m Metric) Silent() bool { return m.Kind == attribution.Silent }

func (m Metric) CannotTell() bool { return m.Kind == attribution.CannotTell }

// grouped merges equal sentences of several metrics.
func (ms Metrics) grouped(sentences func(Metric) []string) []string {
	var g words.Gathered
	for _, m := range ranked(ms) {
		for _, text := range words.Filled(sentences(m)...) {
			g.Add(text, m.Name)
		}
	}
	return g.Sentences(func(names, text string) string { return names + ": " + text })
}
