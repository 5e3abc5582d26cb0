package sizing

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/realiops/realiops/internal/analyze/catalog"
	"github.com/realiops/realiops/internal/analyze/number"
)

type machine struct {
	class    string
	provider string            // whose volumes it has, by its name; empty: unknown
	limits   *catalog.Instance // nil: see unknown
	unknown  string            // why there are none
	advice   string            // what to do about that; empty: nothing
	sold     []catalog.Sold    // what RDS sells with it; none: unknown
	// seconds per day that its burst is needed and lasts; 0: not needed, or too short
	daily float64
}

// machineOf returns the machine of a class, in any case, with or without db.; nil if none is requested.
func machineOf(class string, all []catalog.Instance) *machine {
	if class == "" {
		return nil
	}
	name := catalog.Bare(class)
	m := &machine{class: name, provider: catalog.ProviderOf(class),
		unknown: fmt.Sprintf("the limits of the %s are unknown", name)}
	if m.provider == "ebs" || m.provider == "rds" {
		m.advice = " Fetch them with realiops aws limits, and pass the file with --limits."
	}
	for i, known := range all {
		switch {
		case strings.EqualFold(known.Class, "db."+name):
			m.sold = known.Sold
		case strings.EqualFold(catalog.Bare(known.Class), name):
			m.class, m.limits = catalog.Bare(known.Class), &all[i]
		}
	}
	if m.limits != nil && m.limits.Unpublished {
		m.limits, m.advice = nil, ""
		m.unknown = fmt.Sprintf("the %s has no published limits, because it is not EBS-optimized", m.class)
	}
	return m
}

// takes reports whether a kind of volume can be attached, by name. A class of EC2 has the name of RDS's without db.
func (m *machine) takes(v catalog.Volume) bool {
	if m.limits != nil && m.provider != "rds" {
		return m.behind(v)
	}
	return m.provider == "" || m.provider == v.Provider || m.provider == "ebs" && v.Provider == "rds"
}

// refuses says why a kind of volume cannot be attached.
func (m *machine) refuses(v catalog.Volume) string {
	class, provider := m.class, m.provider
	if provider == "rds" {
		class = "db." + class
	} else if m.limits != nil {
		provider = m.limits.Provider
	}
	return fmt.Sprintf("the %s is %s, to which no %s can be attached", class, catalog.MachineOf(provider), v.Title)
}

// behind reports whether a kind of volume can be attached, and its limits are known.
func (m *machine) behind(v catalog.Volume) bool {
	return m != nil && m.limits != nil && (m.limits.Provider == v.Provider || m.limits.Provider == "ebs" &&
		v.Provider == "rds")
}

// Limits of a volume behind a machine without AWS's Nitro system, by the EBS user guide: IOPS of any kind, and for io1
// and io2 MiB/s. RDS stripes over such volumes, and sells 500 IOPS of io2 per GiB.
const (
	iopsBeforeNitro   = 32000
	mibpsBeforeNitro  = 500
	perGiBBeforeNitro = 500
)

// beforeNitro reports whether the class has no Nitro, even if its limits are unknown.
func (m *machine) beforeNitro() bool {
	return m != nil && slices.Contains([]string{"ebs", "rds"}, m.provider) &&
		catalog.Instance{Class: m.class, Provider: "ebs"}.BeforeNitro()
}

// attached returns a kind of volume with its limits behind the machine.
func (m *machine) attached(v catalog.Volume) catalog.Volume {
	if !m.beforeNitro() || !slices.Contains([]string{"ebs", "rds"}, v.Provider) {
		return v
	}
	v.Tiers = slices.Clone(v.Tiers)
	for i := range v.Tiers {
		tier := &v.Tiers[i]
		n := float64(max(1, tier.Volumes))
		if tier.IOPS.SoldMost > 0 {
			tier.IOPS.SoldMost = min(tier.IOPS.SoldMost, n*iopsBeforeNitro)
			tier.IOPS.SoldPerGiB = min(tier.IOPS.SoldPerGiB, perGiBBeforeNitro)
		}
		if tier.MiBps.SoldMost == 0 && tier.IOPS.SoldMost > 0 {
			tier.MiBps.Most = n * mibpsBeforeNitro
		}
	}
	return v
}

