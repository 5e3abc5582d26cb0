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

// shop returns the volumes of one cloud, or of one provider.
func shop(t *testing.T, takes func(catalog.Volume) bool) []catalog.Volume {
	t.Helper()
	all := catalog.Volumes()
	return slices.DeleteFunc(all, func(v catalog.Volume) bool { return !takes(v) || v.HardDisk })
}

func of(providers ...string) func(catalog.Volume) bool {
	return func(v catalog.Volume) bool { return slices.Contains(providers, v.Provider) }
}

// TestNoHigherLoadIsCheaper: of random needs in every shop, with prices and without, no larger need gets a cheaper
// order, be it larger in everything, or in requests, bytes or data alone. More requests for the same bytes are smaller
// ones: if they exceed the unit, the provider may count fewer operations, which is less. Volumes that carry a need
// without a price are named beside the order, and the order can be attached to the requested machine class.
func TestNoHigherLoadIsCheaper(t *testing.T) {
	instances := catalog.Instances()
	random := rand.New(rand.NewPCG(31, 32))
	shops := [][]catalog.Volume{shop(t, of("ebs")), shop(t, of("rds")), shop(t, of("ebs", "rds")), shop(t, of("azure")),
		shop(t, of("google"))}
	regions := []string{"us-east-1", "eu-west-1", "eu-central-1", "il-central-1", "us-east-1"}
	classes := []string{"", "", "m5.large", "m4.16xlarge", "db.r6g.4xlarge", "Standard_DS14_v2", "n2-standard-8",
		"db.x9z.large"}
	ordered := 0
	for range 60 {
		ask := sizing.Ask{
			Volumes: shops[random.IntN(len(shops))], Instances: instances,
			Tariff: tariff(t, regions[random.IntN(len(regions))]),
			GiB:    math.Ceil(math.Exp(random.Float64() * math.Log(8000))), Headroom: float64(10 * random.IntN(3)),
			Instance: classes[random.IntN(len(classes))],
		}
		need := drawnRate(random)
		answer := func(requests, bytes, data float64) sizing.Sizing {
			ask, need := ask, need
			ask.GiB = math.Ceil(ask.GiB * data)
			need.Reads, need.Writes, need.ReadBytes, need.WriteBytes = need.Reads*requests, need.Writes*requests,
				need.ReadBytes*bytes, need.WriteBytes*bytes
			s, err := sizing.SizeRate(ask, need, 24)
			if err != nil {
				t.Fatal(err)
			}
			return s
		}
		one := answer(1, 1, 1)
		if one.Choice == nil {
			continue
		}
		ordered++
		check(t, ask, one)
		some := 1 + random.Float64()
		for _, more := range [][3]float64{{1.25, 1.25, 1}, {1, 1, 1.5}, {some, 1, 1}, {1, some, 1}} {
			s := answer(more[0], more[1], more[2])
			if s.Choice == nil || slices.ContainsFunc(ask.Volumes, func(v catalog.Volume) bool {
				return counted(s, v) < counted(one, v)
			}) {
				continue
			}
			if less, than := monthly(s.Choice.Option), monthly(one.Choice.Option); less < than-1e-9 {
				t.Errorf("%+v on %g GiB in %s behind %q: %s for %g; times requests, bytes and data %v: %s for %g",
					need, ask.GiB,
					ask.Tariff.Region, ask.Instance, one.Choice.Volume.Name, than, more, s.Choice.Volume.Name, less)
			}
		}
	}
	if ordered < 20 {
		t.Errorf("%d of 60 needs were ordered for: this tests little", ordered)
	}
}

// counted returns the largest number of operations that a volume's provider counts for a need.
func counted(s sizing.Sizing, v catalog.Volume) float64 {
	_, most := s.Target.Most.Operations(v.UnitKiB, v.Merges)
	return most
}

// monthly returns an order's monthly cost; infinite if no price is known.
func monthly(o sizing.Option) float64 {
	if o.Bill == nil || o.Bill.Inferred {
		return math.Inf(1)
	}
	return o.Bill.Total
}

