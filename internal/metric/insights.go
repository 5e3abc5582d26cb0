package metric

// auroraInsights is what Performance Insights shows of an instance of Aurora.
func auroraInsights() []Meaning {
	return []Meaning{
		{
			Metric: "os.diskIO.auroraStorage.writeIOsPS", Unit: "requests per second", Side: Logical, Counts: "WAL records", Basis: Measured,
			SameAs: "cloudwatch/WriteIOPS",
			Means:  "Documented as write operations a second, under disk I/O. It shows what CloudWatch shows as WriteIOPS.",
			Caveat: "others saw it follow the WAL, not a disk",
			Traps:  []string{"Its name and its chapter both say disk."},
			Shown: []Shown{
				{"Equal to WriteIOPS in two runs, and as that is no disk operation.", "pachot"},
			},
			Sources: []string{"aurora-insights"},
		},
		{
			Metric: "os.diskIO.auroraStorage.readIOsPS", Unit: "requests per second", Side: Physical, Counts: "page reads from storage", Basis: Inferred,
			SameAs:  "cloudwatch/ReadIOPS",
			Means:   "Reads of the storage each second.",
			Sources: []string{"aurora-insights"},
		},
		{
			Metric: "os.diskIO.auroraStorage.auroraStorageBytesTx", Unit: "bytes per second", Side: Physical, Counts: "bytes to the storage", Basis: Documented,
			SameAs:  "cloudwatch/StorageNetworkTransmitThroughput",
			Means:   "Bytes that the instance sends to the Aurora storage.",
			Caveat:  "copies may be in it",
			Sources: []string{"aurora-insights"},
		},
		{
			Metric: "os.diskIO.auroraStorage.writeThroughput", Unit: "bytes per second", Side: Physical, Counts: "bytes on the network", Basis: Documented,
			SameAs:  "cloudwatch/WriteThroughput",
			Means:   "Documented as what responses of the cluster use of the network.",
			Caveat:  "named as if it were bytes written",
			Traps:   []string{"The text reads as if it were the other direction: hold it against WriteThroughput of CloudWatch."},
			Sources: []string{"aurora-insights"},
		},
		{
			Metric: "os.diskIO.auroraStorage.writeLatency", Unit: "milliseconds", Side: NoSide, Counts: "time of one write", Basis: Documented,
			SameAs:  "cloudwatch/WriteLatency",
			Means:   "Average time of a write to the Aurora storage.",
			Traps:   []string{"Milliseconds; the same number in CloudWatch is in seconds."},
			Sources: []string{"aurora-insights"},
		},
		{
			Metric: "os.diskIO.auroraStorage.diskQueueDepth", Unit: "requests", Side: Physical, Counts: "requests that wait", Basis: Documented,
			SameAs:  "cloudwatch/DiskQueueDepth",
			Means:   "Requests that wait for the Aurora storage.",
			Sources: []string{"aurora-insights"},
		},
		{
			Metric: "db.SQL.tup_inserted", Unit: "rows per second", Side: Logical, Counts: "rows inserted", Basis: Documented,
			Means:   "Rows inserted each second.",
			Traps:   []string{"Rows are no disk operations, though some tools for migration call them IOPS."},
			Sources: []string{"aurora-insights"},
		},
		{
			Metric: "db.Transactions.xact_commit", Unit: "commits per second", Side: Logical, Counts: "transactions committed", Basis: Documented, Says: Commits,
			SameAs:  "cloudwatch/CommitThroughput",
			Means:   "Transactions committed each second.",
			Sources: []string{"aurora-insights"},
		},
		{
			Metric: "db.IO.buffers_backend", Unit: "blocks per second", Side: NoSide, Counts: "blocks written by sessions", Basis: Inferred,
			Means:   "Pages that sessions wrote themselves each second.",
			Traps:   []string{"On Aurora no page is written to the volume: what it counts never gets there."},
			Sources: []string{"aurora-insights"},
		},
		{
			Metric: "db.Checkpoint.buffers_checkpoint", Unit: "blocks per second", Side: NoSide, Counts: "blocks written by checkpoints", Basis: Inferred,
			Means:   "Pages that checkpoints wrote each second.",
			Traps:   []string{"On Aurora no page is written to the volume: what it counts never gets there."},
			Sources: []string{"aurora-insights"},
		},
		{
			Metric: "db.Temp.temp_bytes", Unit: "bytes per second", Side: Physical, Counts: "bytes of temporary files", Basis: Documented,
			Means:   "Bytes written to temporary files each second.",
			Traps:   []string{"On Aurora they lie on the local disk of the instance."},
			Sources: []string{"aurora-insights"},
		},
		{
			Metric: "db.Transactions.commit_latency", Unit: "microseconds", Side: NoSide, Counts: "average time of a commit", Basis: Documented,
			SameAs:  "cloudwatch/CommitLatency",
			Means:   "Average time of a commit.",
			Traps:   []string{"Microseconds; CommitLatency of CloudWatch is in milliseconds."},
			Sources: []string{"aurora-insights"},
		},
		{
			Metric: "os.diskIO.auroraStorage.auroraStorageBytesRx", Unit: "bytes per second", Side: Physical, Counts: "bytes from the storage", Basis: Documented,
			SameAs:  "cloudwatch/StorageNetworkReceiveThroughput",
			Means:   "Bytes that the instance receives from the Aurora storage.",
			Sources: []string{"aurora-insights"},
		},
		{
			Metric: "os.diskIO.auroraStorage.readThroughput", Unit: "bytes per second", Side: Physical, Counts: "bytes on the network", Basis: Documented,
			SameAs:  "cloudwatch/ReadThroughput",
			Means:   "Documented as what requests to the cluster use of the network.",
			Caveat:  "named as if it were bytes read",
			Traps:   []string{"The text reads as if it were the other direction: hold it against ReadThroughput of CloudWatch."},
			Sources: []string{"aurora-insights"},
		},
		{
			Metric: "os.diskIO.auroraStorage.readLatency", Unit: "milliseconds", Side: NoSide, Counts: "time of one read", Basis: Documented,
			SameAs:  "cloudwatch/ReadLatency",
			Means:   "Average time of a read from the Aurora storage.",
			Traps:   []string{"Milliseconds; the same number in CloudWatch is in seconds."},
			Sources: []string{"aurora-insights"},
		},
		{
			Metric: "os.diskIO.rdstemp.writeIOsPS", Unit: "requests per second", Side: Physical, Counts: "disk writes", Basis: Documented,
			Means:   "Writes to the instance's own disk for temporary files each second.",
			Traps:   []string{"The local disk, not the volume of the cluster."},
			Sources: []string{"aurora-insights"},
		},
		{
			Metric: "os.diskIO.rdstemp.readIOsPS", Unit: "requests per second", Side: Physical, Counts: "disk reads", Basis: Documented,
			Means:   "Reads from the instance's own disk for temporary files each second.",
			Traps:   []string{"The local disk, not the volume of the cluster."},
			Sources: []string{"aurora-insights"},
		},
		{
			Metric: "os.diskIO.rdstemp.writeKbPS", Unit: "kilobytes per second", Side: Physical, Counts: "bytes written to disk", Basis: Documented,
			Means:   "Kilobytes written to the instance's own disk for temporary files each second.",
			Traps:   []string{"The local disk, not the volume of the cluster."},
			Sources: []string{"aurora-insights"},
		},
		{
			Metric: "os.diskIO.rdstemp.readKbPS", Unit: "kilobytes per second", Side: Physical, Counts: "bytes read from disk", Basis: Documented,
			Means:   "Kilobytes read from the instance's own disk for temporary files each second.",
			Traps:   []string{"The local disk, not the volume of the cluster."},
			Sources: []string{"aurora-insights"},
		},
		{
			Metric: "db.SQL.tup_updated", Unit: "rows per second", Side: Logical, Counts: "rows updated", Basis: Documented,
			Means:   "Rows updated each second.",
			Sources: []string{"aurora-insights"},
		},
		{
			Metric: "db.SQL.tup_deleted", Unit: "rows per second", Side: Logical, Counts: "rows deleted", Basis: Documented,
			Means:   "Rows deleted each second.",
			Sources: []string{"aurora-insights"},
		},
		{
			Metric: "db.Transactions.xact_rollback", Unit: "transactions per second", Side: Logical, Counts: "transactions rolled back", Basis: Documented,
			Means:   "Transactions rolled back each second.",
			Sources: []string{"aurora-insights"},
		},
		{
			Metric: "db.IO.blks_read", Unit: "blocks per second", Side: Logical, Counts: "blocks that were not in shared buffers", Basis: Documented,
			Means:   "Pages that were not in shared buffers each second.",
			Traps:   []string{"On Aurora some come from the cache of Optimized Reads, and not from the storage."},
			Sources: []string{"aurora-insights"},
		},
		{
			Metric: "db.IO.buffers_clean", Unit: "blocks per second", Side: NoSide, Counts: "blocks written by the background writer", Basis: Inferred,
			Means:   "Pages that the background writer wrote each second.",
			Traps:   []string{"On Aurora no page is written to the volume: what it counts never gets there."},
			Sources: []string{"aurora-insights"},
		},
		{
			Metric: "db.Checkpoint.checkpoints_timed", Unit: "checkpoints per minute", Side: NoSide, Counts: "checkpoints because checkpoint_timeout was over", Basis: Documented,
			Means:   "Checkpoints because checkpoint_timeout was over, each minute.",
			Traps:   []string{"Per minute, where most others are per second."},
			Sources: []string{"aurora-insights"},
		},
		{
			Metric: "db.Checkpoint.checkpoints_req", Unit: "checkpoints per minute", Side: NoSide, Counts: "checkpoints that were asked for", Basis: Documented,
			Means:   "Checkpoints that were asked for, each minute.",
			Traps:   []string{"Per minute, where most others are per second."},
			Sources: []string{"aurora-insights"},
		},
		{
			Metric: "db.Temp.temp_files", Unit: "files per minute", Side: NoSide, Counts: "temporary files", Basis: Documented,
			Means:   "Temporary files that queries made, each minute.",
			Traps:   []string{"Per minute, where most others are per second."},
			Sources: []string{"aurora-insights"},
		},
		{
			Metric: "db.WAL.archived_count", Unit: "files per minute", Side: NoSide, Counts: "WAL files that were archived", Basis: Documented,
			Means:   "WAL files that were archived, each minute.",
			Traps:   []string{"Per minute, where most others are per second."},
			Sources: []string{"aurora-insights"},
		},
		{
			Metric: "db.load", Unit: "sessions", Side: NoSide, Counts: "sessions at work", Basis: Documented,
			Means:   "Sessions at work or waiting, on average; grouped by db.wait_event it shows what they waited for.",
			Traps:   []string{"It is sampled once a second: what is shorter is seen now and then."},
			Sources: []string{"aurora-insights"},
		},
	}
}