// unsold says why RDS does not sell an order with the machine; empty if it does, or if that is unknown.
func (m *machine) unsold(f Fitted) string {
	if m == nil || len(m.sold) == 0 || f.Volume.Provider != "rds" {
		return ""
	}
	i := slices.IndexFunc(m.sold, func(s catalog.Sold) bool { return s.Volume == f.Volume.Name })
	if i < 0 {
		return fmt.Sprintf("%s is not sold with the db.%s", f.Volume.Title, m.class)
	}
	for _, bound := range []struct {
		ordered float64
		sold    [2]float64
		unit    string
	}{{f.GiB, m.sold[i].GiB, "GiB"}, {f.IOPS, m.sold[i].IOPS, "IOPS"}, {f.MiBps, m.sold[i].MiBps, "MiB/s"}} {
		if most := bound.sold[1]; most > 0 && bound.ordered > most {
			return fmt.Sprintf("up to %s %s of %s are sold with the db.%s", number.Grouped(most, 0), bound.unit,
				f.Volume.Title, m.class)
		}
	}
	return ""
}

// uncachedFrom is the size in GiB from which on Azure does not cache a disk.
const uncachedFrom = 4096

// capped compares an order with the machine: both must pass the need.
func capped(m catalog.Instance, f Fitted, need Requirement) *Cap {
	c := &Cap{Class: m.Class, Instance: m, Path: Through(m.BaseIOPS, m.BaseMB, f.Capacity)}
	if m.Bursts {
		fast := Capacity{IOPS: f.Capacity.BurstIOPS, MiBps: f.Capacity.BurstMiBps}
		c.Burst = new(Through(m.MostIOPS, m.MostMB, fast))
	}
	if m.Cached != nil && f.Volume.HostCache && f.GiB < uncachedFrom {
		// reads from the cache need no disk
		c.Cached = &Path{IOPS: m.Cached.IOPS, MiBps: m.Cached.MB * number.Mega / mib, Binds: "instance"}
	}
	c.Carries = c.IOPS >= need.IOPS && c.MiBps >= need.MiBps
	return c
}

// grant returns the seconds per day in which a need exceeds what the machine sustains, if AWS grants as much: 30
// minutes in 24 hours at the class's maximum, less if its credits start lower; 0 if it never does, or gets no grant.
func (q Question) grant(m *machine) (daily float64) {
	if m.limits == nil || !m.limits.Bursts || len(q.Demand) == 0 {
		return 0
	}
	unit := 256.0 // KiB, of EBS
	above := 0
	for _, r := range q.Demand {
		_, most := r.Operations(unit, true)
		iops, mb := q.with(most), q.with(r.Bytes())/number.Mega
		if iops > m.limits.MostIOPS || mb > m.limits.MostMB {
			return 0
		}
		if iops > m.limits.BaseIOPS || mb > m.limits.BaseMB {
			above++
		}
	}
	daily = 24 * 3600 * float64(above) / float64(len(q.Demand))
	if daily > burstSeconds*min(q.Balance.Operations.Percent, q.Balance.Bytes.Percent)/100 {
		return 0
	}
	return daily
}

// Through returns the throughput of volumes together, through a machine with the given limits in operations and MB
// (10^6) per second. NaN means unknown and does not limit.
func Through(iops, mb float64, volumes ...Capacity) Path {
	var sum Capacity
	for _, v := range volumes {
		sum.IOPS, sum.MiBps = sum.IOPS+v.IOPS, sum.MiBps+v.MiBps
	}
	capIOPS, capMiBps := bound(iops), bound(mb*number.Mega/mib)
	p := Path{IOPS: min(sum.IOPS, capIOPS), MiBps: min(sum.MiBps, capMiBps), Binds: "volume"}
	if capIOPS < sum.IOPS || capMiBps < sum.MiBps {
		p.Binds = "instance"
	}
	return p
}

func bound(v float64) float64 {
	if math.IsNaN(v) {
		return math.Inf(1)
	}
	return v
}

// burstSeconds is the time for which a bursting instance sustains its maximum at least once in 24 hours, by the EC2
// user guide. We infer that its bucket holds just that and fills like a volume's: idle, it is full again within three
// hours on the classes here.
const burstSeconds = 30 * 60

// machineCosts returns the cost of a class on EC2 and on RDS, if the price is known and an option has such a machine.
func (s Sizing) machineCosts() (all []MachineCost) {
	m := machineOf(s.Ask.Instance, s.Ask.Instances)
	if m == nil {
		return nil
	}
	add := func(provider, kind, class string, standby bool) {
		price, source, known := s.Ask.Tariff.hour(kind, class)
		offered := slices.ContainsFunc(s.Options, func(o Option) bool { return o.Volume.Provider == provider })
		if known && offered {
			all = append(all, MachineCost{class, standby, price, price * catalog.HoursInMonth,
				s.Ask.Tariff.Currency(), source})
		}
	}
	add("ebs", catalog.MachinesOfEC2, m.class, false)
	if s.Ask.MultiAZ {
		add("rds", catalog.MachinesOfRDS+catalog.WithStandby, "db."+m.class, true)
	} else {
		add("rds", catalog.MachinesOfRDS, "db."+m.class, false)
	}
	return all
}
