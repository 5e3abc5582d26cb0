package sizing_test

import (
	"testing"

	"github.com/realiops/realiops/internal/analyze/catalog"
	"github.com/realiops/realiops/internal/analyze/sizing"
)

// TestCreditsMakeItSmaller: 600 operations a second for a day want 200 GiB of gp2 for good. A full bucket adds 5.4 million /
// 86,400 = 62.5 a second, so that 537.5 / 3 = 179.2 GiB are enough; with half of it 568.75 / 3 = 189.6.
func TestCreditsMakeItSmaller(t *testing.T) {
	rate := sizing.Rate{Writes: 600, WriteBytes: 600 * 8192}
	check := func(balance, want float64) {
		t.Helper()
		q := sizing.Question{Need: rate, Demand: []sizing.Rate{rate}, GiB: 10, Repeat: 86400, Balance: balance}
		options, err := sizing.Options(q, []catalog.Volume{volume(t, "gp2")}, nil, tariff(t, "us-east-1"))
		if err != nil {
			t.Fatal(err)
		}
		o := options[0]
		if o.Order.GiB != 200 || o.Burst == nil || o.Burst.Order.GiB != want || o.Burst.Outcome.Throttled != 0 {
			t.Errorf("balance %g: order %g GiB, burst %+v, want %g", balance, o.Order.GiB, o.Burst, want)
		}
	}
	check(100, 180)
	check(50, 190)
}

// TestCreditsAreNoNewsWhereTheDataDecide: 50 operations a second on 10 GiB need no credits.
func TestCreditsAreNoNewsWhereTheDataDecide(t *testing.T) {
	rate := sizing.Rate{Writes: 50, WriteBytes: 50 * 8192}
	q := sizing.Question{Need: rate, Demand: []sizing.Rate{rate}, GiB: 10, Repeat: 86400, Balance: 100}
	options, err := sizing.Options(q, []catalog.Volume{volume(t, "gp2")}, nil, tariff(t, "us-east-1"))
	if err != nil {
		t.Fatal(err)
	}
	if o := options[0]; o.Order.GiB != 10 || o.Burst != nil {
		t.Errorf("order %g GiB, burst %+v", o.Order.GiB, o.Burst)
	}
}

// TestMachineInBetween: effective is the less of volume and machine, operations and bytes apart.
func TestMachineInBetween(t *testing.T) {
	instances, err := catalog.Instances()
	if err != nil {
		t.Fatal(err)
	}
	check := func(class string, writes, bytes float64, carries bool, binds string) {
		t.Helper()
		q := sizing.Question{Need: sizing.Rate{Writes: writes, WriteBytes: bytes}, GiB: 1000, Instance: class}
		options, err := sizing.Options(q, []catalog.Volume{volume(t, "gp3")}, instances, tariff(t, "us-east-1"))
		if err != nil {
			t.Fatal(err)
		}
		if c := options[0].Cap; c == nil || c.Carries != carries || c.Binds != binds {
			t.Errorf("%s: %+v", class, c)
		}
	}
	check("db.t3.medium", 1500, 20e6, true, "instance")  // 2,000 for good, under the volume's 3,000
	check("db.t3.medium", 2500, 20e6, false, "instance") // its 11,800 hold for 30 minutes a day
	check("m5.4xlarge", 2500, 20e6, true, "volume")
	check("m4.large", 100, 60e6, false, "instance") // 56.25 MB/s
}
