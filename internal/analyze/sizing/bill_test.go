package sizing_test

import (
	"testing"

	"github.com/realiops/realiops/internal/analyze/sizing"
)

// TestListedBills compares with Infracost's bills from the providers' price lists, whose quantities exclude what is
// free beside the size.
func TestListedBills(t *testing.T) {
	in := func(region, name string, gib, iops, mibps, want float64) {
		t.Helper()
		bill, err := tariff(t, region).Monthly(sizing.Config{Volume: volume(t, name), GiB: gib, IOPS: iops,
			MiBps: asPublished(name, mibps)})
		if err != nil {
			t.Fatal(err)
		}
		near(t, name, bill.Total, want, 0.005)
	}
	check := func(name string, gib, iops, mibps, want float64) {
		t.Helper()
		in("us-east-1", name, gib, iops, mibps, want)
	}
	check("io1", 30, 300, 0, 3.75+19.50)
	check("io2", 30, 300, 0, 3.75+19.50)
	check("gp3", 40, 3000+1000, 125+5, 3.20+5.00+0.20)
	check("st1", 40, 0, 0, 1.80)
	check("gp2", 10, 0, 0, 1.00)
	check("sc1", 50, 0, 0, 0.75)
	check("rds-gp3", 400, 12000+2000, 0, 46.00+40.00)
	check("azure-ultra", 2048, 4000, 20, 245.19+198.56+6.99)
	check("azure-premium", 32, 0, 0, 5.28)
	check("azure-premium-plus", 1024, 0, 0, 135.17) // a P30's: "no extra charge for enabling performance plus"
	check("google-pd-ssd", 100, 0, 0, 17.00)
	check("google-hyperdisk-balanced", 100, 0, 0, 8.00)
	// io2 by its three prices, and volumes of other regions, by the price list
	check("io2", 100, 100000, 0, 12.50+32000*0.065+32000*0.0455+36000*0.03185)
	in("eu-west-1", "gp3", 100, 4000, 225, 8.80+1000*0.0055+100*0.044)
	in("eu-west-1", "rds-gp3", 400, 12100, 600, 50.80+100*0.022+100*0.088)
	in("ap-northeast-1", "io2", 10, 40000, 0, 1.42+32000*0.074+8000*0.0518)
}

// TestUnknownPricesAreReported: an unknown price is not zero.
func TestUnknownPricesAreReported(t *testing.T) {
	_, err := tariff(t, "us-east-1").Monthly(sizing.Config{Volume: volume(t, "google-hyperdisk-balanced"),
		GiB: 100, IOPS: 4000})
	if want := "no price is known for google-hyperdisk-balanced per iops in us-central1"; err == nil ||
		err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
}
