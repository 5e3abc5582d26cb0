package prices

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/url"
	"slices"
	"strings"

	"github.com/realiops/realiops/internal/analyze/catalog"
	"github.com/realiops/realiops/internal/input"
)

// retailPage holds the relevant part of a page of Azure's retail prices.
type retailPage struct {
	Items []retailPrice `json:"Items"`
	Next  string        `json:"NextPageLink"`
}

type retailPrice struct {
	Currency string  `json:"currencyCode"`
	Price    float64 `json:"retailPrice"`
	Least    float64 `json:"tierMinimumUnits"` // the number of units from which it applies
	Region   string  `json:"armRegionName"`
	Product  string  `json:"productName"`
	SKU      string  `json:"skuName"`
	Meter    string  `json:"meterName"`
	Unit     string  `json:"unitOfMeasure"`
	From     string  `json:"effectiveStartDate"`
	Kind     string  `json:"type"`
}

// premiumSSD is Azure's product name of disks in named sizes.
const premiumSSD = "Premium SSD Managed Disks"

// meters returns the hourly meters of units, by the product and the end of the meter's name. The part before it is
// LRS, for local copies, or another kind of redundancy.
func meters() map[string]meaning {
	return map[string]meaning{
		"Azure Premium SSD v2/Premium LRS Provisioned Capacity":          {"azure-premium-v2", catalog.PerGiB, 0},
		"Azure Premium SSD v2/Premium LRS Provisioned IOPS":              {"azure-premium-v2", catalog.PerIOPS, 0},
		"Azure Premium SSD v2/Premium LRS Provisioned Throughput (MBps)": {"azure-premium-v2", catalog.PerMiBps, 0},
		"Ultra Disks/Ultra LRS Provisioned Capacity":                     {"azure-ultra", catalog.PerGiB, 0},
		"Ultra Disks/Ultra LRS Provisioned IOPS":                         {"azure-ultra", catalog.PerIOPS, 0},
		"Ultra Disks/Ultra LRS Provisioned Throughput (MBps)":            {"azure-ultra", catalog.PerMiBps, 0},
	}
}

// OfAzure reads the prices of Premium SSD, Premium SSD v2 and Ultra Disk with local copies in a region, in dollars.
func (p Public) OfAzure(ctx context.Context, region string) (l List, err error) {
	query := url.Values{
		"$filter": {fmt.Sprintf("serviceName eq 'Storage' and armRegionName eq '%s' and (productName eq '%s' or "+
			"productName eq 'Azure Premium SSD v2' or productName eq 'Ultra Disks')", region, premiumSSD)}}
	for page, n := p.Azure+"?"+query.Encode(), 0; page != ""; n++ {
		var answer retailPage
		err := p.get(ctx, page, func(body io.Reader) error {
			return json.NewDecoder(input.Answer(io.NopCloser(body), mostAhead, errTooLong)).Decode(&answer)
		})
		if n == mostPages {
			err = errTooManyPages
		}
		if err != nil {
			return List{}, fmt.Errorf("read the retail prices of Azure in %s: %w", region, err)
		}
		for _, item := range answer.Items {
			if item.Kind == "Consumption" && item.Region == region { // not a reservation
				l.add(item)
			}
		}
		page = answer.Next
	}
	l.sortOut()
	if len(l.Prices) == 0 {
		return List{}, errors.New("Azure's retail prices have no Premium SSD or Ultra Disk in the region " + region)
	}
	return l, nil
}

// add adds the monthly price of a disk or the hourly price of a unit, and skips mounts, bursts and other products.
// Performance plus is chosen when a disk is created, and is free
// (https://learn.microsoft.com/azure/virtual-machines/disks-enable-performance).
func (l *List) add(r retailPrice) {
	tier, local := strings.CutSuffix(r.SKU, " LRS")
	of, known := meters()[r.Product+"/"+r.Meter]
	since, _, _ := strings.Cut(r.From, "T")
	price := catalog.Price{Volume: of.volume, Per: of.per, From: r.Least, Region: r.Region, Currency: r.Currency,
		Price: r.Price * catalog.HoursInMonth, Source: "Azure retail prices, " + since}
	units := []string{"1/Hour", "1 GiB/Hour"}
	if disk := r.Product == premiumSSD && local && r.Meter == r.SKU+" Disk"; disk {
		price.Volume, price.Tier, price.Per, price.Price, units = "azure-premium", tier, catalog.PerTier, r.Price,
			[]string{"1/Month"}
	} else if !known {
		return
	}
	if !slices.Contains(units, r.Unit) || r.Currency != "USD" {
		l.Unread = append(l.Unread, fmt.Sprintf("the price of %s: unknown unit %q in %s", r.Meter, r.Unit, r.Currency))
		return
	}
	l.Prices = append(l.Prices, price)
}
