package sizing_test

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/realiops/realiops/internal/analyze/catalog"
	"github.com/realiops/realiops/internal/analyze/sizing"
	"github.com/realiops/realiops/internal/analyze/sizing/needs"
)

func disks(t *testing.T, n int, name string, gib float64) []sizing.Capacity {
	t.Helper()
	k, err := sizing.Config{Volume: volume(t, name), GiB: gib}.Capacity()
	if err != nil {
		t.Fatal(err)
	}
	var all []sizing.Capacity
	for range n {
		all = append(all, k)
	}
	return all
}

func instance(t *testing.T, class string) catalog.Instance {
	t.Helper()
	return pick(t, catalog.Instances(), class, func(i catalog.Instance) string { return i.Class })
}

// TestAzureCombination is Azure's own example: a D8s_v3 passes 16,000 through its cache and 12,800 past it. With three
// cached P30 disks and two uncached ones it does 25,000, and nothing is capped.
func TestAzureCombination(t *testing.T) {
	nan := math.NaN() // the example has no bytes
	cached := sizing.Through(16000, nan, disks(t, 3, "azure-premium", 1024)...)
	uncached := sizing.Through(12800, nan, disks(t, 2, "azure-premium", 1024)...)
	if cached.IOPS != 15000 || uncached.IOPS != 10000 || cached.IOPS+uncached.IOPS != 25000 {
		t.Errorf("cached %+v, uncached %+v", cached, uncached)
	}
	if cached.Binds != "volume" || uncached.Binds != "volume" {
		t.Errorf("cached %+v, uncached %+v: nothing is capped", cached, uncached)
	}
	if three := sizing.Through(12800, nan, disks(t, 3, "azure-premium", 1024)...); three.IOPS != 12800 ||
		three.Binds != "instance" {
		t.Errorf("a third one that is not cached: %+v", three)
	}
}

// TestMachineNotDisks is a published run of 2018: a Standard_DS14_v2 read 540 to 570 MB/s from one cached P30 disk, and
// the same from two to six, because reads from the cache need no disk: the machine passes 512 there. Past the cache
// each disk has 200 MB/s.
func TestMachineNotDisks(t *testing.T) {
	for n := 1; n <= 6; n++ {
		q := sizing.Question{Need: needs.Rate{Reads: 10, ReadBytes: 10 * 32768}, GiB: 1024 * float64(n), Disks: n,
			Instance: "DS14_v2"}
		all, err := sizing.Options(q, []catalog.Volume{volume(t, "azure-premium")},
			[]catalog.Instance{instance(t, "Standard_DS14_v2")}, tariff(t, "us-east-1"))
		if err != nil {
			t.Fatal(err)
		}
		o := all[0]
		if o.Order == nil || o.Order.GiB != 1024 || o.Disks != n || o.Cap.Cached == nil {
			t.Fatalf("%d disks: %+v", n, o)
		}
		if mb := o.Cap.Cached.MiBps * (1 << 20) / 1e6; mb < 540/1.1 || mb > 570 || o.Cap.Cached.Binds != "instance" {
			t.Errorf("%d disks: %.0f MB/s", n, mb)
		}
		near(t, "past the cache", o.Cap.MiBps, min(200e6*float64(n), 768e6)/(1<<20), 0.01)
	}
}

// TestStripes: 9,000 IOPS on 2,000 GiB are two P30 of 5,000 each, or one P60. One of three disks costs a third of the
// order, and no machine has more disks than it can.
func TestStripes(t *testing.T) {
	ask := func(name string, disks int) sizing.Option {
		t.Helper()
		q := sizing.Question{Need: needs.Rate{Writes: 9000, WriteBytes: 9000 * 8192}, GiB: 2000, Disks: disks,
			Instance: "DS11_v2"}
		all, err := sizing.Options(q, []catalog.Volume{volume(t, name)},
			[]catalog.Instance{instance(t, "Standard_DS11_v2")}, tariff(t, "us-east-1"))
		if err != nil {
			t.Fatal(err)
		}
		return all[0]
	}
	if one, two := ask("azure-premium", 1), ask("azure-premium", 2); one.Order.GiB != 8192 || two.Order.GiB != 1024 ||
		two.Order.Capacity.IOPS != 10000 {
		t.Errorf("one of %g GiB, two of %g with %g IOPS", one.Order.GiB, two.Order.GiB, two.Order.Capacity.IOPS)
	}
	three := ask("gp3", 3)
	near(t, "three of gp3", three.Bill.Total, 3*667*0.08, 1e-9)
	if nine := ask("azure-premium", 9); nine.Standing != sizing.HeldBack || nine.Why != "the DS11_v2 can have 8 disks" {
		t.Errorf("nine disks: %s, %s", nine.Standing, nine.Why)
	}
	if rds := ask("rds-gp3", 3); rds.Disks != 1 {
		t.Errorf("RDS over %d disks", rds.Disks)
	}
}

