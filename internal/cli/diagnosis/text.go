package diagnosis

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/jedib0t/go-pretty/v6/text"

	"github.com/realiops/realiops/internal/metric"
	"github.com/realiops/realiops/internal/printable"
	"github.com/realiops/realiops/internal/runfile"
)

// Text writes the diagnosis for people, in lines of at most width columns where words allow it.
func Text(w io.Writer, d Diagnosis, width int) error {
	p := page{width: width}
	p.paragraph("", d.target())
	p.blank()
	p.paragraph("", d.verdict())
	p.aws(d.AWS, d.Target)
	found := "A metric can be found here to count:"
	if d.Refusal != "" {
		found = "Once that is mended, a metric can be found here to count:"
	}
	p.drivers(found, d.Drivers, true)
	p.drivers("No metric can be found here to count:", d.Drivers, false)
	p.gaps("What is missing here, and what that costs:", d.Sources, costly)
	p.cautions(d.Cautions)
	p.gaps("What could be read beside, for a closer look:", d.Sources, remediable)
	p.sources(d.Sources)
	if _, err := io.WriteString(w, p.text.String()); err != nil {
		return fmt.Errorf("write the diagnosis: %w", err)
	}
	return nil
}

func (d Diagnosis) target() string {
	t := d.Target
	name := "PostgreSQL"
	if t.Flavor != "" && t.Flavor != "postgres" {
		name += " (" + t.Flavor + ")"
	}
	where := "at " + t.Host
	if t.Kind != "dsn" {
		where = t.Kind
	}
	return fmt.Sprintf("%s %s, %s; user %s, database %s; %s.", name, t.Version, where, t.User, t.Database, offset(d.Clock))
}

// offset says how the server's clock goes beside ours. A difference within the error is none.
func offset(c runfile.Clock) string {
	seconds := func(s float64) string {
		return time.Duration(s * float64(time.Second)).Round(10 * time.Microsecond).String()
	}
	switch {
	case c.Source == "":
		return "its clock was not asked for"
	case math.Abs(c.Offset) <= c.Error:
		return "its clock goes with ours, within " + seconds(c.Error)
	case c.Offset > 0:
		return fmt.Sprintf("its clock is ahead of ours by %s (± %s)", seconds(c.Offset), seconds(c.Error))
	default:
		return fmt.Sprintf("its clock is behind ours by %s (± %s)", seconds(-c.Offset), seconds(c.Error))
	}
}

func (d Diagnosis) verdict() string {
	lost := len(d.unknown())
	switch {
	case d.Refusal != "":
		return "NO RUN WOULD BEGIN HERE: " + d.Refusal + "."
	case !d.Concludes:
		return "A RUN WOULD CONCLUDE NOTHING HERE: nothing that can be read tells what storage has to do, so no metric can be told to count it or not."
	case lost > 0:
		return fmt.Sprintf("A run can conclude here, though not everything: %d of the %d ways to count the work cannot be known.", lost, len(d.Drivers))
	default:
		return fmt.Sprintf("A run can conclude here: all %d ways to count the work can be known.", len(d.Drivers))
	}
}

// page is text that grows line by line.
type page struct {
	text  strings.Builder
	width int
}

func (p *page) blank() { p.text.WriteByte('\n') }

// paragraph puts words after a lead, and aligns the lines below with them.
func (p *page) paragraph(lead, words string) {
	lead, words = printable.Line(lead), printable.Line(words)
	indent := strings.Repeat(" ", text.StringWidth(lead))
	for i, line := range strings.Split(text.WrapSoft(words, max(p.width-len(indent), narrowest)), "\n") {
		if i > 0 {
			lead = indent
		}
		p.text.WriteString(strings.TrimRight(lead+strings.TrimRight(line, " "), " ") + "\n")
	}
}

// narrowest is the width below which nothing is broken any narrower.
const narrowest = 30

// column is as wide as the longest name of a quantity or a source, with two spaces.
const column = 22

func (p *page) drivers(heading string, all []Driver, known bool) {
	first := true
	for _, d := range all {
		if d.Known != known {
			continue
		}
		if first {
			p.blank()
			p.paragraph("", heading)
			first = false
		}
		p.paragraph(lead(metric.Quantity(d.Name).Many()), d.Help)
	}
}

