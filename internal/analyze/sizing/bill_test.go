package sizing_test

import (
	"testing"

	"github.com/realiops/realiops/internal/analyze/sizing"
)

// TestListedBills are volumes as Infracost bills them from the providers' price lists; what is free beside the size is not
// in its quantities.
func TestListedBills(t *testing.T) {
	check := func(name string, gib, iops, mibps, want float64) {
		t.Helper()
		bill, err := tariff(t, "us-east-1").Monthly(sizing.Config{Volume: volume(t, name), GiB: gib, IOPS: iops, MiBps: mibps})
		if err != nil {
			t.Fatal(err)
		}
		near(t, name, bill.Total, want, 0.005)
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
	check("google-pd-ssd", 100, 0, 0, 17.00)
}

// TestUnknownPricesAreSaid: what is not known is no nought.
func TestUnknownPricesAreSaid(t *testing.T) {
	_, err := tariff(t, "us-east-1").Monthly(sizing.Config{Volume: volume(t, "azure-premium-v2"), GiB: 100})
	if want := "no price is known of azure-premium-v2 per gib in us-east-1"; err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
}
