package metric

// WALFilesManual documents the program that reads the WAL's files if the server is not asked.
const WALFilesManual = manual + "pgwaldump.html"

// walRecords returns the kinds of record in the WAL that was read.
func walRecords() []Metric {
	row := func(name, printed, unit, help string) Metric {
		m := counter("anatomy/"+name, unit, help).As("pg_walinspect " + printed).needs("pg_walinspect or pg_waldump")
		m.Source = manual + "pgwalinspect.html"
		return m
	}
	looked := func(m Metric) Metric {
		return m.but("is updated only after the load, and is complete only if covered_bytes rises as much as wal_bytes")
	}
	rows := []Metric{
		row("wal_bytes", "WAL bytes", "bytes", "bytes of WAL available for reading, by WAL position"),
		looked(row("covered_bytes", "WAL bytes read", "bytes",
			"bytes of WAL whose records were counted, by WAL position; exact if equal to wal_bytes")),
		looked(row("windows", "windows", "windows", "windows of WAL that were counted")),
		looked(row("records", "records", "records", "records counted, of all kinds")),
		looked(row("bytes", "record bytes", "bytes", "bytes of the records counted, full-page images included")),
		looked(row("image_bytes", "full-page image bytes", "bytes", "bytes of full-page images in the records counted")),
	}
	for _, kind := range []struct{ name, help string }{
		{"heap_insert", "rows put into tables one by one"},
		{"heap_multi_insert", "pages of rows put into tables at once, by COPY"},
		{"heap_update", "rows updated, those within their page among them"},
		{"heap_delete", "rows deleted"},
		{"heap_prune", "pages of tables cleared of dead rows, by queries and by vacuum"},
		{"heap_other", "other changes of tables: locks of rows, changes in place"},
		{"btree_insert_leaf", "index entries put into leaves of B-trees"},
		{"btree_insert_upper", "pointers put into the levels above"},
		{"btree_split", "pages of B-trees split, which puts in the new entry as well"},
		{"btree_dedup", "leaves whose equal entries were merged"},
		{"btree_other", "other changes of B-trees: new roots, deletions, vacuum"},
		{"index_other", "changes of indexes of other kinds"},
		{"sequence", "sequences moved on, once in 33 values"},
		{"commit", "transactions committed"},
		{"prepare", "transactions prepared for two-phase commit, and prepared ones rolled back"},
		{"abort", "transactions and savepoints rolled back that had written"},
		{"message", "messages of pg_logical_emit_message"},
		{"checkpoint", "checkpoints"},
		{"page_image", "images of whole pages by themselves: of built indexes, and for hint bits"},
		{"other", "everything else: files made, snapshots for standbys"},
	} {
		rows = append(rows,
			looked(row(kind.name+"_records", kind.name+" records", "records", "records counted: "+kind.help)),
			looked(row(kind.name+"_bytes", kind.name+" bytes", "bytes", "bytes of the records counted: "+kind.help)),
			looked(row(kind.name+"_image_bytes", kind.name+" full-page image bytes", "bytes",
				"bytes of images of whole pages among them")))
	}
	return rows
}
