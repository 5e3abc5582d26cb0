package counts

import (
	"github.com/realiops/realiops/internal/metric"
	"github.com/realiops/realiops/internal/runfile"
	"github.com/realiops/realiops/internal/series"
)

// Side is the layer of work that a quantity counts.
type Side string

// Logical work is requested from the database, which records it in its WAL. Requested work is requested from the
// operating system, whose cache may answer. Physical work is done by storage.
const (
	Logical   Side = metric.Logical
	Requested Side = metric.Requested
	Physical  Side = metric.Physical
)

// Quantity is one way to count the work of a repetition.
type Quantity struct {
	Name metric.Quantity
	Side Side
	Unit string
	Help string // what it counts, and from what
	// From are the metrics that it is computed from, which it cannot explain; empty if our clients count it. Some
	// quantities use other metrics in versions that lack these: see Run.Quantities.
	From []string
	// Modelled: nobody counted it in this run, and it is computed from the work of our clients; see Run.Quantities.
	Modelled bool

	how           composition
	count         func(Load, Repetition) (float64, error)
	standardError func(Load, Repetition) float64 // nil: no error besides that of the metrics
}

// composition is how a quantity follows from several metrics.
type composition int

const (
	alternatives composition = iota // one metric under several names
	addition
	subtraction // the first minus the second
)

// Count returns the quantity's amount in a repetition. The error is a *series.Missing.
func (d Quantity) Count(a Load, r Repetition) (float64, error) { return d.count(a, r) }

// StandardError returns the standard deviation of a model's or sample's error, besides that of the metrics. It is
// common to all repetitions of a load.
func (d Quantity) StandardError(a Load, r Repetition) float64 {
	if d.standardError == nil {
		return 0
	}
	return d.standardError(a, r)
}

// madeOf takes the count from alternative metrics: from the first that was counted.
func (d Quantity) madeOf(rows []metric.Metric) Quantity {
	if len(rows) == 1 && rows[0].Derived != nil {
		off := *rows[0].Derived
		d.From, d.how, d.count = []string{off.Of, off.Less}, subtraction, difference(off)
		return d
	}
	d.From = names(rows)
	d.count = firstOf(d.From...)
	return d
}

// addedOf takes the count from the sum of metrics. If one of them is missing, it falls back to the metrics that count
// it alone, and their reason.
func (d Quantity) addedOf(rows []metric.Metric) Quantity {
	alone := d.count
	d.From, d.how = names(rows), addition
	d.count = func(a Load, r Repetition) (float64, error) {
		sum, err := r.sumCounts(d.From...)
		if err != nil && alone != nil {
			return alone(a, r)
		}
		return sum, err
	}
	return d
}

func names(rows []metric.Metric) (all []string) {
	for _, m := range rows {
		all = append(all, m.Name)
	}
	return all
}

// firstOf returns the first of these metrics that was counted: versions of PostgreSQL have them under several names. If
// none was, it returns the first metric's reason, unless the run did not read that one at all.
func firstOf(metrics ...string) func(Load, Repetition) (float64, error) {
	return func(_ Load, r Repetition) (float64, error) {
		var why error
		for _, metric := range metrics {
			value, err := r.Count(metric)
			if err == nil {
				return value, nil
			}
			if why == nil || WhyMissing(why).Reason == NotRecorded && WhyMissing(err).Reason != NotRecorded {
				why = err
			}
		}
		return 0, why
	}
}

// difference returns a metric minus another that is a part of it.
func difference(d metric.Difference) func(Load, Repetition) (float64, error) {
	return func(_ Load, r Repetition) (float64, error) {
		whole, err := r.Count(d.Of)
		if err != nil {
			return 0, err
		}
		part, err := r.Count(d.Less)
		if err != nil {
			return 0, err
		}
		if r.Counts[d.Of].Raw < r.Counts[d.Less].Raw {
			detail := "there is less of " + d.Of + " than of " + d.Less + ", which is a part of it"
			if d.Of == metric.BlockWrites {
				detail = "the device counts fewer writes than flushes"
			}
			return 0, &series.Missing{Reason: series.Reason(runfile.Failed), Detail: detail}
		}
		return whole - part, nil
	}
}
