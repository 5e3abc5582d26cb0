package report

import (
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/realiops/realiops/internal/analyze/drivers"
)

// CompareText writes a comparison for people, in the words of benchstat; all has every way of counting and every metric.
func CompareText(w io.Writer, c Comparison, all bool, width int) error {
	width = max(width, narrowest)
	sections := []string{c.runsText(width), c.warningsText(width)}
	var lacking []string
	for _, d := range c.Drivers {
		switch {
		case !all && !prominentDriver(d.Driver):
		case d.comparable():
			sections = append(sections, c.driverText(d, width))
		default:
			lacking = append(lacking, noun(d.Driver).many)
		}
	}
	lack := ""
	if len(lacking) > 0 {
		lack = wrapped("Not counted in two runs: "+strings.Join(lacking, ", ")+".", width)
	}
	return write(w, append(sections, joined(lack, wrapped(c.legend(), width)), c.verdictsText(all, width)))
}

// prominentDriver tells whether the first table of a report shows it.
func prominentDriver(driver string) bool {
	for _, shown := range columns() {
		if shown.driver == driver {
			return true
		}
	}
	return false
}

func (c Comparison) runsText(width int) string {
	var lines []string
	for _, r := range c.Runs {
		lines = append(lines, bulleted(r.Name+"  ", r.File+": "+r.Target, width))
	}
	return strings.Join(lines, "\n")
}

func (c Comparison) warningsText(width int) string {
	var lines []string
	for _, text := range c.Warnings {
		lines = append(lines, bulleted("! ", text, width))
	}
	return strings.Join(lines, "\n")
}

// comparable tells whether any arm has a change.
func (d ComparedDriver) comparable() bool {
	return slices.ContainsFunc(d.Arms, func(a ComparedArm) bool {
		return slices.ContainsFunc(a.Runs, func(r RunOfRate) bool { return r.Change != nil })
	})
}

// driverText is a table of one way of counting.
func (c Comparison) driverText(d ComparedDriver, width int) string {
	unit, name := 1.0, noun(d.Driver).many
	if d.Driver == drivers.DeviceBytes {
		unit, name = megabyte, "device MB"
	}
	rows := d.Arms
	if d.Geomean.Runs[0].PerSecond.Known() {
		rows = append(rows[:len(rows):len(rows)], ComparedArm{Arm: "geomean", Runs: d.Geomean.Runs})
	}
	g := newGrid("arm", nil)
	for _, a := range rows {
		g.rows = append(g.rows, []string{a.Arm})
	}
	for i, r := range c.Runs {
		var rates, changes []string
		for _, a := range rows {
			rates = append(rates, a.Runs[i].PerSecond.compared(unit, a.Arm != "geomean"))
			changes = append(changes, a.Runs[i].Change.text())
		}
		g.add(r.Name, rates)
		if i > 0 {
			g.add("vs A", changes)
		}
	}
	return capital(name) + " a second\n\n" + g.layout(width)
}

// compared is a rate and how far its replicates lay apart.
func (f Figure) compared(unit float64, doubt bool) string {
	switch {
	case !f.Known():
		return "-"
	case doubt && f.Value > 0:
		return rate(f.Value/unit) + " " + f.doubt()
	default:
		return rate(f.Value / unit)
	}
}

// text is a change as benchstat writes it, with its interval: +17% (+10 to +25%) p=0.012 n=3+3, or ~ in the place of the
// first where chance explains it.
func (c *Change) text() string {
	if c == nil {
		return ""
	}
	by := "~"
	if c.Differs {
		by = changedBy(c.Ratio)
	}
	n := fmt.Sprintf("n=%d+%d", c.N[0], c.N[1])
	if c.N[0] == c.N[1] {
		n = fmt.Sprintf("n=%d", c.N[0])
	}
	if !finite(float64(c.P)) {
		return by + " (" + n + ")"
	}
	return fmt.Sprintf("%s %s p=%.3f %s", by, c.interval(), float64(c.P), n)
}

