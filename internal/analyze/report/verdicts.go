package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/realiops/realiops/internal/analyze/attribution"
	"github.com/realiops/realiops/internal/analyze/counts"
	"github.com/realiops/realiops/internal/analyze/document"
	"github.com/realiops/realiops/internal/analyze/number"
	"github.com/realiops/realiops/internal/analyze/report/figure"
	"github.com/realiops/realiops/internal/analyze/report/words"
	"github.com/realiops/realiops/internal/metric"
)

// verdictSection shows the verdicts of the first screen.
func (r Report) verdictSection() document.Block {
	first, hidden := r.firstScreen()
	rest := ""
	if hidden > 0 {
		rest = fmt.Sprintf("-v shows %d more metrics, most of them shares of these.", hidden)
	}
	return first.Metrics.verdicts(rest)
}

// verdicts shows a row for each metric with a finding.
func (ms Metrics) verdicts(rest string) document.Block {
	var all document.Together
	if t := ms.verdictTable(); len(t.Rows) > 0 {
		legend := ms.verdictLegend()
		if slices.ContainsFunc(t.Rows, func(row document.Row) bool { return row.Cells[ratioColumn].Text != "" }) {
			legend += " ratio: the metric's value per unit of what it counts; n: number of loads behind the verdict."
		}
		all = append(all, t, words.Faint(legend+" -v shows each load."))
	}
	of := func(text string, are func(Metric) bool) {
		all = append(all, words.Faint(words.Listing(text, ms.namesOf(are))))
	}
	all = append(all, ms.becameOfRequests())
	of("No load moves", Metric.Silent)
	of("Indistinguishable from the background, so without a ratio", Metric.belowBackground)
	for _, kind := range []attribution.Kind{attribution.Physical, attribution.Requested, attribution.Logical} {
		of(Label(kind)+", as PostgreSQL documents", func(m Metric) bool {
			return m.asDocumented() && !m.itself() && m.Kind == kind
		})
	}
	return document.Titled("What each metric counts", append(all, document.List(ms.contradictory()), words.Faint(rest)))
}

// ratioColumn is the index of the ratios in the table of verdicts.
const ratioColumn = 3

func (ms Metrics) verdictTable() document.Table {
	t := document.Table{Columns: []document.Column{document.Wordy("metric"), document.Wordy("verdict"),
		document.Wordy("it counts"), document.Numeric("ratio"), document.Numeric(ms.interval()), document.Numeric("n")}}
	for _, m := range ms.judged() {
		name := document.Name(m.Name)
		if m.Misnomer != "" {
			name.Also = "called " + m.Misnomer
		}
		before := []document.Cell{name, document.Verdict(Label(m.Kind))}
		for i, term := range m.Terms() {
			t.Rows = append(t.Rows, document.Row{Cells: append(before, term...), More: i > 0})
			before = []document.Cell{document.Words(""), document.Words("")}
		}
	}
	return t
}

// Terms returns the cells from what the metric counts on, one line per term.
func (m Metric) Terms() (lines [][]document.Cell) {
	line := func(counted string, e *attribution.Estimate) {
		lines = append(lines, append([]document.Cell{document.Words(counted)}, m.ratioCells(e)...))
	}
	switch {
	case len(m.made) > 0 && m.Counts == "": // counted, so no fit is needed
		for _, part := range m.made {
			line(part, nil)
		}
	case m.Mixture != nil && !m.CannotTell():
		for i, t := range m.Mixture.Terms {
			line(map[bool]string{true: "+ "}[i > 0]+m.grows(t.Side)+m.called(t.Quantity), &t.PerUnit)
			for _, other := range t.Or {
				line("or "+m.called(other), nil)
			}
		}
	case m.Counts != "":
		counted, _ := counts.Named(m.Counts)
		line(m.grows(counted.Side)+m.called(m.Counts), m.PerUnit)
		for _, other := range m.Tied {
			m.Exact = false
			line("tied with "+m.called(other), m.ratioTo(other))
		}
	case len(m.Between) == 1 && !m.CannotTell():
		line("some "+m.Between[0].Many(), nil)
	case len(m.Between) == 0:
		line("not known", m.PerUnit)
	case len(m.Between) > mostNamed:
		line(fmt.Sprintf("any of %d quantities", len(m.Between)), m.PerUnit)
	default:
		line(m.Between[0].Many(), m.PerUnit)
		for _, other := range m.Between[1:] {
			line("or "+other.Many(), nil)
		}
	}
	return lines
}

// grows qualifies logical work that a device metric follows but does not count.
func (m Metric) grows(side counts.Side) string {
	if side == counts.Logical && metric.OfDevice(m.Metric) {
		return "grows with "
	}
	return ""
}

// ratioTo returns the metric's ratio to a quantity.
func (m Metric) ratioTo(quantity metric.Quantity) *attribution.Estimate {
	i := slices.IndexFunc(m.Rivals, func(r Rival) bool { return r.Quantity == quantity })
	if i < 0 {
		return nil
	}
	return m.Rivals[i].Ratio
}

