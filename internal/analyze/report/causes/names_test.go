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

// TestStatementsWithoutText: a number alone would look like a count.
func TestStatementsWithoutText(t *testing.T) {
	all := Top{Of: "statements", Items: []Item{{Name: "-1234567890123456789"}, {Name: "hidden"}}}.names()
	if all[0].Text != "no text: -1234567890123456789" || all[0].Note == "" || all[1].Text != "all of other users" {
		t.Errorf("%+v", all)
	}
}
