package sizing_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/realiops/realiops/internal/analyze/catalog"
	"github.com/realiops/realiops/internal/analyze/sizing"
	"github.com/realiops/realiops/internal/analyze/sizing/needs"
)

// options returns the ways to carry requests of the given size per second on the given data, without headroom, by
// volume.
func options(t *testing.T, requests, kib, gib float64) map[string]sizing.Option {
	t.Helper()
	volumes := catalog.Volumes()
	q := sizing.Question{Need: needs.Rate{Writes: requests, WriteBytes: requests * kib * 1024}, GiB: gib}
	all, err := sizing.Options(q, volumes, nil, tariff(t, "us-east-1"))
	if err != nil {
		t.Fatal(err)
	}
	by := map[string]sizing.Option{}
	for _, o := range all {
		by[o.Volume.Name] = o
	}
	return by
}

// TestHardDisksChargeWholeCredits: "each I/O request of 1 MiB or less counts as one credit of 1 MiB" (EBS user guide,
// hard disk drives). 100 requests of 4 KiB are 100 MiB a second, of which st1 has 40 per TiB and sc1 12: 2,560 and
// 8,533.3 GiB.
func TestHardDisksChargeWholeCredits(t *testing.T) {
	all := options(t, 100, 4, 100)
	for name, want := range map[string]float64{"st1": 2560, "sc1": 8534} {
		if o := all[name]; o.Order == nil || o.Order.GiB != want {
			t.Errorf("%s: %+v, want %g GiB", name, o.Order, want)
		}
	}
}

// TestRandomRequestsOfHardDisk: st1 of 500 GiB passes 122 credits of 1 MiB a second while they last, whatever the size
// of the requests. 130 of 4 KiB were measured on it, and just over 1 MiB of data (2020).
func TestRandomRequestsOfHardDisk(t *testing.T) {
	st1 := volume(t, "st1")
	k, err := sizing.Config{Volume: st1, GiB: 500}.Capacity()
	if err != nil {
		t.Fatal(err)
	}
	measured := needs.Rate{Writes: 130, WriteBytes: 130 * 4096}
	near(t, "MiB of credits a second", measured.Charged(st1)/(1<<20), 130, 0)
	near(t, "and those there are", k.BurstMiBps, 130, 8)
}

// TestBytesAreRoundedBeforeOperations: 3,600 requests of 256 KiB are 900 MiB a second, which needs 3,600 IOPS at 0.25
// MiB/s each. Slightly more is 901, and 3,604. Azure sells MB of 10^6: 943.7 of them, so 944, and 3,776.
func TestBytesAreRoundedBeforeOperations(t *testing.T) {
	check := func(name string, requests, iops, bytes float64) {
		t.Helper()
		o := options(t, requests, 256, 1000)[name]
		if o.Order == nil || o.Order.GiB != 1000 || o.Order.IOPS != iops ||
			math.Abs(o.Order.MiBps-asPublished(name, bytes)) > 1e-9 {
			t.Errorf("%s for %g requests: %+v (%s), want %g IOPS and %g a second", name, requests, o.Order,
				o.Why, iops, bytes)
		}
	}
	check("gp3", 3600, 3600, 900)
	check("gp3", 3600.1, 3604, 901)
	for _, name := range []string{"azure-premium-v2", "azure-ultra"} {
		check(name, 3600, 3776, 944)
		check(name, 3604, 3780, 945) // 944.8
	}
	near(t, "gp3 a month", options(t, 3600, 256, 1000)["gp3"].Bill.Total, 80+600*0.005+775*0.04, 1e-9)
}

