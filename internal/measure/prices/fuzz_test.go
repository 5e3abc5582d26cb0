package prices

import (
	"strings"
	"testing"
)

// FuzzRead: any answer of the price list gives prices of the requested region, or an error.
func FuzzRead(f *testing.F) {
	f.Add(`{"product": {"productFamily": "Database Storage", "attributes": {"usagetype": "RDS:GP3-Storage"}},
		"terms": {"OnDemand": {"a": {"priceDimensions": {"b": {"unit": "GB-Mo", "beginRange": "0", "pricePerUnit": {"USD": "0.115"}}}}}},
		"serviceCode": "AmazonRDS", "publicationDate": "2026-01-01T00:00:00Z"}`)
	f.Add(`{"product": {"attributes": {"usagetype": "Aurora:StorageIOUsage"}}, "terms": {"OnDemand": {"a": {"priceDimensions": {"b": {}}}}}}`)
	f.Fuzz(func(t *testing.T, text string) {
		found, err := read(text, "eu-west-1")
		for _, p := range found {
			if err == nil && (p.Region != "eu-west-1" || !(p.Price >= 0)) {
				t.Errorf("%+v", p)
			}
		}
	})
}

// FuzzReadOffers: the same for a price file.
func FuzzReadOffers(f *testing.F) {
	f.Add(`{"offerCode": "AmazonRDS", "publicationDate": "2026-01-01", "products": {"a": {"attributes": {"usagetype": "RDS:GP3-Storage"}}}, "terms": {"Reserved": [[{}]],
		"OnDemand": {"a": {"x": {"priceDimensions": {"b": {"unit": "GB-Mo", "beginRange": "0", "pricePerUnit": {"USD": "0.115"}}}}}}}}`)
	f.Fuzz(func(t *testing.T, text string) {
		var l List
		err := l.readOffers(strings.NewReader(text), "eu-west-1")
		l.sortOut()
		for _, p := range l.Prices {
			if err == nil && (p.Region != "eu-west-1" || !(p.Price >= 0)) {
				t.Errorf("%+v", p)
			}
		}
	})
}
