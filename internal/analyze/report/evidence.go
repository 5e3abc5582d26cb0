package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/realiops/realiops/internal/analyze/attribution"
	"github.com/realiops/realiops/internal/analyze/counts"
	"github.com/realiops/realiops/internal/analyze/document"
	"github.com/realiops/realiops/internal/analyze/number"
	"github.com/realiops/realiops/internal/analyze/report/wal"
	"github.com/realiops/realiops/internal/analyze/report/words"
	"github.com/realiops/realiops/internal/metric"
	"github.com/realiops/realiops/internal/series"
)

// Details returns the evidence: each load, what its WAL is made of, the verdicts on all metrics, how far their ratios
// to each quantity vary, the first screen's metrics load by load, and what could not be read.
func Details(r Report) []document.Block {
	blocks := []document.Block{r.loadSection(), r.Loads.walSection()}
	first, hidden := r.firstScreen()
	legend := "How much of the metric there is per unit of each quantity. A metric keeps a constant ratio to the " +
		"quantity it counts; a quantity is excluded if the ratio moves."
	if hidden > 0 {
		blocks = append(blocks, r.Metrics.verdicts(""), r.open(), document.Notes{Remarks: r.Metrics.cautioned()})
		legend += " --format json has the others, under rivals."
	}
	evidence := document.Titled("Load by load", document.Paragraph{Text: legend})
	for _, m := range ranked(first.Metrics) {
		if !m.Silent() && m.Missing == nil {
			evidence.Blocks = append(evidence.Blocks, m.evidence())
		}
	}
	if len(evidence.Blocks) == 1 {
		evidence.Blocks = nil
	}
	return append(blocks, r.moves(r.Metrics.judged()), evidence, r.Metrics.unread(), document.Notes{})
}

// Of returns all that is known about some metrics.
func (r Report) Of(metrics []string) document.Document {
	r.Metrics = slices.DeleteFunc(slices.Clone(r.Metrics), func(m Metric) bool {
		return !slices.Contains(metrics, m.Metric)
	})
	blocks := []document.Block{r.conditions(), r.Metrics.verdicts(""), r.open(),
		document.Notes{Remarks: r.Metrics.cautioned()}}
	for _, m := range ranked(r.Metrics) {
		if !m.Silent() && m.Missing == nil {
			blocks = append(blocks, m.evidence())
		}
	}
	return document.Document{Blocks: append(blocks, r.Metrics.unread(), document.Notes{})}
}

// loadSection shows what clients did under each load. Loads of others have no statements and no latencies.
func (r Report) loadSection() document.Block {
	loads := r.Loads.Loaded()
	if len(loads) == 0 {
		return nil
	}
	t := document.Grid[Load]{Of: loads}
	t.Wordy("load", func(a Load) string { return a.Name })
	add := func(header string, unit float64, of func(Load) Figure) {
		t.Numeric(header, func(a Load) document.Cell {
			f := of(a)
			return f.Cell(f.Rate(unit))
		})
	}
	add("seconds", 1, func(a Load) Figure { return a.Seconds })
	add("trans\u00adactions/s", 1, func(a Load) Figure { return a.Of(metric.Commits) })
	if r.Observed != nil {
		return document.Titled("Each kind of load, and how long each stretch lasted", t.Table)
	}
	const millisecond = 1e-3
	add("state\u00adments/s", 1, func(a Load) Figure { return a.Of(metric.Statements) })
	add("p50 ms", millisecond, func(a Load) Figure { return a.latency().P50 })
	add("p95 ms", millisecond, func(a Load) Figure { return a.latency().P95 })
	add("p99 ms", millisecond, func(a Load) Figure { return a.latency().P99 })
	add("max ms", millisecond, func(a Load) Figure { return a.latency().Max })
	return document.Titled("What the clients did under each load", t.Table)
}

func (a Load) latency() Latency {
	if a.Latency != nil {
		return *a.Latency
	}
	none := Figure{
		Missing: &series.Missing{Reason: counts.NotRecorded, Detail: "some repetitions of the load recorded no " +
			"latencies"}}
	return Latency{none, none, none, none}
}

// unread lists the metrics without a figure in any load, by reason.
func (ms Metrics) unread() document.Block {
	var g words.Gathered
	for _, m := range ms {
		if m.Missing != nil {
			g.Add(words.WhyNot(m.Missing), m.Name)
		}
	}
	return document.List(g.Sentences(func(names, why string) string { return "Missing: " + names + ": " + why + "." }))
}

