package drivers

import (
	"errors"
	"maps"
	"math"
	"slices"

	"github.com/realiops/realiops/internal/runfile"
	"github.com/realiops/realiops/internal/series"
)

// Background is what happens without load of ours, as measured in idle arms. It is taken off every count, at its mean
// rate for the time between the count's two readings.
type Background struct {
	Replicates int                // that measured it; 0: it is not known, and nothing was taken off
	PerSecond  map[string]float64 // by metric: the mean of the replicates' rates
	// Deviation is by how much one replicate's rate typically differs from the mean: the standard deviation. It is not
	// there for a metric that fewer than two replicates have.
	Deviation map[string]float64
}

// mostVariants bounds how many idle replicates are tried one by one: a few show how far the background varies.
const mostVariants = 10

// takeOffBackground measures the background and takes it off the counts of all loaded arms.
func (r *Run) takeOffBackground() {
	each := r.idleRates()
	means := meanRates(each)
	r.Idle = Background{Replicates: len(each), PerSecond: means, Deviation: deviations(each, means)}
	if len(each) < 2 {
		each = nil // nothing shows how it varies
	}
	for i := range r.Arms {
		if r.Arms[i].Idle() {
			continue
		}
		for j, replicate := range r.Arms[i].Replicates {
			for _, rates := range each[:min(len(each), mostVariants)] {
				replicate.Variants = append(replicate.Variants, replicate.without(rates))
			}
			replicate.Counts = replicate.without(r.Idle.PerSecond).Counts
			r.Arms[i].Replicates[j] = replicate
		}
	}
}

// Raw is the run with nothing taken off its counts.
func (r *Run) Raw() *Run {
	raw := *r
	raw.Idle, raw.over, raw.Arms = Background{}, nil, slices.Clone(r.Arms)
	for i := range raw.Arms {
		raw.Arms[i].Replicates = slices.Clone(raw.Arms[i].Replicates)
		for k, replicate := range raw.Arms[i].Replicates {
			raw.Arms[i].Replicates[k] = replicate.AsRead()
		}
	}
	return &raw
}

// AsRead is the replicate with nothing taken off its counts.
func (r Replicate) AsRead() Replicate {
	r = r.without(nil)
	for metric, count := range r.Counts {
		count.Amount = count.Raw
		r.Counts[metric] = count
	}
	return r
}

// without is the replicate with a background taken off.
func (r Replicate) without(perSecond map[string]float64) Replicate {
	r.Counts, r.Variants = maps.Clone(r.Counts), nil
	for metric, count := range r.Counts {
		if rate, known := perSecond[metric]; known && count.Missing == nil {
			count.Amount = count.Raw - rate*count.Seconds
			r.Counts[metric] = count
		}
	}
	return r
}

// idleRates are the rates per second of each metric in each idle replicate.
func (r *Run) idleRates() []map[string]float64 {
	var all []map[string]float64
	for _, arm := range r.Arms {
		if !arm.Idle() {
			continue
		}
		for _, replicate := range arm.Replicates {
			rates := map[string]float64{}
			for metric, count := range replicate.Counts {
				if count.Missing == nil {
					rates[metric] = count.Raw / count.Seconds
				}
			}
			all = append(all, rates)
		}
	}
	return all
}

// meanRates are means over the replicates that have the metric.
func meanRates(each []map[string]float64) map[string]float64 {
	sums, n := map[string]float64{}, map[string]float64{}
	for _, rates := range each {
		for metric, rate := range rates {
			sums[metric] += rate
			n[metric]++
		}
	}
	for metric := range sums {
		sums[metric] /= n[metric]
	}
	return sums
}

// deviations are standard deviations of rates from their means, of the metrics that more than one replicate has.
func deviations(each []map[string]float64, means map[string]float64) map[string]float64 {
	squares, n := map[string]float64{}, map[string]float64{}
	for _, rates := range each {
		for metric, rate := range rates {
			squares[metric] += (rate - means[metric]) * (rate - means[metric])
			n[metric]++
		}
	}
	for metric := range squares {
		if n[metric] < 2 {
			delete(squares, metric)
			continue
		}
		squares[metric] = math.Sqrt(squares[metric] / (n[metric] - 1))
	}
	return squares
}

// missing is the error of a series or a quantity, which is always of this type.
func missing(err error) *series.Missing {
	if m, ok := errors.AsType[*series.Missing](err); ok {
		return m
	}
	return &series.Missing{Reason: series.Reason(runfile.Failed), Detail: err.Error()}
}
