package pgstat

import "github.com/realiops/realiops/internal/runfile"

// hidden is the answer to a user who may not see other users' sessions.
var hidden = null{
	reason: runfile.Permission,
	detail: "only a member of pg_read_all_stats sees the sessions of other users",
	remedy: "grant pg_monitor to the user of this connection",
}

// replication is who is sent the log: each standby has it read, sent and, if it is synchronous, waited for.
func replication() view {
	return senders(
		gauge("senders", "sessions", "sessions that are sent the log", counted()).
			but("a backup that streams the log is one as well"),
		gauge("synchronous", "sessions", "those among them that commits may wait for",
			seen("count(*) filter (where sync_state in ('sync', 'quorum'))")).nullIs(hidden),
	)
}

// lag is asked for by itself: an engine that has no position in the log refuses it.
func lag() view {
	return senders(
		gauge("replay_lag_bytes", "bytes", "log that the slowest of them has not replayed; 0 where there is none",
			seen("coalesce(max(pg_wal_lsn_diff(pg_current_wal_lsn(), replay_lsn)), 0)")).nullIs(hidden),
	)
}

// seen is NULL where there are senders that we may not look at.
func seen(sql string) way {
	return way{"case when count(state) = count(*) then " + sql + " end", []string{"state"}}
}

func senders(fields ...field) view {
	return view{
		name:      Name + ".replication",
		relations: []string{"pg_stat_replication"},
		chapter:   "https://www.postgresql.org/docs/current/monitoring-stats.html#MONITORING-PG-STAT-REPLICATION-VIEW",
		fields:    fields,
	}
}
