package document

import (
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"fmt"
	"html"
	"io"
	"slices"
	"strings"
)

//go:embed page.css
var style string

// script sorts tables. Without it the page says the same.
//
//go:embed page.js
var script string

// policy returns what a browser may do with a page: show it and run our script, identified by its hash. The page loads
// nothing.
func policy() string {
	sum := sha256.Sum256([]byte(script))
	return "default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-" +
		base64.StdEncoding.EncodeToString(sum[:]) + "'"
}

// HTML writes a document as one self-contained page.
func HTML(w io.Writer, d Document) error {
	p := &page{}
	p.raw("<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n" +
		"<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<meta name=\"color-scheme\" " +
		"content=\"light dark\">\n")
	p.open("meta", "http-equiv", "Content-Security-Policy", "content", policy())
	p.raw("\n")
	p.element("title", d.Title)
	p.raw("<style>\n" + style + "</style>\n</head>\n<body>\n<main>\n")
	p.element("h1", d.Heading)
	p.blocks(d.Blocks, d.Heading)
	p.list(p.notes.items())
	p.raw("</main>\n<script id=\"sort\">" + script + "</script>\n</body>\n</html>\n")
	if p.err != nil {
		return p.err
	}
	if _, err := io.WriteString(w, p.withContents()); err != nil {
		return fmt.Errorf("write the page: %w", err)
	}
	return nil
}

// page is a page being written from top to bottom.
type page struct {
	text  strings.Builder
	notes footnotes
	depth int   // nesting of sections
	err   error // of a picture that cannot be drawn

	labels map[string]bool // of the tables so far

	titles   []string // of the outermost sections so far
	contents int      // position of their list; 0: none
}

// fewTitles is a number of sections that needs no list.
const fewTitles = 3

// withContents returns the page with the list of its sections, if requested and useful.
func (p *page) withContents() string {
	text := p.text.String()
	if p.contents == 0 || len(p.titles) < fewTitles {
		return text
	}
	list := page{}
	list.raw("<nav aria-label=\"contents\">\n<ul>\n")
	for i, title := range p.titles {
		list.raw(fmt.Sprintf("<li><a href=\"#s%d\">", i+1) + quoted(title) + "</a></li>\n")
	}
	list.raw("</ul>\n</nav>\n")
	return text[:p.contents] + list.text.String() + text[p.contents:]
}

// label returns the accessible name of a table: its section and caption, and if that is taken, its first column.
func (p *page) label(t Table, title string) string {
	label := "table: " + title + map[bool]string{true: ", "}[t.Caption != ""] + t.Caption
	if p.labels[label] {
		label += ", " + strings.ReplaceAll(t.Columns[0].Header, "\u00ad", "")
	}
	if p.labels == nil {
		p.labels = map[string]bool{}
	}
	p.labels[label] = true
	return label
}

func (p *page) raw(markup string) { p.text.WriteString(markup) }

// quoted escapes text for a page. All text in a page must pass through it.
func quoted(s string) string { return strings.ReplaceAll(html.EscapeString(safe(s)), "&#39;", "'") }

// open begins an element. attributes alternate names and values; those with empty values are omitted.
func (p *page) open(tag string, attributes ...string) {
	p.raw("<" + tag)
	for pair := range slices.Chunk(attributes, 2) {
		if pair[1] != "" {
			p.raw(" " + pair[0] + `="` + quoted(pair[1]) + `"`)
		}
	}
	p.raw(">")
}

func (p *page) element(tag, text string, attributes ...string) {
	if text != "" {
		p.open(tag, attributes...)
		p.raw(quoted(text) + "</" + tag + ">\n")
	}
}

func (p *page) blocks(all []Block, title string) {
	for _, b := range flat(all, InHTML) {
		p.block(b, title)
	}
}

