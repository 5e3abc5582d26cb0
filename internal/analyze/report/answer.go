package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/realiops/realiops/internal/analyze/attribution"
	"github.com/realiops/realiops/internal/analyze/counts"
	"github.com/realiops/realiops/internal/analyze/document"
	"github.com/realiops/realiops/internal/analyze/number"
	"github.com/realiops/realiops/internal/analyze/report/sizes"
	"github.com/realiops/realiops/internal/analyze/report/words"
	"github.com/realiops/realiops/internal/metric"
	"github.com/realiops/realiops/internal/printable"
	"github.com/realiops/realiops/internal/runfile"
	"github.com/realiops/realiops/internal/shell"
)

// Answer returns the report on one screen: the numbers that look like IOPS beside the disk's work, the metrics that
// count disk operations, a few loads, and how far to trust them. For a run without this answer it returns the whole
// report.
func Answer(run *counts.Run, r Report) document.Document {
	whole := Document(run, r, nil, nil)
	if hasOnlyPeriods(run) {
		return periodsAnswer(run, r, whole)
	}
	if len(r.Loads.Loaded()) == 0 || len(r.Metrics) == 0 {
		return whole
	}
	s := screen{Report: r}
	return document.Document{Title: whole.Title, Heading: whole.Heading, Blocks: []document.Block{
		slices.DeleteFunc(s.conditions(), note),
		s.beside(), s.operations(), s.fewLoads(), slices.DeleteFunc(s.conditions(), doubt),
		document.Together{document.Paragraph{Text: s.trust()}, s.missed(), s.next()},
	}}
}

func note(w document.Warning) bool { return w.Rank == document.Note }

func doubt(w document.Warning) bool { return !note(w) }

// SoFar returns the screen shown while the run goes on.
func (r Report) SoFar() document.Document {
	loads := r.Loads.planned()
	toCome := Names(slices.DeleteFunc(slices.Clone(loads), func(l Load) bool { return l.Repetitions > 0 }))
	s := screen{Report: r, live: true, toCome: toCome}
	after := fmt.Sprintf("So far, after %d of %d loads:", len(loads)-len(toCome), len(loads))
	if len(toCome) == 0 {
		repetitions := 0
		for _, l := range loads {
			repetitions += l.Repetitions
		}
		after = fmt.Sprintf("So far, after %d repetitions of %d loads:", repetitions, len(loads))
	}
	return document.Document{Blocks: []document.Block{document.Together{document.Paragraph{Text: after}, s.beside(), s.operations()}}}
}

// screen is a report shortened to one screen.
type screen struct {
	Report
	live   bool     // the run goes on
	toCome []string // loads not yet measured, if live
	whole  bool     // the rest of the report follows
}

// apart is the answer in a line, if there are numbers to compare with the disk's.
const apart = "These numbers look like IOPS. They are not."

// heading returns the title of a page.
func (r screen) heading() string {
	if rows := r.loudest(); len(rows) > 0 {
		return apart
	}
	return "Which of the numbers called IOPS are real?"
}

// beside compares the largest wrong numbers with the disk's, and says how far their factor varies with the load.
func (r screen) beside() document.Block {
	where := document.Only(document.InText, words.Faint(r.Server()+"; "+r.lasted()))
	if r.whole {
		where = nil // the page says it in full
	}
	rows := r.loudest()
	if len(rows) == 0 {
		text := cmp.Or(r.headlineText(), r.called())
		if r.whole {
			text = words.Sentences(text, r.claimed())
		}
		return document.Together{document.Only(document.InHTML, r.misnamedTile()),
			document.Paragraph{Text: text, Style: document.Headline}, where}
	}
	t := document.Grid[besides]{Of: rows, Table: document.Table{Bare: true}}
	t.Wordy("looks like IOPS", func(b besides) string { return b.name })
	t.Numeric("a second", func(b besides) document.Cell {
		return document.Number(b.loud.Between()+"/s", b.loud.Value)
	})
	t.Wordy("the disk", besides.did)
	loads := document.Distinct(words.Each(func(b besides) string { return b.load }, rows), 24)
	t.Wordy("factor", func(b besides) string { return b.factorText() + " (" + loads[slices.Index(rows, b)] + ")" })
	writes, reads := r.pairsWith()
	return document.Together{
		document.Only(document.InText, document.Paragraph{Text: apart, Style: document.Headline}), where,
		document.Only(document.InHTML, document.Tiles(words.Each(besides.tile, rows))),
		document.Only(document.InText|document.InMarkdown, t.Table),
		document.Paragraph{Text: words.Sentences(factors(writes), without(metric.WALRecords, writes, r.Loads.writing()),
			without(metric.PagesMissed, reads, r.Loads.reading()))},
		document.Paragraph{Text: sizes.VolumesIn(r.Volumes, rows[0].load)},
	}
}

