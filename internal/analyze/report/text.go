package report

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/realiops/realiops/internal/analyze/drivers"
)

// narrowest is the width below which nothing is laid out any narrower.
const narrowest = 40

// Text writes the report for people, in lines of at most width columns where words allow it: what was measured and what
// makes it lie, the headline, the same work counted in several ways, what each metric counts, and what cannot be told.
func Text(w io.Writer, r Report, width int) error {
	width = max(width, narrowest)
	notes := &footnotes{}
	r, hidden := r.learned().firstScreen()
	sections := []string{
		wrapped(r.target(), width),
		r.warned(true, width),
		r.headlineText(width),
		r.observedText(width),
		r.workTable(notes, width),
		r.topText(notes, width),
		joined(r.verdictTable(width), hiddenText(hidden, "-v")),
		r.twinsText(width),
		r.waitsText(width),
		r.openText(width),
		joined(notes.text(width), r.cautions(width), r.warned(false, width)),
	}
	return write(w, sections)
}

// learned leaves out the metrics of an observation that found no load: there is nothing to say of any.
func (r Report) learned() Report {
	if r.Observed != nil && len(r.loaded()) == 0 {
		r.Metrics = nil
	}
	return r
}

// write puts a blank line between sections that are not empty.
func write(w io.Writer, sections []string) error {
	var filled []string
	for _, s := range sections {
		if s != "" {
			filled = append(filled, s)
		}
	}
	_, err := io.WriteString(w, strings.Join(filled, "\n\n")+"\n")
	if err != nil {
		return fmt.Errorf("write the report: %w", err)
	}
	return nil
}

// joined puts texts that are not empty on lines of their own.
func joined(texts ...string) string {
	var filled []string
	for _, t := range texts {
		if t != "" {
			filled = append(filled, t)
		}
	}
	return strings.Join(filled, "\n")
}

// aloneKind is the kind of target of a baseline, which has no server.
const aloneKind = "directory"

// target says in one sentence what was measured.
func (r Report) target() string {
	t := r.Run.Target
	if t.Kind == aloneKind {
		return strings.Join(append([]string{"storage alone, in " + t.Storage.Directory, under(t.Storage)}, r.background()...), "; ")
	}
	parts := []string{serverName(t.Flavor) + " " + t.Version + place(r)}
	if fsync := t.Settings["fsync"]; fsync != "" {
		parts = append(parts, "fsync "+fsync)
	}
	if storage := under(t.Storage); storage != "" {
		parts = append(parts, storage)
	}
	if r.Observed != nil {
		return strings.Join(append(parts, r.Observed.windows()), "; ")
	}
	parts = append(parts, fmt.Sprintf("%d arms x %d replicates x %.4g s", r.Run.Arms, r.Run.Replicates, r.Run.ArmSeconds))
	return strings.Join(append(parts, r.background()...), "; ")
}

// background says what the device did without our load, where that was measured.
func (r Report) background() []string {
	requests, flushes := idleWork(r.Arms, drivers.DeviceRequests), idleWork(r.Arms, drivers.DeviceFlushes)
	switch {
	case !requests.Known():
		return nil
	case requests.Value <= 0 && flushes.Value <= 0:
		return []string{"idle, the device did nothing"}
	default:
		return []string{fmt.Sprintf("idle, the device did %s %s requests/s and %s %s flushes/s, which are taken off",
			rate(requests.Value), requests.doubt(), rate(flushes.Value), flushes.doubt())}
	}
}

func serverName(flavor string) string {
	switch flavor {
	case "aurora":
		return "Aurora PostgreSQL"
	case "rds":
		return "RDS for PostgreSQL"
	default:
		return "PostgreSQL"
	}
}

// place is where the server ran.
func place(r Report) string {
	t := r.Run.Target
	switch {
	case t.Kind == "container":
		return ", container" + inBrackets(t.Image)
	case t.Kind == "dsn" && t.Host != "":
		return ", at " + t.Host
	case t.Kind == "dsn":
		return ""
	default:
		return ", " + t.Kind
	}
}

func inBrackets(s string) string {
	if s == "" {
		return ""
	}
	return " (" + s + ")"
}

// warned are the warnings of one sort, each a paragraph.
func (r Report) warned(conditions bool, width int) string {
	mark := map[bool]string{true: "! ", false: "- "}[conditions]
	var all []string
	for _, w := range r.Warnings {
		if w.Condition == conditions {
			all = append(all, bulleted(mark, w.Text, width))
		}
	}
	return strings.Join(all, "\n")
}

func (r Report) headlineText(width int) string {
	if r.Headline == nil {
		return ""
	}
	return wrapped(r.Headline.Text, width)
}

// footnotes number the reasons for figures that are missing.
type footnotes struct{ reasons []string }

// cell is what stands in place of a missing figure.
func (n *footnotes) cell(why *Missing) string { return "- " + n.mark(why.text()) }

// mark refers to a footnote, a new one or one that says the same.
func (n *footnotes) mark(reason string) string {
	i := slices.Index(n.reasons, reason)
	if i < 0 {
		i = len(n.reasons)
		n.reasons = append(n.reasons, reason)
	}
	return fmt.Sprintf("(%d)", i+1)
}

func (n *footnotes) text(width int) string {
	var all []string
	for i, reason := range n.reasons {
		all = append(all, bulleted(fmt.Sprintf("(%d) ", i+1), reason, width))
	}
	return strings.Join(all, "\n")
}
