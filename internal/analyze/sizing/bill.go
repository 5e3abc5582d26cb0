package sizing

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/realiops/realiops/internal/analyze/catalog"
	"github.com/realiops/realiops/internal/printable"
)

// Tariff holds the prices, and the region that counts.
type Tariff struct {
	Region string
	Prices []catalog.Price
}

// Bill is the monthly cost of an order.
type Bill struct {
	Total    float64
	Currency string
	Lines    []BillLine
	Inferred bool // a price was, so it ranks no order
}

// BillLine is one part of a bill.
type BillLine struct {
	What   string  `json:"what"` // such as 500 GiB
	Amount float64 `json:"amount"`
	Source string  `json:"source"` // key of the price
}

// withStandby returns a bill for RDS with a standby in another zone: by the list's prices for it, else twice the bill.
func (t Tariff) withStandby(c Config, bill Bill) Bill {
	c.Volume.Name += catalog.WithStandby
	if both, err := t.Monthly(c); err == nil {
		return both
	}
	bill.addStandby()
	return bill
}

// addStandby adds the storage of a standby to a bill, at the same cost: so the price list has it for Multi-AZ.
func (b *Bill) addStandby() {
	b.Lines = append(b.Lines, BillLine{What: "as much for the standby (Multi-AZ)", Amount: b.Total,
		Source: b.Lines[0].Source})
	b.Total *= 2
}

// noPrice is the error for an unknown price.
type noPrice struct {
	volume string
	per    catalog.Per
	region string
}

func (e *noPrice) Error() string {
	return fmt.Sprintf("no price is known for %s per %s in %s", e.volume, e.per, e.region)
}

// Monthly returns the monthly cost of an order; the error names an unknown price.
func (t Tariff) Monthly(c Config) (Bill, error) { return t.of(c.Volume).monthly(c) }

// list holds the prices of a volume in one region.
type list struct {
	volume, region string
	prices         []catalog.Price
}

func (l list) monthly(c Config) (b Bill, err error) {
	tier, _ := c.Volume.Tier(c.GiB)
	if c.Volume.SoldInSteps {
		err := l.charge(&b, catalog.PerTier, tier.Name, 1, 0)
		return b, err
	}
	if err := l.charge(&b, catalog.PerGiB, "", c.GiB, 0); err != nil {
		return Bill{}, err
	}
	if c.IOPS > tier.IOPS.Free {
		if err := l.charge(&b, catalog.PerIOPS, "", c.IOPS, tier.IOPS.Free); err != nil {
			return Bill{}, err
		}
	}
	if c.MiBps > tier.MiBps.Free {
		step := c.Volume.Step()
		if err := l.charge(&b, catalog.PerMiBps, "", c.MiBps/step, tier.MiBps.Free/step); err != nil {
			return Bill{}, err
		}
	}
	return b, nil
}

// charge adds an amount that Aurora Standard bills.
func (t Tariff) charge(b *Bill, per catalog.Per, amount float64) error {
	return t.of(catalog.Volume{Name: auroraStandard}).charge(b, per, "", amount, 0)
}

// charge adds an amount to a bill, at the price of each step, less the free amount.
func (l list) charge(b *Bill, per catalog.Per, tier string, amount, free float64) error {
	steps := slices.DeleteFunc(slices.Clone(l.prices), func(p catalog.Price) bool { return p.Per != per || p.Tier != tier })
	if len(steps) == 0 {
		return &noPrice{strings.TrimSpace(l.volume + " " + tier), per, l.region}
	}
	slices.SortFunc(steps, func(a, b catalog.Price) int { return cmp.Compare(a.From, b.From) })
	for i, p := range steps {
		from, to := max(p.From, free), amount
		if i+1 < len(steps) {
			to = min(to, steps[i+1].From)
		}
		if to <= from {
			continue
		}
		line := BillLine{What: words(l.volume, to-from, per, tier), Amount: (to - from) * p.Price, Source: p.Source}
		b.Lines, b.Total, b.Currency = append(b.Lines, line), b.Total+line.Amount, p.Currency
		b.Inferred = b.Inferred || p.Inferred
	}
	return nil
}

func (t Tariff) of(v catalog.Volume) list {
	return t.in(v, t.RegionOf(catalog.CloudOfVolume(cmp.Or(v.PricedAs, v.Name))))
}

func (t Tariff) in(v catalog.Volume, region string) list {
	l := list{volume: cmp.Or(v.PricedAs, v.Name), region: region}
	for _, p := range t.Prices {
		if p.Volume == l.volume && p.Region == region && p.Class == "" {
			l.prices = append(l.prices, p)
		}
	}
	return l
}

// RegionOf returns the region for prices of a cloud: the tariff's own if it belongs to the cloud, else the first with
// prices.
func (t Tariff) RegionOf(cloud catalog.Cloud) string {
	if of := cmp.Or(catalog.CloudOfRegion(t.Region, t.Prices), catalog.AWS); of == cloud {
		return t.Region
	}
	return t.First(cloud)
}

// First returns the first region of a cloud that has prices. Prices from a file come before the program's own.
func (t Tariff) First(cloud catalog.Cloud) string {
	for _, p := range t.Prices {
		if catalog.CloudOfVolume(p.Volume) == cloud {
			return p.Region
		}
	}
	return cloud.Home()
}

// Currency returns the currency of the prices; empty if there are none.
func (t Tariff) Currency() string {
	for _, p := range t.Prices {
		return p.Currency
	}
	return ""
}

// Regions returns the regions with any price, by name.
func (t Tariff) Regions() []string {
	var all []string
	for _, p := range t.Prices {
		all = append(all, p.Region)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

func words(volume string, amount float64, per catalog.Per, tier string) string {
	switch per {
	case catalog.PerGiB:
		return printable.Count(amount) + " GiB"
	case catalog.PerIOPS:
		return printable.Count(amount) + " IOPS"
	case catalog.PerMiBps:
		if strings.HasPrefix(volume, "azure-") {
			return printable.Count(amount) + " MB/s"
		}
		return printable.Count(amount) + " MiB/s"
	case catalog.PerTier:
		return tier
	case catalog.PerMillionIO:
		return fmt.Sprintf("%.1f million I/O", amount)
	default:
		return printable.Count(amount) + " h"
	}
}

// AsOf returns the dates of the prices in a bill, oldest and newest.
func (b Bill) AsOf() string {
	var all []string
	for _, line := range b.Lines {
		all = append(all, catalog.AsOf(line.Source))
	}
	return catalog.Dates(all...)
}

// AsOf returns the dates of all prices of a volume in its region.
func (t Tariff) AsOf(v catalog.Volume) string {
	var all []string
	for _, p := range t.of(v).prices {
		all = append(all, catalog.AsOf(p.Source))
	}
	return catalog.Dates(all...)
}

// auroraStandard is Aurora's volume in the catalog and in price lists.
const auroraStandard = "aurora"
