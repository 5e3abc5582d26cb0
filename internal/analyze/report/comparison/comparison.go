package comparison

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/realiops/realiops/internal/analyze/attribution"
	"github.com/realiops/realiops/internal/analyze/counts"
	"github.com/realiops/realiops/internal/analyze/report"
	"github.com/realiops/realiops/internal/analyze/report/figure"
	"github.com/realiops/realiops/internal/analyze/report/words"
	"github.com/realiops/realiops/internal/analyze/stats"
	"github.com/realiops/realiops/internal/metric"
	"github.com/realiops/realiops/internal/series"
)

// CompareSchema names the form of a comparison.
const CompareSchema = "realiops.compare/1"

// Comparison compares runs with the first of them.
type Comparison struct {
	Schema string        `json:"schema"`
	Runs   []ComparedRun `json:"runs"`
	// other differences between the runs, which may explain a change
	Warnings   []string           `json:"warnings"`
	Loads      []string           `json:"loads"`    // that all runs have, idle left out
	LeftOut    []string           `json:"left_out"` // loads that some run lacks
	Quantities []ComparedQuantity `json:"quantities"`
	Metrics    []ComparedMetric   `json:"metrics"` // that all runs have figures for
	Alone      []string           `json:"alone"`   // metrics that only some have figures for
}

// ComparedRun is one of the runs.
type ComparedRun struct {
	Name    string    `json:"name"` // A, B, …
	File    string    `json:"file"`
	ID      string    `json:"id"`
	Start   time.Time `json:"start"`
	Status  string    `json:"status"`
	Flavor  string    `json:"flavor"`
	Version string    `json:"version"`
	Target  string    `json:"target"` // in a sentence
	unlike  []string  // loads that differ from those of the same name in A
	lacks   []string  // quantities that other runs have, as the tables name them
}

// ComparedQuantity is the work of the runs in one quantity.
type ComparedQuantity struct {
	Quantity metric.Quantity `json:"quantity"`
	Side     string          `json:"side"`
	Unit     string          `json:"unit"`
	Loads    []ComparedLoad  `json:"loads"`
	// over the loads that do such work and have a change in all runs; lowest and highest are the means of theirs
	Geomean ComparedLoad   `json:"geomean"`
	doing   []ComparedLoad // the loads that do such work
	lacks   []string       // loads that Geomean leaves out although they may have done such work in some run
}

// ComparedLoad is a load's rate in each run.
type ComparedLoad struct {
	Load string      `json:"load,omitempty"`
	Runs []RunOfRate `json:"runs"`
}

// RunOfRate is a rate in one run, and its change from the first run.
type RunOfRate struct {
	PerSecond report.Figure `json:"per_second"`
	Change    *Change       `json:"change"` // null: this is the first run, or one of the rates is unknown or zero
	mean      float64       // of the logarithms of the repetitions' rates
}

// Change is the ratio of a rate to the rate in the first run.
type Change struct {
	Ratio   float64 `json:"ratio"`
	Lo      float64 `json:"lo"` // null, like Hi, if unbounded
	Hi      float64 `json:"hi"`
	Level   float64 `json:"level"`
	P       float64 `json:"p"`       // probability of such a change by chance; null if unknown
	N       [2]int  `json:"n"`       // repetitions, of the first run and of this
	Differs bool    `json:"differs"` // by more than chance explains
	of      stats.Difference
}

// ComparedMetric holds a metric's verdicts in each run.
type ComparedMetric struct {
	Metric string `json:"metric"`
	// verdict, counts, ratio, or told (CannotTell in only some runs); empty: unchanged
	Changed string          `json:"changed,omitempty"`
	Runs    []VerdictInARun `json:"runs"`
}

// VerdictInARun is a verdict as a comparison shows it.
type VerdictInARun struct {
	Verdict attribution.Kind      `json:"verdict"`
	Counts  []metric.Quantity     `json:"counts"` // a quantity, the terms of a sum, or the candidates
	PerUnit *attribution.Estimate `json:"per_unit"`
	of      report.Metric
}

// Compared is a run with its report.
type Compared struct {
	File   string
	Run    *counts.Run
	Report report.Report
}

// Judge judges a run and keeps what a comparison prints. It drops the readings, and each metric's figures by load and
// quantity, which take most of the memory.
func Judge(file string, run *counts.Run) Compared {
	judged, _ := report.Judged(run, nil)
	for i := range judged.Metrics {
		m := &judged.Metrics[i]
		m.AcrossLoads, m.Loads, m.Verdict.Rivals = nil, nil, nil
		for k := range m.Rivals {
			m.Rivals[k].Loads, m.Rivals[k].Rival.Loads = nil, nil
		}
	}
	counted := *run
	counted.Source = nil
	return Compared{File: file, Run: &counted, Report: judged}
}

