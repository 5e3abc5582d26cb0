package published

import (
	"maps"
	"slices"
	"strings"

	"github.com/realiops/realiops/internal/metric"
	"github.com/realiops/realiops/internal/runfile"
)

// announced returns the metrics of these names from the table, a cloud's by the flavor of server. Help texts
// are left out, since they change.
func announced(flavor string, names map[string]bool) (all []runfile.Record) {
	for _, name := range slices.Sorted(maps.Keys(names)) {
		rows := metric.All().Of(name)
		i := max(0, slices.IndexFunc(rows, func(m metric.Metric) bool { return m.On == flavor }))
		if len(rows) == 0 {
			all = append(all, only(name))
			continue
		}
		m := rows[i].Announced()
		all = append(all, runfile.Metric{Name: m.Name, Unit: m.Unit, Type: m.Type, Period: m.Period})
	}
	return all
}

// only returns a metric that exists only in published figures.
func only(name string) runfile.Metric {
	switch view, column, _ := strings.Cut(name, "/"); {
	case column == "n_tup_ins":
		return runfile.Metric{Name: name, Unit: "rows", Type: runfile.Counter, Help: "rows inserted into " +
			strings.TrimPrefix(view, "pgstat.tables.")}
	case column == "FreeableMemory":
		return runfile.Metric{Name: name, Unit: "bytes", Type: runfile.Gauge, Period: secondsInMinute,
			Help: "memory that could be made free"}
	case column == "orm_objects":
		return runfile.Metric{Name: name, Unit: "rows", Type: runfile.Counter,
			Help: "objects that an object-relational mapper wrote, about"}
	case name == transactions:
		return runfile.Metric{Name: name, Unit: "transactions", Type: runfile.Counter,
			Help: "transactions, as the program counted them that drove the load"}
	default:
		return runfile.Metric{Name: name, Unit: "operations", Type: runfile.Counter, Help: column +
			" of Azure Monitor, its average times the seconds"}
	}
}
