package load

import (
	"fmt"
	"strings"

	"github.com/realiops/realiops/internal/measure/load/engine"
)

// Script is the arm's transaction in the language of package script.
func (w *Workload) Script() string {
	switch {
	case w.setsCommit():
		return fmt.Sprintf("begin;\nset local synchronous_commit = %s;\n%send;\n", w.arm.SynchronousCommit, w.statements())
	case w.bracketed():
		return "begin;\n" + w.statements() + "end;\n"
	default:
		return w.statements()
	}
}

func (w *Workload) statements() string {
	switch w.arm.Method {
	case InsertSelect:
		return w.insertSelect()
	case Copy:
		return w.generated("copy_rows")
	case InsertValues:
		return w.generated("insert_rows")
	default:
		return w.inserts()
	}
}

// Mode is how the statements of the script are meant to be sent. The bulk insert goes as pgbench sends it by default,
// as in the published runs.
func (w *Workload) Mode() engine.Mode {
	switch {
	case w.arm.Method == InsertSelect, w.arm.Method == Copy:
		return engine.Simple
	case w.pooled:
		return engine.Extended
	default:
		return engine.Prepared
	}
}

// insertSelect is the statement of the published runs, unless rows are to be wide.
func (w *Workload) insertSelect() string {
	if w.arm.Width == 0 {
		return fmt.Sprintf("insert into %s (value) select pg_catalog.generate_series(1, %d);\n", w.table, w.arm.RowsPerTx)
	}
	return fmt.Sprintf("insert into %s (value, filler) select value, %s from pg_catalog.generate_series(1, %d) as value;\n",
		w.table, w.filler(repeatInSQL), w.arm.RowsPerTx)
}

// generated has the rows made here.
func (w *Workload) generated(command string) string {
	return fmt.Sprintf("\\%s %s (%s) rows %d values (%s)\n",
		command, w.table, w.columns(), w.arm.RowsPerTx, w.values(":row", repeatOfOurs))
}

// inserts have the value as a parameter, so that all of them are one statement to whoever counts statements.
func (w *Workload) inserts() string {
	var b strings.Builder
	for row := range w.arm.RowsPerTx {
		fmt.Fprintf(&b, "\\set value %d\ninsert into %s (%s) values (%s);\n", row+1, w.table, w.columns(), w.values(":value", repeatInSQL))
	}
	return b.String()
}

// bracketed tells whether a transaction has a BEGIN and an END.
func (w *Workload) bracketed() bool {
	return w.arm.Method == Insert && w.arm.RowsPerTx > 1 || w.setsCommit()
}

// setsCommit tells whether a transaction has a SET LOCAL for what would else be set for the session.
func (w *Workload) setsCommit() bool { return w.pooled && w.arm.SynchronousCommit != "" }

// brackets is how many of the statements were a BEGIN, an END or a SET.
func (w *Workload) brackets(t engine.Totals) int64 {
	switch {
	case w.setsCommit():
		return 3*t.Transactions + 2*t.Failed() // what failed was rolled back
	case w.bracketed():
		return 2*t.Transactions + t.Failed()
	default:
		return 0
	}
}

func (w *Workload) columns() string {
	if w.arm.Width == 0 {
		return "value"
	}
	return "value, filler"
}

func (w *Workload) values(value, repeat string) string {
	if w.arm.Width == 0 {
		return value
	}
	return value + ", " + w.filler(repeat)
}

// What repeats a text, in SQL and in our own commands.
const (
	repeatInSQL  = "pg_catalog.repeat"
	repeatOfOurs = "repeat"
)

func (w *Workload) filler(repeat string) string {
	return fmt.Sprintf("%s('x', %d)", repeat, w.arm.Width)
}
