package sizing

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/realiops/realiops/internal/analyze/catalog"
)

// Tariff is the prices of one region.
type Tariff struct {
	Region string
	Prices []catalog.Price
}

// Bill is what an order costs in a month.
type Bill struct {
	Total    float64
	Currency string
	Lines    []BillLine
}

// BillLine is one part of a bill.
type BillLine struct {
	What   string // 500 GiB
	Amount float64
	Source string // key
}

// withStandby is a bill for RDS with a standby in another zone: by the prices that the list has of that, else twice as much.
func (t Tariff) withStandby(c Config, one Bill) Bill {
	c.Volume.Name += catalog.WithStandby
	if both, err := t.Monthly(c); err == nil {
		return both
	}
	one.addStandby()
	return one
}

// addStandby puts the storage of a standby on a bill, which is as much again: so the price list has it for Multi-AZ.
func (b *Bill) addStandby() {
	b.Lines = append(b.Lines, BillLine{What: "as much for the standby (Multi-AZ)", Amount: b.Total, Source: b.Lines[0].Source})
	b.Total *= 2
}

// noPrice says which price is not known.
type noPrice struct {
	volume string
	per    catalog.Per
	region string
}

func (e *noPrice) Error() string {
	return fmt.Sprintf("no price is known of %s per %s in %s", e.volume, e.per, e.region)
}

// Monthly is what an order costs in a month; the error says which price is not known.
func (t Tariff) Monthly(c Config) (Bill, error) {
	tier, _ := c.Volume.Tier(c.GiB)
	var b Bill
	if c.Volume.SoldInSteps {
		err := t.charge(&b, cmp.Or(c.Volume.PricedAs, c.Volume.Name), catalog.PerTier, tier.Name, 1, 0)
		return b, err
	}
	if err := t.charge(&b, c.Volume.Name, catalog.PerGiB, "", c.GiB, 0); err != nil {
		return Bill{}, err
	}
	if c.IOPS > tier.IOPS.Free {
		if err := t.charge(&b, c.Volume.Name, catalog.PerIOPS, "", c.IOPS, tier.IOPS.Free); err != nil {
			return Bill{}, err
		}
	}
	if c.MiBps > tier.MiBps.Free {
		step := c.Volume.Step()
		if err := t.charge(&b, c.Volume.Name, catalog.PerMiBps, "", c.MiBps/step, tier.MiBps.Free/step); err != nil {
			return Bill{}, err
		}
	}
	return b, nil
}

// charge puts an amount on a bill, each part of it at the price from which it holds; what is free costs nothing.
func (t Tariff) charge(b *Bill, volume string, per catalog.Per, tier string, amount, free float64) error {
	steps := t.of(volume, per, tier)
	if len(steps) == 0 {
		return &noPrice{volume, per, t.Region}
	}
	for i, p := range steps {
		from, to := max(p.From, free), amount
		if i+1 < len(steps) {
			to = min(to, steps[i+1].From)
		}
		if to <= from {
			continue
		}
		line := BillLine{What: words(volume, to-from, per, tier), Amount: (to - from) * p.Price, Source: p.Source}
		b.Lines, b.Total, b.Currency = append(b.Lines, line), b.Total+line.Amount, p.Currency
	}
	return nil
}

// of are the prices of one thing, by where they begin. The region is one of AWS: others have names of their own, and the
// catalog one region of each.
func (t Tariff) of(volume string, per catalog.Per, tier string) []catalog.Price {
	elsewhere := strings.HasPrefix(volume, "azure-") || strings.HasPrefix(volume, "google-")
	found := slices.DeleteFunc(slices.Clone(t.Prices), func(p catalog.Price) bool {
		return p.Volume != volume || p.Per != per || p.Tier != tier || p.Region != t.Region && !elsewhere || p.Class != ""
	})
	slices.SortFunc(found, func(a, b catalog.Price) int { return int(a.From - b.From) })
	return found
}

// Currency is that of the prices; empty where there are none.
func (t Tariff) Currency() string {
	for _, p := range t.Prices {
		return p.Currency
	}
	return ""
}

// Regions are those of which any price is known, by name.
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
		return fmt.Sprintf("%.0f GiB", amount)
	case catalog.PerIOPS:
		return fmt.Sprintf("%.0f IOPS", amount)
	case catalog.PerMiBps:
		if strings.HasPrefix(volume, "azure-") {
			return fmt.Sprintf("%.0f MB/s", amount)
		}
		return fmt.Sprintf("%.0f MiB/s", amount)
	case catalog.PerTier:
		return tier
	case catalog.PerMillionIO:
		return fmt.Sprintf("%.1f million I/O", amount)
	default:
		return fmt.Sprintf("%.0f h", amount)
	}
}
