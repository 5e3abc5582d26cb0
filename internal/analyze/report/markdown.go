package report

import (
	"fmt"
	"io"
	"slices"
	"strings"
)

// Markdown writes the page for a ticket, without its pictures.
func Markdown(w io.Writer, p Page) error {
	var text strings.Builder
	paragraph := func(s string) {
		if s != "" {
			text.WriteString(escaped(s) + "\n\n")
		}
	}
	text.WriteString("# " + escaped(p.Heading) + "\n\n")
	paragraph(p.Target)
	for _, c := range p.Conditions {
		text.WriteString("**" + escaped(c) + "**\n\n")
	}
	if p.Headline != "" {
		text.WriteString("> " + escaped(p.Headline) + "\n\n")
	}
	for _, a := range p.Answers {
		text.WriteString("**" + escaped(a.Question) + "**\n\n" + bullets(a.Texts))
	}
	for _, s := range p.Sections {
		if s.Table == nil && len(s.Text) == 0 {
			continue // a picture
		}
		text.WriteString("## " + escaped(s.Title) + "\n\n" + bullets(s.Text) + s.Table.markdown())
		for _, l := range s.Legend {
			paragraph(l)
		}
	}
	if remarks := slices.Concat(p.Footnotes, p.Remarks); len(remarks) > 0 {
		text.WriteString("## What to know about single figures\n\n" + bullets(remarks))
	}
	if len(p.Sources) > 0 {
		text.WriteString("## Sources of limits and prices\n\n" + bullets(p.Sources))
	}
	text.WriteString("## How it was measured, and how to repeat it\n\n")
	for _, h := range p.How {
		paragraph(h)
	}
	text.WriteString("```\n" + strings.Join(p.Commands, "\n") + "\n```\n")
	if _, err := io.WriteString(w, text.String()); err != nil {
		return fmt.Errorf("write the report: %w", err)
	}
	return nil
}

// escaped keeps text from being taken for markup.
func escaped(s string) string {
	return strings.NewReplacer(`\`, `\\`, "*", `\*`, "_", `\_`, "`", "\\`", "|", `\|`, "<", "&lt;", ">", "&gt;", "#", `\#`, "\n", " ").Replace(s)
}

func bullets(lines []string) string {
	if len(lines) == 0 {
		return ""
	}
	var text strings.Builder
	for _, l := range lines {
		text.WriteString("- " + escaped(l) + "\n")
	}
	return text.String() + "\n"
}

func (t *Table) markdown() string {
	if t == nil {
		return ""
	}
	var text strings.Builder
	row := func(cells []string) { text.WriteString("| " + strings.Join(cells, " | ") + " |\n") }
	var header, rule []string
	for i, h := range t.Header {
		header = append(header, escaped(h))
		rule = append(rule, map[bool]string{true: "---", false: "---:"}[i < t.Words])
	}
	row(header)
	row(rule)
	for _, cells := range t.Rows {
		var texts []string
		for _, c := range cells {
			texts = append(texts, escaped(c.Text))
		}
		row(texts)
	}
	return text.String() + "\n"
}
