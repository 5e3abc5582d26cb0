package sizing

import (
	"github.com/realiops/realiops/internal/analyze/burst"
	"github.com/realiops/realiops/internal/analyze/catalog"
	"github.com/realiops/realiops/internal/analyze/sizing/needs"
)

// Held is storage that somebody has already.
type Held struct {
	Config
	Capacity Capacity
	Path     Path // through the volume and the machine in front of it, for good
	Limits   []burst.Limit
	Bill     *Bill  // nil: see NoBill
	NoBill   string // which price is not known
	Machine  string // why no limits of the class are known; empty: they are in Path, or no class was named
}

// Hold finds what a volume that somebody has carries behind a class of machine, which may be empty, and what it costs.
func Hold(c Config, class string, multiAZ bool, instances []catalog.Instance, t Tariff) (Held, error) {
	capacity, err := c.Capacity()
	if err != nil {
		return Held{}, err
	}
	h := Held{Config: c, Capacity: capacity, Path: Path{IOPS: capacity.IOPS, MiBps: capacity.MiBps, Binds: "volume"},
		Limits: capacity.Limits()}
	switch m := machineOf(class, instances); {
	case m == nil:
	case m.limits == nil:
		h.Machine = m.unknown
	case m.behind(c.Volume):
		h.Path = Through(m.limits.BaseIOPS, m.limits.BaseMB, capacity)
		h.Limits = append(h.Limits, machineLimits(*m.limits, Full())...)
	}
	bill, err := t.Monthly(c)
	if err != nil {
		h.NoBill = err.Error()
		return h, nil
	}
	if multiAZ && c.Volume.Provider == "rds" {
		bill = t.withStandby(c, bill)
	}
	h.Bill = &bill
	return h, nil
}

// Uses returns which share of what it lets through for good a rate asks for, and whether by its operations or its
// bytes.
func (h Held) Uses(r needs.Rate) (share float64, by Binding) {
	_, most := r.Operations(h.Volume.UnitKiB, h.Volume.Merges)
	operations, bytes := most/h.Path.IOPS, r.Charged(h.Volume)/mib/h.Path.MiBps
	if operations >= bytes {
		return operations, ByOperations
	}
	return bytes, ByBytes
}

// Demands returns what the provider counts of rates, each over so many seconds.
func (h Held) Demands(rates []needs.Rate, seconds float64) []burst.Demand {
	all := make([]burst.Demand, len(rates))
	for i, r := range rates {
		_, most := r.Operations(h.Volume.UnitKiB, h.Volume.Merges)
		all[i] = burst.Demand{most * seconds, r.Charged(h.Volume) * seconds, r.Bytes() * seconds}
	}
	return all
}
