package sizing_test

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/realiops/realiops/internal/analyze/burst"
	"github.com/realiops/realiops/internal/analyze/catalog"
	"github.com/realiops/realiops/internal/analyze/sizing"
)

func volume(t *testing.T, name string) catalog.Volume {
	t.Helper()
	return pick(t, catalog.Volumes(), name, func(v catalog.Volume) string { return v.Name })
}

// pick returns the row of a catalog with the given name.
func pick[T any](t *testing.T, all []T, name string, of func(T) string) T {
	t.Helper()
	i := slices.IndexFunc(all, func(row T) bool { return of(row) == name })
	if i < 0 {
		t.Fatalf("no %s in the catalog", name)
	}
	return all[i]
}

// asPublished converts bytes to MiB as the provider publishes them; Azure's are MB of 10^6 (its API: "MBps means
// millions of bytes per second").
func asPublished(name string, bytes float64) float64 {
	if strings.HasPrefix(name, "azure-") {
		return bytes * 1e6 / (1 << 20)
	}
	return bytes
}

// capacities compares rows of a provider's table, in its units, with the catalog.
func capacities(t *testing.T) func(name string, gib, iops, mibps float64, want sizing.Capacity) {
	t.Helper()
	return func(name string, gib, iops, mibps float64, want sizing.Capacity) {
		t.Helper()
		for _, bytes := range []*float64{&mibps, &want.MiBps, &want.BurstMiBps, &want.CreditsMiB} {
			*bytes = asPublished(name, *bytes)
		}
		got, err := sizing.Config{Volume: volume(t, name), GiB: gib, IOPS: iops, MiBps: mibps}.Capacity()
		if err != nil {
			t.Errorf("%s of %g GiB: %v", name, gib, err)
			return
		}
		if diff := cmp.Diff(want, got, cmpopts.EquateApprox(0.001, 0.3)); diff != "" {
			t.Errorf("%s of %g GiB (-want +got):\n%s", name, gib, diff)
		}
	}
}

func bursting(iops, mibps, burstIOPS, credits float64) sizing.Capacity {
	return sizing.Capacity{IOPS: iops, MiBps: mibps, BurstIOPS: burstIOPS, BurstMiBps: mibps, Credits: credits}
}

func steady(iops, mibps float64) sizing.Capacity { return bursting(iops, mibps, iops, 0) }

// TestCapacitiesOfEBS are rows of the EBS user guide: general purpose volumes, and provisioned IOPS.
func TestCapacitiesOfEBS(t *testing.T) {
	check := capacities(t)
	// EBS user guide, general purpose volumes
	check("gp2", 33, 0, 0, bursting(100, 128, 3000, 5.4e6))
	check("gp2", 100, 0, 0, bursting(300, 128, 3000, 5.4e6))
	check("gp2", 500, 0, 0, bursting(1500, 250, 3000, 5.4e6))
	check("gp2", 1000, 0, 0, steady(3000, 250))
	check("gp2", 5334, 0, 0, steady(16000, 250))
	check("gp3", 100, 0, 0, steady(3000, 125))
	check("gp3", 160, 80000, 2000, steady(80000, 2000))
	// provisioned IOPS volumes: io1's bytes by its operations, io2's 0.256 MiB/s for each
	check("io1", 1280, 64000, 0, steady(64000, 1000))
	check("io1", 960, 48000, 0, steady(48000, 750))
	check("io1", 400, 2000, 0, steady(2000, 500))
	check("io2", 256, 256000, 0, steady(256000, 4000))
	check("io2", 64, 10000, 0, steady(10000, 2560))
}

// TestCapacitiesOfHardDisks are rows of the EBS user guide.
func TestCapacitiesOfHardDisks(t *testing.T) {
	check := capacities(t)
	// hard disks: TiB, base, burst, a TiB of credits for each TiB
	disk := func(name string, tib, most, base, burst float64) {
		t.Helper()
		credits := 1048576 * tib
		if base >= burst {
			credits = 0
		}
		check(name, 1024*tib, 0, 0, sizing.Capacity{IOPS: most, BurstIOPS: most, MiBps: base, BurstMiBps: burst,
			CreditsMiB: credits})
	}
	disk("st1", 0.125, 500, 5, 31)
	disk("st1", 0.5, 500, 20, 125)
	disk("st1", 1, 500, 40, 250)
	disk("st1", 2, 500, 80, 500)
	disk("st1", 3, 500, 120, 500)
	disk("st1", 4, 500, 160, 500)
	disk("st1", 8, 500, 320, 500)
	disk("st1", 12, 500, 480, 500)
	disk("st1", 12.5, 500, 500, 500)
	disk("st1", 16, 500, 500, 500)
	disk("sc1", 0.125, 250, 1.5, 10)
	disk("sc1", 0.5, 250, 6, 40)
	disk("sc1", 1, 250, 12, 80)
	disk("sc1", 2, 250, 24, 160)
	disk("sc1", 3, 250, 36, 240)
	disk("sc1", 3.125, 250, 37.5, 250)
	disk("sc1", 4, 250, 48, 250)
	disk("sc1", 8, 250, 96, 250)
	disk("sc1", 12, 250, 144, 250)
	disk("sc1", 16, 250, 192, 250)
}

