package metric

import (
	"strings"

	"github.com/realiops/realiops/internal/runfile"
)

// Exported returns the metric as a Prometheus knows it that scrapes what realiops reads: its name in a run file with
// the unit at its end, as https://prometheus.io/docs/practices/naming/ has it. A gauge in seconds is a moment.
func (m Metric) Exported() string {
	name := "realiops_" + strings.NewReplacer(".", "_", "/", "_").Replace(m.Name)
	unit := ""
	switch {
	case m.Unit == "bytes":
		unit = "_bytes"
	case m.Unit == "seconds" && m.Kind == runfile.Gauge:
		unit = "_timestamp_seconds"
	case m.Unit == "seconds":
		unit = "_seconds"
	}
	name = strings.TrimSuffix(name, unit) + unit
	if m.Kind == runfile.Counter {
		name += "_total"
	}
	return name
}
