package figures

import (
	"fmt"
	"math"
	"strings"

	"github.com/realiops/realiops/internal/analyze/catalog"
	"github.com/realiops/realiops/internal/analyze/sizing"
	"github.com/realiops/realiops/internal/analyze/sizing/needs"
	"github.com/realiops/realiops/internal/metric"
)

// Kind is a kind of load and its number of WAL records.
type Kind struct {
	Load              string  `json:"load"`
	What              string  `json:"what"`
	RecordsPerRow     float64 `json:"-"`
	RecordsPerRequest float64 `json:"-"` // of the device
	BytesPerRecord    float64 `json:"-"`
}

// Kinds returns eight kinds of load on PostgreSQL 17.11, alone on its device (testdata/runs/loads-pg17.jsonl, which a
// test compares). Their range shows that no single factor holds.
func Kinds() []Kind {
	return []Kind{
		{"bulk", "1,000 rows an INSERT", 1.031, 1980, 73.1},
		{"bulk-indexed", "the same, two indexes", 3.047, 3094, 68.5},
		{"copy", "COPY", 0.0377, 63.3, 631},
		{"copy-indexed", "COPY, two indexes", 2.054, 2410, 79.7},
		{"single", "one row a transaction", 2.03, 8.02, 56.9},
		{"async", "the same, not waiting", 2.03, 5905, 56.9},
		{"multi", "100 rows a transaction", 1.04, 104.6, 72.8},
		{"wide", "rows of 1 KB", 2.043, 293.8, 572},
	}
}

// KindMeans translates a rate of WAL records, assuming that all come from one kind of load.
type KindMeans struct {
	Kind
	Rows     float64 `json:"rows"` // per second, like the others
	Requests float64 `json:"requests"`
	// Aurora's writes: at least, estimated, at most; nil: not in the calibration
	Billed *[3]float64 `json:"billed_writes"`
}

// Converted translates an amount of a metric to real storage I/O, as far as published or measured figures allow.
type Converted struct {
	Metric    string        `json:"metric"`
	On        string        `json:"on"`
	Amount    float64       `json:"amount"`
	Period    float64       `json:"period_seconds,omitempty"` // that the amount covers; 0: it is a rate
	PerSecond float64       `json:"per_second"`               // rate of what the metric counts
	Counts    string        `json:"counts"`
	Side      string        `json:"side"`
	Kinds     []KindMeans   `json:"kinds"`         // by kind of load; none: it does not count WAL records
	Rows      *sizing.Range `json:"rows"`          // per second, like the next; nil: it does not count WAL records
	Requests  *sizing.Range `json:"requests"`      // of a device under a PostgreSQL that writes pages
	Billed    *sizing.Range `json:"billed_writes"` // of Aurora
	IOCost    *sizing.Range `json:"io_cost"`       // per month on Aurora Standard; nil: no price is known
	AsOf      string        `json:"prices_as_of,omitempty"`
	Region    string        `json:"region"` // of the prices
	Currency  string        `json:"currency"`
	Misread   *float64      `json:"misread_io_cost"` // per month, if each one was billed
	Most      float64       `json:"-"`               // operations per second of RDS's largest volume, if below the rate
}

// Convert translates an amount of a metric on a flavor.
func Convert(meanings []metric.Meaning, amount float64, t sizing.Tariff, calibration sizing.Calibration) (Converted, error) {
	if len(meanings) != 1 {
		return Converted{}, ambiguous(meanings)
	}
	m := meanings[0]
	c := Converted{Metric: m.Metric, On: m.On, Counts: m.Counts, Side: m.Side, Amount: amount,
		PerSecond: amount, Region: t.RegionOf(catalog.AWS), Currency: t.Currency()}
	if m.Summed() {
		c.PerSecond = amount / m.Period
	}
	if most := catalog.MostIOPS(c.On); isRate(m) && most > 0 && c.PerSecond > most {
		c.Most = most
	}
	switch {
	case c.Side == metric.Physical && isRate(m):
		if c.On == "aurora" && m.Summed() {
			c.Billed = &sizing.Range{Value: c.PerSecond, Least: c.PerSecond, Most: c.PerSecond}
			c.cost(t)
		}
	case c.On == "rds" && flow(&needs.Rate{}, c.Metric) != nil: // it counts storage I/O itself
	case c.On == "aurora" && c.Metric == "WriteThroughput":
		billed, _, ok := sizing.ForecastAurora(nil, &c.PerSecond, calibration)
		if !ok {
			return c, fmt.Errorf("run %s has no bytes of WAL to go by", calibration.Run)
		}
		c.Billed = &billed
		c.cost(t)
	case c.Counts == metric.WALRecords.Many():
		c.records(t, calibration)
	default:
		return c, fmt.Errorf("%s counts %s, which says nothing about requests to storage", c.Metric,
			c.Counts)
	}
	return c, nil
}