// check compares an order with the machine class and with volumes that carry the need without a price.
func check(t *testing.T, ask sizing.Ask, s sizing.Sizing) {
	t.Helper()
	if p := catalog.ProviderOf(ask.Instance); p != "" && p != s.Choice.Volume.Provider &&
		(p != "ebs" || s.Choice.Volume.Provider != "rds") {
		t.Errorf("%s behind one %s", s.Choice.Volume.Name, ask.Instance)
	}
	for _, o := range s.Options {
		unpriced := o.Standing == s.Choice.Standing && o.Bill == nil && o.Order != nil && o.Disks == 1
		if !unpriced || o.Volume.Name == s.Choice.Volume.Name || o.Why != s.Choice.Why {
			continue
		}
		if !slices.ContainsFunc(s.Choice.Also, func(a sizing.Also) bool {
			return a.Volume.Name == o.Volume.Name
		}) && !isLog(o.Volume) {
			t.Errorf("%s carries it, too, and is not named beside %s", o.Volume.Name, s.Choice.Volume.Name)
		}
	}
}

func isLog(v catalog.Volume) bool { return len(v.Name) > 4 && v.Name[len(v.Name)-4:] == "-log" }

// TestMissingPrice: if the bytes of RDS gp3 have no price, a priced volume is ordered, and gp3 is named beside
// it. No priced order is larger than the next size with a price.
func TestMissingPrice(t *testing.T) {
	without := tariff(t, "us-east-1")
	without.Prices = slices.DeleteFunc(slices.Clone(without.Prices), func(p catalog.Price) bool {
		return p.Volume == "rds-gp3" && p.Per == catalog.PerMiBps || p.Volume == "azure-premium" && p.Tier == "P15"
	})
	order := func(volumes []catalog.Volume, requests, kib, gib float64) *sizing.Choice {
		t.Helper()
		ask := sizing.Ask{GiB: gib, Headroom: 20, Volumes: volumes, Tariff: without}
		s, err := sizing.SizeRate(ask, needs.Rate{Writes: requests, WriteBytes: requests * kib * 1024}, 24)
		if err != nil || s.Choice == nil {
			t.Fatal(s.Choice, err)
		}
		return s.Choice
	}
	rds := order(shop(t, of("rds")), 9600, 64, 1000)
	if rds.Volume.Name != "rds-gp2" || len(rds.Also) != 1 || rds.Also[0].Volume.Name != "rds-gp3" ||
		rds.Also[0].MiBps != 720 {
		t.Errorf("%s, and also %+v", rds.Volume.Name, rds.Also)
	}
	// 1,080: P15 has 1,100, P20 2,300 for 73.22; five P6 have 1,200 for 51.04
	azure := order([]catalog.Volume{volume(t, "azure-premium")}, 900, 8, 60)
	if azure.Disks != 5 || azure.Order.GiB != 64 {
		t.Errorf("%d x %g GiB", azure.Disks, azure.Order.GiB)
	}
	one := sizing.Ask{GiB: 60, Headroom: 20, Disks: 1, Volumes: []catalog.Volume{volume(t, "azure-premium")},
		Tariff: without}
	s, err := sizing.SizeRate(one, needs.Rate{Writes: 900, WriteBytes: 900 * 8192}, 24)
	if err != nil || s.Choice.Order.GiB != 512 || len(s.Choice.Also) != 1 || s.Choice.Also[0].GiB != 256 {
		t.Errorf("%+v, %v", s.Choice, err)
	}
}

// TestStripesCostLess: by EBS's prices 100,000 IOPS on 100 GiB take eight gp3 of 30 GiB, with 15,000 IOPS each, of
// which 3,000 are free: 8 x (30 x 0.08 + 12,000 x 0.005) = 499.20; one io2 is 5,335. Three gp3 of one GiB carry what
// one does, and one is ordered.
func TestStripesCostLess(t *testing.T) {
	order := func(requests, kib, gib float64, disks int) *sizing.Choice {
		t.Helper()
		ask := sizing.Ask{GiB: gib, Headroom: 20, Disks: disks, Volumes: shop(t, of("ebs")),
			Tariff: tariff(t, "us-east-1")}
		s, err := sizing.SizeRate(ask, needs.Rate{Writes: requests, WriteBytes: requests * kib * 1024}, 24)
		if err != nil || s.Choice == nil {
			t.Fatal(s.Choice, err)
		}
		return s.Choice
	}
	c := order(100000, 8, 100, 0)
	near(t, "eight gp3", c.Bill.Total, 8*(30*0.08+12000*0.005), 1e-9)
	if c.Disks != 8 || c.Single == nil || c.Single.Volume.Name != "io2" {
		t.Errorf("%d, one volume: %+v", c.Disks, c.Single)
	}
	if c = order(1000, 8, 100, 0); c.Disks != 1 || c.Single != nil {
		t.Errorf("%d volumes where one is as cheap", c.Disks)
	}
	near(t, "10,000 MiB/s on eight gp3 of 1,500", order(40000, 256, 1000, 0).Bill.Total,
		8*(125*0.08+3000*0.005+1375*0.04), 1e-9)
	if c = order(100000, 8, 100, 1); c.Disks != 1 || c.Volume.Name != "io2" {
		t.Errorf("asked for one, %d x %s", c.Disks, c.Volume.Name)
	}
}