// TestMinimums are the least amounts sold: 100 IOPS of io1, io2 and Ultra Disk; for RDS io1 and io2 half an IOPS per
// GiB, and at least 1,000.
func TestMinimums(t *testing.T) {
	all := options(t, 10, 8, 4000)
	for name, want := range map[string]float64{"io1": 100, "io2": 100, "azure-ultra": 100, "rds-io1": 2000,
		"rds-io2": 2000} {
		if o := all[name]; o.Order == nil || o.Order.IOPS != want {
			t.Errorf("%s: %+v (%s), want %g IOPS", name, o.Order, o.Why, want)
		}
	}
	all = options(t, 10, 8, 1000)
	if o := all["rds-io1"]; o.Order == nil || o.Order.IOPS != 1000 {
		t.Errorf("rds-io1 of 1,000 GiB: %+v (%s)", o.Order, o.Why)
	}
}

// TestBytesOfRDSProvisionedIOPS: each volume under RDS io1 passes 256 KiB per operation, up to 500 MiB/s, like io1 of
// EBS: 1,000 are 250 MiB/s on one, and four of them with 2,000 each are 2,000.
func TestBytesOfRDSProvisionedIOPS(t *testing.T) {
	check := func(gib, iops, mibps float64) {
		t.Helper()
		k, err := sizing.Config{Volume: volume(t, "rds-io1"), GiB: gib, IOPS: iops}.Capacity()
		if err != nil || k.MiBps != mibps {
			t.Errorf("%g GiB with %g IOPS: %g MiB/s (%v), want %g", gib, iops, k.MiBps, err, mibps)
		}
	}
	check(100, 1000, 250)
	check(399, 2000, 500)
	check(400, 1000, 250)
	check(400, 8000, 2000)
	check(65536, 256000, 4000)
}

// TestOrdersAreLeast compares Fit with a search of the grid of everything sold, for every volume: if the grid has an
// order that carries the need by its own rules, Fit finds one, and none in the grid is cheaper.
func TestOrdersAreLeast(t *testing.T) {
	volumes := catalog.Volumes()
	us := tariff(t, "us-east-1")
	cost := func(c sizing.Config) (float64, bool) {
		b, err := us.Monthly(c)
		// of named sizes only some have a price here, and the smallest counts
		return b.Total, err == nil && !c.Volume.SoldInSteps
	}
	random := rand.New(rand.NewPCG(11, 12))
	for _, v := range volumes {
		if v.Unlimited {
			continue
		}
		found := 0
		for range 60 {
			need := drawn(random)
			want, exists := searched(v, need, cost)
			f, err := sizing.Fit(v, need, cost)
			switch {
			case (err == nil) != exists:
				t.Fatalf("%s for %+v: found %v (%v), in the grid %v: %+v", v.Name, need, err == nil, err, exists, want)
			case !exists:
				continue
			}
			found++
			k, err := f.Config.Capacity()
			if err != nil || k.IOPS < need.IOPS || k.MiBps < need.MiBps || f.GiB < need.GiB {
				t.Fatalf("%s for %+v: %+v carries %+v, %v", v.Name, need, f.Config, k, err)
			}
			if dear, cheap := priced(f.Config, cost), priced(want, cost); dear > cheap*(1+1e-9) {
				t.Fatalf("%s for %+v: %+v for %g, and %+v is %g", v.Name, need, f.Config, dear, want, cheap)
			}
		}
		if found == 0 {
			t.Errorf("%s: no need was ever carried, this tests nothing", v.Name)
		}
	}
}

// drawn returns a random need, now and then exactly at an edge of what is sold, or slightly beyond it.
func drawn(random *rand.Rand) sizing.Requirement {
	edge := func(v, step float64) float64 {
		switch random.IntN(6) {
		case 0:
			return max(1, math.Round(v/step)) * step
		case 1:
			return math.Nextafter(max(1, math.Round(v/step))*step, math.Inf(1))
		}
		return v
	}
	scale := []float64{0.1, 1, 5}[random.IntN(3)]
	return sizing.Requirement{
		GiB: edge(random.ExpFloat64()*700, 1), IOPS: edge(random.ExpFloat64()*8000*scale, 30),
		MiBps: edge(random.ExpFloat64()*300*scale, []float64{125, 0.25, 0.256, 0.48, 40.0 / 1024}[random.IntN(5)]),
	}
}

