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
	all, err := catalog.Instances()
	return pick(t, all, err, class, func(i catalog.Instance) string { return i.Class })
}

// TestAzureCombination is Azure's own example: a D8s_v3 lets 16,000 through its cache and 12,800 past it; with three P30
// disks that are cached and two that are not it does 25,000, and nothing is capped.
func TestAzureCombination(t *testing.T) {
	nan := math.NaN() // of bytes the example says nothing
	cached := sizing.Through(16000, nan, disks(t, 3, "azure-premium", 1024)...)
	uncached := sizing.Through(12800, nan, disks(t, 2, "azure-premium", 1024)...)
	if cached.IOPS != 15000 || uncached.IOPS != 10000 || cached.IOPS+uncached.IOPS != 25000 {
		t.Errorf("cached %+v, uncached %+v", cached, uncached)
	}
	if cached.Binds != "volume" || uncached.Binds != "volume" {
		t.Errorf("cached %+v, uncached %+v: nothing is capped", cached, uncached)
	}
	if three := sizing.Through(12800, nan, disks(t, 3, "azure-premium", 1024)...); three.IOPS != 12800 || three.Binds != "instance" {
		t.Errorf("a third one that is not cached: %+v", three)
	}
}

// TestMachineNotDisks is a published run of 2018: a Standard_DS14_v2 read 540 to 570 MB/s from three P30 disks and from
// six, for the machine lets 512 through its cache.
func TestMachineNotDisks(t *testing.T) {
	m := instance(t, "Standard_DS14_v2")
	for n := 3; n <= 6; n++ {
		p := sizing.Through(m.Cached.IOPS, m.Cached.MB, disks(t, n, "azure-premium", 1024)...)
		if mb := p.MiBps * (1 << 20) / 1e6; p.Binds != "instance" || mb < 540/1.25 || mb > 570*1.25 {
			t.Errorf("%d disks: %+v, %.0f MB/s", n, p, mb)
		}
	}
	if p := sizing.Through(m.BaseIOPS, m.BaseMB, disks(t, 3, "azure-premium", 1024)...); p.Binds != "volume" {
		t.Errorf("past the cache three disks are the limit: %+v", p)
	}
}

// TestRDSInstanceCapsTheSum is the RDS user guide's: four volumes of 64,000 behind a class of 40,000 give 40,000.
func TestRDSInstanceCapsTheSum(t *testing.T) {
	four := []sizing.Capacity{{IOPS: 64000}, {IOPS: 64000}, {IOPS: 64000}, {IOPS: 64000}}
	if p := sizing.Through(40000, math.NaN(), four...); p.IOPS != 40000 || p.Binds != "instance" {
		t.Errorf("%+v", p)
	}
}

// TestAzureCaps: past the cache what counts for writes, and beside it what goes by the cache, where the disk has one.
func TestAzureCaps(t *testing.T) {
	check := func(name string, gib float64, want *sizing.Path) {
		t.Helper()
		q := sizing.Question{Need: sizing.Rate{Writes: 100, WriteBytes: 1e6}, GiB: gib, Instance: "ds11_v2"}
		options, err := sizing.Options(q, []catalog.Volume{volume(t, name)}, []catalog.Instance{instance(t, "Standard_DS11_v2")}, tariff(t, "us-east-1"))
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
	check("azure-premium", 8192, &sizing.Path{IOPS: 8000, MiBps: 64e6 / (1 << 20), Binds: "instance"}) // 16,000 of the disk
	check("azure-premium-v2", 100, nil)
}

// TestMachineBursts: an m5a.2xlarge lets 8,333 through for good and 16,000 for half an hour, gp2 of 500 GiB 1,500 and 3,000.
func TestMachineBursts(t *testing.T) {
	q := sizing.Question{Need: sizing.Rate{Writes: 100, WriteBytes: 1e6}, GiB: 500, Instance: "m5a.2xlarge"}
	options, err := sizing.Options(q, []catalog.Volume{volume(t, "gp2")}, []catalog.Instance{instance(t, "m5a.2xlarge")}, tariff(t, "us-east-1"))
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

// TestLogVolume: of 1,000 requests and 100 MB a second half the requests and a quarter of the bytes are log, and go to 3,000
// IOPS of their own; the rest takes the 1,000 that are sold at least. 100 GiB and 1,024 at 0.125, 1,000 and 3,000 at 0.10.
func TestLogVolume(t *testing.T) {
	q := sizing.Question{Need: sizing.Rate{Writes: 1000, WriteBytes: 100e6}, Log: &sizing.LogShare{Requests: 0.5, Bytes: 0.25}, GiB: 100}
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
	if o := ask(); o.Order != nil || o.Why != "the log asks for 3500 IOPS and 24 MiB/s, and its volume has 3000 and 500" {
		t.Errorf("%+v: %s", o.Order, o.Why)
	}
}

// TestMachineTooSmall: an r6g.large lets 3,600 operations and 78.75 MB a second by for good. The rows of 1 KB of a shipped run
// are 727 MB a second, and no volume helps; one-row transactions of the other are 17.
func TestMachineTooSmall(t *testing.T) {
	ask := sizing.Ask{Instance: "db.r6g.large", GiB: 100, Tariff: tariff(t, "us-east-1"), Volumes: []catalog.Volume{volume(t, "gp3"), volume(t, "rds-io1")}}
	ask.Instances = []catalog.Instance{instance(t, "r6g.large")}
	warned := func(arm string) bool {
		t.Helper()
		ask.Arm = arm
		s, err := sizing.Size(ask, shipped(t, "arms-pg17.jsonl"))
		if err != nil {
			t.Fatal(err)
		}
		return slices.ContainsFunc(s.Warnings, func(w string) bool {
			return strings.HasPrefix(w, "The r6g.large is too small for it, whatever volume is behind it: for good it lets 3600 operations and 75 MiB/s by")
		})
	}
	if !warned("wide") || warned("multi") {
		t.Errorf("wide %v, multi %v", warned("wide"), warned("multi"))
	}
}
