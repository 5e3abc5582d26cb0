package sizing

import "github.com/realiops/realiops/internal/analyze/catalog"

// Spread is a load's demand on a database that spreads rows over nodes, by a published rule of thumb.
type Spread struct {
	Rule  catalog.Distributed
	Rows  float64  // a second
	Cores *Range   // of all nodes that take so many rows; nil: no rule says
	IOPS  *Range   // of all disks, with all copies; nil: no rule says
	VCPUs *float64 // at least, for disks that take all copies of what was written here; nil: no rule says
}

// spreads returns all of them; none where the rows are not known.
func (s Sizing) spreads() []Spread {
	if s.Need.Rows == nil || *s.Need.Rows <= 0 {
		return nil
	}
	rows := *s.Need.Rows * s.Scale.Factor
	var all []Spread
	for _, rule := range s.Ask.Distributed {
		spread := SpreadOf(rule, Range{rows, rows, rows})
		if rule.MBPerVCPU > 0 {
			const megabyte = 1e6
			spread.VCPUs = new(rule.Copies * s.Target.Most.WriteBytes / megabyte / rule.MBPerVCPU)
		}
		all = append(all, spread)
	}
	return all
}

// SpreadOf returns what rows a second would ask of it.
func SpreadOf(rule catalog.Distributed, rows Range) Spread {
	spread := Spread{Rule: rule, Rows: rows.Value}
	if per := rule.InsertsPerCore; per != nil {
		spread.Cores = between(rows.Least/per[1], rows.Most/per[0])
	}
	if per := rule.IOPSPerInsert; per != nil {
		spread.IOPS = between(rows.Least*per[0], rows.Most*per[1])
	}
	return spread
}
