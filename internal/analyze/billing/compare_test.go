package billing_test

import (
	"math"
	"testing"
	"time"

	"github.com/realiops/realiops/internal/analyze/billing"
	"github.com/realiops/realiops/internal/analyze/catalog"
	"github.com/realiops/realiops/internal/analyze/sizing"
	"github.com/realiops/realiops/internal/runfile"
)

// TestDaysAreWhole: a day that is incomplete at its start, or has an unknown hour, is not counted, but its hours are.
func TestDaysAreWhole(t *testing.T) {
	from := time.Date(2026, 10, 30, 6, 0, 0, 0, time.UTC)
	var periods []runfile.Period
	add := func(metric string, dimension string, value float64, but int) {
		for h := range 90 { // 18 hours, and three days without one hour of the third
			if h != but {
				at := from.Add(time.Duration(h) * time.Hour)
				periods = append(periods, runfile.Period{From: at, To: at.Add(time.Hour), Metric: "cloudwatch/" +
					metric, Dimensions: map[string]string{dimension: "a"}, Value: value})
			}
		}
	}
	add("VolumeReadIOPs", "DBClusterIdentifier", 1e6, 18+48+5)
	add("VolumeWriteIOPs", "DBClusterIdentifier", 1e6, -1)
	add("VolumeBytesUsed", "DBClusterIdentifier", 1<<30, -1)
	add("CPUUtilization", "DBInstanceIdentifier", 5, -1)
	price := func(volume string, per catalog.Per, class string, price float64) catalog.Price {
		return catalog.Price{Volume: volume, Class: class, Per: per, Region: "here", Currency: "USD", Price: price}
	}
	prices := []catalog.Price{
		price("aurora", catalog.PerMillionIO, "", 1), price("aurora", catalog.PerGiB, "", 0),
		price("aurora-iopt1", catalog.PerGiB, "", 0),
		price("aurora", catalog.PerHour, "db.x", 10), price("aurora-iopt1", catalog.PerHour, "db.x", 13),
	}
	use := billing.FromPeriods(periods, from, from.Add(90*time.Hour), []billing.Instance{{Name: "a", Class: "db.x"}})
	c := billing.Compare(use, sizing.Tariff{Region: "here", Prices: prices}, nil)
	if c.Whole.Compared != 89 || c.Whole.Days != 2 || len(c.Months) != 2 || c.Months[0].Days != 1 ||
		c.Months[1].Days != 1 {
		t.Errorf("%d hours, %d days; by month %+v", c.Whole.Compared, c.Whole.Days, c.Months)
	}
	if want := 89 * 2.0; math.Abs(c.Whole.IO-want) > 1e-6 {
		t.Errorf("I/O of %g, want %g", c.Whole.IO, want)
	}
	if c.Verdict.Cheaper != "" || c.Verdict.Why != "it has 2 days of whole data, and needs a week" {
		t.Errorf("%+v", c.Verdict)
	}
}
