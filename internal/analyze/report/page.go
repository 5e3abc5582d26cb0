package report

import (
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"slices"
	"strings"

	"github.com/realiops/realiops/internal/analyze/attribution"
	"github.com/realiops/realiops/internal/analyze/catalog"
	"github.com/realiops/realiops/internal/analyze/drivers"
	"github.com/realiops/realiops/internal/analyze/plot"
)

// Page is a report for people who were not there: everything on one page, with pictures.
type Page struct {
	Heading    string
	Title      string
	Target     string
	Conditions []string // that make the numbers lie
	Headline   string
	Answers    []Answer // in short
	Sections   []Section
	Remarks    []string // what is odd about single figures
	Footnotes  []string
	Sources    []string
	How        []string
	Commands   []string
}

// Section is one answer.
type Section struct {
	Title    string
	Text     []string // before the table
	Table    *Table
	Pictures []*plot.Picture
	Legend   []string
}

// Panels tells whether its pictures are small, and stand beside each other with a title each.
func (s Section) Panels() bool {
	return slices.ContainsFunc(s.Pictures, func(p *plot.Picture) bool { return p.Size != (plot.Size{}) })
}

// Table is a table of a page.
type Table struct {
	Header []string
	Rows   [][]Cell
	Words  int // columns that begin it and have words in them
}

// Cell is one field of a table.
type Cell struct {
	Text  string
	Hover string // more about it, where the mouse rests
	Class string // excluded, possible, consistent
}

// NewPage puts a report and its sizing onto a page, or else the reason why there is none.
func NewPage(run *drivers.Run, r Report, size *Size, unsized error) (Page, error) {
	known, err := catalog.Read()
	if err != nil {
		return Page{}, err
	}
	r = r.learned()
	notes, cited := &footnotes{}, &citations{known: known}
	p := Page{
		Heading:  "Which of the numbers called IOPS are real?",
		Title:    "realiops: " + serverName(r.Run.Flavor) + " " + r.Run.Target.Version + ", " + r.Run.Start.Format("2006-01-02"),
		Target:   r.target(),
		Answers:  r.answers(size, unsized),
		How:      r.how(),
		Commands: r.repeat(size),
	}
	if r.Headline != nil {
		p.Headline = r.Headline.Text
	}
	for _, w := range r.Warnings {
		if w.Condition {
			p.Conditions = append(p.Conditions, w.Text)
		} else {
			p.Remarks = append(p.Remarks, w.Text)
		}
	}
	p.Sections = slices.Concat(r.workSections(notes), r.topSections(notes), r.verdictSections(), r.overTime(run), r.heat())
	if size != nil {
		p.Sections = append(p.Sections, size.sections(cited)...)
	}
	for i, reason := range notes.reasons {
		p.Footnotes = append(p.Footnotes, fmt.Sprintf("(%d) %s", i+1, reason))
	}
	p.Sources = cited.list()
	return p, nil
}

// table makes cells of a grid.
func (g *grid) table() *Table {
	t := &Table{Words: g.words}
	for _, h := range g.header {
		t.Header = append(t.Header, strings.ReplaceAll(strings.ReplaceAll(h, "-\n", ""), "\n", " "))
	}
	for _, row := range g.rows {
		var cells []Cell
		for _, text := range row {
			cells = append(cells, Cell{Text: strings.TrimSpace(text)})
		}
		t.Rows = append(t.Rows, cells)
	}
	return t
}

func (r Report) workSections(notes *footnotes) []Section {
	title, g := r.workGrid(notes)
	if g == nil {
		return nil
	}
	return append([]Section{{Title: title, Table: g.table(), Legend: []string{r.doubtLegend()}}}, r.ladder()...)
}

// verdictSections are the verdicts that the first screen shows, and what could not be told.
func (r Report) verdictSections() []Section {
	first, hidden := r.firstScreen()
	g := first.verdictGrid(unlimited)
	if len(g.rows) == 0 {
		return nil
	}
	verdicts := Section{Title: question, Table: g.table(), Legend: []string{r.verdictLegend()}}
	verdicts.Legend = append(verdicts.Legend, filled(
		listing("Load does not move", first.namesOf(Metric.silent), unlimited),
		listing("Lost in the background of every arm, and so without a ratio", first.namesOf(Metric.drowned), unlimited),
		first.byDefinition(attribution.Physical, unlimited), first.byDefinition(attribution.Logical, unlimited), hiddenText(hidden, "realiops analyze -v has them"))...)
	verdicts.Table.wholeNames()
	sections := []Section{verdicts}
	if len(r.Twins) > 0 {
		twins := Section{Title: twinsTitle}
		for _, t := range r.Twins {
			twins.Text = append(twins.Text, t.text())
		}
		sections = append(sections, twins)
	}
	if lines := r.waitLines(); len(lines) > 0 {
		sections = append(sections, Section{Title: waitsTitle, Text: lines})
	}
	var open []string
	for _, remark := range first.openRemarks() {
		open = append(open, strings.Join(remark.names, ", ")+": "+remark.text)
	}
	if len(open) > 0 {
		sections = append(sections, Section{Title: "What this run cannot tell", Text: open})
	}
	return sections
}

