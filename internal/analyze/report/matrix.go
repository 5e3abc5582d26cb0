package report

import (
	"strings"

	"github.com/realiops/realiops/internal/analyze/attribution"
	"github.com/realiops/realiops/internal/analyze/drivers"
)

// spreadTable holds every metric against every driver: how far their ratio moves from arm to arm.
func (r Report) spreadTable(width int) string {
	metrics := r.judged()
	if len(metrics) == 0 {
		return ""
	}
	var names []string
	for _, m := range metrics {
		names = append(names, short(m.Metric))
	}
	g := newGrid("metric", names)
	for _, d := range drivers.All() {
		var cells []string
		for _, m := range metrics {
			cells = append(cells, m.spreadTo(d.Name))
		}
		g.add(strings.TrimLeft(perHeader(d.Name), "\n"), cells)
	}
	legend := "The factor by which the ratio moves " + r.fromArmToArm() + ". " +
		"= it is the same within the tolerance, ? it may be, - the run does not have the driver, self: the driver is made of the metric."
	return "Why: how far each metric's ratio to each driver moves\n\n" + g.layout(width) + "\n" + wrapped(legend, width)
}

// spreadTo is how far the ratio to a driver moves, and what that means for it.
func (m Metric) spreadTo(driver string) string {
	for _, r := range m.Rivals {
		if r.Driver != driver {
			continue
		}
		switch attribution.Status(r.Status) {
		case attribution.Unknown:
			return "-"
		case attribution.Itself:
			return "self"
		}
		marks := map[attribution.Status]string{attribution.Consistent: "=", attribution.Possible: "?"}
		return marks[attribution.Status(r.Status)] + r.Spread.factor()
	}
	return "-"
}

// factor is the middle of a spread.
func (e *Estimate) factor() string {
	if e == nil {
		return ""
	}
	return strings.TrimPrefix(factor(e.Value), "x")
}
