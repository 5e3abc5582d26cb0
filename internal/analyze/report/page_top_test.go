package report_test

import (
	"io"
	"strings"
	"testing"

	"github.com/realiops/realiops/internal/analyze/document"
	"github.com/realiops/realiops/internal/analyze/report"
	"github.com/realiops/realiops/internal/analyze/report/causes"
)

// TestTopInTextAndPage: shares and rates as counted, the whole statement on hover, and why there are no
// items.
func TestTopInTextAndPage(t *testing.T) {
	statement := "insert into orders select * from " + strings.Repeat("generate_series ", 9)
	r := report.Report{Observed: &report.Observed{Top: []causes.Top{
		{
			Of: "statements", Seconds: 10, By: "wal_bytes of the server",
			Items: []causes.Item{{Name: "1", Text: statement, Share: new(0.75), Grew: map[string]float64{
				"wal_bytes": 30000, "wal_records": 50, "shared_blks_dirtied": 30}}},
			Total: map[string]float64{"shared_blks_dirtied": 120},
		},
		{
			Of: "files", Seconds: 10,
			Items: []causes.Item{{Name: "public.orders_note", Share: new(0.4), Grew: map[string]float64{
				"write_bytes": 380 * 8192, "writes": 380, "read_bytes": 0, "reads": 0}}},
		},
		{
			Of: "digests", Seconds: 10,
			Items: []causes.Item{{Name: "AAA", Text: "select \x1b[31m$1", Share: new(0.5), Grew: map[string]float64{
				"load": 25, "load_io": 10, "shared_blks_read": 4000, "shared_blks_written": 50, "calls": 70}}},
		},
		{Of: "indexes", Missing: "nobody may look"},
		{Of: "tables", Seconds: 10},
	}}}
	text := textOf(t, r, 80)
	for _, line := range []string{
		"Who causes it (per second)", "Statements, by their share of the WAL",
		"insert into orders select * f… 75% 3.0 5.0 3.0 25% - (1)",
		"The other 25% of the WAL is commits, vacuum, and statements further down.",
		"Statements, by blocks read and written (Performance Insights, Database Insights)",
		`select \x1B[31m$1 50% 2.5 1.0 400 5.0 7.0`,
		"On Aurora, blocks written are growth of tables and indexes.",
		"Files of the server, by their share of the bytes that disks wrote and read",
		"public.orders_note 40% 311 38 0 0",
		"Indexes, by their share of the index entries written: unknown, since nobody may look.",
		"(1) not counted of it",
	} {
		if !strings.Contains(unwrapped(text), line) {
			t.Errorf("no %q in\n%s", line, text)
		}
	}
	page := rendered(t, func(w io.Writer) error { return document.HTML(w, documentOf(t, r)) })
	if !strings.Contains(page, `title="`+strings.TrimSpace(statement)+`">insert into orders select * f…</td>`) {
		t.Error("the page does not have the whole statement")
	}
}