// TestRDSInstanceCapsTheSum is from the RDS user guide: four volumes of 64,000 behind a class of 40,000 give 40,000.
func TestRDSInstanceCapsTheSum(t *testing.T) {
	four := []sizing.Capacity{{IOPS: 64000}, {IOPS: 64000}, {IOPS: 64000}, {IOPS: 64000}}
	if p := sizing.Through(40000, math.NaN(), four...); p.IOPS != 40000 || p.Binds != "instance" {
		t.Errorf("%+v", p)
	}
}

// TestAzureCaps: the limit past the cache applies to writes, and the limit of the cache to reads if the disk is cached.
func TestAzureCaps(t *testing.T) {
	check := func(name string, gib float64, want *sizing.Path) {
		t.Helper()
		q := sizing.Question{Need: needs.Rate{Writes: 100, WriteBytes: 1e6}, GiB: gib, Instance: "ds11_v2"}
		options, err := sizing.Options(q, []catalog.Volume{volume(t, name)},
			[]catalog.Instance{instance(t, "Standard_DS11_v2")}, tariff(t, "us-east-1"))
		if err != nil {
			t.Fatal(err)
		}
		c := options[0].Cap
		if c == nil || !c.Carries {
			t.Fatalf("%s: %+v", name, c)
		}
		if diff := cmp.Diff(want, c.Cached, cmpopts.EquateApprox(1e-9, 0)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
	// whatever the disk has
	check("azure-premium", 2048, &sizing.Path{IOPS: 8000, MiBps: 64e6 / (1 << 20), Binds: "instance"})
	// P50 and larger are not cached
	check("azure-premium", 4096, nil)
	check("azure-premium-v2", 100, nil)
}

// TestMachineBursts: an m5a.2xlarge sustains 8,333 and passes 16,000 for half an hour; gp2 of 500 GiB 1,500 and 3,000.
func TestMachineBursts(t *testing.T) {
	q := sizing.Question{Need: needs.Rate{Writes: 100, WriteBytes: 1e6}, GiB: 500, Instance: "m5a.2xlarge"}
	options, err := sizing.Options(q, []catalog.Volume{volume(t, "gp2")},
		[]catalog.Instance{instance(t, "m5a.2xlarge")}, tariff(t, "us-east-1"))
	if err != nil {
		t.Fatal(err)
	}
	c := options[0].Cap
	if diff := cmp.Diff(&sizing.Path{IOPS: 3000, MiBps: 250, Binds: "volume"}, c.Burst); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if c.IOPS != 1500 || c.MiBps != 197.5e6/(1<<20) || c.Binds != "instance" {
		t.Errorf("for good: %+v, want 1,500 of the volume and 188 MiB/s of the machine", c.Path)
	}
}

// TestLogVolume: of 1,000 requests and 100 MB a second, half the requests and a quarter of the bytes are WAL and get
// 3,000 IOPS of their own. The rest needs the 1,000 that are the least sold. 100 GiB and 1,024 at 0.125, 1,000 and
// 3,000 at 0.10.
func TestLogVolume(t *testing.T) {
	q := sizing.Question{Need: needs.Rate{Writes: 1000, WriteBytes: 100e6}, Log: &needs.WALShare{
		Requests: 0.5, Bytes: 0.25}, GiB: 100}
	ask := func() sizing.Option {
		t.Helper()
		options, err := sizing.Options(q, []catalog.Volume{volume(t, "rds-io1")}, nil, tariff(t, "us-east-1"))
		if err != nil {
			t.Fatal(err)
		}
		for _, o := range options {
			if o.Volume.Name == "rds-io1-log" {
				return o
			}
		}
		t.Fatal("no log volume")
		return sizing.Option{}
	}
	o := ask()
	if o.Order == nil || o.Order.GiB != 100 || o.Order.IOPS != 1000 || o.Order.Capacity.IOPS != 4000 {
		t.Errorf("%+v, want 100 GiB and 1,000 IOPS beside the log's 3,000", o.Order)
	}
	near(t, "bill", o.Bill.Total, (100+1024)*0.125+(1000+3000)*0.10, 1e-9)
	q.Need.Writes = 7000
	if o := ask(); o.Order != nil ||
		o.Why != "the WAL needs 3,500 IOPS and 24 MiB/s, and its volume has 3,000 and 500" {
		t.Errorf("%+v: %s", o.Order, o.Why)
	}
}

// TestMachineTooSmall: an r6g.large sustains 3,600 operations and 78.75 MB a second. The rows of 1 KB of a shipped run
// are 727 MB a second, and no volume helps; one-row transactions of the other are 17.
func TestMachineTooSmall(t *testing.T) {
	ask := sizing.Ask{Instance: "db.r6g.large", GiB: 100, Tariff: tariff(t, "us-east-1"), Volumes: []catalog.Volume{
		volume(t, "gp3"), volume(t, "rds-io1")}}
	ask.Instances = []catalog.Instance{instance(t, "r6g.large")}
	warned := func(load string) bool {
		t.Helper()
		ask.Load = load
		s, err := sizing.Size(ask, shipped(t, "loads-pg17.jsonl"))
		if err != nil {
			t.Fatal(err)
		}
		for _, o := range s.Options {
			if o.Standing == sizing.HeldBack && o.Why != "the r6g.large sustains 3,600 operations/s and 75 MiB/s" {
				t.Errorf("%s: %s", o.Volume.Name, o.Why)
			}
		}
		return slices.ContainsFunc(s.Warnings, func(w string) bool {
			return strings.HasPrefix(w,
				"The r6g.large is too small, whatever the volume: it sustains 3,600 operations/s and 75 MiB/s")
		})
	}
	if !warned("wide") || !warned("copy") || warned("multi") { // copy needs no more IOPS than gp3's 3,000
		t.Errorf("wide %v, copy %v, multi %v", warned("wide"), warned("copy"), warned("multi"))
	}
}

// TestClasses compares common classes of each family, under both names, with EC2's guide. A class that is not optimized
// for EBS, and an unknown one, are reported as such and limit nothing.
func TestClasses(t *testing.T) {
	classes := catalog.Instances()
	order := func(class string) sizing.Option {
		t.Helper()
		kind := "io2"
		if strings.HasPrefix(strings.ToLower(class), "db.") {
			kind = "rds-io2"
		}
		q := sizing.Question{Need: needs.Rate{Writes: 100, WriteBytes: 1e6}, GiB: 100, Instance: class}
		all, err := sizing.Options(q, []catalog.Volume{volume(t, kind)}, classes, tariff(t, "us-east-1"))
		if err != nil {
			t.Fatal(err)
		}
		return all[0]
	}
	for class, base := range map[string]float64{
		"r7g.large": 3600, "r7g.16xlarge": 80000, "r8g.large": 3600, "r8g.48xlarge": 240000, "m7g.large": 3600,
		"m7g.16xlarge": 80000, "m6g.large": 3600, "m6g.16xlarge": 80000,
		"x2gd.large": 3600, "x2gd.16xlarge": 80000, "c5.large": 4000, "c5.18xlarge": 80000, "t3.medium": 2000,
		"m5.24xlarge": 80000,
	} {
		for _, name := range []string{class, "db." + class, strings.ToUpper(class)} {
			if c := order(name).Cap; c == nil || c.Instance.BaseIOPS != base {
				t.Errorf("%s: %+v, want %g IOPS for good", name, c, base)
			}
		}
	}
	for class, why := range map[string]string{
		"t2.medium":     "the t2.medium has no published limits, because it is not EBS-optimized",
		"db.x2g.large":  "the limits of the x2g.large are unknown",
		"db.serverless": "the limits of the serverless are unknown", "r99z.large": "the limits of the r99z.large are " +
			"unknown",
	} {
		if o := order(class); o.Cap != nil || o.Standing != sizing.Unknown || o.Why != why {
			t.Errorf("%s: %s, %q, want %q", class, o.Standing, o.Why, why)
		}
	}
}
