package attribution

import (
	"cmp"
	"math"
	"slices"
	"sync"
	"time"

	"github.com/realiops/realiops/internal/analyze/counts"
	"github.com/realiops/realiops/internal/analyze/stats"
	"github.com/realiops/realiops/internal/metric"
	"github.com/realiops/realiops/internal/runfile"
	"github.com/realiops/realiops/internal/series"
)

type cell struct {
	value   float64         // background taken off; never below stdErr
	log     float64         // logarithm of value, cached
	stdErr  float64         // standard deviation known beforehand: the counter's steps and the background
	shared  float64         // the part of the background's error common to all repetitions
	model   float64         // standard deviation of a model's error, common to all repetitions of the load
	chance  float64         // variance of a small number of units
	seconds float64         // between the readings
	missing *series.Missing // not nil: nothing was counted
}

// relative returns the variance of the cell's logarithm that is known beforehand.
func (c cell) relative() float64 { return (c.stdErr*c.stdErr + c.chance) / (c.value * c.value) }

// common returns the part of that variance that more repetitions do not reduce.
func (c cell) common() float64 { return c.shared * c.shared / (c.value * c.value) }

// modelled returns the variance of the logarithm due to a model, which more repetitions do not reduce either.
func (c cell) modelled() float64 { return c.model * c.model / (c.value * c.value) }

// column is one quantity in all repetitions of all loads, idle left out.
type column [][]cell

type counting interface {
	Count(counts.Load, counts.Repetition) (float64, error)
}

// evidence holds the loads of a run, idle left out, and the quantities in them.
type evidence struct {
	run        *counts.Run
	loads      []counts.Load // with at least one repetition
	quantities []counts.Quantity
	columns    []column         // of the quantities
	fromFew    float64          // widens the background's deviation if there are few idle repetitions
	amounts    sync.Map         // of quantities between readings, by moment
	raw        func() *evidence // the run with nothing taken off; made on first use
}

func newEvidence(run *counts.Run) *evidence {
	e := &evidence{run: run, quantities: run.Quantities(), fromFew: 1,
		raw: sync.OnceValue(func() *evidence { return newEvidence(run.Raw()) })}
	if n := float64(run.Idle.Repetitions); n >= 2 {
		e.fromFew = min(mostFromFew, stats.Student(DefaultLevel, n-1)/stats.Normal(DefaultLevel))
	}
	for _, a := range run.Loads {
		if !a.Idle() && len(a.Repetitions) > 0 {
			e.loads = append(e.loads, a)
		}
	}
	for _, d := range e.quantities {
		e.columns = append(e.columns, e.column(d, d.From, metric.Step(d.Unit)))
	}
	return e
}

// column counts a metric or quantity in all repetitions.
func (e *evidence) column(c counting, from []string, step float64) column {
	all := make(column, len(e.loads))
	for i, load := range e.loads {
		all[i] = make([]cell, len(load.Repetitions))
		for k, r := range load.Repetitions {
			all[i][k] = e.cell(c, from, step, load, r)
		}
	}
	return all
}

func (e *evidence) cell(counted counting, from []string, step float64, load counts.Load, r counts.Repetition) cell {
	value, err := counted.Count(load, r)
	if err != nil {
		return cell{missing: counts.WhyMissing(err)}
	}
	var stdErr, shared, seconds float64
	for _, name := range from {
		count, known := r.Counts[name]
		if !known || count.Missing != nil {
			continue
		}
		seconds = count.Seconds
		d := e.deviation(name, step) * seconds
		stdErr += d*d + count.Error*count.Error
		shared += d * d / float64(max(1, e.run.Idle.Repetitions))
	}
	stdErr = math.Sqrt(stdErr + step*step/4)
	if !(math.Abs(value) <= mostCounted && stdErr <= mostCounted) {
		return cell{missing: &series.Missing{Reason: series.Reason(runfile.Failed),
			Detail: "the value is out of any counter's range"}}
	}
	value = max(value, stdErr)
	c := cell{value: value, log: math.Log(value), stdErr: stdErr, shared: math.Sqrt(shared), seconds: seconds}
	if d, may := counted.(estimated); may {
		c.model = d.StandardError(load, r)
	}
	return c
}

// fewUnits is the number of units below which a count varies by its square root, as if a source counted one in a
// hundred.
const fewUnits = 25

