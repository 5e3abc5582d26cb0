package billing

import (
	"math"
	"slices"
	"testing"

	"github.com/realiops/realiops/internal/analyze/catalog"
	"github.com/realiops/realiops/internal/analyze/sizing"
)

// TestInferredPricesHold: each known Aurora price, removed from the list, lies within its inferred bounds.
func TestInferredPricesHold(t *testing.T) {
	all := catalog.Prices()
	tried := 0
	for i, p := range all {
		if p.Volume != Standard && p.Volume != Optimized || p.Region == home && p.Volume == Standard ||
			p.Class == "db.r6g.large" || p.Class == "db.t3.medium" {
			continue
		}
		without := slices.Delete(slices.Clone(all), i, i+1)
		q := quoted(sizing.Tariff{Region: p.Region, Prices: without}, p.Per, p.Class)
		if q.how == "" || len(q.may) == 0 {
			t.Errorf("%s %s per %s in %s: nothing is inferred", p.Volume, p.Class, p.Per, p.Region)
			continue
		}
		tried++
		least, most := math.Inf(1), math.Inf(-1)
		for _, b := range q.may {
			v := map[string]float64{Standard: b.Standard, Optimized: b.Optimized}[p.Volume]
			least, most = min(least, v), max(most, v)
		}
		const rounding = 0.0006 // lists have a tenth of a cent
		if p.Price < least-rounding || p.Price > most+rounding {
			t.Errorf("%s %s per %s in %s: %g, and inferred from %g to %g (%s)", p.Volume, p.Class, p.Per, p.Region,
				p.Price, least, most, q.how)
		}
	}
	if tried < 250 {
		t.Errorf("%d prices were tried", tried)
	}
}

// TestInferredFamiliesHold: each price of a family, with the whole family removed from its region's list, lies
// within the bounds inferred from another family.
func TestInferredFamiliesHold(t *testing.T) {
	all := catalog.Prices()
	tried := 0
	for _, p := range all {
		family, _ := sizeOf(p.Class)
		if p.Volume != Standard || p.Per != catalog.PerHour || p.Region == home || family != "db.r5" &&
			family != "db.r6g" {
			continue
		}
		others := slices.DeleteFunc(slices.Clone(all), func(o catalog.Price) bool {
			of, _ := sizeOf(o.Class)
			return o.Region == p.Region && of == family
		})
		q := quoted(sizing.Tariff{Region: p.Region, Prices: others}, p.Per, p.Class)
		if q.how == "" {
			continue // a region with one family
		}
		tried++
		if off := p.Price/q.Standard - 1; !(math.Abs(off) < 0.02) {
			t.Errorf("%s in %s: %g, inferred %g (%s)", p.Class, p.Region, p.Price, q.Standard, q.how)
		}
		if least, most := q.may[0].Standard, q.may[len(q.may)-1].Standard; !(least < p.Price && p.Price < most) {
			t.Errorf("%s in %s: %g, inferred from %g to %g", p.Class, p.Region, p.Price, least, most)
		}
	}
	if tried < 150 {
		t.Errorf("%d prices were tried", tried)
	}
}