// searched returns the cheapest order of the grid: for each size the least IOPS and bytes per second that carry the
// need, by bisection.
func searched(v catalog.Volume, need sizing.Requirement, cost func(sizing.Config) (float64, bool)) (best sizing.Config,
	exists bool) {
	carries := func(c sizing.Config) bool {
		k, err := c.Capacity()
		return err == nil && k.IOPS >= need.IOPS && k.MiBps >= need.MiBps
	}
	for _, gib := range sizes(v, need) {
		for _, mibps := range []float64{0, math.Ceil(need.MiBps/v.Step()) * v.Step()} {
			for _, iops := range []float64{0, leastIOPS(carries, sizing.Config{Volume: v, GiB: gib, MiBps: mibps})} {
				c := sizing.Config{Volume: v, GiB: gib, IOPS: iops, MiBps: mibps}
				if carries(c) && (!exists || priced(c, cost) < priced(best, cost)) {
					best, exists = c, true
				}
			}
		}
	}
	return best, exists
}

// leastIOPS returns the least IOPS that carry the need; if none do, a number that is not sold.
func leastIOPS(carries func(sizing.Config) bool, c sizing.Config) float64 {
	const most = 400000
	high := float64(most)
	for _, try := range []float64{80000, 64000, 256000, 19950, 50 * c.GiB, 500 * c.GiB, 1000 * c.GiB, most} {
		c.IOPS = math.Floor(try)
		if carries(c) {
			high = c.IOPS
			break
		}
	}
	low := 0.0
	for high-low > 1 {
		c.IOPS = math.Floor((low + high) / 2)
		if carries(c) {
			high = c.IOPS
		} else {
			low = c.IOPS
		}
	}
	return high
}

// sizes returns sizes of a volume that hold the data: the first and last of each tier, every one near the least that
// may be needed, and some between.
func sizes(v catalog.Volume, need sizing.Requirement) []float64 {
	var all []float64
	add := func(gib float64) {
		if gib = math.Ceil(gib); gib >= need.GiB && gib >= v.GiB[0] && gib <= v.GiB[1] {
			all = append(all, gib)
		}
	}
	for i, tier := range v.Tiers {
		add(tier.FromGiB)
		if i > 0 {
			add(tier.FromGiB - 1)
		}
	}
	if v.SoldInSteps {
		return slices.DeleteFunc(all, func(gib float64) bool {
			return !slices.ContainsFunc(v.Tiers, func(t catalog.Tier) bool { return t.FromGiB == gib })
		})
	}
	add(v.GiB[1])
	for near := -1.0; near <= 2; near++ {
		for _, at := range []float64{
			need.GiB, v.GiB[0], need.IOPS / 500, need.IOPS / 1000, need.IOPS / 50, need.IOPS / 3, need.IOPS / 30,
			need.MiBps / 0.25 / 500,
			need.MiBps / 0.256 / 1000, need.MiBps / 0.25 / 1000, need.MiBps / 0.25 / 50,
			(32000 + (need.MiBps-500)*64) / 50, need.MiBps / 0.48,
			need.MiBps * 1.048576 / 0.25 / 500, need.MiBps * 1.048576 / 0.25 / 1000,
			(128000 + (need.MiBps-2000)*64) / 50, need.MiBps * 1024 / 40, need.MiBps * 1024 / 12,
		} {
			add(at + near)
		}
	}
	for gib := v.GiB[0]; gib < v.GiB[1]; gib = gib*2 + 1 {
		add(gib)
	}
	return all
}

func priced(c sizing.Config, cost func(sizing.Config) (float64, bool)) float64 {
	if price, known := cost(c); known {
		return price
	}
	return c.GiB
}
