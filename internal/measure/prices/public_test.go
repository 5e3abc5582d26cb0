package prices_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/realiops/realiops/internal/analyze/catalog"
	"github.com/realiops/realiops/internal/measure/prices"
)

// offerFile returns a price file in AWS's documented form: products by SKU, then terms by kind and SKU.
func offerFile(service string, all []listed) string {
	products, terms := map[string]any{}, map[string]any{}
	for i, l := range all {
		if l.service != service {
			continue
		}
		var one struct {
			Product map[string]any            `json:"product"`
			Terms   map[string]map[string]any `json:"terms"`
		}
		_ = json.Unmarshal([]byte(l.String()), &one)
		sku := fmt.Sprintf("SKU%d", i)
		products[sku], terms[sku] = one.Product, one.Terms["OnDemand"]
	}
	encoded := func(v any) string { text, _ := json.Marshal(v); return string(text) }
	return fmt.Sprintf(
		`{"formatVersion": "v1.0", "disclaimer": "for information", "offerCode": %q, "version": "20260910120000", "publicationDate": "2026-09-10T12:00:00Z",
		"products": %s, "terms": {"OnDemand": %s, "Reserved": {"SKU0": {"x": [1, {"deep": true}]}}}, "attributesList": {}}`, service, encoded(products), encoded(terms))
}

func public(t *testing.T, handler http.HandlerFunc) prices.Public {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	return prices.Public{Client: server.Client(), AWS: server.URL, Azure: server.URL + "/api/retail/prices"}
}

// TestPriceFilesSayWhatTheListSays: the same products give the same prices from the API and from the public files.
func TestPriceFilesSayWhatTheListSays(t *testing.T) {
	asked, err := ask(t, &service{products: tokyo()})
	if err != nil {
		t.Fatal(err)
	}
	p := public(t, func(w http.ResponseWriter, r *http.Request) {
		service := strings.Split(r.URL.Path, "/")[4]
		if r.URL.Path != "/offers/v1.0/aws/"+service+"/current/ap-northeast-1/index.json" {
			http.NotFound(w, r)
			return
		}
		fmt.Fprint(w, offerFile(service, tokyo()))
	})
	read, err := p.OfAWS(t.Context(), "ap-northeast-1")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(asked, read); diff != "" {
		t.Errorf("(-asked +read):\n%s", diff)
	}
	if _, err := p.OfAWS(t.Context(), "mars-1"); err == nil || !strings.Contains(err.Error(), "404 Not Found") {
		t.Errorf("a region that there is not: %v", err)
	}
}

func TestNoPriceFile(t *testing.T) {
	p := public(t, func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, `["a proxy's page"]`) })
	if _, err := p.OfAWS(t.Context(), "eu-west-1"); err == nil ||
		!strings.Contains(err.Error(), "this is not a price file") {
		t.Error(err)
	}
}

// TestEndlessPrices: values, products, pages and waits are all bounded.
func TestEndlessPrices(t *testing.T) {
	endless := func(begin, more string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			_, err := fmt.Fprint(w, begin)
			for i := 0; err == nil; i++ {
				_, err = fmt.Fprintf(w, more, i)
			}
		}
	}
	const long = "this is not a price file: a value is longer than 16 MiB"
	check := func(handler http.HandlerFunc, want string) {
		t.Helper()
		if _, err := public(t, handler).OfAWS(t.Context(), "eu-west-1"); err == nil ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
	check(endless(`{"version": "`, strings.Repeat("%[1]d", 1000)), long)
	check(endless(`{"products": {"a": {"attributes": {"usagetype": "`, strings.Repeat("%[1]d", 1000)), long)
	check(endless(`{"products": {"":{}`, `,"%d": {"attributes": {"usagetype": "EBS:VolumeUsage.gp3"}}`),
		"more than 100000 products")
	var p prices.Public
	p = public(t, func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprintf(w, `{"Items": [], "NextPageLink": %q}`, p.Azure)
	})
	if _, err := p.OfAzure(t.Context(), "westeurope"); err == nil ||
		!strings.Contains(err.Error(), "more than 1000 pages") {
		t.Error(err)
	}
	p = public(t, endless(`{"Items": "`, strings.Repeat("%[1]d", 1000)))
	if _, err := p.OfAzure(t.Context(), "westeurope"); err == nil || !strings.Contains(err.Error(), long) {
		t.Error(err)
	}
	p = public(t, func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
	p.Patience = time.Millisecond
	if _, err := p.OfAzure(t.Context(), "westeurope"); err == nil ||
		!strings.Contains(err.Error(), "no data for 1 ms") {
		t.Error(err)
	}
}

