package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/realiops/realiops/internal/analyze/catalog"
	"github.com/realiops/realiops/internal/analyze/plot"
)

// citations number the sources of limits and prices.
type citations struct {
	known catalog.Catalog
	keys  []string
}

// mark refers to sources, new ones or those named before.
func (c *citations) mark(keys []string) string {
	var numbers []int
	for _, key := range keys {
		i := slices.Index(c.keys, key)
		if i < 0 {
			i, c.keys = len(c.keys), append(c.keys, key)
		}
		if !slices.Contains(numbers, i+1) {
			numbers = append(numbers, i+1)
		}
	}
	slices.Sort(numbers)
	return strings.Trim(strings.ReplaceAll(fmt.Sprint(numbers), " ", ", "), "[]")
}

// list names the sources with their state.
func (c *citations) list() []string {
	var all []string
	for i, key := range c.keys {
		text := key
		if s, known := c.known.Source(key); known {
			text = fmt.Sprintf("%s, as of %s: %s", s.Title, s.State, s.Address)
		}
		all = append(all, fmt.Sprintf("(%d) %s", i+1, text))
	}
	return all
}

// sections show what to order, what it costs, and what the wrong number would have cost.
func (s Size) sections(cited *citations) []Section {
	all := []Section{{Title: needTitle, Table: s.needGrid().table(), Legend: append([]string{s.sizedFor()}, s.Warnings...)}}
	if title, g := s.detailGrid(); g != nil {
		all = append(all, Section{Title: title, Table: g.table(), Legend: []string{s.detailLegend()}})
	}
	if s.missingOptions() != "" || len(s.carrying()) > 0 {
		all = append(all, s.optionSection(cited))
	}
	all = append(all, s.creditSections()...)
	if g := s.sidesGrid(); g != nil {
		all = append(all, Section{Title: "What the wrong number would have cost, side by side", Table: g.table(), Legend: filled(s.misreadText())})
	}
	if text := s.auroraText(); text != "" {
		all = append(all, Section{Title: "The same load on Aurora", Text: []string{text}})
	}
	if text := s.spreadText(); text != "" {
		all = append(all, Section{Title: "The same load on distributed databases", Text: []string{text}})
	}
	return all
}

// command is the one that sizes so.
func (s Size) command() string {
	words := []string{"realiops size"}
	for _, r := range s.Sized.Runs {
		if file := r.ID + ".jsonl"; !slices.Contains(words, file) {
			words = append(words, file)
		}
	}
	if len(s.Sized.Runs) == 1 {
		words = append(words, "--arm "+quoted(s.Sized.Arm))
	}
	return strings.Join(append(words, fmt.Sprintf("--gib %.0f --headroom %.0f", s.Sized.GiB, s.Sized.Headroom)), " ")
}

// quoted is a name as a shell takes it for one.
func quoted(name string) string {
	if !strings.ContainsFunc(name, func(r rune) bool { return r == ' ' || strings.ContainsRune("'\"$&|;<>()*?`\\", r) }) {
		return name
	}
	return "'" + strings.ReplaceAll(name, "'", `'\''`) + "'"
}

// optionSection is what carries the load, with the sources of its limits and its price, and what does not.
func (s Size) optionSection(cited *citations) Section {
	section := Section{Title: optionTitle, Legend: filled(s.missingOptions())}
	options := s.carrying()
	if len(options) == 0 {
		section.Text = []string{"No volume here carries it."}
		return section
	}
	section.Table = s.optionGrid().table()
	section.Table.priceFirst()
	section.Table.Header = append(section.Table.Header, "sources")
	for i, o := range options {
		row := section.Table.Rows[i]
		row[1].Hover = o.billText()
		section.Table.Rows[i] = append(row, Cell{Text: cited.mark(o.sourceKeys())})
	}
	section.Legend = slices.Concat([]string{s.optionLegend() + " Sources have their numbers below."}, section.Legend, s.unverified())
	return section
}

