package sizing

import (
	"cmp"
	"slices"
	"strings"

	"github.com/realiops/realiops/internal/analyze/catalog"
	"github.com/realiops/realiops/internal/analyze/number"
)

// passing returns what a machine must pass for the order; nil if the requested one does, or nothing is known.
func (s Sizing) passing() *Passing {
	i := slices.IndexFunc(s.Options, func(o Option) bool { return o.chosen() || o.Standing == HeldBack })
	if i < 0 || s.Options[i].OnCredits > 0 {
		return nil
	}
	provider := s.Options[i].Volume.Provider
	q, m := s.question(), machineOf(s.Ask.Instance, s.Ask.Instances)
	need := q.requirement(catalog.Volume{UnitKiB: countedKiB, Provider: provider, Merges: provider != "azure"})
	p := &Passing{IOPS: need.IOPS, MiBps: need.MiBps}
	like := map[string]string{"ebs": generalPurpose, "rds": generalPurpose}[provider]
	if m != nil && m.limits != nil {
		if lets := Through(m.limits.BaseIOPS, m.limits.BaseMB,
			Capacity{IOPS: need.IOPS, MiBps: need.MiBps}); lets.Binds == "volume" {
			return nil
		}
		like = m.limits.Family()
	} else if m != nil {
		return nil
	}
	passing := slices.DeleteFunc(slices.Clone(s.Ask.Instances), func(i catalog.Instance) bool {
		return i.Provider != provider && !(provider == "rds" && i.Provider == "ebs") || i.BaseIOPS <= 0 ||
			strings.HasSuffix(i.Class, ".metal")
	})
	p.Known = len(passing) > 0
	passing = slices.DeleteFunc(passing, func(i catalog.Instance) bool {
		return i.BaseIOPS < need.IOPS || i.BaseMB*number.Mega/mib < need.MiBps
	})
	if len(passing) == 0 {
		return p
	}
	slices.SortStableFunc(passing, func(a, b catalog.Instance) int {
		return cmp.Or(alike(like, a, b), alike(generalPurpose, a, b), cmp.Compare(a.BaseMB, b.BaseMB),
			cmp.Compare(a.BaseIOPS, b.BaseIOPS))
	})
	if p.Class = passing[0].Class; provider == "rds" {
		p.Class = "db." + p.Class
	}
	return p
}

// alike sorts the classes of a family first.
func alike(family string, a, b catalog.Instance) int {
	switch of, other := a.Family() == family, b.Family() == family; {
	case of == other:
		return 0
	case of:
		return -1
	}
	return 1
}

// The family searched if no machine was requested, and the largest operation of a machine's limit, in KiB.
const (
	generalPurpose = "m7g"
	countedKiB     = 256
)

// betweenChanges is the number of hours between two changes of a volume: the EBS user guide allowed one in six hours
// until 15 January 2026, and four in 24 hours since, which is the same on average.
const betweenChanges = 6

// raised returns one gp3 volume that is raised only for the hours of the need.
func (s Sizing) raised(c Choice) *Raised {
	if s.Ask.Hours == 0 || s.Ask.Hours >= 24 {
		return nil
	}
	i := slices.IndexFunc(s.Options, func(o Option) bool {
		return o.Volume.Name == "gp3" && o.Disks == 1 && o.Standing == c.Standing && o.Order != nil
	})
	if i < 0 || s.Options[i].Bill == nil {
		return nil
	}
	r := &Raised{Config: s.Options[i].Order.Config, Hours: max(betweenChanges, s.Ask.Hours)}
	idle, err := s.Ask.Tariff.Monthly(Config{Volume: r.Volume, GiB: r.GiB})
	if err != nil || r.IOPS == 0 && r.MiBps == 0 {
		return nil
	}
	r.Bill = *s.Options[i].Bill
	r.Bill.Total = idle.Total + (r.Bill.Total-idle.Total)*r.Hours/24
	return r
}
