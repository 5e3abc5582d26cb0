package load

import (
	"fmt"
	"strings"

	"github.com/realiops/realiops/internal/measure/load/engine"
	"github.com/realiops/realiops/internal/runfile"
)

type transaction struct {
	load   runfile.Load
	table  string // qualified and quoted
	pooled bool   // each transaction may run in another session of the server
}

// Script returns the load's transaction in the language of package script.
func (t transaction) Script() string {
	if !t.bracketed() {
		return t.statements()
	}
	var b strings.Builder
	b.WriteString("begin;\n")
	for _, s := range t.inTransaction() {
		fmt.Fprintf(&b, "set local %s = %s;\n", s.name, s.value)
	}
	return b.String() + t.statements() + "end;\n"
}

type setting struct{ name, value string }

// settings returns the settings that keep the server from choosing another plan or parallel workers.
func (t transaction) settings() (all []setting) {
	if t.load.SynchronousCommit != "" {
		all = append(all, setting{"synchronous_commit", t.load.SynchronousCommit})
	}
	if !Fills(t.load.Method) {
		return all
	}
	all = append(all, setting{"max_parallel_workers_per_gather", "0"}, setting{"jit", "off"})
	switch t.load.Method {
	case Range: // planned each time, the planner would read the index's ends for one in twenty
		all = append(all, setting{"plan_cache_mode", "force_generic_plan"}, setting{"enable_bitmapscan", "off"},
			setting{"enable_seqscan", "off"})
	case Bitmap:
		all = append(all, setting{"enable_indexscan", "off"}, setting{"enable_seqscan", "off"})
	case Sort:
		all = append(all, setting{"enable_indexscan", "off"}, setting{"work_mem", "1024"})
	}
	return all
}

// inTransaction returns the settings that each transaction makes for itself behind a pooler, which may hand its
// session to another client. They include the protections that our own sessions set at connect.
func (t transaction) inTransaction() []setting {
	if !t.pooled {
		return nil
	}
	return append([]setting{{"search_path", "pg_catalog, pg_temp"}, {"role", "none"}}, t.settings()...)
}

func (t transaction) statements() string {
	switch t.load.Method {
	case InsertSelect:
		return t.insertSelect()
	case Copy:
		return t.generated("copy_rows")
	case InsertValues:
		return t.generated("insert_rows")
	case Lookup:
		return t.key("id") + t.lookUp()
	case Range:
		n := int64(t.load.RowsPerTx)
		return fmt.Sprintf("\\set first random(1, %d)\nselect value from %s where id between :first and :first + %d;\n",
			max(1, t.ofRows()-n+1), t.table, n-1)
	case Bitmap: // all values have the same number of rows
		return fmt.Sprintf("\\set value random(0, %d)\nselect filler from %s where value = :value;\n",
			t.distinct()-1, t.table)
	case Join:
		return t.joined()
	case Scan:
		return fmt.Sprintf("select pg_catalog.count(filler) from %s;\n", t.table)
	case Sort:
		return fmt.Sprintf("select pg_catalog.max(pg_catalog.length(filler)) from (select filler from %s order by "+
			"value desc offset 0) sorted;\n", t.table)
	case Update:
		return t.key("id") + t.update()
	case LookupUpdate:
		return t.key("id") + t.lookUp() + t.key("id") + t.update()
	case Replace:
		return t.replace()
	default:
		return t.inserts()
	}
}

func (t transaction) key(variable string) string {
	return fmt.Sprintf("\\set %s random(1, %d)\n", variable, t.ofRows())
}

func (t transaction) lookUp() string {
	return fmt.Sprintf("select value from %s where id = :id;\n", t.table)
}

func (t transaction) update() string {
	return fmt.Sprintf("update %s set value = value + 1 where id = :id;\n", t.table)
}

// joined looks up a row for each number of a list, by a nested loop.
func (t transaction) joined() string {
	const apart = 7919 // between keys, so that no two lie in one page
	return t.key("first") + fmt.Sprintf("select pg_catalog.sum((select value from %s where id = 1 + "+
		"(:first::pg_catalog.int8 + n * %d) %% %d)) from pg_catalog.generate_series(1::pg_catalog.int8, %d) as n;\n",
		t.table, apart, t.ofRows(), t.load.RowsPerTx)
}

// replace deletes rows that no other client deletes, and inserts them again.
func (t transaction) replace() string {
	n, clients := int64(t.load.RowsPerTx), int64(t.load.Clients)
	parts := max(1, t.load.TableRows/n/clients)
	return fmt.Sprintf("\\set first 1 + %d * (random(0, %d) * %d + :client_id)\n"+
		"delete from %[4]s where id between :first and :first + %[5]d;\n"+
		"insert into %[4]s select id, id, %[6]s from pg_catalog.generate_series(:first::pg_catalog.int8, "+
		":first::pg_catalog.int8 + %[5]d) as id;\n", n, parts-1, clients, t.table, n-1, t.filler(repeatInSQL))
}

// Mode returns the protocol for the script's statements. The bulk insert uses pgbench's
// default, as in the published runs.
func (t transaction) Mode() engine.Mode {
	switch {
	case t.load.Method == InsertSelect, t.load.Method == Copy:
		return engine.Simple
	case t.pooled:
		return engine.Extended
	default:
		return engine.Prepared
	}
}

// insertSelect returns the statement of the published runs, unless rows are wide.
func (t transaction) insertSelect() string {
	if t.load.Width == 0 {
		return fmt.Sprintf("insert into %s (value) select pg_catalog.generate_series(1, %d);\n", t.table,
			t.load.RowsPerTx)
	}
	return fmt.Sprintf("insert into %s (value, filler) select value, %s from pg_catalog.generate_series(1, "+
		"%d) as value;\n", t.table, t.filler(repeatInSQL), t.load.RowsPerTx)
}

func (t transaction) generated(command string) string {
	return fmt.Sprintf("\\%s %s (%s) rows %d values (%s)\n",
		command, t.table, t.columns(), t.load.RowsPerTx, t.values(":row", repeatOfOurs))
}

// inserts passes the value as a parameter, so that all inserts count as one statement.
func (t transaction) inserts() string {
	var b strings.Builder
	for row := range t.load.RowsPerTx {
		fmt.Fprintf(&b, "\\set value %d\ninsert into %s (%s) values (%s);\n", row+1, t.table, t.columns(),
			t.values(":value", repeatInSQL))
	}
	return b.String()
}

// bracketed reports whether a transaction has a BEGIN and an END.
func (t transaction) bracketed() bool {
	several := t.load.Method == Insert && t.load.RowsPerTx > 1 || t.load.Method == LookupUpdate ||
		t.load.Method == Replace
	return several || len(t.inTransaction()) > 0
}

// brackets returns how many of the statements were a BEGIN, an END or a SET.
func (t transaction) brackets(of engine.Totals) int64 {
	if !t.bracketed() {
		return 0
	}
	sets := int64(len(t.inTransaction()))
	return (2+sets)*of.Transactions + (1+sets)*of.Failed() // failed ones were rolled back
}

func (t transaction) columns() string {
	if t.load.Width == 0 {
		return "value"
	}
	return "value, filler"
}

func (t transaction) values(value, repeat string) string {
	if t.load.Width == 0 {
		return value
	}
	return value + ", " + t.filler(repeat)
}

// Repetition of a text, in SQL and in our own commands.
const (
	repeatInSQL  = "pg_catalog.repeat"
	repeatOfOurs = "repeat"
)

func (t transaction) filler(repeat string) string {
	return fmt.Sprintf("%s('x', %d)", repeat, t.load.Width)
}
