package diagnosis

import (
	"slices"

	"github.com/realiops/realiops/internal/metric"
	"github.com/realiops/realiops/internal/runfile"
)

// sourcesOf splits a probe by view, in the order of its metrics.
func sourcesOf(p Probe, remedy func(runfile.Gap) string) []Source {
	var all []Source
	for _, m := range p.Metrics {
		i := slices.IndexFunc(all, func(s Source) bool { return s.Name == view(m.Name) })
		if i < 0 {
			i = len(all)
			all = append(all, Source{Name: view(m.Name), Gaps: []Gap{}})
		}
		all[i].Of++
		if _, read := p.Values[m.Name]; read {
			all[i].Read++
		}
	}
	for _, gap := range p.Gaps {
		i := slices.IndexFunc(all, func(s Source) bool { return s.Name == view(gap.Metric) })
		if i >= 0 {
			all[i].add(gap, remedy(gap))
		}
	}
	return all
}

// add adds a metric to those missing for the same reason with the same remedy.
func (s *Source) add(gap runfile.Gap, remedy string) {
	why := Missing{Reason: string(gap.Reason), Code: gap.Code, Detail: gap.Detail}
	i := slices.IndexFunc(s.Gaps, func(g Gap) bool { return g.Missing == why && g.Remedy == remedy })
	if i < 0 {
		i = len(s.Gaps)
		s.Gaps = append(s.Gaps, Gap{Missing: why, Remedy: remedy})
	}
	s.Gaps[i].Metrics = append(s.Gaps[i].Metrics, gap.Metric)
}

// costs returns the unknown quantities that would be known if these metrics were read.
func costs(subject Subject, metrics []string, unknown []metric.Quantity) []metric.Quantity {
	found := []metric.Quantity{}
	for _, d := range known(rehearse(subject.Target, subject.Probes, metrics)) {
		if d.Known && slices.Contains(unknown, d.Name) {
			found = append(found, d.Name)
		}
	}
	return found
}

// spelled replaces a gap of the whole probe by gaps of its metrics.
func (p Probe) spelled() Probe {
	var gaps []runfile.Gap
	for _, gap := range p.Gaps {
		if gap.Metric != "" {
			gaps = append(gaps, gap)
			continue
		}
		for _, m := range p.Metrics {
			gap.Metric = m.Name
			gaps = append(gaps, gap)
		}
	}
	p.Gaps = gaps
	return p
}