// compareLevel is the confidence level of a change's interval. If the interval excludes 1, the change is a difference.
const compareLevel = 0.95

// Compare compares runs with the first.
func Compare(runs []Compared) (Comparison, error) {
	if len(runs) < 2 {
		return Comparison{}, errors.New("a comparison needs at least two runs")
	}
	c := Comparison{Schema: CompareSchema, Warnings: []string{}, Loads: []string{}, LeftOut: []string{},
		Alone: []string{}, Metrics: []ComparedMetric{}}
	for i, r := range runs {
		if j := slices.IndexFunc(runs[:i], func(o Compared) bool {
			return o.Report.Run.ID == r.Report.Run.ID
		}); j >= 0 {
			return c, fmt.Errorf("%s and %s are the same run, %s", runs[j].File, r.File, r.Report.Run.ID)
		}
		d := r.Report.Run
		c.Runs = append(c.Runs, ComparedRun{
			Name: string(rune('A' + i)), File: r.File, ID: d.ID, Start: d.Start, Status: d.Status,
			Flavor: d.Flavor, Version: d.Target.Version, Target: r.Report.Target(),
		})
	}
	apart := !slices.ContainsFunc(runs, func(r Compared) bool { return r.Run.Observed == nil })
	if apart {
		c.Warnings = append(c.Warnings, "Rates are not compared: each observation names its own kinds of load, so "+
			"load A of one is not load A of another.")
	} else {
		c.Loads, c.LeftOut = commonLoads(runs)
	}
	if len(c.Loads) == 0 && !apart {
		loads := words.Each(func(r Compared) string {
			return r.File + " has " + cmp.Or(strings.Join(report.Names(r.Report.Loads.Loaded()), ", "), "none")
		}, runs)
		return c, errors.New("these runs have no load in common: " + strings.Join(loads, "; "))
	}
	for i, r := range runs[1:] {
		c.Runs[i+1].unlike = unlike(c.Loads, runs[0], r)
	}
	for _, d := range counts.All() {
		has := func(r Compared) bool { return separates(r, d.Name) }
		switch n := len(slices.DeleteFunc(slices.Clone(runs), has)); {
		case n == 0:
			of := c.quantity(d, runs)
			c.Quantities = append(c.Quantities, of)
			for i := range runs {
				if slices.Contains(shown(), d.Name) && of.counted(1, known) && !of.countedIn(i) {
					name, _ := label(d.Name)
					c.Runs[i].lacks = append(c.Runs[i].lacks, name)
				}
			}
		case n < len(runs):
			name, _ := label(d.Name)
			for i := range runs {
				if !has(runs[i]) {
					c.Runs[i].lacks = append(c.Runs[i].lacks, name)
				}
			}
		}
	}
	c.Warnings = append(c.Warnings, differing(c, runs)...)
	c.metrics(runs)
	return c, nil
}

// separates reports whether the loads of a run can tell the quantity from others.
func separates(r Compared, name metric.Quantity) bool {
	return slices.ContainsFunc(r.Run.Quantities(), func(d counts.Quantity) bool { return d.Name == name })
}

// commonLoads returns the loads that all runs measured, and those that only some did, idle left out.
func commonLoads(runs []Compared) (common, others []string) {
	common, others = []string{}, []string{}
	for _, r := range runs {
		for _, name := range report.Names(r.Report.Loads.Loaded()) {
			in := func(o Compared) bool { return slices.Contains(report.Names(o.Report.Loads.Loaded()), name) }
			all := !slices.ContainsFunc(runs, func(o Compared) bool { return !in(o) })
			switch {
			case all && !slices.Contains(common, name):
				common = append(common, name)
			case !all && !slices.Contains(others, name):
				others = append(others, name)
			}
		}
	}
	return common, others
}

