package sizing

import (
	"github.com/realiops/realiops/internal/analyze/burst"
	"github.com/realiops/realiops/internal/analyze/catalog"
)

// Bursting is the least order whose credits carry a demand that is repeated, where that is less than what carries it for good.
type Bursting struct {
	Order   Config
	Outcome burst.Outcome
	Bill    *Bill // nil: no price is known
}

// burst looks for a smaller size than that of an order. There is none where a volume has no credits, and where the
// seconds of the demand are not known.
func (q Question) burst(v catalog.Volume, order *Fitted, t Tariff) (*Bursting, error) {
	if !hasCredits(v) || len(q.Demand) == 0 || q.Repeat <= 0 {
		return nil, nil //nolint:nilnil // nothing bursts
	}
	demand, sizes := q.demand(v), q.sizes(v, order)
	limits := func(gib float64) []burst.Limit { return q.limits(v, gib) }
	gib, found, err := burst.Smallest(demand, q.Repeat, sizes, limits)
	if err != nil || !found {
		return nil, err
	}
	outcome, err := burst.Play(demand, q.Repeat, limits(gib))
	if err != nil {
		return nil, err
	}
	b := &Bursting{Order: Config{Volume: v, GiB: gib}, Outcome: outcome}
	if bill, err := t.Monthly(b.Order); err == nil {
		b.Bill = &bill
	}
	return b, nil
}

func hasCredits(v catalog.Volume) bool {
	for _, t := range v.Tiers {
		if t.IOPS.Credits > 0 || t.MiBps.Credits > 0 || t.MiBps.CreditsPerGiB > 0 {
			return true
		}
	}
	return false
}

// demand is what the provider counts of each second, headroom included.
func (q Question) demand(v catalog.Volume) []burst.Demand {
	headroom := 1 + q.Headroom/100
	all := make([]burst.Demand, len(q.Demand))
	for i, rate := range q.Demand {
		_, operations := rate.Operations(v.UnitKiB, v.Merges)
		all[i] = burst.Demand{operations * headroom, rate.Bytes() * headroom}
	}
	return all
}

// sizes are those below an order, ascending, that hold the data.
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

// limits are those of a size, with the balance that was asked for.
func (q Question) limits(v catalog.Volume, gib float64) []burst.Limit {
	k, err := Config{Volume: v, GiB: gib}.Capacity()
	if err != nil {
		return []burst.Limit{{Name: "size"}} // carries nothing
	}
	limits := k.Limits()
	for i := range limits {
		limits[i] = limits[i].Filled(q.Balance)
	}
	return limits
}
