package load

import (
	"fmt"
	"strings"

	"github.com/realiops/realiops/internal/measure/load/engine"
)

// Script is the load's transaction in the language of package script.
func (w *Workload) Script() string {
	if !w.bracketed() {
		return w.statements()
	}
	var b strings.Builder
	b.WriteString("begin;\n")
	for _, s := range w.inTransaction() {
		fmt.Fprintf(&b, "set local %s = %s;\n", s.name, s.value)
	}
	return b.String() + w.statements() + "end;\n"
}

// setting is one of the clients' sessions.
type setting struct{ name, value string }

// settings are those that the load takes: without them the server might choose another plan, or other processes to do the work.
func (w *Workload) settings() (all []setting) {
	if w.load.SynchronousCommit != "" {
		all = append(all, setting{"synchronous_commit", w.load.SynchronousCommit})
	}
	if !Fills(w.load.Method) {
		return all
	}
	all = append(all, setting{"max_parallel_workers_per_gather", "0"}, setting{"jit", "off"})
	switch w.load.Method {
	case Range: // planned each time, one in twenty would have the planner itself look at the ends of the index
		all = append(all, setting{"plan_cache_mode", "force_generic_plan"}, setting{"enable_bitmapscan", "off"}, setting{"enable_seqscan", "off"})
	case Bitmap:
		all = append(all, setting{"enable_indexscan", "off"}, setting{"enable_seqscan", "off"})
	case Sort:
		all = append(all, setting{"enable_indexscan", "off"}, setting{"work_mem", "1024"})
	}
	return all
}

// inTransaction are the settings that each transaction makes for itself, because its session may be another's next: also those
// that keep the functions and the rights of others out, which a session of ours has from its start.
func (w *Workload) inTransaction() []setting {
	if !w.pooled {
		return nil
	}
	return append([]setting{{"search_path", "pg_catalog, pg_temp"}, {"role", "none"}}, w.settings()...)
}

func (w *Workload) statements() string {
	switch w.load.Method {
	case InsertSelect:
		return w.insertSelect()
	case Copy:
		return w.generated("copy_rows")
	case InsertValues:
		return w.generated("insert_rows")
	case Lookup:
		return w.key("id") + w.lookUp()
	case Range:
		n := int64(w.load.RowsPerTx)
		return fmt.Sprintf("\\set first random(1, %d)\nselect value from %s where id between :first and :first + %d;\n",
			max(1, w.ofRows()-n+1), w.table, n-1)
	case Bitmap: // all values have the same number of rows
		return fmt.Sprintf("\\set value random(0, %d)\nselect filler from %s where value = :value;\n", w.distinct()-1, w.table)
	case Join:
		return w.joined()
	case Scan:
		return fmt.Sprintf("select pg_catalog.count(filler) from %s;\n", w.table)
	case Sort:
		return fmt.Sprintf("select pg_catalog.max(pg_catalog.length(filler)) from (select filler from %s order by value desc offset 0) sorted;\n", w.table)
	case Update:
		return w.key("id") + w.update()
	case LookupUpdate:
		return w.key("id") + w.lookUp() + w.key("id") + w.update()
	case Replace:
		return w.replace()
	default:
		return w.inserts()
	}
}

// key draws one of the keys of the table.
func (w *Workload) key(variable string) string {
	return fmt.Sprintf("\\set %s random(1, %d)\n", variable, w.ofRows())
}

func (w *Workload) lookUp() string {
	return fmt.Sprintf("select value from %s where id = :id;\n", w.table)
}

func (w *Workload) update() string {
	return fmt.Sprintf("update %s set value = value + 1 where id = :id;\n", w.table)
}

// joined looks up a row for each number of a list, as a nested loop does.
func (w *Workload) joined() string {
	const apart = 7919 // keys, so that no two lie in one page
	return w.key("first") + fmt.Sprintf("select pg_catalog.sum((select value from %s where id = 1 + (:first::pg_catalog.int8 + n * %d) %% %d)) from pg_catalog.generate_series(1::pg_catalog.int8, %d) as n;\n",
		w.table, apart, w.ofRows(), w.load.RowsPerTx)
}

// replace deletes rows that no other client does, and puts new ones in their place.
func (w *Workload) replace() string {
	n, clients := int64(w.load.RowsPerTx), int64(w.load.Clients)
	parts := max(1, w.load.TableRows/n/clients)
	return fmt.Sprintf("\\set first 1 + %d * (random(0, %d) * %d + :client_id)\n"+
		"delete from %[4]s where id between :first and :first + %[5]d;\n"+
		"insert into %[4]s select id, id, %[6]s from pg_catalog.generate_series(:first::pg_catalog.int8, :first::pg_catalog.int8 + %[5]d) as id;\n",
		n, parts-1, clients, w.table, n-1, w.filler(repeatInSQL))
}

// Mode is how the statements of the script are meant to be sent. The bulk insert goes as pgbench sends it by default,
// as in the published runs.
func (w *Workload) Mode() engine.Mode {
	switch {
	case w.load.Method == InsertSelect, w.load.Method == Copy:
		return engine.Simple
	case w.pooled:
		return engine.Extended
	default:
		return engine.Prepared
	}
}

// insertSelect is the statement of the published runs, unless rows are to be wide.
func (w *Workload) insertSelect() string {
	if w.load.Width == 0 {
		return fmt.Sprintf("insert into %s (value) select pg_catalog.generate_series(1, %d);\n", w.table, w.load.RowsPerTx)
	}
	return fmt.Sprintf("insert into %s (value, filler) select value, %s from pg_catalog.generate_series(1, %d) as value;\n",
		w.table, w.filler(repeatInSQL), w.load.RowsPerTx)
}

// generated has the rows made here.
func (w *Workload) generated(command string) string {
	return fmt.Sprintf("\\%s %s (%s) rows %d values (%s)\n",
		command, w.table, w.columns(), w.load.RowsPerTx, w.values(":row", repeatOfOurs))
}

// inserts have the value as a parameter, so that all of them are one statement to whoever counts statements.
func (w *Workload) inserts() string {
	var b strings.Builder
	for row := range w.load.RowsPerTx {
		fmt.Fprintf(&b, "\\set value %d\ninsert into %s (%s) values (%s);\n", row+1, w.table, w.columns(), w.values(":value", repeatInSQL))
	}
	return b.String()
}

// bracketed tells whether a transaction has a BEGIN and an END.
func (w *Workload) bracketed() bool {
	several := w.load.Method == Insert && w.load.RowsPerTx > 1 || w.load.Method == LookupUpdate || w.load.Method == Replace
	return several || len(w.inTransaction()) > 0
}

// brackets is how many of the statements were a BEGIN, an END or a SET.
func (w *Workload) brackets(t engine.Totals) int64 {
	if !w.bracketed() {
		return 0
	}
	sets := int64(len(w.inTransaction()))
	return (2+sets)*t.Transactions + (1+sets)*t.Failed() // what failed was rolled back
}

func (w *Workload) columns() string {
	if w.load.Width == 0 {
		return "value"
	}
	return "value, filler"
}

func (w *Workload) values(value, repeat string) string {
	if w.load.Width == 0 {
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
	return fmt.Sprintf("%s('x', %d)", repeat, w.load.Width)
}
