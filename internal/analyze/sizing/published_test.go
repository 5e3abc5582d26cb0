package sizing_test

import (
	"testing"

	"github.com/realiops/realiops/internal/analyze/burst"
	"github.com/realiops/realiops/internal/analyze/catalog"
	"github.com/realiops/realiops/internal/analyze/sizing"
	"github.com/realiops/realiops/internal/analyze/sizing/figures"
	"github.com/realiops/realiops/internal/analyze/sizing/needs"
)

// TestPublishedMeasurements recomputes what others have measured and published, by the program's own arithmetic.
func TestPublishedMeasurements(t *testing.T) {
	const day = 86400.0
	us := tariff(t, "us-east-1")
	daily := func(perSecond float64) float64 {
		t.Helper()
		month, err := us.IOCost(perSecond)
		if err != nil {
			t.Fatal(err)
		}
		return month / (730.0 / 24)
	}

	// Verbitski and others, Aurora, SIGMOD 2017, table 1: SysBench for 30 minutes
	aurora, mirrored := 27378000.0/1800, 780000.0/1800
	near(t, "transactions, Aurora to mirrored MySQL", aurora/mirrored, 35, 0.2)
	near(t, "I/O of Aurora, a second", aurora*0.95, 14450, 1)
	near(t, "I/O of mirrored MySQL, a second", mirrored*7.4, 3207, 1)
	near(t, "I/O for each transaction", 7.4/0.95, 7.7, 0.1)

	// Aurora MySQL user guide, io/aurora_redo_log_flush: 50,000 rows one by one in 3.5 minutes, or by the thousand in 4
	// s. No two commits share a flush there, so a thousand times fewer commits mean at most a thousand times fewer
	// flushes
	one := sizing.Scale{Factor: 12500.0 / 238, Shared: 1}.Apply(needs.Rate{Writes: 238, Flushes: 238})
	near(t, "one by one, as many rows", one.Most.Flushes, 12500, 1)
	near(t, "and as few flushes as before, at least", one.Least.Flushes, 238, 0.1)
	near(t, "rows a second, 52 times as many", 50000.0/4/(50000.0/210), 52.5, 0.01)

	// Aurora user guide, VolumeReadIOPs: 13,686 in five minutes
	c, err := figures.Convert(onAurora(t, "VolumeReadIOPs"), 13686, us, sizing.Published())
	if err != nil {
		t.Fatal(err)
	}
	near(t, "VolumeReadIOPs", c.PerSecond, 45.62, 0.001)

	// Aurora user guide, VolumeBytesUsed: 22 hours of it
	near(t, "GiB at first", 182872522752.0/(1<<30), 170.3, 0.1)
	near(t, "GiB that came to it", (206833664000.0-182872522752)/(1<<30), 22.3, 0.1)

	// Sixcolumn: $248.23 a day, three quarters of it I/O, at 0.20 a million; 78% less with I/O-Optimized
	near(t, "$186 a day are so many I/O", 0.75*248.23/0.20*1e6/day, 10774, 5)
	near(t, "and cost", daily(10774), 186.17, 0.1)
	bill := sizing.CostAurora(0.25*248.23, 0, 0.75*248.23) // no split of the rest was published: all compute
	if saved := 1 - bill.Optimized/bill.Standard; 0.75*248.23 <= bill.BreakEven || saved < 0.40 || saved > 0.78 {
		t.Errorf("I/O-Optimized saves %.0f%%, pays from %.0f on; published are 78%%, more than any split gives",
			100*saved, bill.BreakEven)
	}

	// Gridium: moving from RDS with 6 TB provisioned, about 3 of them used, to Aurora more than doubled the cost, by
	// its I/O. Without I/O the data alone would have cost less than half. The rate that doubles the cost of storage is
	// plausible
	before, data := month(t, "rds-gp2", 6e12/(1<<30)), month(t, "aurora", 3e12/(1<<30))
	if data > before/2 {
		t.Errorf("%.0f a month for the data on Aurora, %.0f before: that it doubled would not need I/O", data, before)
	}
	second, err := us.IOCost(1)
	if err != nil {
		t.Fatal(err)
	}
	near(t, "I/O a second that double it", (2*before-data)/second, (2*642.6-279.4)/0.5256, 5)

	// Checketts: more than $200 a day at 0.20 a million
	near(t, "$200 a day", daily(11574), 200, 0.01)

	// Pachot: 140,000 WriteIOPS; if each was billed it would be 2,419 a day, and 70 times the class's EBS baseline
	near(t, "each record billed", daily(140000), 2419, 1)
	near(t, "of the baseline of a t3.medium", 140000/instance(t, "t3.medium").BaseIOPS, 70, 0)
	near(t, "of its most", 140000/instance(t, "t3.medium").MostIOPS, 11.9, 0.05)

	// pastebin Kva7x14E: gp2 under PostgreSQL on an m4.4xlarge, 1,312 w/s of 254.9 sectors and 163.5 MiB/s: bytes are
	// the limit
	f := figures.None()
	f.Operations, f.Bytes, f.SaidSize, f.CapIOPS = 1312, 163.5*(1<<20), 254.9*512, 3000
	if found := f.Check(); len(found) > 0 {
		t.Errorf("its columns describe the same operations: %v", found)
	}
	near(t, "KiB for each", f.Bytes/f.Operations/1024, 127.6, 0.1)
	fitted, err := sizing.Fit(volume(t, "gp2"), sizing.Requirement{GiB: 35, IOPS: 105, MiBps: 163.5}, noPrice)
	if err != nil || fitted.Binding != sizing.ByBytes {
		t.Errorf("decided by %s, %v; want bytes", fitted.Binding, err)
	}
}

