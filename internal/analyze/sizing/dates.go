package sizing

import "github.com/realiops/realiops/internal/analyze/catalog"

// AsOf are the dates of the prices of a bill, from the oldest to the newest.
func (b Bill) AsOf() string {
	var all []string
	for _, line := range b.Lines {
		all = append(all, catalog.AsOf(line.Source))
	}
	return catalog.Dates(all...)
}

// AsOf are the dates of all prices of something in the region that counts.
func (t Tariff) AsOf(v catalog.Volume) string {
	var all []string
	for _, p := range t.of(v).prices {
		all = append(all, catalog.AsOf(p.Source))
	}
	return catalog.Dates(all...)
}
