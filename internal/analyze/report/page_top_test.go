package report

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestTopStandsOnThePage: shares and rates as counted, the whole statement where the mouse rests, and why there is nothing.
func TestTopStandsOnThePage(t *testing.T) {
	statement := "insert into orders select * from " + strings.Repeat("generate_series ", 9)
	r := Report{Observed: &Observed{Top: []Top{
		{
			Of: "statements", Seconds: 10, By: "wal_bytes of the server",
			Items: []TopItem{{Name: "1", Text: statement, Share: new(0.75), Grew: map[string]float64{"wal_bytes": 30000, "wal_records": 50, "shared_blks_dirtied": 30}}},
			Total: map[string]float64{"shared_blks_dirtied": 120},
		},
		{Of: "indexes", Missing: "nobody may look"},
		{Of: "tables", Seconds: 10},
	}}}
	notes := &footnotes{}
	got := r.topSections(notes)
	want := []Section{
		{
			Title: "Who causes it (per second): statements",
			Table: &Table{
				Header: []string{"statement", "share", "log kB", "log records", "pages dirtied", "share of these", "calls"}, Words: 1,
				Rows: [][]Cell{{{Text: "insert into orders select * f…", Hover: statement}, {Text: "75%"}, {Text: "3.0"}, {Text: "5.0"}, {Text: "3.0"}, {Text: "25%"}, {Text: "- (1)"}}},
			},
			Legend: []string{"Ranked by their part in what all did: wal_bytes of the server.", "The other 25% of the log is commits, vacuum, and statements further down."},
		},
		{Title: "Who causes it (per second): indexes", Text: []string{"Indexes, by their part in index entries written: not known, since nobody may look."}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"not counted of it"}, notes.reasons); diff != "" {
		t.Errorf("footnotes (-want +got):\n%s", diff)
	}
}
