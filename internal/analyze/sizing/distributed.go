package sizing

import "github.com/realiops/realiops/internal/analyze/catalog"

// Spread is a load's demand on a database that spreads rows over nodes, by a published rule of thumb.
type Spread struct {
	Name    string      `json:"name"`
	Title   string      `json:"title"`
	Rows    float64     `json:"rows"`     // a second
	Cores   *[2]float64 `json:"cores"`    // of all nodes, at least and at most; nil: no rule says, as for the others
	IOPS    *[2]float64 `json:"iops"`     // of all disks, with all copies
	VCPUs   *float64    `json:"vcpus"`    // at least, for disks that take all copies of what was written here
	PerVCPU *[2]float64 `json:"per_vcpu"` // operations and MB a second to provision
	Note    string      `json:"note"`
	Sources []string    `json:"sources"` // keys
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
	spread := Spread{Name: rule.Name, Title: rule.Title, Rows: rows.Value, Note: rule.Note, Sources: rule.Sources}
	if per := rule.InsertsPerCore; per != nil {
		spread.Cores = &[2]float64{rows.Least / per[1], rows.Most / per[0]}
	}
	if per := rule.IOPSPerInsert; per != nil {
		spread.IOPS = &[2]float64{rows.Least * per[0], rows.Most * per[1]}
	}
	if rule.IOPSPerVCPU > 0 {
		spread.PerVCPU = &[2]float64{rule.IOPSPerVCPU, rule.MBPerVCPU}
	}
	return spread
}