// quantity compares one quantity.
func (c Comparison) quantity(d counts.Quantity, runs []Compared) ComparedQuantity {
	v := ComparedQuantity{Quantity: d.Name, Side: string(d.Side), Unit: d.Unit, Loads: []ComparedLoad{}}
	counted := words.Each(func(r Compared) counts.Quantity { // versions count pages by different metrics
		return report.CountedAs(r.Run, d.Name)
	}, runs)
	for _, name := range c.Loads {
		load := ComparedLoad{Load: name}
		var first []float64
		for i, r := range runs {
			of, rates := RunOfRate{PerSecond: report.Rate(counted[i], loadOf(r, name))},
				logarithms(counted[i], loadOf(r, name))
			if i == 0 {
				first = rates
			} else if len(first) > 0 && len(rates) > 0 {
				of.Change = changeOf(stats.Welch(first, rates), [2]int{len(first), len(rates)})
			}
			of.mean = stats.Mean(rates)
			load.Runs = append(load.Runs, of)
		}
		v.Loads = append(v.Loads, load)
	}
	v.doing = slices.DeleteFunc(slices.Clone(v.Loads), func(a ComparedLoad) bool {
		return d.Name.OfReads() && none(runs, a.Load, metric.RowsReturned) ||
			d.Name.OfWrites() && none(runs, a.Load, metric.RowsWritten)
	})
	v.Geomean = geomean(v.doing, len(runs))
	for _, a := range v.doing {
		idle := !slices.ContainsFunc(a.Runs, func(r RunOfRate) bool { return !r.PerSecond.Known() || r.counted() })
		if a.unchanging() && !idle {
			v.lacks = append(v.lacks, a.Load)
		}
	}
	return v
}

// counted reports whether there is a rate above zero.
func (r RunOfRate) counted() bool {
	return r.PerSecond.Known() && r.PerSecond.Value > figure.Resolution
}

// none reports whether a load wrote or returned no row in any run. What the server wrote or read meanwhile is no rate of
// the load.
func none(runs []Compared, name string, quantity metric.Quantity) bool {
	rows, _ := counts.Named(quantity)
	return !slices.ContainsFunc(runs, func(r Compared) bool {
		f := report.Rate(rows, loadOf(r, name))
		return !f.Known() || f.Value != 0
	})
}

// unchanging reports whether a load has no change in some run.
func (a ComparedLoad) unchanging() bool {
	return slices.ContainsFunc(a.Runs[1:], func(r RunOfRate) bool { return r.Change == nil })
}

func loadOf(r Compared, name string) counts.Load {
	i := slices.IndexFunc(r.Run.Loads, func(a counts.Load) bool { return a.Name == name })
	return r.Run.Loads[i]
}

// logarithms returns the logarithms of the repetitions' rates, since changes are factors. It returns none if a
// repetition has no count above the background.
func logarithms(d counts.Quantity, a counts.Load) (all []float64) {
	for _, r := range a.Repetitions {
		count, err := d.Count(a, r)
		if err != nil || !(count/r.Seconds > figure.Resolution) {
			return nil
		}
		all = append(all, math.Log(count/r.Seconds))
	}
	return all
}

func changeOf(d stats.Difference, n [2]int) *Change {
	i := d.Interval(compareLevel)
	lo := math.Exp(i.Lo)
	if math.IsInf(i.Lo, -1) {
		lo = math.NaN() // unbounded
	}
	return &Change{
		Ratio: math.Exp(d.Value), Lo: lo, Hi: math.Exp(i.Hi), Level: compareLevel, P: d.P(), N: n,
		Differs: i.Lo > 0 || i.Hi < 0, of: d,
	}
}

// geomean returns the geometric mean over the loads that have a change in every run, and over their repetitions.
func geomean(loads []ComparedLoad, runs int) ComparedLoad {
	loads = slices.DeleteFunc(slices.Clone(loads), ComparedLoad.unchanging)
	mean := ComparedLoad{Runs: make([]RunOfRate, runs)}
	if len(loads) == 0 {
		why := &series.Missing{Reason: counts.NotRecorded,
			Detail: "no load has a count in each repetition of all runs"}
		for i := range mean.Runs {
			mean.Runs[i].PerSecond.Missing = why
		}
		return mean
	}
	for i := range runs {
		sum, n := 0.0, [2]int{}
		lowest, highest := 0.0, 0.0
		var changes []stats.Difference
		for _, a := range loads {
			sum += a.Runs[i].mean / float64(len(loads))
			lowest += math.Log(max(0, a.Runs[i].PerSecond.Lowest)) / float64(len(loads))
			highest += math.Log(a.Runs[i].PerSecond.Highest) / float64(len(loads))
			if i > 0 {
				changes = append(changes, a.Runs[i].Change.of)
				n[0], n[1] = n[0]+a.Runs[i].Change.N[0], n[1]+a.Runs[i].Change.N[1]
			}
		}
		mean.Runs[i].PerSecond = report.Figure{Value: math.Exp(sum), Lowest: math.Exp(lowest),
			Highest: math.Exp(highest), N: len(loads)}
		if i > 0 {
			mean.Runs[i].Change = changeOf(stats.MeanDifference(changes), n)
		}
	}
	return mean
}