// wholeNames puts names together again that a narrow terminal breaks, and marks verdicts by a class of their own.
func (t *Table) wholeNames() {
	var rows [][]Cell
	for _, row := range t.Rows {
		name, verdict := &row[0], &row[1]
		if verdict.Text != "" {
			verdict.Class = strings.ReplaceAll(strings.ToLower(verdict.Text), " ", "-")
		} else if name.Text != "" {
			if after, called := strings.CutPrefix(name.Text, "called "); called {
				name.Text = " (called " + after + ")"
			}
			last := lastNamed(rows)
			last.Text += name.Text
			name.Text = ""
		}
		if slices.ContainsFunc(row, func(c Cell) bool { return c.Text != "" }) {
			rows = append(rows, row)
		}
	}
	t.Rows = rows
}

// lastNamed is the cell with the last name so far.
func lastNamed(rows [][]Cell) *Cell {
	for _, row := range slices.Backward(rows) {
		if row[0].Text != "" {
			return &row[0]
		}
	}
	return &Cell{}
}

// how says how it was measured.
func (r Report) how() []string {
	loaded := []string{
		fmt.Sprintf("%d arms, each a kind of load of its own, %s for %s s in random order (seed %d); each closed by its own checkpoint where that is allowed, so that it pays for the pages it left.",
			r.Run.Arms, upToTimes(r.Run.Replicates), fmt.Sprintf("%.4g", r.Run.ArmSeconds), r.Run.Seed),
		"What a metric counts, it keeps one ratio to, in every arm. A driver whose ratio moves is excluded; noise is never taken for an answer. docs/method.md has the method.",
	}
	if o := r.Observed; o != nil {
		loaded = []string{fmt.Sprintf("No load of ours: what the server did anyway was read, and cut into %d windows of %s s. Those of one kind of load are compared with those of the others. docs/observe.md has the method.",
			o.Windows, fmt.Sprintf("%.4g", o.WindowSeconds))}
	}
	said := append(loaded, r.whence())
	if r.Run.Provenance != "" {
		said = append(said, r.Run.Provenance)
	}
	return said
}

func upToTimes(n int) string {
	if n == 1 {
		return "once"
	}
	return fmt.Sprintf("up to %d times", n)
}

// whence is which run it is, and what made it where.
func (r Report) whence() string {
	run := fmt.Sprintf("run %s, %s", r.Run.ID, r.Run.Start.UTC().Format("2006-01-02 15:04 MST"))
	if h := r.Run.Host; h.OS != "" {
		return fmt.Sprintf("realiops %s, %s; %s/%s, %d CPUs.", r.Run.Realiops, run, h.OS, h.Arch, h.CPUs)
	}
	return capital(run) + "." // not of a machine that realiops saw
}

// repeat are the commands that lead here again.
func (r Report) repeat(size *Size) []string {
	file := r.Run.ID + ".jsonl"
	commands := []string{"realiops run --plan " + planName(r), "realiops analyze " + file + " -v"}
	if r.Observed != nil {
		commands[0] = "realiops observe --dsn URL"
	}
	if size != nil {
		commands = append(commands, size.command())
	}
	return commands
}

func planName(r Report) string {
	if r.Run.Plan == "" {
		return "FILE"
	}
	return r.Run.Plan
}

//go:embed page.html
var pageTemplate string

// HTML writes the page as one file that needs nothing else.
func HTML(w io.Writer, p Page) error {
	t, err := template.New("page").Funcs(template.FuncMap{"svg": svg, "soft": soft, "words": func(i, words int) bool { return i < words }}).Parse(pageTemplate)
	if err != nil {
		return fmt.Errorf("make the page: %w", err)
	}
	if err := t.Execute(w, p); err != nil {
		return fmt.Errorf("write the page: %w", err)
	}
	return nil
}

// soft is text that may be broken behind the parts of a name, where a page is narrow.
func soft(text string) template.HTML {
	return template.HTML(strings.NewReplacer("/", "/<wbr>", "_", "_<wbr>").Replace(strings.ReplaceAll(template.HTMLEscapeString(text), "&#39;", "'"))) //nolint:gosec // escaped
}

// svg is a picture as a part of the page; plot has escaped what is text in it.
func svg(p *plot.Picture) (template.HTML, error) {
	text, err := p.SVG()
	return template.HTML(text), err //nolint:gosec // see above
}
