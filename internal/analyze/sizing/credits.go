package sizing

import (
	"slices"
	"time"

	"github.com/realiops/realiops/internal/analyze/burst"
	"github.com/realiops/realiops/internal/analyze/catalog"
	"github.com/realiops/realiops/internal/analyze/counts"
	"github.com/realiops/realiops/internal/metric"
)

// burst looks for two sizes below an order: the smallest whose credits carry the demand, and the smallest that holds
// the data if its credits do not last. There are none for a volume without credits, or if the seconds of the demand are
// unknown.
func (q Question) burst(v catalog.Volume, order *Fitted, m *machine, t Tariff) (enough, bare *Bursting, err error) {
	if !hasCredits(v) || len(q.Demand) == 0 || q.Repeat <= 0 {
		return nil, nil, nil
	}
	demand, sizes := q.demand(v), q.sizes(v, order)
	if len(sizes) == 0 {
		return nil, nil, nil
	}
	limits := func(gib float64) []burst.Limit { return q.limits(v, gib, m) }
	gib, found, err := burst.Smallest(demand, q.Repeat, sizes, limits)
	if err != nil {
		return nil, nil, err
	}
	if found {
		if enough, err = q.played(v, gib, demand, limits(gib), t); err != nil {
			return nil, nil, err
		}
	}
	if !found || gib > sizes[0] {
		bare, err = q.played(v, sizes[0], demand, limits(sizes[0]), t)
	}
	ranDry := func(f burst.Fate) bool { return f.Dry > 0 }
	if bare != nil && !slices.ContainsFunc(bare.Outcome.Limits, ranDry) {
		bare = nil // something else is the limit, as the order says
	}
	return enough, bare, err
}

// played simulates the demand on one size.
func (q Question) played(v catalog.Volume, gib float64, demand []burst.Demand, limits []burst.Limit,
	t Tariff) (*Bursting, error) {
	outcome, err := burst.Play(demand, q.Repeat, limits)
	if err != nil {
		return nil, err
	}
	b := &Bursting{Order: Config{Volume: v, GiB: gib}, Outcome: outcome, Limits: limits}
	if bill, err := t.Monthly(b.Order); err == nil {
		b.Bill = &bill
	}
	return b, nil
}

func hasCredits(v catalog.Volume) bool {
	return slices.ContainsFunc(v.Tiers, func(t catalog.Tier) bool {
		return t.IOPS.Credits > 0 || t.MiBps.Credits > 0 || t.MiBps.CreditsPerGiB > 0
	})
}

// demand returns what the provider counts in each second, headroom included.
func (q Question) demand(v catalog.Volume) []burst.Demand {
	all := make([]burst.Demand, len(q.Demand))
	for i, rate := range q.Demand {
		_, operations := rate.Operations(v.UnitKiB, v.Merges)
		all[i] = burst.Demand{q.with(operations), q.with(rate.Charged(v)), q.with(rate.Bytes())}
	}
	return all
}

// sizes returns the sizes below an order that hold the data, ascending.
func (q Question) sizes(v catalog.Volume, order *Fitted) (all []float64) {
	last := v.GiB[1]
	if order != nil {
		last = order.GiB - 1
	}
	if v.SoldInSteps {
		for _, t := range v.Tiers {
			if t.FromGiB >= q.GiB && t.FromGiB <= last {
				all = append(all, t.FromGiB)
			}
		}
		return all
	}
	for gib := max(q.GiB, v.GiB[0]); gib <= last; gib++ {
		all = append(all, gib)
	}
	return all
}

// limits returns the limits of a size and of its machine, with the balances at the start.
func (q Question) limits(v catalog.Volume, gib float64, m *machine) []burst.Limit {
	k, err := Config{Volume: v, GiB: gib}.Capacity()
	if err != nil {
		return []burst.Limit{{Name: "size"}} // carries nothing
	}
	limits := k.Limits()
	for i := range limits {
		limits[i] = limits[i].Filled(q.Balance.Volume.Percent)
	}
	if m.behind(v) {
		limits = append(limits, machineLimits(*m.limits, q.Balance)...)
	}
	return limits
}

// machineLimits returns the limits of a machine class.
func machineLimits(m catalog.Instance, balance Balance) []burst.Limit {
	const mb = 1e6
	bucket := func(name string, of burst.Dimension, base, most, percent float64) burst.Limit {
		l := burst.Limit{Name: name, Of: of, Base: base, Burst: most}
		if m.Bursts {
			l.Capacity = (most - base) * burstSeconds
		}
		return l.Filled(percent)
	}
	return []burst.Limit{
		bucket("operations of the instance", burst.Operations, m.BaseIOPS, m.MostIOPS, balance.Operations.Percent),
		bucket("bytes of the instance", burst.Bytes, m.BaseMB*mb, m.MostMB*mb, balance.Bytes.Percent),
	}
}

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
