package report

import (
	"slices"

	"github.com/realiops/realiops/internal/analyze/drivers"
	"github.com/realiops/realiops/internal/series"
)

// Arm is what one arm did.
type Arm struct {
	Name       string `json:"arm"`
	Idle       bool   `json:"idle"`
	Method     string `json:"method,omitempty"`
	RowsPerTx  int    `json:"rows_per_tx,omitempty"`
	Indexes    int    `json:"indexes"`
	Width      int    `json:"width,omitempty"`
	Commit     string `json:"synchronous_commit,omitempty"`
	Clients    int    `json:"clients,omitempty"`
	Cold       bool   `json:"cold,omitempty"` // the kernel was asked to forget the table's files
	Replicates int    `json:"replicates"`     // that were used
	// MostReplicates, of a load that is run less often than the others, is how often it was planned.
	MostReplicates int       `json:"most_replicates,omitempty"`
	LeftOut        []LeftOut `json:"left_out,omitempty"`
	Seconds        Figure    `json:"seconds"`             // of load
	Failures       Figure    `json:"failures_per_second"` // of transactions
	// OthersShare is how much of what was done under the load others did, at most; 0: nothing that is known.
	OthersShare float64 `json:"others_share,omitempty"`
	// OthersUncounted: others also wrote something that no counter told of.
	OthersUncounted bool           `json:"others_uncounted,omitempty"`
	Latency         *Latency       `json:"latency,omitempty"`
	Work            []Work         `json:"work"`
	Log             *Log           `json:"log,omitempty"`
	Waits           []drivers.Wait `json:"waits,omitempty"` // what sessions waited for, the most first
}

// LeftOut is a replicate that must not be used, and why.
type LeftOut struct {
	Replicate int    `json:"replicate"`
	Reason    string `json:"reason"`
}

// Latency is how long transactions took, in seconds.
type Latency struct {
	P50 Figure `json:"p50"`
	P95 Figure `json:"p95"`
	P99 Figure `json:"p99"`
	Max Figure `json:"max"`
}

// Work is the arm's work as one driver counts it.
type Work struct {
	Driver    string `json:"driver"`
	Side      string `json:"side"` // logical or physical
	Unit      string `json:"unit"`
	Help      string `json:"help"`
	PerSecond Figure `json:"per_second"`
	Modelled  bool   `json:"modelled,omitempty"` // not counted: it follows from the work of the clients
}

// Of is the arm's rate of a driver, as it was counted.
func (a Arm) Of(driver string) Figure {
	w := a.work(driver)
	if w.Modelled {
		return Figure{Missing: &series.Missing{Reason: drivers.NotRecorded, Detail: modelled}}
	}
	return w.PerSecond
}

// modelled is what is said of work that nobody counted.
const modelled = "modelled from the work of the clients, not counted"

func (a Arm) work(driver string) Work {
	i := slices.IndexFunc(a.Work, func(w Work) bool { return w.Driver == driver })
	if i < 0 {
		return Work{}
	}
	return a.Work[i]
}

func arms(run *drivers.Run) []Arm {
	all := []Arm{}
	for _, a := range run.Arms {
		arm := Arm{
			Name: a.Name, Idle: a.Idle(), Method: a.Method, RowsPerTx: a.RowsPerTx, Indexes: a.Indexes,
			Width: a.Width, Commit: a.SynchronousCommit, Clients: a.Clients, Cold: a.Cold,
			OthersShare: run.OthersShare(a.Name), OthersUncounted: run.OthersUncounted(a.Name),
			Replicates: len(a.Replicates), MostReplicates: a.MostReplicates, Latency: latency(a), Work: []Work{}, Log: logOf(a), Waits: a.Waits,
			Seconds:  over(a, func(r drivers.Replicate) (float64, error) { return r.Lasted() }),
			Failures: over(a, func(r drivers.Replicate) (float64, error) { return r.PerSecond(run.Failures(r)) }),
		}
		for _, l := range a.LeftOut {
			arm.LeftOut = append(arm.LeftOut, LeftOut{l.Replicate, l.Why})
		}
		for _, d := range run.Quantities() {
			arm.Work = append(arm.Work, Work{d.Name, string(d.Side), d.Unit, d.Help, rate(d, a), d.Modelled})
		}
		all = append(all, arm)
	}
	return all
}

// rate is what a quantity comes to in a second.
func rate(d drivers.Quantity, a drivers.Arm) Figure {
	return over(a, func(r drivers.Replicate) (float64, error) {
		return r.PerSecond(d.Count(a, r))
	})
}

// countedIn are the ways in which a run counts the work; a model is no count.
func countedIn(run *drivers.Run) []drivers.Quantity {
	all := run.Quantities()
	for i, d := range all {
		if d.Modelled {
			all[i], _ = drivers.Named(d.Name)
		}
	}
	return all
}

// countedAs is one of them.
func countedAs(run *drivers.Run, name string) drivers.Quantity {
	all := countedIn(run)
	return all[slices.IndexFunc(all, func(d drivers.Quantity) bool { return d.Name == name })]
}

// over is a figure over the replicates of an arm.
func over(a drivers.Arm, value func(drivers.Replicate) (float64, error)) Figure {
	var s sample
	for _, r := range a.Replicates {
		s.add(value(r))
		for _, v := range r.Variants {
			s.widen(value(v))
		}
	}
	if len(a.Replicates) == 0 {
		s.why = &series.Missing{Reason: leftOut, Detail: "no repetition of " + a.Name + " could be used"}
	}
	return s.figure()
}

// latency is nil where not every replicate has it.
func latency(a drivers.Arm) *Latency {
	if len(a.Replicates) == 0 || slices.ContainsFunc(a.Replicates, func(r drivers.Replicate) bool { return r.Latency == nil }) {
		return nil
	}
	of := func(quantile func(*drivers.Latency) float64) Figure {
		return over(a, func(r drivers.Replicate) (float64, error) { return quantile(r.Latency), nil })
	}
	return &Latency{
		P50: of(func(l *drivers.Latency) float64 { return l.P50 }),
		P95: of(func(l *drivers.Latency) float64 { return l.P95 }),
		P99: of(func(l *drivers.Latency) float64 { return l.P99 }),
		Max: of(func(l *drivers.Latency) float64 { return l.Max }),
	}
}
