package pgstat

// progress counts the maintenance commands that run during the reading, since each writes much. One statement calls
// the function behind the progress views for each command that has a view in this version: an unknown command would
// be an error that loses the others.
func progress() []view {
	// 19 made CLUSTER and VACUUM FULL kinds of REPACK.
	const cluster = "case when pg_catalog.current_setting('server_version_num')::pg_catalog.int4 < 190000 " +
		"then 'CLUSTER' else 'REPACK' end"
	running := view{name: Name + ".progress", from: "(select) nothing"}
	for _, of := range []struct{ name, command string }{
		{"vacuum", "'VACUUM'"}, {"analyze", "'ANALYZE'"}, {"create_index", "'CREATE INDEX'"},
		{"cluster", cluster}, {"copy", "'COPY'"}, {"basebackup", "'BASEBACKUP'"},
	} {
		running.fields = append(running.fields, field{
			name: of.name, relation: "pg_stat_progress_" + of.name,
			ways: []way{{"select pg_catalog.count(*) from pg_catalog.pg_stat_get_progress_info(" + of.command + ")", nil}},
		})
		running.relations = append(running.relations, "pg_stat_progress_"+of.name)
	}
	return []view{running, checkpointing()}
}

// checkpointing uses the checkpointer's wait event, since no view shows the progress of checkpoints.
func checkpointing() view {
	return view{
		name: Name + ".progress", relations: []string{"pg_stat_activity"},
		rows: "backend_type = 'checkpointer'",
		fields: []field{
			value("checkpoint", way{
				"pg_catalog.max(case when pg_catalog.lower(wait_event) = 'checkpointermain' then 0 else 1 end)",
				[]string{"backend_type", "wait_event"},
			}).nullIs(hidden),
		},
	}
}

// waits counts what our own user's sessions in this database wait for at the moment of the reading, except ours. A
// user may always see its own. One reading is a sample: only the mean of many shows how clients spend their time.
//
// 17 changed the spelling of some events.
func waits() view {
	sessions := func(name, condition string, columns ...string) field {
		return value(name, way{"pg_catalog.count(*) filter (where " + condition + ")", columns})
	}
	waiting := func(name, kind string) field {
		return sessions(name, "state = 'active' and wait_event_type = '"+kind+"'", "state", "wait_event_type")
	}
	event := func(name, kind, event string) field {
		return sessions(name, "state = 'active' and wait_event_type = '"+kind+"' and pg_catalog.lower(wait_event) = '"+
			event+"'", "state", "wait_event_type", "wait_event")
	}
	return view{
		name: Name + ".waits", relations: []string{"pg_stat_activity"},
		rows: "usename = current_user and datname = pg_catalog.current_database() and backend_type = 'client " +
			"backend' and application_name <> '" + applicationName + "'",
		fields: []field{
			value("sessions", counted()),
			sessions("idle", "state <> 'active'", "state"),
			sessions("running", "state = 'active' and wait_event is null", "state", "wait_event"),
			waiting("io", "IO"),
			waiting("lwlock", "LWLock"),
			waiting("lock", "Lock"),
			waiting("ipc", "IPC"),
			waiting("client", "Client"),
			waiting("timeout", "Timeout"),
			event("wal_write", "IO", "walwrite"),
			event("wal_sync", "IO", "walsync"),
			event("data_file_read", "IO", "datafileread"),
			event("data_file_write", "IO", "datafilewrite"),
			event("data_file_extend", "IO", "datafileextend"),
			event("wal_write_lock", "LWLock", "walwrite"),
			event("wal_insert_lock", "LWLock", "walinsert"),
			event("extend_lock", "Lock", "extend"),
		},
	}
}