// priceFirst brings the last column next to the names, where a phone shows it.
func (t *Table) priceFirst() {
	last := len(t.Header) - 1
	t.Header = slices.Insert(t.Header[:last:last], 1, t.Header[last])
	for i, row := range t.Rows {
		t.Rows[i] = slices.Insert(row[:last:last], 1, row[last])
	}
}

// sourceKeys are the sources of an option's limits and of its price.
func (o SizeOption) sourceKeys() []string {
	keys := slices.Clone(o.Sources)
	for _, l := range o.Bill {
		keys = append(keys, l.Source)
	}
	return slices.DeleteFunc(keys, func(key string) bool { return key == "" })
}

// billText is what the monthly price is made of.
func (o SizeOption) billText() string {
	var parts []string
	for _, l := range o.Bill {
		parts = append(parts, fmt.Sprintf("%s: %s", l.What, grouped(l.Amount, 2)))
	}
	return strings.Join(parts, "; ")
}

// missingOptions names what does not carry it.
func (s Size) missingOptions() string {
	var titles []string
	for _, o := range s.Options {
		if o.Why != "" {
			titles = append(titles, o.Title)
		}
	}
	if len(titles) == 0 {
		return ""
	}
	return "Too small at any size: " + strings.Join(titles, ", ") + "."
}

// unverified says what is not sure of the volumes that carry it.
func (s Size) unverified() []string {
	var all []string
	for _, o := range s.carrying() {
		if o.Unverified != "" {
			all = append(all, o.Title+": "+o.Unverified+".")
		}
	}
	return all
}

// sidesGrid holds what is ordered for the device's requests against what would have been for log records; nil: there are
// none, or they have no factor.
func (s Size) sidesGrid() *grid {
	m := s.Misread
	if m == nil {
		return nil
	}
	g := newGrid("sized from", []string{"what the device did (real)", "log records, read as IOPS"})
	real, wrong := "none carries it", "none carries it"
	var paid *float64
	if o := s.cheapest(); o != nil {
		real, paid = o.name(), o.Monthly
	}
	if m.Volume != "" {
		wrong = m.Volume
	}
	g.add(s.currency()+" a month", []string{known(paid, 1), known(m.Cheapest, 1)})
	g.add("the cheapest that carries it", []string{real, wrong})
	g.add("requests a second", []string{rate(s.Sized.Rate.Requests), rate(m.Requests)})
	if s.Aurora != nil && s.Aurora.IOCost != nil {
		g.add("Aurora's I/O, "+s.currency()+" a month", []string{rate(s.Aurora.IOCost[0]) + " to " + rate(s.Aurora.IOCost[2]), known(m.IOCost, 1)})
	}
	return g
}

// cheapest is the option that is known to carry it for the least money, where an instance was asked for behind that; nil:
// none has a price that is no estimate.
func (s Size) cheapest() *SizeOption {
	var best *SizeOption
	for _, o := range s.carrying() {
		through := s.Sized.Instance == "" || o.Instance != nil && o.Instance.Carries
		if o.Monthly != nil && o.Span == nil && o.Carries != nil && through && (best == nil || *o.Monthly < *best.Monthly) {
			best = &o
		}
	}
	return best
}

// creditSections show how long credits last, in tables and as curves.
func (s Size) creditSections() []Section {
	var all []Section
	for _, of := range []func() (string, *grid){s.creditGrid, s.bareGrid} {
		if title, g := of(); g != nil {
			all = append(all, Section{Title: title, Table: g.table()})
		}
	}
	if len(all) == 0 {
		return nil
	}
	balance, served := s.balanceCurves(), s.servedCurves()
	if len(balance.Lines) > 0 {
		all = append(all, Section{
			Title: balance.Title, Pictures: []*plot.Picture{balance},
			Legend: []string{"The seconds that were recorded, over and over. Where a line reaches 0 the volume falls back to what it carries without credits."},
		})
	}
	if len(served) > 0 {
		all = append(all, Section{Title: "What is asked for, and what goes through", Pictures: served})
	}
	return all
}