// movesSection compares every metric of the first screen with every quantity that it might count.
func (r Report) movesSection() document.Block {
	first, _ := r.firstScreen()
	metrics := slices.DeleteFunc(ranked(first.Metrics), func(m Metric) bool {
		return m.Silent() || m.Missing != nil || len(m.Rivals) == 0
	})
	return first.moves(metrics)
}

// moves shows how far each metric's ratio to each quantity varies between loads: a ratio that stays at 1 shows what the
// metric counts.
func (r Report) moves(metrics []Metric) document.Block {
	if len(metrics) == 0 {
		return nil
	}
	t := document.Grid[Metric]{Of: metrics}
	t.Column(document.Wordy("metric"), func(m Metric) document.Cell { return document.Name(m.Name) })
	var lacking []string
	for _, d := range counts.OfInserts() {
		if slices.ContainsFunc(metrics, func(m Metric) bool { return m.heldAgainst(d.Name) }) {
			t.Numeric(d.Name.Many(), func(m Metric) document.Cell { return m.move(d.Name) })
		} else {
			lacking = append(lacking, d.Name.Many())
		}
	}
	beyond := "repetitions of one load show"
	if r.Observed != nil {
		beyond = "stretches of one load show"
	}
	legend := "The factor by which the ratio moves from load to load, beyond the variation that " + beyond +
		". = the ratio is constant within the tolerance, ? it may be; the others are excluded. - not counted in " +
		"this run; self: computed from the metric."
	if len(lacking) > 0 {
		legend += " None of them was counted together with: " + strings.Join(lacking, ", ") + "."
	}
	return document.Titled("Why: how much each metric's ratio to each quantity moves",
		document.Together{t.Table, words.Faint(legend)})
}

// heldAgainst reports whether the run counted both the metric and the quantity.
func (m Metric) heldAgainst(quantity metric.Quantity) bool {
	return slices.ContainsFunc(m.Rivals, func(r Rival) bool {
		return r.Quantity == quantity && r.Status != attribution.Unknown
	})
}

// move returns how far the ratio to the quantity varies, and its status.
func (m Metric) move(quantity metric.Quantity) document.Cell {
	if !m.heldAgainst(quantity) {
		return document.Words("-")
	}
	r := m.Rivals[slices.IndexFunc(m.Rivals, func(r Rival) bool { return r.Quantity == quantity })]
	if r.Status == attribution.Itself {
		return document.Words("self")
	}
	mark := map[attribution.Status]string{attribution.Consistent: "=", attribution.Possible: "?"}[r.Status]
	if r.Spread == nil {
		return document.Words(mark)
	}
	c := document.Number(mark+strings.TrimPrefix(factor(r.Spread.Value), "x"), r.Spread.Value)
	c.Mark = string(r.Status)
	c.Hover = fmt.Sprintf("%s / %s: varies by a factor of %s to %s: %s", m.Name, quantity.Many(),
		number.Ratio(r.Spread.Lo), strings.TrimPrefix(factor(r.Spread.Hi), "x"), r.Status)
	return c
}

// farthest is the spread above which no number is given.
const farthest = 1000

// factor formats the spread of a ratio.
func factor(v float64) string {
	if !(v <= farthest) {
		return "any"
	}
	return "x" + number.Ratio(v)
}

// evidence shows why a metric's verdict stands: its count under every load, its ratio to every quantity, and how far
// each ratio varies between loads.
func (m Metric) evidence() document.Block {
	rows := append(words.Each(func(a MetricLoad) string {
		return a.Load
	}, m.Loads), "spread", m.spreadLevel(), "status")
	none := words.Texts([]string{"", "", ""})
	var t document.Table
	t.Add(document.Wordy("load"), words.Texts(rows))
	t.Add(document.Numeric("per second"), append(words.Each(func(a MetricLoad) document.Cell {
		return a.PerSecond.Cell(a.PerSecond.Rate(1))
	}, m.Loads), none...))
	for _, r := range m.Rivals {
		if r.Status != attribution.Unknown {
			t.Add(document.Numeric(r.Quantity.One()), append(m.ratios(r), r.summary()...))
		}
	}
	title := m.Name + ", " + m.Unit
	if m.Help != "" {
		title += ": " + m.Help
	}
	return document.Titled(title, document.Paragraph{Text: m.finding()}, m.Parts.Block(), t)
}

