package comparison

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/realiops/realiops/internal/analyze/document"
	"github.com/realiops/realiops/internal/analyze/number"
	"github.com/realiops/realiops/internal/analyze/report"
	"github.com/realiops/realiops/internal/analyze/report/words"
	"github.com/realiops/realiops/internal/metric"
	"github.com/realiops/realiops/internal/printable"
)

// Document returns a comparison for people, in the style of benchstat. With all, it has every quantity and every
// metric.
func (c Comparison) Document(all bool) (d document.Document) {
	var runs document.Together
	for _, r := range c.Runs {
		runs = append(runs, document.Paragraph{Text: r.Name + ": " + r.File + ": " + r.Target})
	}
	d.Blocks = append(d.Blocks, runs, document.Doubts(c.Warnings))
	var lacking, none []string
	var means []row
	var rates []document.Block
	for _, of := range c.Quantities {
		name, unit := label(of.Quantity)
		switch {
		case !all && !slices.Contains(shown(), of.Quantity):
		case !of.counted(1, known):
			lacking = append(lacking, name)
		case !of.counted(2, known):
			// The first lines say which runs did not count it.
		case !of.counted(1, RunOfRate.counted):
			none = append(none, name)
		case len(of.doing) == 0:
		default:
			if of.Geomean.Runs[0].PerSecond.Known() {
				means = append(means, row{name: name, runs: of.Geomean.Runs, unit: unit})
			}
			rates = append(rates, c.rates(words.Capital(name)+" a second", "load", words.Each(func(a ComparedLoad) row {
				return row{a.Load, a.Runs, unit, true}
			}, of.doing)))
		}
	}
	if len(means) > 0 {
		d.Blocks = append(d.Blocks, c.rates("All loads together, per second", "geometric mean", means))
	}
	d.Blocks = append(d.Blocks, rates...)
	lack := document.Paragraph{Text: strings.Join(words.Filled(
		words.Listing("Counted in no run", lacking), words.Listing("Zero in all runs", none)), " ")}
	legend := "±: half the range of the repetitions, ? if there is only one. vs A: the change and its 95% " +
		"interval, from the means of logarithms by Welch's test. ~: no change shown (p of 0.05 or more, or only one repetition). n: " +
		"repetitions. One in twenty unchanged rows shows a change by chance. Geometric means are over the loads that " +
		"do such work and have a count in each repetition."
	if len(c.Loads) > 0 {
		d.Blocks = append(d.Blocks, document.Together{lack, words.Faint(legend)})
	}
	d.Blocks = append(d.Blocks, c.verdictSection(all), document.Only(document.InCSV, c.everyRate()))
	return d
}

// counted reports whether a load has such a rate in as many runs.
func (d ComparedQuantity) counted(runs int, such func(RunOfRate) bool) bool {
	return slices.ContainsFunc(d.Loads, func(a ComparedLoad) bool {
		n := 0
		for _, r := range a.Runs {
			if such(r) {
				n++
			}
		}
		return n >= runs
	})
}

func known(r RunOfRate) bool { return r.PerSecond.Known() }

// countedIn reports whether the run counted such work of any load.
func (d ComparedQuantity) countedIn(run int) bool {
	return slices.ContainsFunc(d.Loads, func(a ComparedLoad) bool { return known(a.Runs[run]) })
}

// shown returns the quantities that a comparison shows by default.
func shown() []metric.Quantity {
	return append(words.Each(func(c report.Column) metric.Quantity { return c.Quantity }, report.Columns()),
		metric.RowsReturned, metric.PagesMissed, metric.DeviceReads)
}

// label returns the quantity's name in a table, and the unit of the numbers there.
func label(q metric.Quantity) (name string, unit float64) {
	switch q {
	case metric.DeviceBytes:
		return "device MB", number.Mega
	case metric.DeviceReadSize:
		return "device MB read", number.Mega
	}
	return q.Many(), 1
}

// row is a row of rates: of a load, or of a quantity's means.
type row struct {
	name      string
	runs      []RunOfRate
	unit      float64
	plusMinus bool
}

// rates returns a section with the rates in rows.
func (c Comparison) rates(title, header string, rows []row) document.Block {
	t := document.Grid[row]{Of: rows}
	t.Wordy(header, func(of row) string { return of.name })
	for i, r := range c.Runs {
		t.Numeric(r.Name, func(of row) document.Cell { return compared(of.runs[i].PerSecond, of.unit, of.plusMinus) })
		if i > 0 {
			t.Numeric("vs A", func(of row) document.Cell { return document.Words(of.runs[i].Change.text()) })
		}
	}
	return document.Titled(title, t.Table)
}

// compared formats a rate and the range of its repetitions.
func compared(f report.Figure, unit float64, plusMinus bool) document.Cell {
	if !f.Known() {
		return document.Words("-")
	}
	text := f.Rate(unit)
	if plusMinus && f.Value > 0 {
		text += " " + f.PlusMinus()
	}
	return document.Number(text, f.Value)
}

