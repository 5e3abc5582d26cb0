package counts

import (
	"strings"

	"github.com/realiops/realiops/internal/metric"
)

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
			if bytes, err := r.Quantity(metric.WALBytes).Count(a, repetition); err == nil {
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
