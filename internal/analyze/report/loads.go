package report

import (
	"fmt"

	"github.com/realiops/realiops/internal/analyze/document"
	"github.com/realiops/realiops/internal/analyze/number"
)

// does says what a transaction of a load is, and on what table; empty where the load is not ours, or is of a way that is not
// known here.
func (a Arm) does() string {
	var what string
	switch rows := number.Rate(float64(a.RowsPerTx)); a.Method {
	case "insert-select":
		what = "one INSERT of " + rows + " rows"
	case "insert-values":
		what = "one INSERT with " + rows + " rows of VALUES"
	case "copy":
		what = "one COPY of " + rows + " rows"
	case "insert":
		what = rows + " INSERTs of one row each"
		if a.RowsPerTx == 1 {
			what = "one INSERT of one row"
		}
	default:
		return ""
	}
	if a.Width > 0 {
		what += fmt.Sprintf(", with a filler of %s bytes each,", number.Rate(float64(a.Width)))
	}
	switch a.Indexes {
	case 0:
		what += " into a table without indexes"
	case 1:
		what += " into a table with one index"
	default:
		what += fmt.Sprintf(" into a table with %d indexes", a.Indexes)
	}
	if a.Commit != "" {
		what += ", with synchronous_commit " + a.Commit
	}
	return fmt.Sprintf("%s; a transaction is %s.", counted(a.Clients, "client"), what)
}

// explained are the names of loads, each with what it does, where a page has room for that.
func explained(loads []Arm) []document.Cell {
	var all []document.Cell
	for i, a := range loads {
		c := document.Words(a.Name)
		if c.Hover = a.does(); c.Hover != "" {
			c.To = anchor(i)
		}
		all = append(all, c)
	}
	return all
}

// loadTerms say it below the table, for whoever has no mouse, and on paper.
func loadTerms(loads []Arm) document.Block {
	var terms document.Terms
	for i, a := range loads {
		if does := a.does(); does != "" {
			terms = append(terms, document.Term{Name: a.Name, Texts: []string{does}, ID: anchor(i)})
		}
	}
	return document.Only(document.InHTML, terms)
}

// anchor is where a page explains a load. It is no name, which may be anything.
func anchor(i int) string { return fmt.Sprintf("load-%d", i+1) }
