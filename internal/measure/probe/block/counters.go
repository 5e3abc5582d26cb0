package block

import (
	"slices"
	"strings"

	"github.com/realiops/realiops/internal/measure/probe"
	"github.com/realiops/realiops/internal/runfile"
)

// Absent returns the sampler of a server whose devices and processes cannot be read.
func Absent(why error) probe.Sampler {
	return probe.Absent(Name, slices.Concat(figuresOf(""), processMetrics(), cgroupMetrics()), why)
}

// counters are metrics that are read together.
type counters struct {
	metrics []runfile.Metric
	read    func() (map[string]float64, error)
}

// absent returns metrics that cannot be read.
func absent(metrics []runfile.Metric, why error) counters {
	return counters{metrics, func() (map[string]float64, error) { return nil, why }}
}

// countersOf returns the counters of the server in a directory: of its processes and its control group.
func (h host) countersOf(data string, devices []string) []counters {
	p, err := h.processesIn(data)
	if err != nil {
		return []counters{absent(processMetrics(), err), absent(cgroupMetrics(), err)}
	}
	c, err := h.cgroupOf(p.postmaster, devices)
	account := counters{cgroupMetrics(), c.read}
	if err != nil {
		account = absent(cgroupMetrics(), err)
	}
	return []counters{{processMetrics(), p.read}, account}
}

// Remedy returns one sentence of advice about a gap of this package. It is empty if the gap's own
// text has it, or there is none.
func Remedy(gap runfile.Gap) string {
	own := strings.HasPrefix(gap.Metric, processView) || strings.HasPrefix(gap.Metric, cgroupView)
	if own && gap.Reason == runfile.Permission {
		return "run realiops as the server's user, or as root"
	}
	return ""
}