// changedBy is by how much a rate changed: in percent, or where it more than tripled by its factor.
func changedBy(ratio float64) string {
	if ratio > 3 {
		return "x" + quotient(ratio)
	}
	percent := 100 * (ratio - 1)
	if math.Abs(percent) < 9.95 {
		return fmt.Sprintf("%+.1f%%", percent)
	}
	return fmt.Sprintf("%+.0f%%", percent)
}

func (c *Change) interval() string {
	return "(" + changedBy(float64(c.Lo)) + " to " + changedBy(float64(c.Hi)) + ")"
}

func (c Comparison) legend() string {
	return "±: half the range of the replicates. vs A: by how much it changed, with its 95% interval, from the means of logarithms by Welch's test; " +
		"~ chance explains it (p of 0.05 or more), or a run has one replicate alone, so that nothing was shown; n: replicates. Of twenty rows in which " +
		"nothing changed, one shows a change all the same. geomean: the geometric mean over these arms."
}

// verdictsText shows the metrics that were not found to count the same.
func (c Comparison) verdictsText(all bool, width int) string {
	g := &grid{header: []string{"metric", "verdict", "it counts", "ratio", percent(compareLevel)}, words: 3}
	shown, hidden, same := 0, 0, 0
	for _, m := range c.Metrics {
		switch {
		case m.Changed == "":
			same++
		case !all && m.Changed != changedVerdict && !Prominent(m.Metric):
			hidden++
		default:
			g.rows = append(g.rows, m.rows(c.Runs)...)
			shown++
		}
	}
	if len(c.Metrics) == 0 {
		return "The runs have no metric in common."
	}
	rest := fmt.Sprintf("%d metrics were found to count the same in all runs.", same)
	if hidden > 0 {
		rest += fmt.Sprintf(" %d more, most of them parts of others, were not: -v.", hidden)
	}
	if len(c.Alone) > 0 {
		rest += fmt.Sprintf(" %d are not in all runs.", len(c.Alone))
	}
	if shown == 0 {
		return wrapped("No verdict changed. "+rest, width)
	}
	return "Which verdicts are not the same?\n\n" + g.layout(width) + "\n" + wrapped(rest, width)
}

// rows are the lines of a metric, some for each run.
func (m ComparedMetric) rows(runs []ComparedRun) [][]string {
	names := broken(short(m.Metric), longestCompared)
	var rows [][]string
	for i, r := range m.Runs {
		terms := r.of.terms()
		if len(terms) == 0 || r.of.undetermined() {
			terms = [][]string{{"", "", "", ""}}
		}
		for j, term := range terms {
			row := []string{"", map[bool]string{true: runs[i].Name + " " + label(r.Verdict)}[j == 0]}
			if len(names) > 0 {
				row[0], names = names[0], names[1:]
			}
			rows = append(rows, append(row, term[:3]...))
		}
	}
	return rows
}

// longestCompared is how long the name of a metric is in one line, so that the table fits.
const longestCompared = 22

// CompareCSV writes a line for each driver, arm and run, without rounding; the arm of the geometric mean is empty.
func CompareCSV(w io.Writer, c Comparison) error {
	out := csv.NewWriter(w)
	lines := [][]string{{"driver", "unit", "arm", "run", "file", "per second", "n", "ratio", "lo", "hi", "p"}}
	for _, d := range c.Drivers {
		for _, a := range append(d.Arms[:len(d.Arms):len(d.Arms)], d.Geomean) {
			for i, r := range a.Runs {
				line := []string{d.Driver, d.Unit, a.Arm, c.Runs[i].Name, c.Runs[i].File, r.PerSecond.csv(), fmt.Sprint(r.PerSecond.N)}
				lines = append(lines, append(line, r.Change.csv()...))
			}
		}
	}
	if err := out.WriteAll(lines); err != nil {
		return fmt.Errorf("write the comparison: %w", err)
	}
	return nil
}

func (c *Change) csv() []string {
	if c == nil {
		return make([]string, 4)
	}
	return []string{exactly(c.Ratio), exactly(float64(c.Lo)), exactly(float64(c.Hi)), exactly(float64(c.P))}
}
