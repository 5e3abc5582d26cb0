package document

import (
	"encoding/csv"
	"fmt"
	"io"
	"strings"

	"github.com/realiops/realiops/internal/printable"
)

// CSV writes the tables of a document that are made for it, with numbers in full precision.
func CSV(w io.Writer, d Document) error {
	out := csv.NewWriter(w)
	for _, b := range d.Blocks {
		made, ok := b.(only)
		if !ok || made.in&InCSV == 0 {
			continue
		}
		for _, block := range flat(made.blocks, InCSV) {
			if table, ok := block.(Table); ok {
				writeTable(out, table.in(InCSV))
			}
		}
	}
	out.Flush()
	if err := out.Error(); err != nil {
		return fmt.Errorf("write the report: %w", err)
	}
	return nil
}

// writeTable leaves errors to the writer, which keeps the first.
func writeTable(out *csv.Writer, t Table) {
	var line []string
	for _, c := range t.Columns {
		line = append(line, guarded(header(c.Header, "")))
	}
	_ = out.Write(line)
	for _, row := range t.Rows {
		line = line[:0]
		for _, c := range row.Cells {
			if c.Kind == IsNumber {
				line = append(line, c.exact())
			} else {
				line = append(line, guarded(c.exact()))
			}
		}
		_ = out.Write(line)
	}
}

// guarded returns text that no spreadsheet takes for a formula, with a quote before it as spreadsheets themselves do.
// All text in a file must pass through it.
func guarded(s string) string {
	if s = printable.Line(s); strings.ContainsAny(s[:min(1, len(s))], "=+-@") {
		return "'" + s
	}
	return s
}