// text formats a change like benchstat, with its interval: +17% (+10 to +25%) p=0.012 n=3+3, with ~ for the percentage
// if chance explains it.
func (c *Change) text() string {
	if c == nil {
		return ""
	}
	by := "~"
	if c.Differs {
		by = c.by(c.Ratio)
	}
	n := fmt.Sprintf("n=%d+%d", c.N[0], c.N[1])
	if c.N[0] == c.N[1] {
		n = fmt.Sprintf("n=%d", c.N[0])
	}
	if !number.Finite(c.P) {
		return by + " (" + n + ")"
	}
	return fmt.Sprintf("%s %s p=%.3f %s", by, c.interval(), c.P, n)
}

// by formats the change or an end of its interval: in percent, or as a factor if it is above 3.
func (c *Change) by(ratio float64) string {
	if ratio > 3 {
		return "x" + number.Estimate(ratio, c.Ratio, c.Lo, c.Hi)
	}
	percent := 100 * (ratio - 1)
	switch {
	case ratio < 0.01: // -100% would leave nothing
		return fmt.Sprintf("%+.*f%%", min(int(math.Ceil(-math.Log10(100*ratio))), 9), percent)
	case math.Abs(percent) < 9.95:
		return fmt.Sprintf("%+.1f%%", percent)
	}
	return fmt.Sprintf("%+.0f%%", percent)
}

func (c *Change) interval() string { return "(" + c.by(c.Lo) + " to " + c.by(c.Hi) + ")" }

// verdictSection shows the metrics whose verdicts differ.
func (c Comparison) verdictSection(all bool) document.Block {
	if len(c.Metrics) == 0 {
		return document.Paragraph{Text: "The runs have no metric in common."}
	}
	t := document.Table{Columns: []document.Column{document.Wordy("metric"), document.Wordy("verdict"),
		document.Wordy("it counts"), document.Numeric("ratio"), document.Numeric(number.Percent(compareLevel))}}
	hidden, same, open := 0, 0, 0
	for _, m := range c.Metrics {
		switch {
		case m.Changed == "" && m.Runs[0].of.CannotTell():
			open++
		case m.Changed == "":
			same++
		case !all && m.Changed != changedVerdict && !metric.All().First(m.Metric):
			hidden++
		default:
			t.Rows = append(t.Rows, m.rows(c.Runs)...)
		}
	}
	var texts []string
	say := func(n int, one, many string) {
		if n == 1 {
			texts = append(texts, one)
		} else if n > 0 {
			texts = append(texts, fmt.Sprintf(many, printable.Count(n)))
		}
	}
	say(same, "1 metric counts the same in all runs.", "%s metrics count the same in all runs.")
	say(open, "No run can tell what 1 metric counts.", "No run can tell what %s metrics count.")
	say(hidden, "1 more differs: -v shows it.", "%s more differ, most of them shares of others: -v shows them.")
	say(len(c.Alone), "1 is not in all runs.", "%s are not in all runs.")
	rest := strings.Join(texts, " ")
	if len(t.Rows) == 0 && same > 0 {
		rest = "No verdict changed. " + rest
	}
	if len(t.Rows) == 0 {
		return document.Paragraph{Text: rest}
	}
	return document.Titled("Which verdicts differ?", document.Together{t, words.Faint(rest)})
}

// rows returns the lines of a metric, some for each run.
func (m ComparedMetric) rows(runs []ComparedRun) []document.Row {
	name := document.Name(m.Runs[0].of.Name)
	var rows []document.Row
	for i, r := range m.Runs {
		terms := r.of.Terms()
		if r.of.CannotTell() {
			terms = [][]document.Cell{words.Texts(make([]string, 4))}
		}
		verdict := document.Words(runs[i].Name + " " + report.Label(r.Verdict))
		for _, term := range terms {
			rows = append(rows, document.Row{Cells: append([]document.Cell{name, verdict}, term[:3]...),
				More: len(rows) > 0})
			name, verdict = document.Words(""), document.Words("")
		}
	}
	return rows
}

// everyRate returns a row for each quantity, load and run; the load of the geometric mean is empty.
func (c Comparison) everyRate() document.Table {
	t := document.Table{Columns: words.Each(document.Wordy, []string{"quantity", "unit", "load", "run", "file",
		"per second", "n", "ratio", "lo", "hi", "p"})}
	for _, d := range c.Quantities {
		for _, a := range append(d.Loads[:len(d.Loads):len(d.Loads)], d.Geomean) {
			for i, r := range a.Runs {
				line := append(words.Texts([]string{string(d.Quantity), d.Unit, a.Load, c.Runs[i].Name, c.Runs[i].File}),
					r.PerSecond.Exactly(), words.Count(r.PerSecond.N))
				t.Rows = append(t.Rows, document.Row{Cells: append(line, r.Change.exactly()...)})
			}
		}
	}
	return t
}

func (c *Change) exactly() []document.Cell {
	if c == nil {
		return words.Texts(make([]string, 4))
	}
	return words.Each(words.Exact, []float64{c.Ratio, c.Lo, c.Hi, c.P})
}
