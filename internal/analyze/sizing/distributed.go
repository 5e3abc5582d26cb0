package sizing

import "github.com/realiops/realiops/internal/analyze/catalog"

// spreads returns the needs on distributed databases; none if the rows are unknown.
func (s Sizing) spreads() []catalog.Spread {
	if s.Need.Rows == nil || *s.Need.Rows <= 0 {
		return nil
	}
	rows := *s.Need.Rows * s.Scale.Factor
	var all []catalog.Spread
	for _, rule := range s.Ask.Distributed {
		spread := rule.Spread(rows, rows, rows)
		if rule.MBPerVCPU > 0 {
			const megabyte = 1e6
			spread.VCPUs = new(rule.Copies * s.Target.Most.WriteBytes / megabyte / rule.MBPerVCPU)
		}
		all = append(all, spread)
	}
	return all
}