// block writes a block under a title, which screen readers announce.
func (p *page) block(b Block, title string) {
	switch b := b.(type) {
	case Section:
		p.section(b)
	case Paragraph:
		p.element("p", b.Text, "class", map[Style]string{Headline: "headline", Faint: "faint"}[b.Style])
	case List:
		p.list(b)
	case Points:
		p.points(b)
	case Terms:
		p.terms(b)
	case Warnings:
		for _, w := range b {
			word := map[Rank]string{Void: "Void", Doubt: "Caution", Note: "Note"}[w.Rank]
			p.open("p", "class", "condition "+string(w.Rank))
			p.raw("<strong>" + word + ":</strong> " + quoted(w.Text) + "</p>\n")
		}
	case Answers:
		p.raw("<dl class=\"short\">\n")
		for _, a := range b {
			p.raw("<dt>" + quoted(a.Question) + "</dt>")
			for _, text := range a.Texts {
				p.raw("<dd>" + quoted(text) + "</dd>")
			}
			p.raw("\n")
		}
		p.raw("</dl>\n")
	case Notes:
		if items := append(p.notes.items(), b.Remarks...); len(items) > 0 {
			p.section(Section{Title: b.Title, Blocks: []Block{List(items)}, Folded: b.Folded})
		}
	case Tiles:
		p.tiles(b)
	case Contents:
		p.contents = p.text.Len()
	case Command:
		p.element("p", b.Lead)
		p.lines("commands: "+title, b.texts())
	case Example:
		p.lines("example: "+title, b)
	case Table:
		p.table(b.in(InHTML), title)
	case Figure:
		p.figure(b, title)
	}
}

// lines writes preformatted lines.
func (p *page) lines(label string, all []string) {
	p.open("pre", "tabindex", "0", "role", "region", "aria-label", label)
	p.raw("<code>")
	for _, line := range all {
		p.raw(quoted(line) + "\n")
	}
	p.raw("</code></pre>\n")
}

// section writes a section, and removes it again if it is empty.
func (p *page) section(s Section) {
	before, titles := p.text.String(), len(p.titles)
	outermost := p.depth == 0 && s.Title != ""
	if outermost {
		p.titles = append(p.titles, s.Title)
	}
	p.depth++
	end := p.head(s, outermost)
	bare := p.text.Len()
	p.blocks(s.Blocks, s.Title)
	p.depth--
	if p.depth == 0 {
		p.list(p.notes.items())
	}
	if p.text.Len() > bare {
		p.raw(end)
		return
	}
	p.titles = p.titles[:titles]
	p.text.Reset()
	p.raw(before)
}

// head opens a section, and returns what ends it. Link targets are inside folded content, because a browser then
// unfolds it.
func (p *page) head(s Section, outermost bool) (end string) {
	id := ""
	if outermost {
		id = fmt.Sprintf("s%d", len(p.titles))
	}
	if s.Folded && s.Title != "" {
		p.raw("<details>\n<summary>")
		p.element(fmt.Sprintf("h%d", 1+p.depth), s.Title)
		p.raw("</summary>\n")
		p.open("div", "class", "folded", "id", id)
		return "</div>\n</details>\n"
	}
	p.open("section", "id", id)
	p.raw("\n")
	p.element(fmt.Sprintf("h%d", 1+p.depth), s.Title)
	return "</section>\n"
}

func (p *page) tiles(all []Tile) {
	if len(all) == 0 {
		return
	}
	p.raw("<div class=\"tiles\">\n")
	for _, t := range all {
		p.raw("<div class=\"tile\">\n")
		p.element("p", t.Of)
		p.raw("<p class=\"numbers\">" + quoted(t.Loud))
		if t.Quiet != "" {
			p.raw(" <span>\u2192</span> <strong>" + quoted(t.Quiet) + "</strong>")
		}
		p.raw("</p>\n")
		p.element("p", t.Said)
		p.raw("</div>\n")
	}
	p.raw("</div>\n")
}

func (p *page) list(items []string) {
	if len(items) == 0 {
		return
	}
	p.raw("<ul>\n")
	for _, item := range items {
		p.element("li", item)
	}
	p.raw("</ul>\n")
}

func (p *page) points(all Points) {
	if len(all) == 0 {
		return
	}
	p.raw("<ul>\n")
	for _, point := range all {
		mark := map[bool]string{true: "<strong>Caution:</strong> "}[point.Grave]
		p.raw("<li>" + mark + quoted(point.Text) + "\n")
		p.list(point.Below)
		p.raw("</li>\n")
	}
	p.raw("</ul>\n")
}

func (p *page) terms(all Terms) {
	if len(all) == 0 {
		return
	}
	p.raw("<dl>\n")
	for _, t := range all {
		p.element("dt", t.Name, "id", t.ID)
		for _, text := range t.Texts {
			p.element("dd", text)
		}
	}
	p.raw("</dl>\n")
}

