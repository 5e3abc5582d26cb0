package report

import (
	"bytes"
	"fmt"
	"html/template"
	"io"
)

// baselinePage is one file that needs no network.
var baselinePage = template.Must(template.New("baseline").Parse(`<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>What storage delivers: {{.ID}}</title>
<style>body{font:16px/1.5 system-ui,sans-serif;margin:2rem auto;max-width:60rem;padding:0 1rem;color-scheme:light dark}
pre{overflow-x:auto;font-size:.85rem}</style></head>
<body><h1>What storage delivers</h1><p>Run {{.ID}}</p><pre>{{.Text}}</pre></body></html>
`))

// BaselineHTML writes what storage delivered as a page of its own.
func BaselineHTML(w io.Writer, b Baseline) error {
	text, err := b.text()
	if err == nil {
		err = baselinePage.Execute(w, struct{ ID, Text string }{b.Run.ID, text})
	}
	if err != nil {
		return fmt.Errorf("write the report: %w", err)
	}
	return nil
}

// BaselineMarkdown writes it for a ticket.
func BaselineMarkdown(w io.Writer, b Baseline) error {
	text, err := b.text()
	if err == nil {
		_, err = fmt.Fprintf(w, "# What storage delivers\n\nRun %s\n\n```\n%s```\n", b.Run.ID, text)
	}
	if err != nil {
		return fmt.Errorf("write the report: %w", err)
	}
	return nil
}

// pageWidth is how many columns a page has room for.
const pageWidth = 100

func (b Baseline) text() (string, error) {
	var text bytes.Buffer
	err := BaselineText(&text, b, pageWidth)
	return text.String(), err
}