// The number of candidates for a metric that are named in the table, and in a sentence.
const (
	mostNamed  = 2
	mostListed = 8
)

// ratioCells returns a ratio, its interval and the number of loads.
func (m Metric) ratioCells(e *attribution.Estimate) []document.Cell {
	switch {
	case e == nil:
		return []document.Cell{document.Words(""), document.Words(""), document.Words("")}
	case m.Exact:
		return []document.Cell{document.Number(number.Ratio(e.Value), e.Value), document.Words("exact"),
			words.Count(e.N)}
	default:
		ratio, interval := estimated(*e)
		return []document.Cell{document.Number(ratio, e.Value), document.Words(interval), words.Count(e.N)}
	}
}

// seldom is the ratio below which the inverse is easier to read.
const seldom = 0.001

// estimated returns the estimate and its interval, inverted if it is small.
func estimated(e attribution.Estimate) (value, interval string) {
	if e.Value > 0 && e.Value < seldom && number.Finite(e.Hi) {
		inverse := attribution.Estimate{Value: 1 / e.Value, Lo: 1 / e.Hi, Hi: 1 / max(0, e.Lo)}
		value, interval = "1/"+estimateNumber(inverse, inverse.Value), between(inverse)
		if e.Lo <= 0 {
			interval = ">" + estimateNumber(inverse, inverse.Lo)
		}
		return value, interval
	}
	return estimateNumber(e, e.Value), between(e)
}

func estimateNumber(e attribution.Estimate, v float64) string {
	return number.Estimate(v, e.Value, e.Lo, e.Hi)
}

// between formats the interval.
func between(e attribution.Estimate) string {
	switch {
	case !number.Finite(e.Lo) || !number.Finite(e.Hi):
		return "unbounded"
	case !(e.Lo <= e.Value && e.Value <= e.Hi):
		return "unknown"
	}
	return estimateNumber(e, e.Lo) + "-" + estimateNumber(e, e.Hi)
}

// interval returns the header over the intervals, with the level of the verdicts.
func (ms Metrics) interval() string {
	for _, m := range ms {
		for _, rival := range m.Rivals {
			if m.PerUnit == nil {
				m.PerUnit = rival.Ratio
			}
		}
		if m.PerUnit != nil {
			return number.Percent(m.PerUnit.Level)
		}
	}
	return "interval"
}

func (ms Metrics) verdictLegend() string {
	has := func(kind attribution.Kind) bool {
		return slices.ContainsFunc(ms, func(m Metric) bool { return m.Kind == kind })
	}
	text := "PHYSICAL: work that storage does."
	if has(attribution.Requested) {
		text += " REQUESTED: asked of the operating system, not of the disk."
	}
	text += " LOGICAL: work asked of the database, and its WAL records."
	if has(attribution.NotLogical) {
		text += " NOT LOGICAL: requested or physical work, or both."
	}
	if has(attribution.Mixed) {
		text += " MIXED: logical and other work."
	}
	return text
}

// Label formats a verdict so that it can be found without colour.
func Label(verdict attribution.Kind) string {
	if verdict == attribution.CannotTell {
		return "CANNOT TELL"
	}
	return strings.ToUpper(strings.ReplaceAll(string(verdict), "_", " "))
}

// called returns the readable name of a quantity, and says if it was modelled.
func (m Metric) called(quantity metric.Quantity) string {
	if slices.ContainsFunc(m.Rivals, func(r Rival) bool { return r.Quantity == quantity && r.Modelled }) {
		return "modelled " + quantity.Many()
	}
	return quantity.Many()
}

func (ms Metrics) judged() []Metric {
	return slices.DeleteFunc(ranked(ms), func(m Metric) bool {
		return m.Silent() || m.Missing != nil || m.itself() || m.belowBackground() || m.asDocumented()
	})
}

func (ms Metrics) namesOf(are func(Metric) bool) []string {
	named := slices.DeleteFunc(ranked(ms), func(m Metric) bool { return m.Missing != nil || !are(m) })
	return words.Each(func(m Metric) string { return m.Name }, named)
}

// belowBackground reports whether the metric's growth is lost in the background in all loads.
func (m Metric) belowBackground() bool {
	loaded, lost := 0, 0
	for _, a := range m.Loads {
		if len(a.Per) > 0 && a.PerSecond.Known() { // not idle
			loaded++
			if a.PerSecond.Lost() {
				lost++
			}
		}
	}
	return loaded > 0 && lost == loaded && !m.Silent() && !m.itself()
}

// asDocumented reports whether the metric counts what PostgreSQL documents, which is no news.
func (m Metric) asDocumented() bool {
	documented := m.Counts != "" && m.Counts == metric.All().Documented(m.Metric) && len(m.Tied) == 0
	const nearly = 0.005
	return documented && m.PerUnit != nil && math.Abs(m.PerUnit.Value-1) < nearly
}

// roomFor is the number of metrics that fit on the first screen.
const roomFor = 20