// TestStripesThatSaveNothing: three st1 of 205 GiB cost the same as one of 615, except for the last bit of a sum, which
// justifies no stripe.
func TestStripesThatSaveNothing(t *testing.T) {
	hard := []catalog.Volume{volume(t, "st1")}
	for iops := 10.0; iops < 60; iops++ {
		ask := sizing.Ask{GiB: 500, Headroom: 20, HardDisks: true, Volumes: hard, Tariff: tariff(t, "us-east-1")}
		s, err := sizing.SizeRate(ask, needs.Rate{Writes: iops, WriteBytes: iops * 8192}, 24)
		if err != nil || s.Choice == nil {
			t.Fatal(s.Choice, err)
		}
		if c := s.Choice; c.Single != nil && c.Single.Bill.Total < c.Bill.Total+0.01 {
			t.Errorf("%g a second: %d volumes for %.15g, and one for %.15g", iops, c.Disks, c.Bill.Total,
				c.Single.Bill.Total)
		}
	}
}

// TestStripesThatSaveLittle: a stripe must save a tenth of one volume's price. By EBS's prices one gp3 of 100 GiB with
// 3,600 IOPS is 8 + 3 = 11 USD, and two save the 3; one of 1,000 GiB is 83, of which 3 are no tenth.
func TestStripesThatSaveLittle(t *testing.T) {
	for _, test := range []struct{ gib, want, disks float64 }{{100, 8, 2}, {1000, 83, 1}} {
		ask := sizing.Ask{GiB: test.gib, Headroom: 20, Volumes: shop(t, of("ebs")), Tariff: tariff(t, "us-east-1")}
		s, err := sizing.SizeRate(ask, needs.Rate{Writes: 3000, WriteBytes: 3000 * 8192}, 24)
		if err != nil || s.Choice == nil {
			t.Fatal(s.Choice, err)
		}
		near(t, "the order", s.Choice.Bill.Total, test.want, 1e-9)
		if c := s.Choice; c.Disks != int(test.disks) || c.Volume.Name != "gp3" {
			t.Errorf("%g GiB: %d x %s", test.gib, c.Disks, c.Volume.Name)
		}
		if !slices.ContainsFunc(s.Options, func(o sizing.Option) bool { return o.Volume.Name == "gp3" && o.Disks == 2 }) {
			t.Errorf("%g GiB: the stripe is no candidate", test.gib)
		}
	}
}

// TestBurstOfAMachine: an m5.large passes 18,750 operations a second for the 30 minutes a day that AWS grants, and
// sustains 3,600. With half its credits at the start it has a quarter of an hour.
func TestBurstOfAMachine(t *testing.T) {
	instances := catalog.Instances()
	half := 50.0
	check := func(hours float64, balance *float64, want float64) {
		t.Helper()
		ask := sizing.Ask{GiB: 100, Volumes: shop(t, of("ebs")), Instances: instances, Instance: "m5.large",
			Tariff: tariff(t, "us-east-1"), Repeat: 86400, Balance: sizing.Asked{Instance: balance}}
		s, err := sizing.SizeRate(ask, needs.Rate{Writes: 10000, WriteBytes: 10000 * 8192}, hours)
		switch {
		case err != nil:
			t.Fatal(err)
		case want == 0 && s.Choice == nil && s.Passing != nil && s.Passing.Class == "m5.2xlarge":
		case want == 0 || s.Choice == nil || s.Choice.OnCredits != want:
			t.Errorf("%g h: %+v, %+v", hours, s.Choice, s.Passing)
		}
	}
	check(0.4, nil, 1440)
	check(0.5, nil, 1800)
	check(0.6, nil, 0)
	check(0.4, &half, 0)
}

