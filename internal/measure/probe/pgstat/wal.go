package pgstat

import "github.com/realiops/realiops/internal/runfile"

// wal reads pg_stat_wal, from 14 on. 18 moved its writes and fsyncs to pg_stat_io; see statIO.
func wal() view {
	return view{
		name: Name + ".wal", relations: []string{"pg_stat_wal"},
		remedy: "pgstat.statements/wal_records and wal_bytes count those of statements, and " +
			"pgstat.lsn/insert counts bytes",
		fields: append(columns("wal_records", "wal_fpi", "wal_bytes", "wal_fpi_bytes", "wal_buffers_full",
			"wal_write", "wal_sync"),
			value("wal_write_time", milliseconds("wal_write_time")),
			value("wal_sync_time", milliseconds("wal_sync_time")),
			statsReset()),
	}
}

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

// hidden is the null for a user who may not see other users' sessions.
var hidden = null{
	reason: runfile.Permission, detail: "only a member of pg_read_all_stats sees the sessions of other users",
	remedy: "grant pg_monitor to the user of this connection",
}

// replication counts the receivers of the WAL: for each standby it is read, sent and, for
// a synchronous one, waited for.
func replication() view {
	return senders(
		value("senders", counted()),
		value("synchronous", seen("pg_catalog.count(*) filter (where sync_state in ('sync', 'quorum'))")).nullIs(hidden),
	)
}

// lag is read by itself: an engine without a position in the WAL refuses it.
func lag() view {
	return senders(value("replay_lag_bytes",
		seen("coalesce(pg_catalog.max(pg_catalog.pg_wal_lsn_diff(pg_catalog.pg_current_wal_lsn(), "+
			"replay_lsn)), 0)")).nullIs(hidden))
}

// seen is NULL if there are senders that we may not see.
func seen(sql string) way {
	return way{"case when pg_catalog.count(state) = pg_catalog.count(*) then " + sql + " end", []string{"state"}}
}

func senders(fields ...field) view {
	return view{name: Name + ".replication", relations: []string{"pg_stat_replication"}, fields: fields}
}
