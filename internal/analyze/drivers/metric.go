package drivers

import (
	"cmp"
	"slices"

	"github.com/realiops/realiops/internal/runfile"
)

// Metric is something that a run counted in its replicates: read as it is, or computed from what was.
type Metric struct {
	runfile.Metric
	Derived string   // how it was computed from others; empty: read as it is
	From    []string // the metrics that were read for it

	count func(Arm, Replicate) (float64, error)
}

// Count is what the metric grew by in a replicate, with the background taken off. The error is a *series.Missing.
func (m Metric) Count(a Arm, r Replicate) (float64, error) { return m.count(a, r) }

// Defines tells whether the driver is this very metric, under this or another version's name, and not a sum that it is
// a part of.
func (m Metric) Defines(d Driver) bool {
	if m.Derived != "" || d.made {
		return m.Derived != "" && slices.Equal(m.From, d.From)
	}
	return slices.Contains(d.From, m.Name)
}

// PartOf tells whether the driver is the sum of this metric and others. The requests of a device are none: of their two
// metrics one is taken off the other.
func (m Metric) PartOf(d Driver) bool {
	return d.made && d.Name != DeviceRequests && slices.Contains(d.From, m.Name)
}

// Metrics are all that the run counted, by name: the counters, and the requests of the device that carry data, which
// the kernel does not count apart.
func (r *Run) Metrics() []Metric {
	var all []Metric
	for _, m := range r.Counters {
		all = append(all, Metric{
			Metric: m, From: []string{m.Name},
			count: func(_ Arm, r Replicate) (float64, error) { return r.Count(m.Name) },
		})
	}
	_, written := r.Counter(blockWrites)
	_, flushed := r.Counter(blockFlushes)
	if requests, known := Named(DeviceRequests); known && written && flushed {
		all = append(all, Metric{
			Metric:  runfile.Metric{Name: "block/requests", Unit: requests.Unit, Type: runfile.Counter, Help: requests.Help},
			Derived: "block/writes - block/flushes", From: requests.From, count: requests.count,
		})
	}
	slices.SortFunc(all, func(a, b Metric) int { return cmp.Compare(a.Name, b.Name) })
	return all
}
