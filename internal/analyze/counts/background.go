package counts

import (
	"maps"
	"math"
	"slices"
)

// Background is the activity without load from us, measured in idle loads: a rate, and the work at the end of a
// repetition, such as its checkpoint. Both are subtracted from every count, the rate in proportion to its duration.
type Background struct {
	Repetitions int                // idle repetitions; 0: the background is unknown, and nothing was taken off
	PerSecond   map[string]float64 // by metric: mean rate of the repetitions
	// Closing is the mean amount, by metric, that the end of a repetition adds to that rate. A metric that was not read
	// before the end has none, and its rate covers the whole repetition.
	Closing map[string]float64
	// Deviation is the standard deviation of the rate of one repetition, its end included, per second. It is absent for
	// a metric that fewer than two repetitions have.
	Deviation map[string]float64
}

// Of returns a metric's growth in a repetition at the background's rate alone.
func (b Background) Of(m Metric, r Repetition) (sum float64) {
	for i, name := range m.From {
		amount := b.PerSecond[name] * r.Counts[name].Seconds
		if i > 0 && m.how == subtraction {
			amount = -amount
		}
		sum += amount
	}
	return sum
}

// idling holds an idle repetition's rates, the amounts that its end added, and both as one rate.
type idling struct{ rates, closing, whole map[string]float64 }

// TakeOffBackground measures the background and subtracts it from the counts of all loads that are not idle, in place.
// It makes at most the given number of variants of each repetition.
func (r *Run) TakeOffBackground(variants int) {
	each := r.idlings()
	mean := idling{
		rates:   meanRates(each, func(i idling) map[string]float64 { return i.rates }),
		closing: meanRates(each, func(i idling) map[string]float64 { return i.closing }),
		whole:   meanRates(each, func(i idling) map[string]float64 { return i.whole }),
	}
	r.Idle = Background{Repetitions: len(each), PerSecond: mean.rates, Closing: mean.closing,
		Deviation: deviations(each, mean.whole)}
	if len(each) < 2 {
		each = nil // with one, the variation is unknown
	}
	for i := range r.Loads {
		if r.Loads[i].Idle() {
			continue
		}
		for j, repetition := range r.Loads[i].Repetitions {
			for _, one := range each[:min(len(each), variants)] {
				repetition.Variants = append(repetition.Variants, repetition.without(one))
			}
			repetition.takeOff(mean)
			r.Loads[i].Repetitions[j] = repetition
		}
	}
}

// Raw returns the run with nothing taken off its counts.
func (r *Run) Raw() *Run {
	raw := *r
	raw.Idle, raw.Narrowed, raw.Loads = Background{}, true, slices.Clone(r.Loads)
	for i := range raw.Loads {
		raw.Loads[i].Repetitions = slices.Clone(raw.Loads[i].Repetitions)
		for k, repetition := range raw.Loads[i].Repetitions {
			raw.Loads[i].Repetitions[k] = repetition.AsRead()
		}
	}
	return &raw
}

// AsRead returns the repetition with nothing taken off its counts.
func (r Repetition) AsRead() Repetition {
	r.Counts, r.Variants = maps.Clone(r.Counts), nil
	for metric, count := range r.Counts {
		count.Amount = count.Raw
		r.Counts[metric] = count
	}
	return r
}

// without returns the repetition with a background taken off.
func (r Repetition) without(of idling) Repetition {
	r.Counts, r.Variants = maps.Clone(r.Counts), nil
	r.takeOff(of)
	return r
}

// takeOff subtracts a background from the repetition's counts.
func (r Repetition) takeOff(of idling) {
	for metric, count := range r.Counts {
		if rate, known := of.rates[metric]; known && count.Missing == nil {
			count.Amount = count.Raw - rate*count.Seconds - of.closing[metric]
			r.Counts[metric] = count
		}
	}
}

// BeforeEnd returns an idle repetition at its rates before its end, if they were read.
func (r Repetition) BeforeEnd() Repetition {
	seconds := 0.0
	for _, count := range r.Quiet {
		seconds = max(seconds, count.Seconds)
	}
	if seconds == 0 {
		return r
	}
	r.Seconds, r.Counts = seconds, maps.Clone(r.Counts)
	for name, count := range r.Counts {
		if quiet, known := r.Quiet[name]; known {
			count = quiet
		}
		if count.Missing == nil {
			part := seconds / count.Seconds
			r.Counts[name] = Count{Amount: part * count.Amount, Raw: part * count.Raw, Seconds: seconds,
				Error: part * count.Error}
		}
	}
	return r
}

// idlings returns the rates and amounts of each idle repetition.
func (r *Run) idlings() (all []idling) {
	for _, load := range r.Loads {
		if !load.Idle() {
			continue
		}
		for _, repetition := range load.Repetitions {
			one := idling{map[string]float64{}, map[string]float64{}, map[string]float64{}}
			for metric, count := range repetition.Counts {
				if count.Missing != nil {
					continue
				}
				one.whole[metric] = count.Raw / count.Seconds
				one.rates[metric] = one.whole[metric]
				if quiet, known := repetition.Quiet[metric]; known {
					one.rates[metric] = quiet.Raw / quiet.Seconds
					one.closing[metric] = count.Raw - one.rates[metric]*count.Seconds
				}
			}
			all = append(all, one)
		}
	}
	return all
}

// meanRates returns the means of a part over the repetitions that have the metric.
func meanRates(each []idling, part func(idling) map[string]float64) map[string]float64 {
	sums, n := map[string]float64{}, map[string]float64{}
	for _, one := range each {
		for metric, rate := range part(one) {
			sums[metric] += rate
			n[metric]++
		}
	}
	for metric := range sums {
		sums[metric] /= n[metric]
	}
	return sums
}

// deviations returns the standard deviations of the metrics that more than one repetition has.
func deviations(each []idling, means map[string]float64) map[string]float64 {
	squares, n := map[string]float64{}, map[string]float64{}
	for _, one := range each {
		for metric, rate := range one.whole {
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