// firstScreen returns the report with the metrics of the first screen, and how many it leaves out: none if they are
// few, else those that people do not take for I/O.
func (r Report) firstScreen() (short Report, hidden int) {
	if len(r.Metrics.judged()) <= roomFor && len(r.Metrics) <= 2*roomFor {
		return r, 0
	}
	all := r.Metrics
	table, reads := metric.All(), len(r.Loads.reading()) > 0
	r.Metrics = slices.DeleteFunc(slices.Clone(all), func(m Metric) bool {
		return !table.First(m.Metric) && !(reads && table.FirstOfReads(m.Metric))
	})
	if len(r.Metrics.judged()) == 0 {
		r.Metrics = all[:min(len(all), roomFor)]
	}
	return r, len(all) - len(r.Metrics)
}

// ofItself is the code for metrics that a quantity is computed from: this is evidence, not a caution.
const ofItself = "itself"

// cautioned returns the warnings about single verdicts.
func (ms Metrics) cautioned() []string {
	return ms.grouped(func(m Metric) (texts []string) {
		for _, w := range m.Warnings {
			if w.Code != ofItself && !m.itself() {
				texts = append(texts, words.Sentences(w.Text))
			}
		}
		return texts
	})
}

// everyMetric returns a row for each metric: its verdict, and its rate under every load.
func (r Report) everyMetric() document.Table {
	t := document.Table{Columns: words.Each(document.Wordy, []string{"metric", "unit", "verdict", "counts", "ratio", "lo",
		"hi", "level", "loads"})}
	for _, a := range r.Loads {
		t.Columns = append(t.Columns, document.Numeric(a.Name+" per second"))
	}
	for _, m := range r.Metrics {
		line := append(words.Texts([]string{m.Metric, m.Unit, string(m.Kind), m.quantities()}),
			estimateCells(m.PerUnit)...)
		for _, a := range m.Loads {
			line = append(line, a.PerSecond.Exactly())
		}
		t.Rows = append(t.Rows, document.Row{Cells: line})
	}
	return t
}

// quantities returns the quantity counted, the terms of a sum joined by +, or the candidates joined by |.
func (m Metric) quantities() string {
	joined := func(all []metric.Quantity, by string) string {
		return strings.Join(words.Each(func(q metric.Quantity) string { return string(q) }, all), by)
	}
	switch {
	case m.Counts != "":
		return string(m.Counts)
	case m.Mixture != nil:
		return joined(words.Each(func(t attribution.Term) metric.Quantity { return t.Quantity }, m.Mixture.Terms), "+")
	default:
		return joined(m.Between, "|")
	}
}

func estimateCells(e *attribution.Estimate) []document.Cell {
	if e == nil {
		return words.Texts(make([]string, 5))
	}
	return append(words.Each(words.Exact, []float64{e.Value, e.Lo, e.Hi, e.Level}), words.Count(e.N))
}

// Rival is one quantity, compared with the metric.
type Rival struct {
	attribution.Rival
	Loads []LoadRatio `json:"loads"`
}

// LoadRatio is a ratio in one load as a figure, in which an infinite ratio is missing.
type LoadRatio struct {
	Load  string `json:"load"`
	Ratio Figure `json:"ratio"`
}

// judge sets the verdicts of the metrics. A metric without one is CannotTell.
func judge(metrics []Metric, verdicts attribution.Verdicts) []Metric {
	byName := map[string]attribution.Verdict{}
	for _, v := range verdicts.Metrics {
		byName[v.Metric.Name] = v
	}
	for i := range metrics {
		m := &metrics[i]
		v, judged := byName[m.Metric]
		if !judged {
			v = attribution.Verdict{Kind: attribution.CannotTell, Why: "it was not judged"}
		}
		if v.Mixture != nil {
			mixture := *v.Mixture
			mixture.Terms = slices.SortedStableFunc(slices.Values(mixture.Terms), func(a, b attribution.Term) int {
				return cmp.Compare(b.Share, a.Share)
			})
			v.Mixture = &mixture
		}
		m.Verdict = v
		for _, r := range v.Rivals {
			m.Rivals = append(m.Rivals, Rival{r, ratios(r.Loads)})
		}
		if v.Kind == attribution.Logical && !m.itself() {
			m.Misnomer = claim(*m)
		}
	}
	return metrics
}

func ratios(loads []attribution.LoadRatio) (all []LoadRatio) {
	for _, a := range loads {
		f := Figure{Value: a.Value, Lowest: a.Lowest, Highest: a.Highest, N: a.N, Missing: a.Missing}
		if !number.Finite(f.Value) || !number.Finite(f.Lowest) || !number.Finite(f.Highest) {
			f = Figure{Missing: figure.OutOfBounds()}
		}
		all = append(all, LoadRatio{a.Load, f})
	}
	return all
}

// iops is the most misleading claim.
const iops = "IOPS"

// claim returns the kind of storage I/O that a metric's name and unit claim; empty if none.
func claim(m Metric) string {
	switch name := strings.ToUpper(m.Metric); {
	case strings.Contains(name, iops), strings.Contains(name, "IOSPS"):
		return iops
	case strings.Contains(name, "WRITE"):
		return "writes"
	case m.Unit == "operations":
		return "operations"
	default:
		return ""
	}
}
