package pgstat

// waits is what the sessions of our own user in this database do at the moment of the reading, ours excepted: a user
// may always see its own. A level at one moment is a sample: only the mean of many says how clients spend their time.
//
// 17 wrote some names of events in other letters.
func waits() view {
	sessions := func(name, help, condition string, columns ...string) field {
		return gauge(name, "sessions", help, way{"count(*) filter (where " + condition + ")", columns}).
			whileOn(trackActivities).but("a sample of one moment")
	}
	waiting := func(name, help, kind string) field {
		return sessions(name, help, "state = 'active' and wait_event_type = '"+kind+"'", "state", "wait_event_type")
	}
	event := func(name, help, kind, event string) field {
		return sessions(name, help, "state = 'active' and wait_event_type = '"+kind+"' and lower(wait_event) = '"+event+"'",
			"state", "wait_event_type", "wait_event")
	}
	return view{
		name:      Name + ".waits",
		relations: []string{"pg_stat_activity"},
		rows: "usename = current_user and datname = current_database() and backend_type = 'client backend' " +
			"and application_name <> '" + applicationName + "'",
		chapter: "https://www.postgresql.org/docs/current/monitoring-stats.html#WAIT-EVENT-TABLE",
		fields: []field{
			gauge("sessions", "sessions", "sessions of our user in this database, without those that measure", counted()),
			sessions("idle", "sessions that wait for their client", "state <> 'active'", "state"),
			sessions("running", "sessions at work that wait for nothing", "state = 'active' and wait_event is null", "state", "wait_event"),
			waiting("io", "sessions that wait for a file", "IO"),
			waiting("lwlock", "sessions that wait for another at some shared memory", "LWLock"),
			waiting("lock", "sessions that wait for a lock", "Lock"),
			waiting("ipc", "sessions that wait for another process", "IPC"),
			waiting("client", "sessions at work that wait for their client, as in COPY", "Client"),
			waiting("timeout", "sessions that sleep for a set time", "Timeout"),
			event("wal_write", "sessions that write the log", "IO", "walwrite"),
			event("wal_sync", "sessions that sync the log", "IO", "walsync"),
			event("data_file_read", "sessions that read a table or an index", "IO", "datafileread"),
			event("data_file_write", "sessions that write a table or an index", "IO", "datafilewrite"),
			event("data_file_extend", "sessions that let a table or an index grow", "IO", "datafileextend"),
			event("wal_write_lock", "sessions that wait until another has written the log", "LWLock", "walwrite"),
			event("wal_insert_lock", "sessions that wait for room in the log's buffers", "LWLock", "walinsert"),
			event("extend_lock", "sessions that wait until another has let a table grow", "Lock", "extend"),
		},
	}
}
