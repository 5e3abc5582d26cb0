package sizing

import (
	"slices"

	"github.com/realiops/realiops/internal/analyze/catalog"
)

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
