package sizing

import (
	"fmt"
	"math"

	"github.com/realiops/realiops/internal/analyze/catalog"
	"github.com/realiops/realiops/internal/analyze/number"
)

// tooMuch is the error for a requirement beyond all sizes of a volume.
func tooMuch(v catalog.Volume, need Requirement) error {
	return fmt.Errorf("%s does not reach %s IOPS and %s MiB/s on %s GiB at any size", v.Title,
		number.Rate(need.IOPS), number.Rate(need.MiBps), number.Rate(need.GiB))
}

// fits returns the smallest order in each tier that carries a requirement, by size.
func fits(v catalog.Volume, need Requirement) (found []Fitted) {
	for i := range v.Tiers {
		if f, ok := inTier(v, i, need); ok {
			found = append(found, f)
		}
	}
	return found
}

// cheapest returns the cheapest order with a known cost, or the first if none has one, and reports whether one has.
func cheapest(found []Fitted, cost func(Config) (float64, bool)) (best Fitted, known bool) {
	least := 0.0
	for i, f := range found {
		price, priced := cost(f.Config)
		if i == 0 || priced && (!known || price < least) {
			best, least = f, price
		}
		known = known || priced
	}
	return best, known
}

// smaller returns the first order that is smaller than another and has no known cost; nil if there is none.
func smaller(found []Fitted, than Fitted, cost func(Config) (float64, bool)) *Fitted {
	for _, f := range found {
		if _, known := cost(f.Config); !known && f.GiB < than.GiB {
			return &f
		}
	}
	return nil
}

// inTier returns the smallest order within one tier of sizes.
func inTier(v catalog.Volume, i int, need Requirement) (Fitted, bool) {
	t, last := v.Tiers[i], v.GiB[1]
	if v.SoldInSteps {
		last = t.FromGiB
	} else if i+1 < len(v.Tiers) {
		last = v.Tiers[i+1].FromGiB - 1
	}
	c := Config{Volume: v, MiBps: buy(t.MiBps, need.MiBps, v.Step())}
	c.IOPS = buy(t.IOPS, max(need.IOPS, operationsFor(t.MiBps, max(need.MiBps, c.MiBps))), 1)
	c.GiB = math.Ceil(max(need.GiB, v.GiB[0], t.FromGiB, sizeFor(t.IOPS, need.IOPS, c.IOPS),
		sizeFor(t.MiBps, need.MiBps, c.MiBps)))
	c.IOPS = max(c.IOPS, math.Ceil(t.IOPS.SoldLeastPerGiB*c.GiB))
	if c.GiB > last {
		return Fitted{}, false
	}
	k, err := c.Capacity()
	if err != nil || !k.carries(need) {
		return Fitted{}, false
	}
	return Fitted{c, k, binding(c, k, need)}, true
}

// buy returns the amount to buy beside the size, in whole steps.
func buy(r catalog.Rule, need, step float64) float64 {
	if r.SoldMost == 0 || need <= r.Free && r.SoldLeast == 0 {
		return 0
	}
	return units(max(need, r.SoldLeast), step) * step
}

// operationsFor returns the operations to buy for the bytes that come with them.
func operationsFor(r catalog.Rule, need float64) float64 {
	switch {
	case r.PerIOPS > 0:
		return units(need, r.PerIOPS)
	case r.SoldPerIOPS > 0 && need > r.Free:
		return units(need, r.SoldPerIOPS)
	}
	for i := 1; i < len(r.ByIOPS); i++ {
		from, to := r.ByIOPS[i-1], r.ByIOPS[i]
		if need > to[1] || to[1] == from[1] {
			continue
		}
		operations := math.Ceil(from[0] + (to[0]-from[0])*max(0, need-from[1])/(to[1]-from[1]))
		if along(r.ByIOPS, operations) < need {
			operations++
		}
		return operations
	}
	return 0
}

// units returns the number of units that cover a need. It corrects a quotient that was rounded down.
func units(need, each float64) float64 {
	n := math.Ceil(need / each)
	if n*each < need {
		n++
	}
	return n
}

// sizeFor returns the smallest size that gives the need, or with which the amount may be bought.
func sizeFor(r catalog.Rule, need, bought float64) float64 {
	switch {
	case bought > 0 && r.SoldPerGiB > 0:
		return units(bought, r.SoldPerGiB)
	case bought == 0 && r.PerGiB > 0 && need > max(r.Least, r.Free):
		return units(need-r.Free, r.PerGiB)
	}
	return 0
}

// binding returns the part of a requirement that comes nearest to the order's limits.
func binding(c Config, k Capacity, need Requirement) Binding {
	size, operations, bytes := need.GiB/c.GiB, need.IOPS/k.IOPS, need.MiBps/k.MiBps
	switch {
	case size >= operations && size >= bytes:
		return BySize
	case operations >= bytes:
		return ByOperations
	default:
		return ByBytes
	}
}
