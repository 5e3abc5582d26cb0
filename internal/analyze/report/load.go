package report

import (
	"slices"

	"github.com/realiops/realiops/internal/analyze/counts"
	"github.com/realiops/realiops/internal/analyze/document"
	"github.com/realiops/realiops/internal/analyze/latency"
	"github.com/realiops/realiops/internal/analyze/report/figure"
	"github.com/realiops/realiops/internal/analyze/report/wal"
	"github.com/realiops/realiops/internal/analyze/report/words"
	"github.com/realiops/realiops/internal/metric"
	"github.com/realiops/realiops/internal/series"
)

// Load describes the work of one load.
type Load struct {
	Name        string `json:"load"`
	Idle        bool   `json:"idle"`
	Method      string `json:"method,omitempty"`
	RowsPerTx   int    `json:"rows_per_tx,omitempty"`
	Indexes     int    `json:"indexes"`
	Width       int    `json:"width,omitempty"`
	Commit      string `json:"synchronous_commit,omitempty"`
	Clients     int    `json:"clients,omitempty"`
	Cold        bool   `json:"cold,omitempty"` // the kernel was asked to drop the table's files from its cache
	Repetitions int    `json:"repetitions"`    // used ones
	// MostRepetitions is the planned number of repetitions of a load that is run less often than the others.
	MostRepetitions int       `json:"most_repetitions,omitempty"`
	LeftOut         []LeftOut `json:"left_out,omitempty"`
	Seconds         Figure    `json:"seconds"`             // of load
	Failures        Figure    `json:"failures_per_second"` // of transactions
	// OthersShare is the largest share of the load's work that others may have done; 0 if none is known.
	OthersShare float64 `json:"others_share,omitempty"`
	// OthersUncounted: others also wrote an uncounted amount.
	OthersUncounted bool          `json:"others_uncounted,omitempty"`
	Latency         *Latency      `json:"latency,omitempty"`
	Work            []Work        `json:"work"`
	WAL             *wal.WAL      `json:"wal,omitempty"`
	Waits           []counts.Wait `json:"waits,omitempty"` // what sessions waited for, most frequent first
}

// LeftOut is a repetition that must not be used, and why.
type LeftOut struct {
	Repetition int    `json:"repetition"`
	Reason     string `json:"reason"`
}

// Latency holds the duration of transactions, in seconds.
type Latency struct {
	P50 Figure `json:"p50"`
	P95 Figure `json:"p95"`
	P99 Figure `json:"p99"`
	Max Figure `json:"max"`
}

// Work is the load's work in one quantity.
type Work struct {
	Quantity  metric.Quantity `json:"quantity"`
	Side      string          `json:"side"` // logical or physical
	Unit      string          `json:"unit"`
	Help      string          `json:"help"`
	PerSecond Figure          `json:"per_second"`
	Modelled  bool            `json:"modelled,omitempty"` // not counted, but computed from the clients' work
}

// Of returns the load's counted rate of a quantity.
func (a Load) Of(quantity metric.Quantity) Figure {
	w := a.work(quantity)
	if w.Modelled {
		return Figure{Missing: &series.Missing{Reason: counts.NotRecorded, Detail: modelled}}
	}
	return w.PerSecond
}

// cell returns the rate in a unit, with a note if it was not counted.
func (w Work) cell(unit float64) document.Cell {
	c := w.PerSecond.Cell(w.PerSecond.Rate(unit))
	if w.Modelled && w.PerSecond.Known() {
		c.Note = modelled
	}
	return c
}

// modelled is the detail for work that nobody counted.
const modelled = "modelled from the clients' work, not counted"

func (a Load) work(quantity metric.Quantity) Work {
	i := slices.IndexFunc(a.Work, func(w Work) bool { return w.Quantity == quantity })
	if i < 0 {
		return Work{}
	}
	return a.Work[i]
}