func lead(name string) string { return text.Pad("  "+name, column, ' ') }

// sources counts what can be read of each.
func (p *page) sources(all []Source) {
	p.blank()
	p.paragraph("", "Sources, and how many of their figures can be read here:")
	for _, s := range all {
		p.paragraph(lead(s.Name), fmt.Sprintf("%d of %d%s", s.Read, s.Of, s.elsewhere()))
	}
}

// elsewhere says how much of a source other servers have, at no cost to this one; or why, where nothing is left.
func (s Source) elsewhere() string {
	if len(s.Gaps) == 1 && s.Gaps[0].never() && s.Read == 0 {
		return ": " + s.Gaps[0].words()
	}
	n := 0
	for _, g := range s.Gaps {
		if g.never() {
			n += len(g.Metrics)
		}
	}
	if n == 0 {
		return ""
	}
	return fmt.Sprintf(" (%d that other servers have)", n)
}

// never tells whether the figure is not to be had from this server, and nothing is lost with it.
func (g Gap) never() bool { return g.Reason == string(runfile.Unsupported) && len(g.Costs) == 0 }

// costly and remediable are the gaps that people are told of.
func costly(g Gap) bool     { return len(g.Costs) > 0 }
func remediable(g Gap) bool { return !costly(g) && !g.never() }

// gaps lists those that are wanted, those of several sources with one cause together.
func (p *page) gaps(heading string, all []Source, wanted func(Gap) bool) {
	var causes []cause
	for _, s := range all {
		for _, g := range s.Gaps {
			if wanted(g) {
				causes = grouped(causes, s, g)
			}
		}
	}
	if len(causes) == 0 {
		return
	}
	p.blank()
	p.paragraph("", heading)
	for _, c := range causes {
		p.cause(c)
	}
}

// cause is one reason for gaps of several sources.
type cause struct {
	Missing
	remedy string
	what   []string
	costs  []string
}

func grouped(causes []cause, s Source, g Gap) []cause {
	i := slices.IndexFunc(causes, func(c cause) bool { return c.Missing == g.Missing && c.remedy == g.Remedy })
	if i < 0 {
		i = len(causes)
		causes = append(causes, cause{Missing: g.Missing, remedy: g.Remedy})
	}
	c := &causes[i]
	c.what = append(c.what, s.part(g))
	for _, driver := range g.Costs {
		if !slices.Contains(c.costs, driver) {
			c.costs = append(c.costs, driver)
		}
	}
	return causes
}

// named is up to how many figures are named one by one.
const named = 5

// part is what a gap takes of its source.
func (s Source) part(g Gap) string {
	switch n := len(g.Metrics); {
	case n == s.Of:
		return s.Name
	case n > named:
		return fmt.Sprintf("%s (%d of %d)", s.Name, n, s.Of)
	default:
		return strings.Join(printed(g.Metrics), ", ")
	}
}

func (p *page) cause(c cause) {
	p.paragraph("  - ", strings.Join(c.what, ", ")+": "+c.words())
	if len(c.costs) > 0 {
		var counted []string
		for _, name := range c.costs {
			counted = append(counted, metric.Quantity(name).Many())
		}
		p.paragraph("    costs: ", strings.Join(counted, ", "))
	}
	if c.remedy != "" {
		p.paragraph("    to do: ", c.remedy)
	}
}

func (m Missing) words() string {
	words := m.Reason
	if m.Detail != "" {
		words = m.Detail
	}
	if m.Code != "" {
		words += " (" + m.Code + ")"
	}
	return words
}

// printed are metrics as people write them.
func printed(names []string) []string {
	var all []string
	for _, name := range names {
		all = append(all, metric.Printed(name, 0))
	}
	return all
}

func (p *page) cautions(all []Caution) {
	if len(all) == 0 {
		return
	}
	p.blank()
	p.paragraph("", "Before you believe the numbers:")
	for _, c := range all {
		p.paragraph("  ! ", c.Text)
		if c.Remedy != "" {
			p.paragraph("    to do: ", c.Remedy)
		}
	}
}
