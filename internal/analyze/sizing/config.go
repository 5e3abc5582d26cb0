package sizing

import (
	"fmt"

	"github.com/realiops/realiops/internal/analyze/burst"
	"github.com/realiops/realiops/internal/analyze/catalog"
	"github.com/realiops/realiops/internal/analyze/number"
)

// mib is the unit of throughput here, even if a provider counts in MB.
const mib = 1 << 20

// Config is a volume as one would order it.
type Config struct {
	Volume catalog.Volume
	GiB    float64
	IOPS   float64 // bought beside the size; 0: none
	MiBps  float64
}

// Capacity holds a volume's limits: sustained, and while credits last.
type Capacity struct {
	IOPS, MiBps           float64
	BurstIOPS, BurstMiBps float64 // equal to the sustained ones without burst
	Credits               float64 // operations of a full bucket; 0: none
	CreditsMiB            float64
}

func (k Capacity) carries(need Requirement) bool { return k.IOPS >= need.IOPS && k.MiBps >= need.MiBps }

// Capacity returns the limits of the configuration. The error says why it cannot be ordered.
func (c Config) Capacity() (Capacity, error) {
	tier, known := c.Volume.Tier(c.GiB)
	if !known {
		return Capacity{}, fmt.Errorf("%s comes with %s to %s GiB, not %s", c.Volume.Title,
			number.Stated(c.Volume.GiB[0]), number.Stated(c.Volume.GiB[1]), number.Stated(c.GiB))
	}
	if err := c.sold("IOPS", c.IOPS, tier.IOPS, tier.IOPS.SoldPerGiB*c.GiB, ""); err != nil {
		return Capacity{}, err
	}
	iops := holds(tier.IOPS, c.GiB, c.IOPS, 0)
	if err := c.sold("MiB/s", c.MiBps, tier.MiBps, tier.MiBps.SoldPerIOPS*iops,
		" with "+number.Stated(iops)+" IOPS"); err != nil {
		return Capacity{}, err
	}
	mibps := holds(tier.MiBps, c.GiB, c.MiBps, iops)
	k := Capacity{IOPS: iops, MiBps: mibps}
	k.BurstIOPS, k.Credits = bursts(tier.IOPS, c.GiB, iops)
	k.BurstMiBps, k.CreditsMiB = bursts(tier.MiBps, c.GiB, mibps)
	return k, nil
}

// sold checks that an amount can be bought. most is the upper bound that comes with another quantity, with.
func (c Config) sold(name string, bought float64, r catalog.Rule, most float64, with string) error {
	least, bound := max(r.SoldLeast, r.SoldLeastPerGiB*c.GiB), r.SoldMost
	if r.SoldPerGiB > 0 || r.SoldPerIOPS > 0 {
		bound = min(bound, max(most, r.Free))
	}
	switch {
	case bought == 0 && least == 0:
		return nil
	case r.SoldMost == 0:
		return fmt.Errorf("%s of %s GiB has a fixed %s", c.Volume.Title, number.Stated(c.GiB), name)
	case bought > bound || bought < least:
		return fmt.Errorf("%s of %s GiB has %s to %s %s%s, not %s", c.Volume.Title, number.Stated(c.GiB),
			number.Stated(least), number.Stated(bound), name, with, number.Stated(bought))
	}
	return nil
}

// holds returns what a rule gives, sustained.
func holds(r catalog.Rule, gib, bought, iops float64) float64 {
	v := max(r.Free+r.PerGiB*gib, r.Least, bought, r.PerIOPS*iops, along(r.ByIOPS, iops))
	if r.Most > 0 {
		v = min(v, r.Most)
	}
	return v
}

// bursts returns what a rule gives while its credits last.
func bursts(r catalog.Rule, gib, base float64) (most, credits float64) {
	most, credits = max(r.Burst, r.BurstPerGiB*gib), r.Credits+r.CreditsPerGiB*gib
	if r.BurstMost > 0 {
		most = min(most, r.BurstMost)
	}
	if most <= base || credits == 0 {
		return base, 0
	}
	return most, credits
}

// along returns the value at x of a line through points, constant beyond the last.
func along(points [][2]float64, x float64) float64 {
	for i := 1; i < len(points); i++ {
		if from, to := points[i-1], points[i]; x <= to[0] {
			return from[1] + (to[1]-from[1])*(x-from[0])/(to[0]-from[0])
		}
	}
	if len(points) == 0 {
		return 0
	}
	return points[len(points)-1][1]
}

// Limits returns the capacity as limits of a simulation, with full buckets.
func (k Capacity) Limits() []burst.Limit {
	return []burst.Limit{
		burst.Limit{Name: "operations", Of: burst.Operations, Base: k.IOPS, Burst: k.BurstIOPS,
			Capacity: k.Credits}.Full(),
		burst.Limit{Name: "bytes", Of: burst.Bytes, Base: k.MiBps * mib, Burst: k.BurstMiBps * mib,
			Capacity: k.CreditsMiB * mib}.Full(),
	}
}
