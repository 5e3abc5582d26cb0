package report

import (
	"slices"

	"github.com/realiops/realiops/internal/analyze/counts"
	"github.com/realiops/realiops/internal/analyze/latency"
	"github.com/realiops/realiops/internal/analyze/number"
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
	Cold        bool   `json:"cold,omitempty"` // the kernel was asked to forget the table's files
	Repetitions int    `json:"repetitions"`    // that were used
	// MostRepetitions is the planned number of repetitions of a load that is run less often than the others.
	MostRepetitions int       `json:"most_repetitions,omitempty"`
	LeftOut         []LeftOut `json:"left_out,omitempty"`
	Seconds         Figure    `json:"seconds"`             // of load
	Failures        Figure    `json:"failures_per_second"` // of transactions
	// OthersShare is the largest share of the work under the load that others may have done; 0: none known.
	OthersShare float64 `json:"others_share,omitempty"`
	// OthersUncounted: others also wrote something that no counter told of.
	OthersUncounted bool          `json:"others_uncounted,omitempty"`
	Latency         *Latency      `json:"latency,omitempty"`
	Work            []Work        `json:"work"`
	WAL             *wal.WAL      `json:"wal,omitempty"`
	Waits           []counts.Wait `json:"waits,omitempty"` // what sessions waited for, the most first
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

// Work is the load's work as one quantity counts it.
type Work struct {
	Quantity  string `json:"quantity"`
	Side      string `json:"side"` // logical or physical
	Unit      string `json:"unit"`
	Help      string `json:"help"`
	PerSecond Figure `json:"per_second"`
	Modelled  bool   `json:"modelled,omitempty"` // not counted: it follows from the work of the clients
}

// Of returns the load's rate of a quantity, as it was counted.
func (a Load) Of(quantity string) Figure {
	w := a.work(quantity)
	if w.Modelled {
		return Figure{Missing: &series.Missing{Reason: counts.NotRecorded, Detail: modelled}}
	}
	return w.PerSecond
}

// modelled qualifies work that nobody counted.
const modelled = "modelled from the work of the clients, not counted"

func (a Load) work(quantity string) Work {
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

// Rate returns how many of a quantity a load did each second.
func Rate(d counts.Quantity, a counts.Load) Figure {
	return over(a, func(r counts.Repetition) (float64, error) {
		return r.PerSecond(d.Count(a, r))
	})
}

// countedIn returns the ways in which a run counts the work; a model is no count.
func countedIn(run *counts.Run) []counts.Quantity {
	all := run.Quantities()
	for i, d := range all {
		if d.Modelled {
			all[i], _ = counts.Named(d.Name)
		}
	}
	return all
}

// CountedAs returns one of them.
func CountedAs(run *counts.Run, name string) counts.Quantity {
	all := countedIn(run)
	return all[slices.IndexFunc(all, func(d counts.Quantity) bool { return d.Name == name })]
}

func over(a counts.Load, value func(counts.Repetition) (float64, error)) Figure {
	return overThese(beforeEnds(a), value)
}

// beforeEnds returns a load with its repetitions, where it is idle, at the rates before their ends.
func beforeEnds(a counts.Load) counts.Load {
	if a.Idle() {
		a.Repetitions = words.Each(counts.Repetition.BeforeEnd, a.Repetitions)
	}
	return a
}

func overThese(a counts.Load, value func(counts.Repetition) (float64, error)) Figure {
	return overEach(a, func(_ int, r counts.Repetition) (float64, error) { return value(r) })
}

// overEach numbers repetitions and their variants as amounts does.
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

// latencyOf is nil where not every repetition has it.
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

// leftOut is the reason for figures of a load of which no repetition may be used.
const leftOut series.Reason = "left-out"

func positive(f Figure) bool { return f.Known() && f.Value > 0 }

// in formats rates in a unit.
func in(unit float64) func(float64) string {
	return func(v float64) string { return number.Rate(v / unit) }
}

// The second ladder: what reads are counted in, from what is asked of the database down to the device.
const (
	rowsReturned   = string(metric.RowsReturned)
	buffersTouched = string(metric.BuffersTouched)
	pagesMissed    = string(metric.PagesMissed)
	deviceReads    = string(metric.DeviceReads)
	deviceReadSize = string(metric.DeviceReadSize)
)