// addChance adds the chance variance of small counts, as far as the repetitions show any.
func (c column) addChance(step float64) {
	few := func(of cell) bool { return of.missing == nil && of.value < fewUnits*step }
	squares, freedom := 0.0, 0.0
	for _, load := range c {
		var counted []float64
		for _, of := range load {
			if few(of) {
				counted = append(counted, of.value/step)
			}
		}
		mean := stats.Mean(counted)
		for _, n := range counted {
			squares += (n - mean) * (n - mean) / mean
		}
		freedom += float64(max(len(counted)-1, 0))
	}
	for _, load := range c {
		for r, of := range load {
			if few(of) && freedom > 0 {
				load[r].chance = min(1, squares/freedom) * of.value * step
			}
		}
	}
}

// estimated is a quantity with an error of its own, from a model or a sample, beside the error of its metrics.
type estimated interface {
	StandardError(counts.Load, counts.Repetition) float64
}

// mostCounted is more than a counter of 64 bits holds.
const mostCounted = 1e20

// mostFromFew bounds the widening for two idle repetitions.
const mostFromFew = 3

// deviation returns the standard deviation of the background's rate. With fewer than two idle repetitions it assumes
// single steps whose number varies by its square root.
func (e *evidence) deviation(name string, step float64) float64 {
	if deviation, known := e.run.Idle.Deviation[name]; known {
		return e.fromFew * deviation
	}
	rate := e.run.Idle.PerSecond[name]
	length := max(1, e.run.Header.Plan.LoadSeconds)
	return math.Sqrt(step * math.Abs(rate) / length)
}

// whole returns the first reason why a column has no counts at all, or nil if it has some.
func (c column) whole() *series.Missing {
	var why *series.Missing
	for _, load := range c {
		for _, cell := range load {
			if cell.missing == nil {
				return nil
			}
			why = cmp.Or(why, cell.missing)
		}
	}
	return cmp.Or(why, &series.Missing{Reason: counts.NotRecorded, Detail: "no load was measured"})
}

func intersect(a, b []string) bool {
	return slices.ContainsFunc(a, func(s string) bool { return slices.Contains(b, s) })
}

// exact reports whether every repetition of y equals x, as far as the counters resolve.
func exact(y, x column) bool {
	for a := range y {
		for r := range y[a] {
			c, o := y[a][r], x[a][r]
			if d := c.value - o.value; c.missing == nil && o.missing == nil && d*d > 4*(c.stdErr*c.stdErr+o.stdErr*o.stdErr) {
				return false
			}
		}
	}
	return true
}

func (e *evidence) onAurora() bool { return e.run.Header.Target.Flavor == "aurora" }

// moment identifies a quantity and a stretch between two readings.
type moment struct {
	quantity int
	from, to int64 // nanoseconds since 1970
}

// did returns how much of a quantity there was between two readings, NaN if unknown. Results are cached, because all
// metrics of a server share the same moments and quantities.
func (e *evidence) did(quantity int, a counts.Load, repetition counts.Repetition, from, to time.Time) float64 {
	when := moment{quantity, from.UnixNano(), to.UnixNano()}
	if n, looked := e.amounts.Load(when); looked {
		return n.(float64)
	}
	n, known := e.run.Did(e.quantities[quantity], a, repetition, from, to)
	if !known {
		n = math.NaN()
	}
	e.amounts.Store(when, n)
	return n
}

// twice is the number of standard deviations within which an error may be chance.
const twice = 2

// surely is the number of standard deviations that rules out chance.
const surely = 4

// countedIn returns the repetitions that have a count.
func countedIn(cells []cell) []int {
	use := make([]int, 0, len(cells))
	for r, c := range cells {
		if c.missing == nil {
			use = append(use, r)
		}
	}
	return use
}

func meanOf(cells []cell, use []int) (mean float64) {
	for _, r := range use {
		mean += cells[r].value / float64(len(use))
	}
	return mean
}

const fewestSteps = 3 // distinct counts needed to determine a step

// stepOf returns the smallest amount by which a metric moves: the greatest common divisor of its counts, so that the
// unit of the source does not matter, or the unit's own step for seconds. With few counts the divisor may be large by
// chance.
func (e *evidence) stepOf(m counts.Metric) float64 {
	unit := metric.Step(m.Unit)
	if unit < 1 {
		return unit
	}
	divisor, of := e.run.Step(m)
	if of > 0 && of < fewestSteps || math.IsInf(divisor, 1) {
		return min(divisor, unit)
	}
	return divisor
}