// misnamedTile shows the metric that a cloud calls IOPS although it counts no storage I/O.
func (r screen) misnamedTile() document.Tiles {
	m := misnamed(r.Metrics)
	if m == nil {
		return nil
	}
	most := m.loudest()
	return document.Tiles{{Of: m.Name + " a second (" + most.Load + ")", Loud: most.Figure.Rate(1),
		Said: "work of the database, not storage I/O"}}
}

// called says what is known about a metric that is called IOPS and has no verdict.
func (r screen) called() (text string) {
	for _, m := range ranked(r.Metrics) {
		if claim(m) == iops && m.CannotTell() && m.Missing == nil && (text == "" || strings.Contains(m.Name, "Write")) {
			text = words.Sentences("This run cannot tell what "+m.Name+" counts", m.agrees(), m.excluded())
		}
	}
	none := "This run has no number to compare with the disk's."
	if r.Observed == nil && len(r.Loads.Loaded()) == 0 {
		none = "No load completed, so there is nothing to compare."
	}
	return cmp.Or(text, none)
}

// claimed returns what others claim that a metric of the run counts, and why; empty if nobody does.
func (r Report) claimed() string {
	for _, w := range r.Warnings {
		if w.Code == "claimed" {
			return w.Text
		}
	}
	return ""
}

// lasted says how long it was measured.
func (r screen) lasted() string {
	if o := r.Observed; o != nil {
		return words.Observed(o.Windows, o.WindowSeconds)
	}
	loads := printable.Counted(len(r.Loads.Loaded()), "load") + ", " + r.repetitions()
	if r.Run.LoadSeconds > 0 {
		loads += fmt.Sprintf(" of %s s", number.Short(r.Run.LoadSeconds, 4))
	}
	return loads
}

// Answers to whether a metric counts disk operations.
const (
	allOf   = "ALL"
	partOf  = "PART"
	noneOf  = "NO"
	bytesOf = "BYTES"
	unsure  = "?"
)

// line returns the line of the list that a metric belongs to, and its note; empty for a metric that shows nothing.
func (m Metric) line() (line, note string) {
	switch {
	case m.Missing != nil || m.Silent() || m.Derived != "":
		return "", ""
	case m.CannotTell() || m.belowBackground():
		return unsure, m.Unsure()
	case m.Unit == "bytes" || m.Unit == "B":
		return bytesOf, ""
	case m.Kind == attribution.Logical:
		return noneOf, "work of the database"
	case m.Kind == attribution.Requested || m.Kind == attribution.NotLogical:
		return noneOf, "asked of the operating system, not of the disk"
	case m.Kind == attribution.Mixed:
		return partOf, "partly; the rest is work of the database"
	case !metric.OfStorage(m.Metric) && m.ofWAL():
		return partOf, "only the WAL's"
	default:
		return allOf, ""
	}
}

// ofWAL reports whether a metric counts writes or flushes of the WAL.
func (m Metric) ofWAL() bool {
	of := func(quantity metric.Quantity) bool {
		return quantity == metric.WALWrites || quantity == metric.WALSyncs
	}
	return of(m.Counts) || slices.ContainsFunc(m.Between, of) || slices.ContainsFunc(m.Tied, of)
}

// operations lists which metrics are disk operations.
func (r screen) operations() document.Block {
	first, hidden := r.firstScreen()
	type group struct{ line, note string }
	names := map[group][]string{}
	var order []group
	for _, m := range ranked(first.Metrics) {
		line, note := m.line()
		if line == unsure && r.live {
			note = "not known yet"
			if s := m.SettleWith; s != nil && slices.Contains(r.toCome, s.Load) {
				note = s.Load + " will tell"
			}
		}
		g := group{line, note}
		if line == "" {
			continue
		}
		if names[g] == nil {
			order = append(order, g)
		}
		names[g] = append(names[g], m.Name)
	}
	lines := []string{allOf, partOf, noneOf, bytesOf, unsure}
	slices.SortStableFunc(order, func(a, b group) int {
		return cmp.Or(slices.Index(lines, a.line)-slices.Index(lines, b.line), strings.Compare(b.note, a.note))
	})
	var terms document.Terms
	for _, g := range order {
		text := words.Shortened(names[g])
		if g.note != "" {
			text += ": " + g.note
		}
		if last := len(terms) - 1; last >= 0 && terms[last].Name == g.line {
			terms[last].Texts = append(terms[last].Texts, text)
			continue
		}
		terms = append(terms, document.Term{Name: g.line, Texts: []string{text}})
	}
	if len(terms) == 0 {
		return nil
	}
	if r.Run.OfServer && terms[0].Name != allOf {
		terms = append(document.Terms{{Name: allOf, Texts: []string{
			"this server's requests, traced by file (/proc/diskstats also counts other programs)"}}}, terms...)
	}
	more := ""
	if hidden > 0 && !r.live && !r.whole {
		more = "-v shows " + printable.Counted(hidden, "more metric") + "; --metric NAME shows one."
	}
	return document.Together{document.Paragraph{Text: "Which of them are disk operations?"}, terms, words.Faint(more)}
}

