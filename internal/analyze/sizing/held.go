package sizing

import (
	"errors"

	"github.com/realiops/realiops/internal/analyze/burst"
	"github.com/realiops/realiops/internal/analyze/catalog"
	"github.com/realiops/realiops/internal/analyze/sizing/needs"
)

// Held is storage that the user already has.
type Held struct {
	Config
	Capacity Capacity
	Path     Path // sustained, through the volume and its machine
	Limits   []burst.Limit
	Bill     *Bill  // nil: see NoBill
	NoBill   string // the unknown price
	Machine  string // why the limits of the class are unknown; empty: they are in Path, or no class was named
}

// Hold returns what an existing volume carries and costs, behind a machine class that may be empty.
func Hold(c Config, class string, multiAZ bool, instances []catalog.Instance, t Tariff) (Held, error) {
	capacity, err := c.Capacity()
	if err != nil {
		return Held{}, err
	}
	h := Held{Config: c, Capacity: capacity, Path: Path{IOPS: capacity.IOPS, MiBps: capacity.MiBps, Binds: "volume"},
		Limits: capacity.Limits()}
	switch m := machineOf(class, instances); {
	case m == nil:
	case !m.takes(c.Volume):
		return Held{}, errors.New(m.refuses(c.Volume))
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

// Uses returns the share of the sustained limits that a rate needs, and whether operations or bytes decide.
func (h Held) Uses(r needs.Rate) (share float64, by Binding) {
	_, most := r.Operations(h.Volume.UnitKiB, h.Volume.Merges)
	operations, bytes := most/h.Path.IOPS, r.Charged(h.Volume)/mib/h.Path.MiBps
	if operations >= bytes {
		return operations, ByOperations
	}
	return bytes, ByBytes
}

// Demands returns what the provider counts for rates, each over the given seconds.
func (h Held) Demands(rates []needs.Rate, seconds float64) []burst.Demand {
	all := make([]burst.Demand, len(rates))
	for i, r := range rates {
		_, most := r.Operations(h.Volume.UnitKiB, h.Volume.Merges)
		all[i] = burst.Demand{most * seconds, r.Charged(h.Volume) * seconds, r.Bytes() * seconds}
	}
	return all
}
