package counts

import (
	"cmp"
	"slices"
	"strings"

	"github.com/realiops/realiops/internal/metric"
	"github.com/realiops/realiops/internal/runfile"
)

// Metric is a counter of the run, or computed from counters.
type Metric struct {
	runfile.Metric
	Derived string   // how it was computed from others; empty: read as it is
	From    []string // the metrics that it is read or computed from

	how   composition
	count func(Load, Repetition) (float64, error)
}

// Raw returns the metric's growth in a repetition, background included; false if it is unknown.
func (m Metric) Raw(r Repetition) (sum float64, known bool) {
	for i, name := range m.From {
		switch c, counted := r.Counts[name]; {
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

// Count returns the metric's growth in a repetition, with the background taken off. The error is a *series.Missing.
func (m Metric) Count(a Load, r Repetition) (float64, error) { return m.count(a, r) }

// Defines reports whether the quantity is this metric, under the name of this or another version, as opposed to a sum
// that contains it.
func (m Metric) Defines(d Quantity) bool {
	if m.Derived != "" || d.how != alternatives {
		return m.Derived != "" && slices.Equal(m.From, d.From)
	}
	return slices.Contains(d.From, m.Name)
}

// PartOf reports whether the quantity is the sum of this metric and others. Session writes are not a part of the pages
// written, since they include the growth of files.
func (m Metric) PartOf(d Quantity) bool {
	return d.how == addition && slices.Contains(d.From, m.Name) && m.Name != metric.SessionsWrote
}

// Metrics returns all metrics of the run by name: the counters, and what is derived from them, such as device requests
// with data, which the kernel does not count separately.
func (r *Run) Metrics() (all []Metric) {
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
		if _, part := r.Counter(m.Derived.Less); whole && part {
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
func (r *Run) MetricNames() (names []string) {
	for _, m := range r.Metrics() {
		names = append(names, m.Name)
	}
	return names
}

const (
	// leastOfWAL is the least ratio of bytes written to the server's files to bytes of WAL. Below it, files were
	// missed.
	leastOfWAL = 0.5
	// leastOfDisk is the least share of the kernel's disk requests that must have been traced. A kernel may silently
	// throttle the tracing program.
	leastOfDisk = 0.9
)

// Followed reports whether each request was traced to its file under every load, and none was lost.
func (r *Run) Followed() bool {
	written, log, seen, counted, loaded := 0.0, 0.0, 0.0, 0.0, 0
	walBytes := r.Quantity(metric.WALBytes)
	for _, a := range r.loaded() {
		for _, repetition := range a.Repetitions {
			_, unknown := repetition.sumCounts(metric.ServerReads, metric.ServerReadBytes, metric.ServerWrites,
				metric.ServerWriteBytes, metric.ServerFlushes, metric.RequestsLost)
			if unknown != nil || repetition.Counts[metric.RequestsLost].Raw != 0 {
				return false
			}
			loaded++
			written += repetition.Counts[metric.ServerWriteBytes].Raw
			if _, unknown := repetition.sumCounts(metric.BlockWrites, metric.RequestWrites); unknown == nil {
				seen += repetition.Counts[metric.RequestWrites].Raw
				counted += repetition.Counts[metric.BlockWrites].Raw
			}
			if bytes, err := walBytes.Count(a, repetition); err == nil {
				log += bytes
			}
		}
	}
	return loaded > 0 && !r.Header.Target.Storage.Own && written >= leastOfWAL*log && seen >= leastOfDisk*counted
}

// forServer returns a quantity of the device restricted to the server's files, and any other quantity unchanged.
func (d Quantity) forServer() Quantity {
	for _, m := range metric.All().Making(d.Name) {
		if part := metric.ServersPart(m.Name); part != nil {
			d.Help += ", for files of this server"
			d.From, d.how, d.count = part, alternatives, firstOf(part...)
		}
	}
	return d
}

// forServer returns a metric of the device restricted to the server's files, and any other metric unchanged.
func (m Metric) forServer() Metric {
	part := metric.ServersPart(m.Name)
	if part == nil {
		return m
	}
	m.Derived, m.From, m.how = strings.Join(part, " + "), part, addition
	m.count = func(_ Load, r Repetition) (float64, error) { return r.sumCounts(part...) }
	return m
}