// TestCapacitiesOfRDS are rows of the RDS user guide.
func TestCapacitiesOfRDS(t *testing.T) {
	check := capacities(t)
	// RDS: four volumes from 400 GiB on
	check("rds-gp2", 399, 0, 0, bursting(1197, 250, 3000, 5.4e6))
	check("rds-gp2", 400, 0, 0, bursting(1200, 512, 12000, 21.6e6))
	check("rds-gp2", 1336, 0, 0, bursting(4008, 1000, 12000, 21.6e6))
	check("rds-gp2", 1335, 0, 0, bursting(4005, 512, 12000, 21.6e6)) // to 1,000 MiB/s: the least of the range
	check("rds-gp2", 3999, 0, 0, bursting(11997, 1000, 12000, 21.6e6))
	check("rds-gp2", 4000, 0, 0, steady(12000, 1000))
	check("rds-gp2", 65536, 0, 0, steady(64000, 1000))
	check("rds-gp3", 399, 0, 0, steady(3000, 125))
	check("rds-gp3", 400, 0, 0, steady(12000, 500))
	check("rds-gp3", 400, 64000, 4000, steady(64000, 4000))
	check("rds-io1", 399, 19950, 0, steady(19950, 500))
	check("rds-io1", 65536, 256000, 0, steady(256000, 4000))
	check("rds-io2", 256, 256000, 0, steady(256000, 4000))
}

// TestCapacitiesOfAzure are rows of Azure's tables.
func TestCapacitiesOfAzure(t *testing.T) {
	check := capacities(t)
	// Azure
	burst := func(gib, iops, mibps float64) { // 30 minutes at 3,500 and 170 from a full bucket
		t.Helper()
		const seconds = 30 * 60
		check("azure-premium", gib, 0, 0, sizing.Capacity{
			IOPS: iops, MiBps: mibps, BurstIOPS: 3500, BurstMiBps: 170, Credits: (3500 - iops) * seconds,
			CreditsMiB: (170 - mibps) * seconds,
		})
	}
	burst(4, 120, 25)     // P1
	burst(8, 120, 25)     // P2
	burst(16, 120, 25)    // P3
	burst(32, 120, 25)    // P4
	burst(64, 240, 50)    // P6
	burst(128, 500, 100)  // P10
	burst(256, 1100, 125) // P15
	burst(512, 2300, 150) // P20
	large := func(gib, iops, mibps, plusIOPS, plusMiBps float64) {
		t.Helper()
		check("azure-premium", gib, 0, 0, steady(iops, mibps))
		check("azure-premium-plus", gib, 0, 0, steady(plusIOPS, plusMiBps))
		check("azure-premium-burst", gib, 0, 0, steady(30000, 1000))
	}
	large(1024, 5000, 200, 8000, 300)    // P30
	large(2048, 7500, 250, 16000, 600)   // P40
	large(4096, 7500, 250, 20000, 900)   // P50
	large(8192, 16000, 500, 20000, 900)  // P60
	large(16384, 18000, 750, 20000, 900) // P70
	large(32767, 20000, 900, 20000, 900) // P80
	check("azure-premium-v2", 160, 80000, 2000, steady(80000, 2000))
	check("azure-ultra", 400, 400000, 10000, steady(400000, 10000))
}

// TestUnsoldConfigs: the error says what cannot be ordered, and what can.
func TestUnsoldConfigs(t *testing.T) {
	check := func(name string, gib, iops, mibps float64, want string) {
		t.Helper()
		_, err := sizing.Config{Volume: volume(t, name), GiB: gib, IOPS: iops, MiBps: mibps}.Capacity()
		if err == nil || err.Error() != want {
			t.Errorf("%s: %v, want %s", name, err, want)
		}
	}
	check("gp2", 20000, 0, 0, "EBS gp2 comes with 1 to 16,384 GiB, not 20,000")
	check("gp2", 100, 5000, 0, "EBS gp2 of 100 GiB has a fixed IOPS")
	check("rds-gp3", 200, 5000, 0, "RDS gp3 of 200 GiB has a fixed IOPS")
	check("gp3", 20, 20000, 0, "EBS gp3 of 20 GiB has 0 to 10,000 IOPS, not 20,000")
	check("gp3", 100, 4000, 2000, "EBS gp3 of 100 GiB has 0 to 1,000 MiB/s with 4,000 IOPS, not 2,000")
}

// TestBucketsLast compares bursts by the capacity's own limits with the published figures.
func TestBucketsLast(t *testing.T) {
	check := func(name string, gib float64, demand burst.Demand, lasts float64) {
		t.Helper()
		k, err := sizing.Config{Volume: volume(t, name), GiB: gib}.Capacity()
		if err != nil {
			t.Fatal(err)
		}
		if got := dryAfter(t, k, demand); math.Abs(got-lasts) > 1 {
			t.Errorf("%s of %g GiB lasts %.0f s, want %.0f", name, gib, got, lasts)
		}
	}
	check("gp2", 33, burst.Demand{3000, 0}, 1862)             // EBS user guide
	check("gp2", 500, burst.Demand{3000, 0}, 3600)            // 5.4 M / 1,500
	check("gp2", 30, burst.Demand{600, 0}, 10800)             // a published pgbench run: three hours
	check("st1", 1024, burst.Demand{0, 1e12}, 4993)           // 1,048,576 / (250 - 40)
	check("sc1", 1024, burst.Demand{0, 1e12}, 15420)          // 1,048,576 / (80 - 12)
	check("azure-premium", 128, burst.Demand{3500, 0}, 30*60) // P10: 30 minutes
	check("azure-premium", 128, burst.Demand{0, 170e6}, 1800) // and in bytes
}

// dryAfter returns the second in which a constant demand first empties a bucket.
func dryAfter(t *testing.T, k sizing.Capacity, demand burst.Demand) float64 {
	t.Helper()
	out, err := burst.Play([]burst.Demand{demand}, 86400, k.Limits())
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range out.Limits {
		if f.FirstDry >= 0 {
			return float64(f.FirstDry)
		}
	}
	return math.Inf(1)
}
