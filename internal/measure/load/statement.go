package load

import "fmt"

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

func (w *Workload) rowsInOrder() string {
	n := int64(w.arm.RowsPerTx)
	return fmt.Sprintf("\\set first random(1, %d)\nselect value from %s where id between :first and :first + %d;\n",
		max(1, w.ofRows()-n+1), w.table, n-1)
}

// scattered takes values that all have the same number of rows.
func (w *Workload) scattered() string {
	return fmt.Sprintf("\\set value random(0, %d)\nselect filler from %s where value = :value;\n", w.distinct()-1, w.table)
}

// joined looks up a row for each number of a list, as a nested loop does.
func (w *Workload) joined() string {
	const apart = 7919 // keys, so that no two lie in one page
	return w.key("first") + fmt.Sprintf("select pg_catalog.sum((select value from %s where id = 1 + (:first::pg_catalog.int8 + n * %d) %% %d)) from pg_catalog.generate_series(1::pg_catalog.int8, %d) as n;\n",
		w.table, apart, w.ofRows(), w.arm.RowsPerTx)
}

// replace deletes rows that no other client does, and puts new ones in their place.
func (w *Workload) replace() string {
	n, clients := int64(w.arm.RowsPerTx), int64(w.arm.Clients)
	parts := max(1, w.arm.TableRows/n/clients)
	return fmt.Sprintf("\\set first 1 + %d * (random(0, %d) * %d + :client_id)\n"+
		"delete from %[4]s where id between :first and :first + %[5]d;\n"+
		"insert into %[4]s select id, id, %[6]s from pg_catalog.generate_series(:first::pg_catalog.int8, :first::pg_catalog.int8 + %[5]d) as id;\n",
		n, parts-1, clients, w.table, n-1, w.filler(repeatInSQL))
}
