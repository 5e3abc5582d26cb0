package counts

import (
	"slices"

	"github.com/realiops/realiops/internal/metric"
	"github.com/realiops/realiops/internal/runfile"
)

// Metric is something that a run counted in its repetitions: read as it is, or computed from what was.
type Metric struct {
	runfile.Metric
	Derived string   // how it was computed from others; empty: read as it is
	From    []string // the metrics that were read for it

	how   composition
	count func(Load, Repetition) (float64, error)
}

// Raw returns what the metric grew by in a repetition, background included; false where that is not known.
func (m Metric) Raw(r Repetition) (sum float64, known bool) {
	for i, name := range m.From {
		c, counted := r.Counts[name]
		switch {
		case !counted || c.Missing != nil:
			return 0, false
		case i > 0 && m.how == subtraction:
			sum -= c.Raw
		default:
			sum += c.Raw
		}
	}
	return sum, true
}

// Count returns what the metric grew by in a repetition, with the background taken off. The error is a *series.Missing.
func (m Metric) Count(a Load, r Repetition) (float64, error) { return m.count(a, r) }

// Defines reports whether the quantity is this very metric, under this or another version's name, and not a sum that it
// is a part of.
func (m Metric) Defines(d Quantity) bool {
	if m.Derived != "" || d.how != alternatives {
		return m.Derived != "" && slices.Equal(m.From, d.From)
	}
	return slices.Contains(d.From, m.Name)
}

// PartOf reports whether the quantity is the sum of this metric and others. What sessions write is no part of the pages
// written, since the growth of files is in it.
func (m Metric) PartOf(d Quantity) bool {
	return d.how == addition && slices.Contains(d.From, m.Name) && m.Name != metric.SessionsWrote
}