// hour is what the X axis of a curve is in, in seconds.
const hour = 3600

// balanceCurves show what is left of the credits.
func (s Size) balanceCurves() *plot.Picture {
	p := &plot.Picture{
		Title: "How long credits last", X: plot.Axis{Label: "hours of this load"}, Y: plot.Axis{Label: "credits left, %", Min: 0, Max: 105},
	}
	var said []string
	draw := func(o SizeOption, c *SizeCredits) {
		if c == nil {
			return
		}
		name := strings.TrimSpace(fmt.Sprintf("%s %s %s GiB", o.Title, c.Tier, grouped(c.GiB, 0)))
		line := plot.Line{Name: name, Points: []plot.Point{{X: 0, Y: c.Start}}}
		for i := range c.Curve.Second {
			at := c.Curve.end(i, c.Seconds) / hour
			text := fmt.Sprintf("%s: %s %% left after %s h", name, rate(c.Curve.Balance[i]), rate(at))
			line.Points = append(line.Points, plot.Point{X: at, Y: c.Curve.Balance[i], Text: text})
		}
		p.Lines = append(p.Lines, line)
		said = append(said, name+": "+c.fate())
	}
	for _, o := range s.Options {
		draw(o, o.Bare)
		draw(o, o.Credits)
	}
	p.Text = strings.Join(said, "; ") + "."
	return p
}

// fate says in words how the credits fare.
func (c SizeCredits) fate() string {
	if c.Dry != nil {
		return "empty after " + hours(*c.Dry)
	}
	return fmt.Sprintf("never below %s %%, %s %% at the end", grouped(c.Lowest, 0), grouped(c.Left, 0))
}

// end is the second with which a stretch of the curve ends.
func (c SizeCurve) end(i, last int) float64 {
	if i+1 < len(c.Second) {
		return float64(c.Second[i+1])
	}
	return float64(last)
}

// servedCurves show, for each volume whose credits end, what is asked for and what goes through, as the bucket counts that
// runs dry.
func (s Size) servedCurves() []*plot.Picture {
	var all []*plot.Picture
	for _, o := range s.Options {
		c := o.Bare
		if c == nil {
			continue
		}
		unit, asked, served := "operations a second", c.Curve.Demanded, c.Curve.Served
		if strings.Contains(c.Bucket, "bytes") {
			unit, asked, served = "MB a second", c.Curve.DemandedMB, c.Curve.ServedMB
		}
		name := strings.TrimSpace(fmt.Sprintf("%s %s %s GiB", o.Title, c.Tier, grouped(c.GiB, 0)))
		p := &plot.Picture{
			Title: name, Size: panel(), X: plot.Axis{Label: "hours of this load"}, Y: plot.Axis{Label: unit},
			Lines: []plot.Line{c.Curve.line("asked for", unit, asked, c.Seconds), c.Curve.line("served", unit, served, c.Seconds)},
			Text:  fmt.Sprintf("%s: %s; then %s operations and %s MB a second go through.", name, c.fate(), rate(c.Served.Operations), rate(c.Served.Bytes/megabyte)),
		}
		p.Y.Max = 1.1 * highest(p.Lines)
		all = append(all, p)
	}
	return all
}

func highest(lines []plot.Line) float64 {
	most := 0.0
	for _, l := range lines {
		for _, at := range l.Points {
			most = max(most, at.Y)
		}
	}
	return most
}

// line is a column of the curve.
func (c SizeCurve) line(name, unit string, column []float64, last int) plot.Line {
	line := plot.Line{Name: name}
	for i, v := range column {
		from, to := float64(c.Second[i])/hour, c.end(i, last)/hour
		text := fmt.Sprintf("%s h: %s %s %s", rate(from), rate(v), unit, name)
		line.Points = append(line.Points, plot.Point{X: from, Y: v, Text: text}, plot.Point{X: to, Y: v})
	}
	return line
}

// filled leaves out texts that are empty.
func filled(texts ...string) []string {
	return slices.DeleteFunc(texts, func(s string) bool { return s == "" })
}
