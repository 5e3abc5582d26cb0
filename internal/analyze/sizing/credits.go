package sizing

import (
	"slices"

	"github.com/realiops/realiops/internal/analyze/burst"
	"github.com/realiops/realiops/internal/analyze/catalog"
)

// burst looks for the two sizes below that of an order that are worth to know: the least whose credits carry the
// demand, and the one that only holds the data, where its credits do not last. There are none where a volume has no
// credits, and where the seconds of the demand are not known.
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
		bare = nil // something else is in the way, and the order tells what
	}
	return enough, bare, err
}

// played returns how the demand fares on one size.
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

// demand returns what the provider counts of each second, headroom included.
func (q Question) demand(v catalog.Volume) []burst.Demand {
	all := make([]burst.Demand, len(q.Demand))
	for i, rate := range q.Demand {
		_, operations := rate.Operations(v.UnitKiB, v.Merges)
		all[i] = burst.Demand{q.with(operations), q.with(rate.Charged(v)), q.with(rate.Bytes())}
	}
	return all
}

// sizes returns those below an order, ascending, that hold the data.
func (q Question) sizes(v catalog.Volume, order *Fitted) []float64 {
	last := v.GiB[1]
	if order != nil {
		last = order.GiB - 1
	}
	var all []float64
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

// limits returns those of a size and of the machine in front of it, with the balances at the start.
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

// machineLimits returns those of a class of machine.
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
