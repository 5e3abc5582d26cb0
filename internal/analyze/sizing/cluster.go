package sizing

import (
	"fmt"
	"strings"

	"github.com/realiops/realiops/internal/analyze/catalog"
)

// forecast predicts the metrics of the load's mean on Aurora; nil if neither rows nor bytes of WAL are known.
func (s Sizing) forecast() (*Forecast, error) {
	c, err := Calibrate(s.Ask.Calibrate, s.Need.Load)
	if err != nil {
		return nil, err
	}
	scaled := func(v *float64) *float64 {
		if v == nil {
			return nil
		}
		return new(*v * s.Scale.Factor)
	}
	writes, c, ok := ForecastAurora(scaled(s.Need.Rows), scaled(s.Need.WALBytes), c)
	if !ok {
		return nil, nil //nolint:nilnil // neither rows nor bytes of WAL are known
	}
	f := Forecast{WriteIOPS: scaled(s.Need.WALRecords), BilledWrites: writes, PagesAsked: scaled(s.Need.PagesAsked),
		Calibration: c}
	pages := s.Need.Mean.ReadBytes / pageSize * s.Scale.Factor
	if f.PagesAsked != nil {
		pages = *f.PagesAsked
	}
	f.BilledReads = readsOfPages().times(pages)
	return &f, nil
}

// addAurora adds both ways to pay for Aurora to the options, and computes the cost of a whole cluster.
func (s *Sizing) addAurora(f *Forecast) {
	if f == nil {
		return
	}
	s.Aurora = &AuroraAnswer{Forecast: *f}
	var costs [3]float64
	priced := true
	for i, rate := range []float64{f.IO().Least, f.IO().Value, f.IO().Most} {
		cost, err := s.Ask.Tariff.IOCost(rate)
		costs[i], priced = cost, priced && err == nil
	}
	if priced {
		s.Aurora.IOCost, s.Aurora.Bills = &costs, s.clusters(costs)
	}
	for _, v := range s.Ask.Volumes {
		if v.Provider == auroraStandard {
			s.Options = append(s.Options, s.onAurora(v, *f))
		}
	}
	sortOptions(s.Options)
}

// onAurora returns one of the two ways to pay for storage on Aurora.
func (s Sizing) onAurora(v catalog.Volume, f Forecast) Option {
	io := f.IO()
	o := Option{Volume: v, Order: &Fitted{Config: Config{Volume: v, GiB: s.Ask.GiB}, Binding: BySize}, Least: io.Least,
		Most: io.Most}
	o.stand(Question{}, nil)
	bill, err := s.Ask.Tariff.Monthly(o.Order.Config)
	if err == nil && v.Name == auroraStandard {
		err = s.chargeIO(&bill, io, &o)
	} else if err == nil {
		s.chargeCompute(&bill)
	}
	if err != nil {
		o.NoBill = err.Error()
		return o
	}
	o.Bill = &bill
	return o
}

// chargeIO adds the estimated I/O of a month to the bill, and sets its range.
func (s Sizing) chargeIO(b *Bill, io Range, o *Option) error {
	storage := b.Total
	if err := s.Ask.Tariff.charge(b, catalog.PerMillionIO, io.Value*secondsInMonth/1e6); err != nil {
		return err
	}
	least, _ := s.Ask.Tariff.IOCost(io.Least)
	most, _ := s.Ask.Tariff.IOCost(io.Most)
	o.BillSpan = &[2]float64{storage + least, storage + most}
	return nil
}

// chargeCompute adds the extra cost of an instance of the requested class, against Standard.
func (s Sizing) chargeCompute(b *Bill) {
	if hour, source, known := s.Ask.Tariff.hour(auroraStandard, s.class()); known {
		more := (optimizedCompute - 1) * hour * catalog.HoursInMonth
		b.Total += more
		b.Lines = append(b.Lines, BillLine{What: fmt.Sprintf("%.0f%% on %s", 100*(optimizedCompute-1), s.class()),
			Amount: more, Source: source})
	}
}

// class returns the requested class as price lists of databases spell it.
func (s Sizing) class() string { return "db." + strings.TrimPrefix(s.Ask.Instance, "db.") }

// clusters returns the total cost of one instance of the requested class, the data and the I/O.
func (s Sizing) clusters(io [3]float64) *[3]Aurora {
	hour, known := s.Ask.Tariff.Hour(s.class())
	var storage Bill
	if err := s.Ask.Tariff.charge(&storage, catalog.PerGiB, s.Ask.GiB); !known || err != nil {
		return nil
	}
	var bills [3]Aurora
	for i := range io {
		bills[i] = CostAurora(hour*catalog.HoursInMonth, storage.Total, io[i])
	}
	return &bills
}

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
