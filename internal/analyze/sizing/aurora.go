package sizing

import "github.com/realiops/realiops/internal/analyze/catalog"

// Cost of I/O-Optimized relative to Standard, by the Aurora user guide; I/O is free.
const (
	optimizedStorage = 2.25
	optimizedCompute = 1.30
)

// Aurora compares a cluster's monthly cost in both configurations.
type Aurora struct {
	Standard, Optimized float64
	// BreakEven is the monthly cost of I/O from which on I/O-Optimized is cheaper: 0.30 compute + 1.25 storage.
	BreakEven float64
}

// CostAurora returns the cost in both configurations, given the cost on Standard.
func CostAurora(compute, storage, io float64) Aurora {
	return Aurora{
		Standard:  compute + storage + io,
		Optimized: optimizedCompute*compute + optimizedStorage*storage,
		BreakEven: (optimizedCompute-1)*compute + (optimizedStorage-1)*storage,
	}
}

// secondsInMonth converts a rate per second to a monthly amount.
const secondsInMonth = catalog.HoursInMonth * 3600

// IOCost returns the monthly cost of billed operations per second.
func (t Tariff) IOCost(perSecond float64) (float64, error) {
	var b Bill
	err := t.charge(&b, catalog.PerMillionIO, perSecond*secondsInMonth/1e6)
	return b.Total, err
}

// Hour returns the cost of an hour of a class on Aurora Standard.
func (t Tariff) Hour(class string) (float64, bool) {
	price, _, known := t.hour(auroraStandard, class)
	return price, known
}

func (t Tariff) hour(volume, class string) (price float64, source string, known bool) {
	p, known := t.Find(volume, catalog.PerHour, class)
	return p.Price, p.Source, known
}

// Find returns the price of one unit in the region, for units that are not sold in steps. The class is a machine's.
func (t Tariff) Find(volume string, per catalog.Per, class string) (price catalog.Price, known bool) {
	for _, p := range t.Prices {
		if p.Volume == volume && p.Per == per && p.Class == class && p.Region == t.Region {
			return p, true
		}
	}
	return catalog.Price{}, false
}
