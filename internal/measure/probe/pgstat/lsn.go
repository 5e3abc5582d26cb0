package pgstat

// The positions in the write-ahead log, in bytes since its beginning. They move at once, also for transactions that
// are not committed. Each is asked for by itself, because a server may refuse one and answer the others.

func insertLSN() view { return position("insert", "pg_current_wal_insert_lsn()") }

func writeLSN() view { return position("write", "pg_current_wal_lsn()") }

func flushLSN() view { return position("flush", "pg_current_wal_flush_lsn()") }

func position(name, function string) view {
	return view{
		name:   Name + ".lsn",
		fields: []field{value(name, way{"pg_catalog.pg_wal_lsn_diff(pg_catalog." + function + ", '0/0')", nil})},
	}
}
