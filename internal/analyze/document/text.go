package document

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode"

	"github.com/jedib0t/go-pretty/v6/text"
)

// narrowest is the least width of a layout.
const narrowest = 40

// Text writes a document in lines of at most width columns, if words allow it.
func Text(w io.Writer, d Document, width int) error {
	t := textWriter{width: max(width, narrowest)}
	if _, err := io.WriteString(w, t.noted(d.Blocks)+"\n"); err != nil {
		return fmt.Errorf("write the report: %w", err)
	}
	return nil
}

type textWriter struct {
	width int
	notes footnotes
}

// noted returns the blocks, each followed by its footnotes.
func (t *textWriter) noted(blocks []Block) string {
	var parts []string
	for _, b := range shown(blocks, InText) {
		part := t.block(b, "\n\n")
		if notes := t.footnotes(); part != "" && notes != "" {
			part += "\n" + notes
		}
		if part != "" {
			parts = append(parts, part)
		}
	}
	return strings.Join(parts, "\n\n")
}

// all returns the blocks with gap between them, and under between a title and its content.
func (t *textWriter) all(blocks []Block, gap, under string) string {
	var parts []string
	for _, b := range shown(blocks, InText) {
		if part := t.block(b, under); part != "" {
			parts = append(parts, part)
		}
	}
	return strings.Join(parts, gap)
}

func (t *textWriter) block(b Block, under string) string {
	switch b := b.(type) {
	case Section:
		content := t.all(b.Blocks, "\n\n", "\n")
		if content == "" {
			return ""
		}
		return t.hanging("", b.Title) + under + content
	case Together:
		return t.all(b, "\n", under)
	case Paragraph:
		return t.hanging("", b.Text)
	case List:
		return t.each("- ", b)
	case Points:
		return t.points(b)
	case Terms:
		return t.terms(b)
	case Warnings:
		var marked []string
		for _, w := range b {
			marked = append(marked, w.marked())
		}
		return t.each("! ", marked)
	case Answers:
		var lines []string
		for _, a := range b {
			lines = append(lines, t.hanging("", a.Question), t.each("  ", a.Texts))
		}
		return strings.Join(lines, "\n")
	case Notes:
		return t.foot(b)
	case Command:
		return t.command(b.Lead, b.texts())
	case Example:
		return t.command("", b)
	case Table:
		return t.table(b.in(InText))
	default: // a picture
		return ""
	}
}

// hanging returns a paragraph after a mark, with its further lines indented.
func (t *textWriter) hanging(mark, words string) string {
	if words = plain(words); words == "" {
		return ""
	}
	indent := displayWidth(mark)
	return mark + strings.Join(wrapped(words, t.width-indent), "\n"+strings.Repeat(" ", indent))
}

// commandMark begins a line that a GitHub workflow executes, even after spaces.
const commandMark = "::"

// wrapped wraps words in lines of at most width columns. It does not break a longer word, which may be copied, and does
// not begin a line with a word that looks like a command.
func wrapped(words string, width int) (lines []string) {
	column := width
	mayBreak := func(r rune) bool { return unicode.IsSpace(r) && r != '\u00a0' }
	for word := range strings.FieldsFuncSeq(words, mayBreak) {
		letters := displayWidth(word)
		if len(lines) == 0 || column+1+letters > width && !strings.HasPrefix(word, commandMark) {
			lines, column = append(lines, word), letters
		} else {
			lines[len(lines)-1] += " " + word
			column += 1 + letters
		}
	}
	return lines
}

// Message formats a message beside a document, with its further lines indented. With width 0 it is one line, for
// programs that read by line.
func Message(words string, width int) string {
	words = safe(words)
	const indent = "  "
	if width > 0 {
		words = strings.Join(wrapped(words, max(width, narrowest)-len(indent)), "\n"+indent)
	}
	return strings.ReplaceAll(words, "\u00a0", " ")
}

func (t *textWriter) each(mark string, items []string) string {
	var lines []string
	for _, item := range items {
		if item != "" {
			lines = append(lines, t.hanging(mark, item))
		}
	}
	return strings.Join(lines, "\n")
}

