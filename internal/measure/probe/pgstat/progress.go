package pgstat

// progress returns what runs on the server at the moment of the reading, beside any load: each writes much of its own.
func progress() []view {
	var views []view
	for _, name := range []string{"vacuum", "analyze", "create_index", "cluster", "copy", "basebackup"} {
		views = append(views, view{
			name: Name + ".progress", relations: []string{"pg_stat_progress_" + name},
			fields: []field{value(name, counted())},
		})
	}
	return append(views, checkpointing())
}

// checkpointing asks the checkpointer's wait event, for want of a view of the progress of checkpoints.
func checkpointing() view {
	return view{
		name:      Name + ".progress",
		relations: []string{"pg_stat_activity"},
		rows:      "backend_type = 'checkpointer'",
		fields: []field{
			value("checkpoint", way{
				"pg_catalog.max(case when pg_catalog.lower(wait_event) = 'checkpointermain' then 0 else 1 end)",
				[]string{"backend_type", "wait_event"},
			}).nullIs(hidden),
		},
	}
}
