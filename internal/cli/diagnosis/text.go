package diagnosis

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"strings"
	"time"

	"github.com/jedib0t/go-pretty/v6/text"

	"github.com/realiops/realiops/internal/runfile"
)

// JSON writes the diagnosis as one object.
func JSON(w io.Writer, d Diagnosis) error {
	encoder := json.NewEncoder(w)
	encoder.SetIndent("", "  ")
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(d); err != nil {
		return fmt.Errorf("write the diagnosis: %w", err)
	}
	return nil
}

// Text writes the diagnosis for people, in lines of at most width columns where words allow it.
func Text(w io.Writer, d Diagnosis, width int) error {
	p := page{width: width}
	p.paragraph("", d.target())
	p.blank()
	p.paragraph("", d.verdict())
	p.drivers("A metric can be found here to count:", d.Drivers, true)
	p.drivers("No metric can be found here to count:", d.Drivers, false)
	p.sources(d.Sources)
	p.cautions(d.Cautions)
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

// column is as wide as the longest name of a driver or a source, with two spaces.
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
		p.paragraph(lead(d.Name), d.Help)
	}
}

func lead(name string) string { return text.Pad("  "+name, column, ' ') }

func (p *page) sources(all []Source) {
	p.blank()
	p.paragraph("", "Sources, and how many of their figures this user can read:")
	for _, s := range all {
		p.paragraph(lead(s.Name), fmt.Sprintf("%d of %d", s.Read, s.Of))
		for _, gap := range s.Gaps {
			p.gap(s, gap)
		}
	}
}

func (p *page) gap(s Source, gap Gap) {
	words := gap.Reason
	if gap.Detail != "" {
		words += ": " + gap.Detail
	}
	if gap.Code != "" {
		words += " (" + gap.Code + ")"
	}
	if len(gap.Metrics) < s.Of {
		words = strings.Join(columns(gap.Metrics), ", ") + ": " + words
	}
	p.paragraph("    - ", words)
	if len(gap.Costs) > 0 {
		p.paragraph("      costs: ", strings.Join(gap.Costs, ", "))
	}
	if gap.Remedy != "" {
		p.paragraph("      to do: ", gap.Remedy)
	}
}

// columns are the names without the source's.
func columns(metrics []string) []string {
	var short []string
	for _, m := range metrics {
		short = append(short, strings.TrimPrefix(m, view(m)+"/"))
	}
	return short
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
