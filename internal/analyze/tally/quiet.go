package tally

import (
	"maps"
	"time"

	"github.com/realiops/realiops/internal/analyze/counts"
	"github.com/realiops/realiops/internal/runfile"
)

// unknownOf returns the background without one metric.
func unknownOf(b counts.Background, metric string) counts.Background {
	for _, of := range []*map[string]float64{&b.PerSecond, &b.Closing, &b.Deviation} {
		*of = maps.Clone(*of)
		delete(*of, metric)
	}
	return b
}

// mostVariants bounds the idle repetitions that are subtracted one by one: a few show how far the background varies.
const mostVariants = 10

// leastQuiet is the share of an idle load that two readings must span to show a rate.
const leastQuiet = 0.5

// quiet returns each counter's growth in an idle repetition before its end, which begins after the planned length.
func (b *builder) quiet(r counts.Repetition) (all map[string]counts.Count) {
	length := time.Duration(b.run.Header.Plan.LoadSeconds * float64(time.Second))
	end := r.Begin.Add(length)
	if length == 0 || !end.Before(r.End) {
		return nil
	}
	for name, count := range r.Counts {
		if m, known := b.run.Counter(name); count.Missing != nil || !known || m.Type != runfile.Counter {
			continue
		}
		change, err := b.Series(name).Delta(r.Begin, end)
		if seconds := change.Seconds(); err == nil && seconds > leastQuiet*length.Seconds() && seconds < count.Seconds {
			if all == nil {
				all = map[string]counts.Count{}
			}
			all[name] = counts.Count{Amount: change.Amount, Raw: change.Amount, Seconds: seconds}
		}
	}
	return all
}
