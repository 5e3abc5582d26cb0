package sizing_test

import (
	"math"
	"testing"

	"github.com/realiops/realiops/internal/analyze/catalog"
	"github.com/realiops/realiops/internal/analyze/sizing"
)

func tariff(t *testing.T, region string) sizing.Tariff {
	t.Helper()
	prices, err := catalog.Prices()
	if err != nil {
		t.Fatal(err)
	}
	return sizing.Tariff{Region: region, Prices: prices}
}

func near(t *testing.T, what string, got, want, within float64) {
	t.Helper()
	if math.Abs(got-want) > within {
		t.Errorf("%s: %g, want %g", what, got, want)
	}
}

// TestBreakEven is AWS's own example: two r6g.2xlarge, 800 GiB, 1.2 thousand million I/O a month.
func TestBreakEven(t *testing.T) {
	us := tariff(t, "us-east-1")
	io, err := us.IOCost(1.2e9 / (730 * 3600))
	if err != nil {
		t.Fatal(err)
	}
	near(t, "I/O", io, 240, 0.01)
	a := sizing.CostAurora(2*1.038*730, 800*0.10, io)
	near(t, "standard", a.Standard, 1835, 1)
	near(t, "optimized", a.Optimized, 2150, 1)
	near(t, "break-even", a.BreakEven, 0.30*1515.48+1.25*80, 0.01)
	near(t, "share of I/O", 100*a.IO/a.Standard, 13.1, 0.05)
	if a.OptimizedPays() {
		t.Error("stay on Standard, says the example")
	}
}

// TestPublishedBills are bills that others have published, worked out again.
func TestPublishedBills(t *testing.T) {
	us := tariff(t, "us-east-1")
	month := func(perSecond float64) float64 {
		cost, err := us.IOCost(perSecond)
		if err != nil {
			t.Fatal(err)
		}
		return cost
	}
	const days = 730.0 / 24
	near(t, "each of 140,000 log records billed, a day", month(140000)/days, 2419, 1)
	near(t, "three quarters of $248.23 a day", month(10774)/days, 0.75*248.23, 0.1)
	near(t, "$200 a day", month(11574)/days, 200, 0.1)
}

// TestPublishedCalibration is the arithmetic of the one published run.
func TestPublishedCalibration(t *testing.T) {
	c := sizing.Published()
	near(t, "rows for a write", c.RowsPerWrite, 142.7, 0.1)
	near(t, "of log units", c.OfLogUnits, 0.38, 0.005)
	records := 120500.0
	f := sizing.ForecastAurora(117000, 117000*75.4, &records, c)
	near(t, "the run itself", f.BilledWrites.Value, 820, 0.01)
	near(t, "at least", f.BilledWrites.Least, 410, 0.01)
	near(t, "at most", f.BilledWrites.Most, 1640, 0.01)
}
