package pgstat

// The positions in the write-ahead log, in bytes since its beginning. They move at once, also for transactions that
// are not committed. Each is asked for by itself, because a server may refuse one and answer the others.

func insertLSN() view {
	return position("insert", "end of what was put into the log, written or not", "pg_current_wal_insert_lsn()")
}

func writeLSN() view {
	return position("write", "end of what was given to the operating system", "pg_current_wal_lsn()")
}

func flushLSN() view {
	return position("flush", "end of what is known to be on the disk", "pg_current_wal_flush_lsn()")
}

func position(name, help, function string) view {
	return view{
		name:    Name + ".lsn",
		chapter: "https://www.postgresql.org/docs/current/functions-admin.html#FUNCTIONS-ADMIN-BACKUP",
		fields:  []field{counter(name, "bytes", help, way{"pg_wal_lsn_diff(" + function + ", '0/0')", nil})},
	}
}