// TestBeforeNitro: behind an m4 or an i3 a volume reaches 32,000 IOPS, by the EBS user guide. One io2 of 40,000 is not
// ordered there, and two are.
func TestBeforeNitro(t *testing.T) {
	instances := catalog.Instances()
	disks := func(class string) int {
		t.Helper()
		ask := sizing.Ask{GiB: 1000, Volumes: []catalog.Volume{volume(t, "io2")}, Instances: instances, Instance: class,
			Tariff: tariff(t, "us-east-1")}
		s, err := sizing.SizeRate(ask, needs.Rate{Writes: 40000, WriteBytes: 40000 * 8192}, 24)
		if err != nil || s.Choice == nil {
			t.Fatal(s.Choice, err)
		}
		return s.Choice.Disks
	}
	if old, unlisted, nitro := disks("m4.16xlarge"), disks("i3.16xlarge"), disks("m5.24xlarge"); old != 2 ||
		unlisted != 2 || nitro != 1 {
		t.Errorf("%d behind an m4, %d behind an i3, whose own limits are not known, %d behind an m5", old,
			unlisted, nitro)
	}
}

// TestHeadroomIsExact: 760 and 10% are 836; 0.1 and 0.2 have no finite binary form.
func TestHeadroomIsExact(t *testing.T) {
	for iops, want := range map[float64]float64{760: 836, 1100: 1210, 4100: 4510} {
		ask := sizing.Ask{GiB: 100, Headroom: 10, Volumes: []catalog.Volume{volume(t, "io2")},
			Tariff: tariff(t, "us-east-1")}
		s, err := sizing.SizeRate(ask, needs.Rate{Writes: iops, WriteBytes: iops * 8192}, 24)
		if err != nil || s.Choice.Order.IOPS != want {
			t.Errorf("%g and 10%%: %+v, %v", iops, s.Choice, err)
		}
	}
}

// TestRaisedForTheBatch: 24,000 IOPS and 188 MiB/s of gp3 for an hour a day are paid for six, between two changes: 16 +
// (21,000 x 0.005 + 63 x 0.04) / 4.
func TestRaisedForTheBatch(t *testing.T) {
	ask := sizing.Ask{GiB: 200, Headroom: 20, Volumes: shop(t, of("ebs")), Tariff: tariff(t, "us-east-1")}
	s, err := sizing.SizeRate(ask, needs.Rate{Writes: 20000, WriteBytes: 20000 * 8192}, 1)
	if err != nil || s.Choice == nil || s.Choice.Raised == nil {
		t.Fatal(s.Choice, err)
	}
	near(t, "raised", s.Choice.Raised.Bill.Total, 16+(21000*0.005+63*0.04)/4, 1e-9)
	near(t, "eight of 25 GiB", s.Choice.Bill.Total, 16, 1e-9)
}

// TestUnitsThatAreWrong: requests that no database makes, and reads that repeat the writes, are reported before
// anything is ordered for them.
func TestUnitsThatAreWrong(t *testing.T) {
	cautions := func(r needs.Rate) int {
		t.Helper()
		s, err := sizing.SizeRate(sizing.Ask{GiB: 100, Volumes: shop(t, of("ebs")), Tariff: tariff(t, "us-east-1")}, r,
			24)
		if err != nil {
			t.Fatal(err)
		}
		return len(s.Cautions)
	}
	for want, r := range []needs.Rate{
		{Writes: 1000, WriteBytes: 1000 * 512}, {Writes: 1000, WriteBytes: 1000 * 511},
		{Reads: 1000, Writes: 1000, ReadBytes: 300000, WriteBytes: 300000},
	} {
		if got := cautions(r); got != want {
			t.Errorf("%+v: %d cautions, want %d", r, got, want)
		}
	}
	if got := cautions(needs.Rate{Writes: 10, WriteBytes: 10<<20 + 1}); got != 1 {
		t.Errorf("requests of more than 1 MiB: %d cautions", got)
	}
}