// fewLoads shows the loads with the largest number and the lowest and highest factor, filled up with the first ones.
func (r screen) fewLoads() document.Block {
	const few = 4
	loads := r.Loads.writing()
	if len(loads) > few {
		writes := r.each("", metric.WALRecords, metric.DeviceRequests, loads)
		wanted := map[string]bool{}
		want := func(name string) {
			if len(wanted) < few {
				wanted[name] = true
			}
		}
		if len(writes) > 0 {
			want(writes[0].load)
			want(slices.MinFunc(writes, byFactor).load)
			want(slices.MaxFunc(writes, byFactor).load)
		}
		for _, a := range loads {
			want(a.Name)
		}
		loads = slices.DeleteFunc(slices.Clone(loads), func(a Load) bool { return !wanted[a.Name] })
	}
	_, most := r.Loads.measuredTimes()
	once := most == 1
	t := document.Grid[Load]{Of: loads}
	t.Wordy("load", func(a Load) string { return a.Name })
	for _, c := range r.Loads.columns() {
		if c.Quantity == metric.DeviceFlushes || !slices.ContainsFunc(loads, func(a Load) bool {
			return a.work(c.Quantity).PerSecond.Known()
		}) {
			continue
		}
		t.Numeric(c.header+"/s", func(a Load) document.Cell {
			cell := a.work(c.Quantity).cell(c.unit)
			if once {
				return cell.Sure("") // trust says it for all
			}
			return cell
		})
	}
	if len(t.Table.Columns) == 1 { // nothing was counted for these columns
		return nil
	}
	return document.Together{t.Table, words.Faint(r.otherLoads(loads))}
}

// otherLoads says how many loads are not shown.
func (r screen) otherLoads(shown []Load) string {
	writes, reads := len(r.Loads.writing())-len(shown), 0
	for _, a := range r.Loads.Loaded() {
		if a.readsAlone() {
			reads++
		}
	}
	var more []string
	if writes > 0 {
		more = append(more, printable.Counted(writes, "more load")+" that "+map[bool]string{
			true: "writes", false: "write"}[writes == 1])
	}
	if reads > 0 {
		more = append(more, fmt.Sprintf("%d that only read", reads))
	}
	if len(more) == 0 {
		return ""
	}
	return "--all shows " + strings.Join(more, " and ") + "."
}

// trust says how far the figures can be trusted.
func (r screen) trust() string {
	conditions := []string{r.repetitions()}
	if _, most := r.Loads.measuredTimes(); most == 1 {
		conditions[0] += ", so the figures' spread is unknown"
	}
	if r.Observed != nil {
		conditions = []string{"the load was not controlled, so verdicts hold only for the kinds of load seen"}
	}
	switch {
	case r.Run.OfServer:
		conditions = append(conditions, "other programs' requests are left out, file by file")
	case r.Run.Target.Storage.Own:
		conditions = append(conditions, "the server has its own disk")
	case r.deviceSeen():
		conditions = append(conditions, "other programs may use the disk")
	case !slices.ContainsFunc(r.Warnings, func(w Warning) bool { return w.Code == "device-unknown" }):
		conditions = append(conditions, "the disk was not visible")
	}
	return "Trust: " + strings.Join(conditions, "; ") + "."
}

// deviceSeen reports whether the run counted the disk's work.
func (r screen) deviceSeen() bool {
	return slices.ContainsFunc(r.Loads.columns(), func(c Column) bool { return c.Quantity == metric.DeviceRequests })
}

// conditions returns the conditions that trust does not mention.
func (r screen) conditions() document.Warnings {
	return r.warned(func(w Warning) bool { return w.Condition && !w.trusted() })
}

// trusted reports whether trust says the same.
func (w Warning) trusted() bool { return w.Code == "uncontrolled" || w.Code == "others-on-device" }

// missed lists what is missing from the figures or odd about them, at most three.
func (r screen) missed() document.Block {
	const room = 3
	var shown document.List
	if claimed := r.claimed(); claimed != "" && !r.whole {
		shown = append(shown, claimed)
	}
	for _, w := range r.Warnings {
		if !w.Condition && slices.Contains([]string{"no-idle", "not-run", "left-out", "failures", "background-moved",
			"digitized", "rows-disagree"}, w.Code) {
			shown = append(shown, w.Text)
		}
	}
	rest := len(shown) - room
	shown = shown[:min(room, len(shown))]
	if rest > 0 && !r.whole {
		shown = append(shown, "--all shows "+printable.Counted(rest, "more remark")+".")
	}
	return shown
}

// next returns the commands that show more.
func (r screen) next() document.Block {
	file := cmp.Or(r.File, runfile.FileOf(r.Run.ID))
	lines := []shell.Command{
		shell.New("realiops report").File(file, "FILE").With("--all"),
		shell.New("realiops report").File(file, "FILE").With("-o page.html"),
	}
	if t := r.Run.Target; r.deviceSeen() || t.Kind == "history" && (t.Cloud == nil || t.Flavor == "rds") {
		lines = append(lines, shell.New("realiops size").File(file, "FILE").With("--gib 500"))
	}
	return document.Command{Lead: "Next:", Lines: lines}
}