func (t *textWriter) points(all Points) string {
	var lines []string
	for _, p := range all {
		lines = append(lines, t.hanging(map[bool]string{false: "- ", true: "! "}[p.Grave], p.Text))
		if len(p.Below) > 0 {
			lines = append(lines, t.each("  ", p.Below))
		}
	}
	return strings.Join(lines, "\n")
}

// terms puts terms to the left of their explanations, or above if they are long.
func (t *textWriter) terms(all Terms) string {
	const indent, gap = 2, 2
	column := 0
	for _, term := range all {
		column = max(column, indent+displayWidth(plain(term.Name))+gap)
	}
	column = min(column, t.width/2)
	var lines []string
	for _, term := range all {
		lead := strings.Repeat(" ", indent) + plain(term.Name)
		if displayWidth(lead) >= column || len(term.Texts) == 0 {
			lines = append(lines, lead)
			lead = ""
		}
		for _, paragraph := range term.Texts {
			lines = append(lines, t.hanging(text.Pad(lead, column, ' '), paragraph))
			lead = ""
		}
	}
	return strings.Join(lines, "\n")
}

// footnotes returns those that are not written yet.
func (t *textWriter) footnotes() string {
	var lines []string
	for i, note := range t.notes.take() {
		lines = append(lines, t.hanging(fmt.Sprintf("(%d) ", i+1), note))
	}
	return strings.Join(lines, "\n")
}

func (t *textWriter) foot(n Notes) string {
	remarks := t.each("- ", n.Remarks)
	if remarks != "" && n.Title != "" {
		remarks = t.hanging("", n.Title) + "\n\n" + remarks
	}
	return strings.Join(slices.DeleteFunc([]string{t.footnotes(), remarks}, func(s string) bool {
		return s == ""
	}), "\n")
}

// command puts a command on one line with its purpose if it fits, and never wraps it.
func (t *textWriter) command(lead string, all []string) string {
	if line := plain(lead + " " + strings.Join(all, " ")); len(all) == 1 && displayWidth(line) <= t.width {
		return line
	}
	lines := []string{}
	if lead != "" {
		lines = append(lines, t.hanging("", lead))
	}
	for _, line := range all {
		lines = append(lines, "  "+plain(line))
	}
	return strings.Join(lines, "\n")
}

// plain returns text for a terminal, with plain spaces for no-break spaces.
func plain(s string) string {
	s = strings.ReplaceAll(safe(s), "\u00a0", " ")
	if strings.HasPrefix(s, commandMark) {
		return `\x3A` + s[1:]
	}
	return s
}

// displayWidth returns the number of columns that s takes on a terminal.
func displayWidth(s string) int {
	for i := range len(s) {
		if s[i] < ' ' || s[i] > '~' {
			return text.StringWidth(s) // which takes a hundred times as long
		}
	}
	return len(s)
}

// Coloured returns a writer that colours verdicts in text, for a terminal. Widths do not change.
func Coloured(terminal io.Writer) io.Writer { return coloured{terminal} }

type coloured struct{ io.Writer }

// inColour colours the words of verdicts by what to do: rely on it, beware, look further.
var inColour = strings.NewReplacer(
	"PHYSICAL", green+"PHYSICAL"+usual,
	"REQUESTED", yellow+"REQUESTED"+usual,
	"NOT LOGICAL", yellow+"NOT LOGICAL"+usual,
	"LOGICAL", yellow+"LOGICAL"+usual,
	"MIXED", yellow+"MIXED"+usual,
	"CANNOT TELL", faded+"CANNOT TELL"+usual,
)

// Control sequences of ECMA-48, which every colour terminal supports.
const (
	green  = "\x1b[32m"
	yellow = "\x1b[33m"
	faded  = "\x1b[2m"
	usual  = "\x1b[0m"
)

// Write colours the output of [Text], in which text from elsewhere has no control characters left.
func (c coloured) Write(p []byte) (int, error) {
	if _, err := inColour.WriteString(c.Writer, string(p)); err != nil {
		return 0, err
	}
	return len(p), nil
}
