package drivers

import (
	"errors"
	"maps"
	"slices"

	"github.com/realiops/realiops/internal/runfile"
	"github.com/realiops/realiops/internal/series"
)

// Background is what happens without load of ours, as measured in idle arms. It is taken off every count, at its mean
// rate for the time between the count's two readings.
type Background struct {
	Replicates int                // that measured it; 0: it is not known, and nothing was taken off
	PerSecond  map[string]float64 // by metric: the mean of the replicates' rates
}

// takeOffBackground measures the background and takes it off the counts of all loaded arms.
func (r *Run) takeOffBackground() {
	r.Idle = r.background()
	for i := range r.Arms {
		if r.Arms[i].Idle() {
			continue
		}
		for _, replicate := range r.Arms[i].Replicates {
			for metric, count := range replicate.Counts {
				if rate, known := r.Idle.PerSecond[metric]; known && count.Missing == nil {
					count.Amount = count.Raw - rate*count.Seconds
					replicate.Counts[metric] = count
				}
			}
		}
	}
}

func (r *Run) background() Background {
	rates := map[string][]float64{}
	b := Background{PerSecond: map[string]float64{}}
	for _, arm := range r.Arms {
		if !arm.Idle() {
			continue
		}
		b.Replicates += len(arm.Replicates)
		for _, replicate := range arm.Replicates {
			for metric, count := range replicate.Counts {
				if count.Missing == nil {
					rates[metric] = append(rates[metric], count.Raw/count.Seconds)
				}
			}
		}
	}
	for metric := range maps.Keys(rates) {
		b.PerSecond[metric] = mean(rates[metric])
	}
	return b
}

func mean(values []float64) float64 {
	total := 0.0
	for v := range slices.Values(values) {
		total += v
	}
	return total / float64(len(values))
}

// missing is the error of a series or a driver, which is always of this type.
func missing(err error) *series.Missing {
	if m, ok := errors.AsType[*series.Missing](err); ok {
		return m
	}
	return &series.Missing{Reason: series.Reason(runfile.Failed), Detail: err.Error()}
}
