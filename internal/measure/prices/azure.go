package prices

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/url"
	"strings"

	"github.com/realiops/realiops/internal/analyze/catalog"
)

// retailPage is one page of Azure's retail prices, as far as it matters here.
type retailPage struct {
	Items []retailPrice `json:"Items"`
	Next  string        `json:"NextPageLink"`
}

type retailPrice struct {
	Currency string  `json:"currencyCode"`
	Price    float64 `json:"retailPrice"`
	Region   string  `json:"armRegionName"`
	Product  string  `json:"productName"`
	SKU      string  `json:"skuName"`
	Meter    string  `json:"meterName"`
	Unit     string  `json:"unitOfMeasure"`
	From     string  `json:"effectiveStartDate"`
	Kind     string  `json:"type"`
}

// OfAzure reads what Azure asks for Premium SSD with local copies in a region, in dollars. Of Premium SSD v2 and Ultra Disk it has prices by the
// hour of several units, which are not read.
func (p Public) OfAzure(ctx context.Context, region string) (List, error) {
	var l List
	query := url.Values{"$filter": {fmt.Sprintf("serviceName eq 'Storage' and productName eq 'Premium SSD Managed Disks' and armRegionName eq '%s'", region)}}
	for page := p.Azure + "?" + query.Encode(); page != ""; {
		var answer retailPage
		err := p.get(ctx, page, func(body io.Reader) error { return json.NewDecoder(body).Decode(&answer) })
		if err != nil {
			return List{}, fmt.Errorf("read the retail prices of Azure in %s: %w", region, err)
		}
		for _, item := range answer.Items {
			l.add(item, region)
		}
		page = answer.Next
	}
	if len(l.Prices) == 0 {
		return List{}, errors.New("Azure's retail prices have no Premium SSD in the region " + region)
	}
	return l, nil
}

// add takes the price of a disk by the month, and leaves mounts, bursts and reservations alone.
func (l *List) add(r retailPrice, region string) {
	tier, local := strings.CutSuffix(r.SKU, " LRS")
	if !local || r.Meter != r.SKU+" Disk" || r.Kind != "Consumption" || r.Region != region {
		return
	}
	if r.Unit != "1/Month" || r.Currency != "USD" {
		l.Unread = append(l.Unread, fmt.Sprintf("the price of %s: it is by %q in %s", r.Meter, r.Unit, r.Currency))
		return
	}
	since, _, _ := strings.Cut(r.From, "T")
	l.Prices = append(l.Prices, catalog.Price{
		Volume: "azure-premium", Tier: tier, Per: catalog.PerTier, Region: region, Currency: r.Currency, Price: r.Price, Source: "Azure retail prices, " + since,
	})
}