func (m Metric) finding() string {
	parts := []string{Label(m.Kind)}
	if counts := m.counted(); counts != "" {
		parts[0] += ": " + counts
	}
	if m.Mixture != nil {
		parts = append(parts, fmt.Sprintf("For loads left out of the fit, the prediction error is a factor of %s",
			number.Ratio(m.Mixture.Off)))
	}
	if m.Misnomer != "" {
		parts = append(parts, "It is called "+m.Misnomer)
	}
	if len(m.Between) < 2 {
		parts = append(parts, m.Why)
	}
	for _, w := range m.Warnings {
		parts = append(parts, w.Text)
	}
	return words.Sentences(append(parts, m.underOneLoad(), m.agrees(), wouldTell(m.SettleWith), m.notCompared())...)
}

func (m Metric) counted() string {
	with := func(names string, e attribution.Estimate, share string) string {
		value, interval := estimated(e)
		return fmt.Sprintf("%s %s (%s%s)", value, names, interval, share)
	}
	switch {
	case m.Mixture != nil:
		var terms []string
		for _, t := range m.Mixture.Terms {
			names := words.Enumerated(words.Each(m.called, append([]metric.Quantity{t.Quantity}, t.Or...)), " or ")
			terms = append(terms, with(names, t.PerUnit, ", "+number.Percent(t.Share)+" of it"))
		}
		return strings.Join(terms, " + ")
	case m.Counts != "" && m.PerUnit != nil:
		return with(m.called(m.Counts), *m.PerUnit, "")
	case m.Counts != "":
		return m.called(m.Counts)
	case len(m.Between) == 1 && !m.CannotTell():
		return "some of the " + m.Between[0].Many()
	default:
		return words.Alternatives(m.Between)
	}
}

// notCompared returns the quantities that the run lacks in loads that have the metric.
func (m Metric) notCompared() string {
	var g words.Gathered
	for _, r := range m.Rivals {
		if r.Status == attribution.Unknown {
			g.Add(words.WhyNot(r.Why), r.Quantity.Many())
		}
	}
	if len(g.Said) == 0 {
		return ""
	}
	return "Unknown in this run, so not compared: " + strings.Join(g.Sentences(func(names, why string) string {
		return names + " (" + why + ")"
	}), "; ")
}

// ratios returns the metric's ratio to a quantity under each load; none when idle.
func (m Metric) ratios(r Rival) []document.Cell {
	return words.Each(func(a MetricLoad) document.Cell {
		i := slices.IndexFunc(r.Loads, func(ra LoadRatio) bool { return ra.Load == a.Load })
		if i < 0 {
			return document.Words("")
		}
		f := r.Loads[i].Ratio
		if !f.Known() && f.Missing.Reason == counts.Nothing { // the column names the quantity
			return document.Missing("none under this load")
		}
		return f.Cell(f.Ratio())
	}, m.Loads)
}

// summary returns the spread of the ratio, with its interval, and the status.
func (r Rival) summary() []document.Cell {
	status := document.Words(string(r.Status))
	if r.Modelled {
		status.Note = "modelled from the clients' work instead of counted; the intervals allow for that"
	}
	if r.Beaten != "" {
		status.Note = strings.Join(words.Filled(status.Note, r.Beaten.Many()+
			" explain it far better, although the spread alone does not exclude it"), "; ")
	}
	if d := r.Difference; d != nil {
		status.Note = strings.Join(words.Filled(status.Note,
			fmt.Sprintf("at equal rows the metric is %s higher in %s than in %s; the fit predicts %s",
				words.Percent(d.More.Value), d.Load, d.Without, words.Percent(d.Foretold.Value))), "; ")
	}
	if r.Spread == nil {
		return []document.Cell{document.Words(""), document.Words(""), status}
	}
	interval := factor(r.Spread.Lo)
	if high := factor(r.Spread.Hi); high != interval {
		interval += "-" + strings.TrimPrefix(high, "x")
	}
	return []document.Cell{document.Words(factor(r.Spread.Value)), document.Words(interval), status}
}

func (m Metric) spreadLevel() string {
	for _, r := range m.Rivals {
		if r.Spread != nil {
			return number.Percent(r.Spread.Level)
		}
	}
	return "interval"
}

func (l Loads) walSection() document.Block {
	var loads []wal.Load
	for _, a := range l.Loaded() {
		if a.WAL != nil {
			loads = append(loads, wal.Load{Name: a.Name, WAL: a.WAL})
		}
	}
	return wal.Section(loads)
}
