package counts

import (
	"errors"
	"maps"
	"math"
	"slices"

	"github.com/realiops/realiops/internal/runfile"
	"github.com/realiops/realiops/internal/series"
)

// Background is what happens without load of ours, as measured in idle loads. It is taken off every count, at its mean
// rate for the time between the count's two readings.
type Background struct {
	Repetitions int                // that measured it; 0: it is not known, and nothing was taken off
	PerSecond   map[string]float64 // by metric: the mean of the repetitions' rates
	// Deviation is by how much one repetition's rate typically differs from the mean: the standard deviation. It is not
	// there for a metric that fewer than two repetitions have.
	Deviation map[string]float64
}

// mostVariants bounds how many idle repetitions are tried one by one: a few show how far the background varies.
const mostVariants = 10

// takeOffBackground measures the background and takes it off the counts of all loaded loads.
func (r *Run) takeOffBackground() {
	each := r.idleRates()
	means := meanRates(each)
	r.Idle = Background{Repetitions: len(each), PerSecond: means, Deviation: deviations(each, means)}
	if len(each) < 2 {
		each = nil // nothing shows how it varies
	}
	for i := range r.Loads {
		if r.Loads[i].Idle() {
			continue
		}
		for j, repetition := range r.Loads[i].Repetitions {
			for _, rates := range each[:min(len(each), mostVariants)] {
				repetition.Variants = append(repetition.Variants, repetition.without(rates))
			}
			repetition.Counts = repetition.without(r.Idle.PerSecond).Counts
			r.Loads[i].Repetitions[j] = repetition
		}
	}
}

// Raw is the run with nothing taken off its counts.
func (r *Run) Raw() *Run {
	raw := *r
	raw.Idle, raw.over, raw.Loads = Background{}, nil, slices.Clone(r.Loads)
	for i := range raw.Loads {
		raw.Loads[i].Repetitions = slices.Clone(raw.Loads[i].Repetitions)
		for k, repetition := range raw.Loads[i].Repetitions {
			raw.Loads[i].Repetitions[k] = repetition.AsRead()
		}
	}
	return &raw
}

// AsRead is the repetition with nothing taken off its counts.
func (r Repetition) AsRead() Repetition {
	r = r.without(nil)
	for metric, count := range r.Counts {
		count.Amount = count.Raw
		r.Counts[metric] = count
	}
	return r
}

// without is the repetition with a background taken off.
func (r Repetition) without(perSecond map[string]float64) Repetition {
	r.Counts, r.Variants = maps.Clone(r.Counts), nil
	for metric, count := range r.Counts {
		if rate, known := perSecond[metric]; known && count.Missing == nil {
			count.Amount = count.Raw - rate*count.Seconds
			r.Counts[metric] = count
		}
	}
	return r
}

// idleRates are the rates per second of each metric in each idle repetition.
func (r *Run) idleRates() []map[string]float64 {
	var all []map[string]float64
	for _, load := range r.Loads {
		if !load.Idle() {
			continue
		}
		for _, repetition := range load.Repetitions {
			rates := map[string]float64{}
			for metric, count := range repetition.Counts {
				if count.Missing == nil {
					rates[metric] = count.Raw / count.Seconds
				}
			}
			all = append(all, rates)
		}
	}
	return all
}

// meanRates are means over the repetitions that have the metric.
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

// deviations are standard deviations of rates from their means, of the metrics that more than one repetition has.
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
