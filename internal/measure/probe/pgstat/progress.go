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