func loads(run *counts.Run) []Load {
	all := []Load{}
	for _, a := range run.Loads {
		load := Load{
			Name: a.Name, Idle: a.Idle(), Method: a.Method, RowsPerTx: a.RowsPerTx, Indexes: a.Indexes,
			Width: a.Width, Commit: a.SynchronousCommit, Clients: a.Clients, Cold: a.Cold,
			OthersShare: run.OthersShare(a.Name), OthersUncounted: run.OthersUncounted(a.Name),
			Repetitions: len(a.Repetitions), MostRepetitions: a.MostRepetitions, Latency: latencyOf(a), Work: []Work{},
			WAL: wal.Of(a), Waits: a.Waits,
			Seconds:  over(a, func(r counts.Repetition) (float64, error) { return r.Lasted() }),
			Failures: over(a, func(r counts.Repetition) (float64, error) { return r.PerSecond(run.Failures(r)) }),
		}
		for _, l := range a.LeftOut {
			load.LeftOut = append(load.LeftOut, LeftOut{l.Repetition, l.Why})
		}
		for _, d := range run.Quantities() {
			load.Work = append(load.Work, Work{d.Name, string(d.Side), d.Unit, d.Help, Rate(d, a), d.Modelled})
		}
		all = append(all, load)
	}
	return all
}

// Rate returns how much of a quantity a load did per second.
func Rate(d counts.Quantity, a counts.Load) Figure {
	return over(a, func(r counts.Repetition) (float64, error) { return r.PerSecond(d.Count(a, r)) })
}

// countedIn returns the quantities of a run, as counted: a model is no count.
func countedIn(run *counts.Run) []counts.Quantity {
	all := run.Quantities()
	for i, d := range all {
		if d.Modelled {
			all[i], _ = counts.Named(d.Name)
		}
	}
	return all
}

// CountedAs returns the quantity with the given name, as counted.
func CountedAs(run *counts.Run, name metric.Quantity) counts.Quantity {
	all := countedIn(run)
	return all[slices.IndexFunc(all, func(d counts.Quantity) bool { return d.Name == name })]
}

func over(a counts.Load, value func(counts.Repetition) (float64, error)) Figure {
	return overEach(beforeEnds(a), func(_ int, r counts.Repetition) (float64, error) { return value(r) })
}

// beforeEnds returns an idle load with its repetitions at the rates before their ends, and any other load unchanged.
func beforeEnds(a counts.Load) counts.Load {
	if a.Idle() {
		a.Repetitions = words.Each(counts.Repetition.BeforeEnd, a.Repetitions)
	}
	return a
}

// overEach numbers repetitions and their variants like amounts.
func overEach(a counts.Load, value func(n int, r counts.Repetition) (float64, error)) Figure {
	var s figure.Sample
	n := 0
	for _, r := range a.Repetitions {
		s.Add(value(n, r))
		for i, v := range r.Variants {
			s.Widen(value(n+1+i, v))
		}
		n += 1 + len(r.Variants)
	}
	if len(a.Repetitions) == 0 {
		s.Why = &series.Missing{Reason: leftOut, Detail: "no repetition of " + a.Name + " could be used"}
	}
	return s.Figure()
}

// latencyOf returns nil if a repetition lacks latencies.
func latencyOf(a counts.Load) *Latency {
	if len(a.Repetitions) == 0 || slices.ContainsFunc(a.Repetitions, func(r counts.Repetition) bool {
		return r.Latency == nil
	}) {
		return nil
	}
	of := func(quantile func(*latency.Quantiles) float64) Figure {
		return over(a, func(r counts.Repetition) (float64, error) { return quantile(r.Latency), nil })
	}
	return &Latency{
		P50: of(func(l *latency.Quantiles) float64 { return l.P50 }),
		P95: of(func(l *latency.Quantiles) float64 { return l.P95 }),
		P99: of(func(l *latency.Quantiles) float64 { return l.P99 }),
		Max: of(func(l *latency.Quantiles) float64 { return l.Max }),
	}
}

// Figure is a number of a report, with its uncertainty.
type Figure = figure.Figure

// leftOut is the reason for missing figures of a load without usable repetitions.
const leftOut series.Reason = "left-out"

func positive(f Figure) bool { return f.Known() && f.Value > 0 }