// TestRetailPrices: two pages of Azure, in the form of recorded answers. Monthly disks count, and hourly units of
// Premium SSD v2 and Ultra Disk, times 730 a month; other products do not.
func TestRetailPrices(t *testing.T) {
	item := func(sku, meter, kind, unit string, price float64) map[string]any {
		return map[string]any{
			"currencyCode": "USD", "retailPrice": price, "armRegionName": "westeurope",
			"productName": "Premium SSD Managed Disks", "skuName": sku,
			"meterName": meter, "unitOfMeasure": unit, "effectiveStartDate": "2023-05-01T00:00:00Z", "type": kind,
			"tierMinimumUnits": 0.0,
		}
	}
	unit := func(product, sku, meter, unit string, least, price float64) map[string]any {
		row := item(sku, meter, "Consumption", unit, price)
		row["productName"], row["tierMinimumUnits"] = product, least
		return row
	}
	pages := [][]map[string]any{
		{
			unit("Azure Premium SSD v2", "Premium LRS", "Premium LRS Provisioned IOPS", "1/Hour", 0, 0),
			unit("Azure Premium SSD v2", "Premium LRS", "Premium LRS Provisioned IOPS", "1/Hour", 3000, 0.000008),
			unit("Azure Premium SSD v2", "Premium LRS", "Premium LRS Provisioned Throughput (MBps)", "1/Hour",
				125, 0.00006),
			unit("Azure Premium SSD v2", "Premium LRS", "Premium LRS Provisioned Capacity", "1 GiB/Hour", 0, 0.000125),
			unit("Ultra Disks", "Ultra LRS", "Ultra LRS Provisioned IOPS", "1/Hour", 0, 8.8e-05),
			unit("Ultra Disks", "Ultra LRS", "Ultra LRS Provisioned Capacity", "1 GiB/Hour", 0, 0.000213),
			unit("Ultra Disks", "Ultra LRS", "Ultra LRS Provisioned Throughput (MBps)", "1/Hour", 0, 0.000572),
			unit("Ultra Disks", "Ultra LRS", "Ultra LRS Reservation per vCPU Provisioned", "1/Hour", 0, 0.0078),
		},
		{item("P30 LRS", "P30 LRS Disk", "Consumption", "1/Month", 148.68), item("P30 LRS", "P30 LRS Disk Mount",
			"Consumption", "1/Month", 9), item("P30 ZRS", "P30 ZRS Disk", "Consumption", "1/Month", 223)},
		{item("P40 LRS", "P40 LRS Disk", "Consumption", "1/Month", 284.94), item("P30 LRS", "P30 LRS Disk",
			"Reservation", "1 Year", 1700), item("P50 LRS", "P50 LRS Disk", "Consumption", "1/Hour", 1)},
	}
	var p prices.Public
	p = public(t, func(w http.ResponseWriter, r *http.Request) {
		page := 0
		if fmt.Sscan(r.URL.Query().Get("$skip"), &page); page == 0 && !strings.Contains(r.URL.Query().Get("$filter"),
			"armRegionName eq 'westeurope'") {
			t.Errorf("asked for %s", r.URL)
		}
		answer := map[string]any{"BillingCurrency": "USD", "Items": pages[page], "NextPageLink": nil,
			"Count": len(pages[page])}
		if page+1 < len(pages) {
			answer["NextPageLink"] = fmt.Sprintf("%s?$skip=%d", p.Azure, page+1)
		}
		_ = json.NewEncoder(w).Encode(answer)
	})
	list, err := p.OfAzure(t.Context(), "westeurope")
	if err != nil {
		t.Fatal(err)
	}
	row := func(volume string, per catalog.Per, tier string, from, price float64) catalog.Price {
		return catalog.Price{Volume: volume, Tier: tier, Per: per, From: from, Region: "westeurope", Currency: "USD",
			Price: price, Source: "Azure retail prices, 2023-05-01"}
	}
	want := prices.List{Prices: []catalog.Price{
		row("azure-premium", "tier", "P30", 0, 148.68), row("azure-premium", "tier", "P40", 0, 284.94),
		row("azure-premium-v2", "gib", "", 0, 0.09125), row("azure-premium-v2", "iops", "", 0, 0),
		row("azure-premium-v2", "iops", "", 3000, 0.00584),
		row("azure-premium-v2", "mibps", "", 125, 0.0438),
		row("azure-ultra", "gib", "", 0, 0.15549), row("azure-ultra", "iops", "", 0, 0.06424),
		row("azure-ultra", "mibps", "", 0, 0.41756),
	}, Unread: []string{`the price of P50 LRS Disk: unknown unit "1/Hour" in USD`}}
	if diff := cmp.Diff(want, list, cmpopts.EquateApprox(1e-9, 0)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
