package pgstat

import "github.com/realiops/realiops/internal/runfile"

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