func (p *page) table(t Table, title string) {
	if len(t.Rows) == 0 {
		return
	}
	p.open("div", "class", "wide"+map[bool]string{true: " filter"}[t.Filter], "tabindex", "0", "role", "region",
		"aria-label", p.label(t, title))
	p.raw("\n<table>\n")
	p.element("caption", t.Caption)
	p.raw("<thead><tr>")
	for _, c := range t.Columns {
		p.open("th", "scope", "col", "class", wordClass(c))
		p.raw(html.EscapeString(header(c.Header, "\u00ad")) + "</th>")
	}
	p.raw("</tr></thead>\n<tbody>\n")
	for _, row := range t.Rows {
		p.open("tr", "class", map[bool]string{true: "more"}[row.More])
		for i, c := range row.Cells {
			p.cell(c, t.Columns[i])
		}
		p.raw("</tr>\n")
	}
	p.raw("</tbody>\n</table>\n</div>\n")
}

func wordClass(c Column) string { return map[bool]string{true: "words"}[c.Words] }

// longWord is the length from which a word is broken in a table.
const longWord = 64

func (p *page) cell(c Cell, of Column) {
	class := []string{wordClass(of), c.Mark}
	if c.Kind == IsVerdict {
		class = append(class, strings.ReplaceAll(strings.ToLower(c.Text), " ", "-"))
	}
	if slices.ContainsFunc(strings.Fields(c.Text), func(word string) bool { return displayWidth(word) > longWord }) {
		class = append(class, "long")
	}
	value := c.key
	if value == "" && c.Kind == IsNumber {
		value = c.exact()
	}
	p.open("td", "class", strings.Join(strings.Fields(strings.Join(class, " ")), " "), "title", c.Hover,
		"data-value", value)
	text := quoted(strings.TrimSpace(c.Text))
	if c.PlusMinus != "" {
		text += " <small>" + quoted(c.PlusMinus) + "</small>"
	}
	if c.Also != "" {
		text += " (" + quoted(c.Also) + ")"
	}
	if c.Kind == IsName {
		text = strings.NewReplacer("/", "/<wbr>", "_", "_<wbr>", ".", ".<wbr>").Replace(text)
	}
	if c.To != "" {
		text = `<a href="#` + quoted(c.To) + `">` + text + "</a>"
	}
	if c.File != "" {
		text = `<a href="` + quoted(c.File) + `">` + text + "</a>"
	}
	text += spark(c.Spark)
	if c.Note != "" {
		text += fmt.Sprintf(" (%d)", p.notes.mark(c.Note))
	}
	p.raw(text + "</td>")
}

// figure puts small pictures side by side, each with a title, and a large one by itself.
func (p *page) figure(f Figure, title string) {
	if len(f.Pictures) == 0 {
		return
	}
	several := slices.ContainsFunc(f.Pictures, Picture.Small)
	if several {
		p.raw("<div class=\"panels\">\n")
	}
	for _, picture := range f.Pictures {
		p.raw("<figure>\n")
		if several {
			p.element(fmt.Sprintf("h%d", 2+p.depth), picture.Heading())
			p.svg(picture)
		} else {
			p.open("div", "class", "wide", "tabindex", "0", "role", "region", "aria-label", "picture: "+title)
			p.svg(picture)
			p.raw("</div>\n")
		}
		p.legend(picture.Legend())
		p.raw("</figure>\n")
	}
	if several {
		p.raw("</div>\n")
	}
	for _, text := range f.Legend {
		p.element("p", text, "class", "faint")
	}
}

// svg writes a picture, which has already escaped its text.
func (p *page) svg(picture Picture) {
	text, err := picture.SVG()
	if err != nil && p.err == nil {
		p.err = fmt.Errorf("draw the page: %w", err)
	}
	p.raw(text)
}

func (p *page) legend(keys []Key) {
	if len(keys) == 0 {
		return
	}
	p.raw("<figcaption>")
	for _, k := range keys {
		p.raw(`<span class="key">`)
		p.open("span", "style", "color: "+k.Color, "aria-hidden", "true")
		p.raw("—</span> " + quoted(k.Name) + "</span> ")
	}
	p.raw("</figcaption>\n")
}
