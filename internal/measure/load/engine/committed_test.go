//go:build unix

package engine

import (
	"strings"
	"testing"
)

// Rows that were rolled back do not count: the count is the table's.
func TestRowsAreTheTables(t *testing.T) {
	const one, broken = "insert into demo values (1);", "select 1 / 0;"
	for _, script := range []string{
		"begin;" + one + "rollback;", one + "begin;" + one + "rollback;" + one, "begin;" + one + "end;",
		"begin;" + one + "savepoint a;" + one + "rollback to a;" + one + "commit;",
		"begin;" + one + "savepoint a;" + one + "rollback;", "begin;" + one + "savepoint a;" + one + "release a;" +
			one + "commit;",
		"begin;" + one + "savepoint a;" + broken + "end;", "begin;" + one + broken + "end;", one + broken,
		one + `\;` + broken, `begin\;` + one[:len(one)-1] + `\; rollback\; ` + one, "begin;" + one,
		one + "begin;" + one,
		"begin;" + one + "prepare transaction 'p:client_id';",
	} {
		for _, mode := range []Mode{Simple, Extended, Prepared} {
			if mode != Simple && strings.Contains(script, `\;`) {
				continue
			}
			b := newBench(t, "create table demo (value int)")
			o := b.options(script)
			o.Mode, o.Transactions, o.ContinueOnError = mode, 1, true
			r, _ := Run(t.Context(), o) // some clients end with a transaction open
			if n := b.int("select count(*) from demo"); r.Rows != n {
				t.Errorf("%s: %q: %d rows are counted, and the table has %d", mode, script, r.Rows, n)
			}
		}
	}
	for _, script := range []string{
		"\\startpipeline\n" + one + "\n" + one + "\n\\endpipeline", "\\startpipeline\n" + one + "\n" + broken + "\n" +
			one + "\n\\endpipeline",
		"\\startpipeline\n" + one + "\n\\syncpipeline\n" + one + "\n" + broken + "\n\\endpipeline",
	} {
		b := newBench(t, "create table demo (value int)")
		o := b.options(script)
		o.Mode, o.Transactions, o.ContinueOnError = Extended, 1, true
		r, _ := Run(t.Context(), o)
		if n := b.int("select count(*) from demo"); r.Rows != n {
			t.Errorf("%q: %d rows are counted, and the table has %d", script, r.Rows, n)
		}
	}
}

// pgbench counts a transaction at the end of its script, then gives up the client.
func TestATransactionLeftOpenCounts(t *testing.T) {
	b := newBench(t, "create table demo (value int)")
	r, err := Run(t.Context(), b.options("begin;\nselect 1;"))
	if err != nil || r.Transactions != 1 || r.Statements != 2 || len(r.Aborted) != 1 ||
		!strings.Contains(r.Aborted[0].Error(), "without completing") {
		t.Errorf("%d transactions of %d statements, given up: %v, %v", r.Transactions, r.Statements, r.Aborted, err)
	}
}
