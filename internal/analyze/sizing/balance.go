package sizing

import (
	"time"

	"github.com/realiops/realiops/internal/analyze/counts"
	"github.com/realiops/realiops/internal/metric"
)

// Balance holds the fill levels of the credit buckets at the start.
type Balance struct {
	Volume     Filling
	Operations Filling // of the instance
	Bytes      Filling // of the instance
}

// Filling is the fill level of a bucket, and its source.
type Filling struct {
	Percent float64
	Metric  string    // of the run that has it; empty: given, or assumed full
	At      time.Time // of that reading
}

// Full returns full buckets.
func Full() Balance {
	full := Filling{Percent: 100}
	return Balance{full, full, full}
}

// Asked holds the balances given by the user, in percent; nil: the last in the run, or full.
type Asked struct {
	Volume, Instance *float64
}

// balance returns the balances at the start: those given, else the last in the run, else full ones.
func (a Asked) balance(run *counts.Run) Balance {
	b := Full()
	b.Volume.take(run, a.Volume, metric.CloudWatchBurstBalance)
	b.Operations.take(run, a.Instance, metric.CloudWatchEBSIOBalance)
	b.Bytes.take(run, a.Instance, metric.CloudWatchEBSByteBalance)
	return b
}

func (f *Filling) take(run *counts.Run, percent *float64, metric string) {
	if percent != nil {
		*f = Filling{Percent: *percent}
		return
	}
	if run == nil {
		return
	}
	levels := run.Levels(metric)
	if len(levels) == 0 {
		return
	}
	last := levels[len(levels)-1]
	*f = Filling{Percent: min(100, max(0, last.Value)), Metric: metric, At: last.To}
}
