package pgstat

// The positions in the WAL, in bytes since its beginning. They advance immediately, even for uncommitted
// transactions. Each is read by itself, because a server may refuse only one.

func insertLSN() view { return position("insert", "pg_current_wal_insert_lsn()") }

func writeLSN() view { return position("write", "pg_current_wal_lsn()") }

func flushLSN() view { return position("flush", "pg_current_wal_flush_lsn()") }

func position(name, function string) view {
	return view{
		name:   Name + ".lsn",
		fields: []field{value(name, way{"pg_catalog.pg_wal_lsn_diff(pg_catalog." + function + ", '0/0')", nil})},
	}
}
