package document_test

import (
	"strings"
	"testing"

	"github.com/realiops/realiops/internal/analyze/document"
)

// TestTablesHaveDistinctNames: a screen reader distinguishes two tables of a section without captions.
func TestTablesHaveDistinctNames(t *testing.T) {
	table := func(first string) document.Table {
		return document.Table{Columns: []document.Column{{Header: first, Words: true}},
			Rows: []document.Row{{Cells: []document.Cell{{Text: "bulk"}}}}}
	}
	var out strings.Builder
	d := document.Document{Title: "T", Blocks: []document.Block{
		document.Section{Title: "Reads", Blocks: []document.Block{table("load"), table("answered by")}}}}
	if err := document.HTML(&out, d); err != nil {
		t.Fatal(err)
	}
	for _, label := range []string{`aria-label="table: Reads"`, `aria-label="table: Reads, answered by"`} {
		if strings.Count(out.String(), label) != 1 {
			t.Errorf("%d times %s", strings.Count(out.String(), label), label)
		}
	}
}
