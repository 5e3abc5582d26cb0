package document

import (
	"fmt"
	"io"
	"strings"
)

// Markdown writes a document for a ticket, without its pictures.
func Markdown(w io.Writer, d Document) error {
	m := &markdown{depth: 1}
	if d.Heading != "" {
		m.line("# ", d.Heading)
	}
	m.blocks(d.Blocks)
	if _, err := io.WriteString(w, strings.TrimRight(m.text.String(), "\n")+"\n"); err != nil {
		return fmt.Errorf("write the report: %w", err)
	}
	return nil
}

type markdown struct {
	text  strings.Builder
	notes footnotes
	depth int
}

// escaped keeps text from being taken for markup. All text in the document must pass through it.
func escaped(s string) string {
	return strings.NewReplacer(`\`, `\\`, "*", `\*`, "_", `\_`, "`", "\\`", "|", `\|`, "[", `\[`, "]", `\]`, "<",
		"&lt;", ">", "&gt;", "&", "&amp;", "#", `\#`, "~", `\~`).Replace(safe(s))
}

// line writes a paragraph after a mark.
func (m *markdown) line(mark, s string) {
	if s == "" {
		return
	}
	if s = escaped(s); strings.HasPrefix(s, "- ") || strings.HasPrefix(s, "+ ") {
		s = `\` + s // otherwise it begins a list
	}
	m.text.WriteString(mark + s + "\n\n")
}

func (m *markdown) blocks(all []Block) {
	for _, b := range flat(all, InMarkdown) {
		m.block(b)
	}
}

func (m *markdown) block(b Block) {
	switch b := b.(type) {
	case Section:
		m.section(b)
	case Paragraph:
		m.line(map[Style]string{Headline: "> "}[b.Style], b.Text)
	case List:
		m.list(b)
	case Warnings:
		for _, w := range b {
			m.text.WriteString("**" + escaped(w.marked()) + "**\n\n")
		}
	case Points:
		m.points(b)
	case Terms:
		m.terms(b)
	case Answers:
		for _, a := range b {
			m.text.WriteString("**" + escaped(a.Question) + "**\n\n")
			m.list(a.Texts)
		}
	case Notes:
		m.section(Section{Title: b.Title, Blocks: []Block{List(append(m.notes.items(), b.Remarks...))}})
	case Command:
		m.line("", b.Lead)
		m.fenced(b.texts())
	case Example:
		m.fenced(b)
	case Table:
		m.table(b.in(InMarkdown))
	}
}

// section writes a section, and omits it if it is empty.
func (m *markdown) section(s Section) {
	before := m.text.String()
	m.depth++
	m.line(strings.Repeat("#", m.depth)+" ", s.Title)
	bare := m.text.Len()
	m.blocks(s.Blocks)
	m.depth--
	if m.text.Len() == bare {
		m.text.Reset()
		m.text.WriteString(before)
	}
}

func (m *markdown) list(items []string) {
	for _, item := range items {
		m.text.WriteString("- " + escaped(item) + "\n")
	}
	if len(items) > 0 {
		m.text.WriteByte('\n')
	}
}

func (m *markdown) points(all Points) {
	for _, p := range all {
		bold := map[bool]string{true: "**"}[p.Grave]
		m.text.WriteString("- " + bold + escaped(p.Text) + bold + "\n")
		for _, below := range p.Below {
			m.text.WriteString("  - " + escaped(below) + "\n")
		}
	}
	if len(all) > 0 {
		m.text.WriteByte('\n')
	}
}

func (m *markdown) terms(all Terms) {
	for _, t := range all {
		m.text.WriteString("- **" + escaped(t.Name) + "**: " + escaped(strings.Join(t.Texts, "; ")) + "\n")
	}
	if len(all) > 0 {
		m.text.WriteByte('\n')
	}
}

// fenced writes lines verbatim, between fences that no line closes.
func (m *markdown) fenced(lines []string) {
	fence := "```"
	for _, line := range lines {
		for strings.Contains(line, fence) {
			fence += "`"
		}
	}
	m.text.WriteString(fence + "\n")
	for _, line := range lines {
		m.text.WriteString(safe(line) + "\n")
	}
	m.text.WriteString(fence + "\n\n")
}

func (m *markdown) table(t Table) {
	if len(t.Rows) == 0 {
		return
	}
	m.line("", t.Caption)
	row := func(cells []string) { m.text.WriteString("| " + strings.Join(cells, " | ") + " |\n") }
	var headers, rule []string
	for _, c := range t.Columns {
		headers = append(headers, escaped(header(c.Header, "")))
		rule = append(rule, map[bool]string{true: "---", false: "---:"}[c.Words])
	}
	row(headers)
	row(rule)
	for _, r := range t.Rows {
		var texts []string
		for _, c := range r.Cells {
			texts = append(texts, m.cell(c))
		}
		row(texts)
	}
	m.text.WriteByte('\n')
}

func (m *markdown) cell(c Cell) string {
	text := strings.TrimSpace(c.Text + " " + c.PlusMinus)
	if c.Also != "" {
		text += " (" + c.Also + ")"
	}
	if c.Note != "" {
		text += fmt.Sprintf(" (%d)", m.notes.mark(c.Note))
	}
	return escaped(text)
}