// rdsInsights is what it shows of an instance of RDS.
func rdsInsights() []Meaning {
	return []Meaning{
		{
			Metric: "os.diskIO.rdsdev.writeIOsPS", Unit: "requests per second", Side: Physical, Counts: "disk writes", Basis: Documented,
			SameAs:  "cloudwatch/WriteIOPS",
			Means:   "Write requests of the block device each second, as Linux counts them.",
			Traps:   []string{"rdsdev is the name of the device that is usually seen; the documentation has a placeholder there."},
			Sources: []string{"rds-insights", "rds-os"},
		},
		{
			Metric: "os.diskIO.rdsdev.writeKbPS", Unit: "kilobytes per second", Side: Physical, Counts: "bytes written to disk", Basis: Documented,
			SameAs:  "cloudwatch/WriteThroughput",
			Means:   "Kilobytes written to the block device each second.",
			Sources: []string{"rds-insights"},
		},
		{
			Metric: "os.diskIO.rdsdev.avgReqSz", Unit: "kilobytes", Side: NoSide, Counts: "size of a request", Basis: Documented,
			Unread:  true,
			Means:   "Average size of a request.",
			Traps:   []string{"The page on Performance Insights gives its unit as requests, by mistake; that on Enhanced Monitoring says kilobytes."},
			Sources: []string{"rds-insights", "rds-os"},
		},
		{
			Metric: "os.diskIO.rdsdev.await", Unit: "milliseconds", Side: NoSide, Counts: "time of one request", Basis: Documented,
			Means:   "Time of a request in the queue and on the device.",
			Sources: []string{"rds-insights"},
		},
		{
			Metric: "db.SQL.tup_inserted", Unit: "rows per second", Side: Logical, Counts: "rows inserted", Basis: Documented,
			Means:   "Rows inserted each second.",
			Traps:   []string{"Rows are no disk operations, though some tools for migration call them IOPS."},
			Sources: []string{"rds-insights"},
		},
		{
			Metric: "db.Transactions.xact_commit", Unit: "commits per second", Side: Logical, Counts: "transactions committed", Basis: Documented, Says: Commits,
			Means:   "Transactions committed each second.",
			Sources: []string{"rds-insights"},
		},
		{
			Metric: "db.IO.buffers_backend", Unit: "blocks per second", Side: Physical, Counts: "blocks written by sessions", Basis: Documented,
			Means:   "Pages that sessions wrote themselves each second.",
			Sources: []string{"rds-insights"},
		},
		{
			Metric: "db.Checkpoint.buffers_checkpoint", Unit: "blocks per second", Side: Physical, Counts: "blocks written by checkpoints", Basis: Documented,
			Means:   "Pages that checkpoints wrote each second.",
			Sources: []string{"rds-insights"},
		},
		{
			Metric: "db.Temp.temp_bytes", Unit: "bytes per second", Side: Physical, Counts: "bytes of temporary files", Basis: Documented,
			Means:   "Bytes written to temporary files each second.",
			Sources: []string{"rds-insights"},
		},
		{
			Metric: "os.diskIO.rdsdev.readIOsPS", Unit: "requests per second", Side: Physical, Counts: "disk reads", Basis: Documented,
			SameAs:  "cloudwatch/ReadIOPS",
			Means:   "Read requests of the block device each second, as Linux counts them.",
			Sources: []string{"rds-insights"},
		},
		{
			Metric: "os.diskIO.rdsdev.readKbPS", Unit: "kilobytes per second", Side: Physical, Counts: "bytes read from disk", Basis: Documented,
			SameAs:  "cloudwatch/ReadThroughput",
			Means:   "Kilobytes read from the block device each second.",
			Sources: []string{"rds-insights"},
		},
		{
			Metric: "os.diskIO.rdsdev.wrqmPS", Unit: "requests per second", Side: NoSide, Counts: "merged writes", Basis: Documented,
			Means:   "Write requests merged each second with others that waited for the device.",
			Traps:   []string{"They never reach the device as requests of their own."},
			Sources: []string{"rds-insights"},
		},
		{
			Metric: "os.diskIO.rdsdev.avgQueueLen", Unit: "requests", Side: Physical, Counts: "requests that wait", Basis: Documented,
			SameAs:  "cloudwatch/DiskQueueDepth",
			Means:   "Requests that wait in the queue of the device.",
			Sources: []string{"rds-insights"},
		},
		{
			Metric: "db.SQL.tup_updated", Unit: "rows per second", Side: Logical, Counts: "rows updated", Basis: Documented,
			Means:   "Rows updated each second.",
			Sources: []string{"rds-insights"},
		},
		{
			Metric: "db.SQL.tup_deleted", Unit: "rows per second", Side: Logical, Counts: "rows deleted", Basis: Documented,
			Means:   "Rows deleted each second.",
			Sources: []string{"rds-insights"},
		},
		{
			Metric: "db.Transactions.xact_rollback", Unit: "transactions per second", Side: Logical, Counts: "transactions rolled back", Basis: Documented,
			Means:   "Transactions rolled back each second.",
			Sources: []string{"rds-insights"},
		},
		{
			Metric: "db.IO.blks_read", Unit: "blocks per second", Side: Logical, Counts: "blocks that were not in shared buffers", Basis: Documented,
			Means:   "Pages that were not in shared buffers each second.",
			Traps:   []string{"The operating system may have had them in memory."},
			Sources: []string{"rds-insights"},
		},
		{
			Metric: "db.IO.buffers_clean", Unit: "blocks per second", Side: Physical, Counts: "blocks written by the background writer", Basis: Documented,
			Means:   "Pages that the background writer wrote each second.",
			Sources: []string{"rds-insights"},
		},
		{
			Metric: "db.Checkpoint.checkpoints_timed", Unit: "checkpoints per minute", Side: NoSide, Counts: "checkpoints because checkpoint_timeout was over", Basis: Documented,
			Means:   "Checkpoints because checkpoint_timeout was over, each minute.",
			Traps:   []string{"Per minute, where most others are per second."},
			Sources: []string{"rds-insights"},
		},
		{
			Metric: "db.Checkpoint.checkpoints_req", Unit: "checkpoints per minute", Side: NoSide, Counts: "checkpoints that were asked for", Basis: Documented,
			Means:   "Checkpoints that were asked for, each minute.",
			Traps:   []string{"Per minute, where most others are per second."},
			Sources: []string{"rds-insights"},
		},
		{
			Metric: "db.Temp.temp_files", Unit: "files per minute", Side: NoSide, Counts: "temporary files", Basis: Documented,
			Means:   "Temporary files that queries made, each minute.",
			Traps:   []string{"Per minute, where most others are per second."},
			Sources: []string{"rds-insights"},
		},
		{
			Metric: "db.WAL.archived_count", Unit: "files per minute", Side: NoSide, Counts: "WAL files that were archived", Basis: Documented,
			Means:   "WAL files that were archived, each minute.",
			Traps:   []string{"Per minute, where most others are per second."},
			Sources: []string{"rds-insights"},
		},
		{
			Metric: "db.load", Unit: "sessions", Side: NoSide, Counts: "sessions at work", Basis: Documented,
			Means:   "Sessions at work or waiting, on average; grouped by db.wait_event it shows what they waited for.",
			Traps:   []string{"It is sampled once a second: what is shorter is seen now and then."},
			Sources: []string{"rds-insights"},
		},
	}
}
