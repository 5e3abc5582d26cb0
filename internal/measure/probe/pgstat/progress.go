package pgstat

import "strings"

// progress returns what runs on the server at the moment of the reading, beside any load: each writes much of its own.
// One statement asks the function of which the views of progress are made for each command that it knows: those that
// have a view.
func progress() []view {
	running := view{name: Name + ".progress", from: "(select) nothing"}
	for _, name := range []string{"vacuum", "analyze", "create_index", "cluster", "copy", "basebackup"} {
		command := strings.ToUpper(strings.ReplaceAll(name, "_", " "))
		running.fields = append(running.fields, field{
			name: name, relation: "pg_stat_progress_" + name,
			ways: []way{{"select pg_catalog.count(*) from pg_catalog.pg_stat_get_progress_info('" + command + "')", nil}},
		})
		running.relations = append(running.relations, "pg_stat_progress_"+name)
	}
	return []view{running, checkpointing()}
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
