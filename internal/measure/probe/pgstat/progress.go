package pgstat

// progress is what runs on the server at the moment of the reading, beside any load: each writes much of its own.
func progress() []view {
	const chapter = "https://www.postgresql.org/docs/current/progress-reporting.html"
	running := func(name, help string, since int) view {
		f := gauge(name, "sessions", help, counted()).but("a sample of one moment")
		return view{
			name: Name + ".progress", relations: []string{"pg_stat_progress_" + name}, chapter: chapter, fields: []field{f.from(since)},
		}
	}
	return []view{
		running("vacuum", "vacuums at work, autovacuum's among them", 0),
		running("analyze", "analyses at work, autovacuum's among them", 0),
		running("create_index", "indexes being made", 0),
		running("cluster", "tables being written anew by CLUSTER or VACUUM FULL", 0),
		running("copy", "COPY statements at work", 14),
		running("basebackup", "backups being streamed", 0),
		checkpointing(),
	}
}

// checkpointing asks the checkpointer's wait event, for want of a view of the progress of checkpoints.
func checkpointing() view {
	return view{
		name:      Name + ".progress",
		relations: []string{"pg_stat_activity"},
		rows:      "backend_type = 'checkpointer'",
		chapter:   "https://www.postgresql.org/docs/current/monitoring-stats.html#MONITORING-PG-STAT-ACTIVITY-VIEW",
		fields: []field{
			gauge("checkpoint", "checkpoints", "1 while a checkpoint is made",
				way{"max(case when lower(wait_event) = 'checkpointermain' then 0 else 1 end)", []string{"backend_type", "wait_event"}}).
				nullIs(hidden).but("a sample of one moment"),
		},
	}
}
