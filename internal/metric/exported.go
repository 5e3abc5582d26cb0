package metric

import (
	"strings"

	"github.com/realiops/realiops/internal/runfile"
)

// Exported returns the metric's name in Prometheus when realiops is scraped: its name in a run file with the unit at
// its end, by https://prometheus.io/docs/practices/naming/. A gauge in seconds is a point in time.
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
