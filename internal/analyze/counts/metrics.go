package counts

import (
	"cmp"
	"slices"

	"github.com/realiops/realiops/internal/metric"
)

// Metrics returns all metrics of the run by name: the counters, and what is derived from them, such as device requests
// with data, which the kernel does not count separately.
func (r *Run) Metrics() []Metric {
	var all []Metric
	for _, m := range r.Counters {
		all = append(all, Metric{
			Metric: m, From: []string{m.Name},
			count: func(_ Load, r Repetition) (float64, error) { return r.Count(m.Name) },
		})
	}
	for _, m := range metric.All() {
		if m.Derived == nil {
			continue
		}
		_, whole := r.Counter(m.Derived.Of)
		_, part := r.Counter(m.Derived.Less)
		if whole && part {
			all = append(all, Metric{
				Metric: m.Announced(), Derived: m.Derived.String(), From: []string{m.Derived.Of, m.Derived.Less},
				how: subtraction, count: difference(*m.Derived),
			})
		}
	}
	if r.OfServer {
		for i := range all {
			all[i] = all[i].forServer()
		}
	}
	slices.SortFunc(all, func(a, b Metric) int { return cmp.Compare(a.Name, b.Name) })
	return all
}

// MetricNames returns the names of [Run.Metrics].
func (r *Run) MetricNames() []string {
	var names []string
	for _, m := range r.Metrics() {
		names = append(names, m.Name)
	}
	return names
}