// TestAnalyticsHub are EBS layouts for a hub on an m5a.2xlarge (2020): throughput is the request's size times the rate.
func TestAnalyticsHub(t *testing.T) {
	m := instance(t, "m5a.2xlarge")
	through := func(name string, gib float64) sizing.Capacity {
		t.Helper()
		k, err := sizing.Config{Volume: volume(t, name), GiB: gib}.Capacity()
		if err != nil {
			t.Fatal(err)
		}
		return k
	}
	gp2 := through("gp2", 500)
	near(t, "gp2, for good", gp2.IOPS, 1500, 0)
	near(t, "gp2, while credits last: 3,000 were measured", gp2.BurstIOPS, 3000, 0)
	near(t, "3,000 of 8 KB, MiB/s: 23.6 were measured", gp2.BurstIOPS*8/1024, 23.6, 0.3)
	near(t, "gp2 in sequence, MiB/s: 253 were measured", gp2.MiBps, 253, 4)
	if p := sizing.Through(m.MostIOPS, m.MostMB, sizing.Capacity{IOPS: gp2.BurstIOPS, MiBps: gp2.MiBps}); p.Binds !=
		"volume" {
		t.Errorf("%+v: the machine was not in the way", p)
	}
	st1 := through("st1", 500)
	near(t, "st1, for good", st1.MiBps, 20, 0.5)
	near(t, "st1, while credits last", st1.BurstMiBps, 125, 3)
	near(t, "st1 in sequence of 256 KB: 35 were measured, which its credits carry for",
		dryAfter(t, st1, burst.Demand{0, 35 << 20})/3600, 9.2, 0.1)
	random := needs.Rate{Writes: 130, WriteBytes: 130 * 4096}
	_, most := random.Operations(1024, true)
	// far below its 500: no document gives the seeks of a disk
	near(t, "st1 at random, by operations", most, 130, 0)
	near(t, "gp2 a month", month(t, "gp2", 500), 50, 0.01)
	near(t, "st1 a month", month(t, "st1", 500), 22.5, 0.01)
}

func month(t *testing.T, name string, gib float64) float64 {
	t.Helper()
	bill, err := tariff(t, "us-east-1").Monthly(sizing.Config{Volume: volume(t, name), GiB: gib})
	if err != nil {
		t.Fatal(err)
	}
	return bill.Total
}

// TestDistributedRules computes the published rules by hand for 10,000 rows and 10 MB a second.
func TestDistributedRules(t *testing.T) {
	rules := catalog.DistributedRules()
	run := shipped(t, "loads-pg17.jsonl")
	ask := sizing.Ask{Load: "wide", RowsPerSecond: 10000, Tariff: tariff(t, "us-east-1"), Volumes: []catalog.Volume{
		volume(t, "gp3")}, Distributed: rules}
	s, err := sizing.Size(ask, run)
	if err != nil || len(s.Spreads) != 2 {
		t.Fatal(s.Spreads, err)
	}
	yugabyte, cockroach := s.Spreads[0], s.Spreads[1]
	near(t, "cores at least", yugabyte.Cores[0], 10000/1354.02, 1e-6)
	near(t, "cores at most", yugabyte.Cores[1], 10000/413.51, 1e-6)
	near(t, "IOPS at least", yugabyte.IOPS[0], 150, 1e-6)
	near(t, "IOPS at most", yugabyte.IOPS[1], 43710, 1e-6)
	near(t, "vCPUs", *cockroach.VCPUs, 3*s.Target.Most.WriteBytes/1e6/30, 1e-6)
	if yugabyte.VCPUs != nil || cockroach.IOPS != nil {
		t.Error("a rule that was not published")
	}
}

// TestPublishedInserts are rows of yb-voyager's measurements (D13): disk operations per insert, which the rule covers.
func TestPublishedInserts(t *testing.T) {
	rules := catalog.DistributedRules()
	rule := rules[0]
	check := func(insertsPerCore, cores, iops, want float64) {
		t.Helper()
		per := iops / (insertsPerCore * cores)
		near(t, "operations for an insert", per, want, 0.0006)
		if per < rule.IOPSPerInsert[0]-0.0006 || per > rule.IOPSPerInsert[1]+0.0006 {
			t.Errorf("%g is outside %v", per, *rule.IOPSPerInsert)
		}
	}
	check(1354.02, 8, 158.91, 0.015)
	check(1320.95, 16, 379.2, 0.018)
	check(881.59, 2, 155.81, 0.088)
	check(886.43, 16, 887.06, 0.063)
	check(573.85, 16, 8280.65, 0.902)
	check(510.42, 16, 11000.23, 1.347)
	check(413.51, 16, 11137.31, 1.683)
	check(93.23, 16, 6519.5, 4.371)
}