// isRate distinguishes operations from bytes, times and percentages.
func isRate(m metric.Meaning) bool {
	return strings.HasPrefix(m.Unit, "operations") || strings.HasPrefix(m.Unit, "requests per second")
}

// flow returns the field of a rate that a metric of RDS sets; nil for other metrics.
func flow(r *needs.Rate, metric string) *float64 {
	return map[string]*float64{
		"ReadIOPS": &r.Reads, "WriteIOPS": &r.Writes, "ReadThroughput": &r.ReadBytes, "WriteThroughput": &r.WriteBytes,
	}[metric]
}

// NeedOf returns the storage rate that metrics of RDS give together, or nil and the metrics that an order needs besides:
// operations and bytes of each direction that has one of them.
func NeedOf(metrics []Converted) (need *needs.Rate, lacks []string) {
	need = &needs.Rate{Flushes: math.NaN()}
	for _, c := range metrics {
		to := flow(need, c.Metric)
		if to == nil || c.On != "rds" {
			return nil, nil
		}
		*to = c.PerSecond
	}
	for _, pair := range [][2]string{{"ReadIOPS", "ReadThroughput"}, {"WriteIOPS", "WriteThroughput"}} {
		for i, name := range pair {
			if *flow(need, name) == 0 && *flow(need, pair[1-i]) > 0 {
				lacks = append(lacks, name)
			}
		}
	}
	if need.Requests() == 0 || len(lacks) > 0 {
		return nil, lacks
	}
	return need, nil
}

func ambiguous(meanings []metric.Meaning) error {
	if len(meanings) == 0 {
		return fmt.Errorf("no such metric is known there")
	}
	var on []string
	for _, m := range meanings {
		on = append(on, m.On)
	}
	return fmt.Errorf("%s means different things on %s; choose one with --flavor", meanings[0].Metric, strings.Join(on,
		" and "))
}

// records translates the WAL records, by kind of load.
func (c *Converted) records(t sizing.Tariff, calibration sizing.Calibration) {
	n := c.PerSecond
	nothing := sizing.Range{Least: math.Inf(1)}
	c.Rows, c.Requests, c.Billed = new(nothing), new(nothing), new(nothing)
	for _, kind := range Kinds() {
		means := KindMeans{Kind: kind, Rows: n / kind.RecordsPerRow, Requests: n / kind.RecordsPerRequest}
		if billed, _, ok := sizing.ForecastAurora(&means.Rows, new(n*kind.BytesPerRecord), calibration); ok {
			means.Billed = &[3]float64{billed.Least, billed.Value, min(n, billed.Most)}
			widen(c.Billed, billed.Least, means.Billed[2])
		}
		widen(c.Rows, means.Rows, means.Rows)
		widen(c.Requests, means.Requests, means.Requests)
		c.Kinds = append(c.Kinds, means)
	}
	c.cost(t)
	if misread, err := t.IOCost(n); err == nil {
		c.Misread = &misread
	}
}

// cost sets the monthly cost of the billed I/O.
func (c *Converted) cost(t sizing.Tariff) {
	least, errLeast := t.IOCost(c.Billed.Least)
	if most, errMost := t.IOCost(c.Billed.Most); errLeast == nil && errMost == nil {
		c.IOCost, c.AsOf = sizing.Between(least, most), t.AsOf(catalog.Volume{Name: "aurora"})
	}
}

// widen extends a range.
func widen(r *sizing.Range, least, most float64) {
	*r = *sizing.Between(min(r.Least, least), max(r.Most, most))
}
