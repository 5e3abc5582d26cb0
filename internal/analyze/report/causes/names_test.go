package causes

import "testing"

// TestSimilarStatementsLookDifferent: statements with the same beginning look different.
func TestSimilarStatementsLookDifferent(t *testing.T) {
	const insert = "insert into shop_order_item (id, sku, amount) values "
	cells := Top{Of: "statements", Items: []Item{{Name: "1", Text: insert + "($1)"},
		{Name: "2", Text: insert + "($1), ($2)"}}}.names()
	if one, two := cells[0], cells[1]; one.Text == two.Text || one.Hover != insert+"($1)" {
		t.Errorf("%q and %q", one.Text, two.Text)
	}
}
