package metric

// auroraInstance is what CloudWatch shows of an instance of Aurora.
func auroraInstance() []Meaning {
	return []Meaning{
		{
			Metric: "WriteIOPS", Unit: "operations per second", Statistics: meanAndPeak, Side: Logical, Counts: "WAL records", Basis: Documented, Says: WALRecords,
			Means:  "How many write records the instance hands to the Aurora storage each second, roughly the WAL records. AWS says itself that it equals neither writes of 8 KB pages nor network packets.",
			Caveat: "on RDS the same name counts disk operations",
			Traps: []string{
				"The same name on RDS counts disk operations.",
				"Its name differs from VolumeWriteIOPs, which counts something else, by more than the small s.",
				"Older consoles label it \"Volume Write IOPS\".",
				"It is not bounded by the EBS figures of the instance class, which are about local storage.",
			},
			Shown: []Shown{
				{"About 140,000 at under 1 ms on a db.t3.medium, 2 vCPU, under a bulk insert of 1,000 rows a transaction.", "pachot"},
				{"3.71 to 3.95 for each row inserted, updated or deleted in nine loads whose sizes differ by 66 times, while commits for each vary by 2.6 times; 556,000 to 636,000 a second in the busiest minutes. One workload: others have another ratio.", "senzing"},
				{"One load with two HNSW indexes more: 0.76 million index entries more, and 20 million more of WriteIOPS, 26 for each: it counts WAL records, and not rows and index entries.", "senzing"},
				{"About 7.66 and 1,420 bytes a second where nothing is done.", "senzing"},
				{"About 120,000 for 120,000 rows/s without an index; about 100,000 for 32,000 rows/s with two indexes: as many as rows and index entries, or as WAL records.", "pachot"},
			},
			Sources: []string{"aurora-metrics", "optimizer", "aurora-classes", "late-points"},
		},
		{
			Metric: "ReadIOPS", Unit: "operations per second", Statistics: meanAndPeak, Side: Physical, Counts: "page reads from storage", Basis: Documented, Says: PagesMissed,
			SameAs:  "pgstat.database/blks_read",
			Means:   "Reads of the instance from the Aurora storage each second: pages that are not in the buffer cache.",
			Traps:   []string{"WriteIOPS beside it is of another kind: never add the two.", "It is no measure of work: with a warm cache it is 0, whatever is read."},
			Shown:   []Shown{{"0.992 to 1.016 of pg_stat_database.blks_read in five loads of 0.13 to 2.8 billion pages.", "senzing"}},
			Sources: []string{"aurora-metrics", "late-points"},
		},
		{
			Metric: "WriteThroughput", Unit: "bytes per second", Statistics: meanAndPeak, Side: Physical, Counts: "bytes of WAL", Basis: Inferred,
			Means:   "Bytes written to the persistent storage each second. On Aurora only the WAL crosses to the storage, so they are bytes of WAL, not of pages.",
			Traps:   []string{"Whether headers are in it is not documented; copies seem not to be, since six times as much is sent (StorageNetworkTransmitThroughput)."},
			Shown:   []Shown{{"189 to 233 bytes for each of WriteIOPS in seven loads.", "senzing"}},
			Sources: []string{"aurora-metrics", "late-points"},
		},
		{
			Metric: "ReadThroughput", Unit: "bytes per second", Statistics: meanAndPeak, Side: Physical, Counts: "bytes of pages read", Basis: Documented,
			Means:   "Bytes read from the storage each second; about ReadIOPS times 8 KB.",
			Sources: []string{"aurora-metrics", "late-points"},
		},
		{
			Metric: "WriteLatency", Unit: "seconds", Statistics: meanAndPeak, Side: NoSide, Counts: "time of one write", Basis: Documented,
			Means: "Average time of one write of the storage.",
			Traps: []string{
				"Performance Insights shows the same number in milliseconds.",
				"A percentile of averages over a minute is not a percentile of writes.",
			},
			Sources: []string{"aurora-metrics", "late-points"},
		},
		{
			Metric: "ReadLatency", Unit: "seconds", Statistics: meanAndPeak, Side: NoSide, Counts: "time of one read", Basis: Documented,
			Means: "Average time of one read of the storage.",
			Traps: []string{
				"Performance Insights shows the same number in milliseconds.",
				"A percentile of averages over a minute is not a percentile of reads.",
			},
			Sources: []string{"aurora-metrics", "late-points"},
		},
		{
			Metric: "CommitThroughput", Unit: "commits per second", Statistics: meanAndPeak, Side: Logical, Counts: "commits", Basis: Documented, Says: Commits,
			Means:   "Commits each second.",
			Traps:   []string{"Every transaction is in it, those that wrote nothing too: it does not tell how often the WAL had to be made safe."},
			Shown:   []Shown{{"100,000 to 189,000 a second in a load most of whose transactions only read, at a CommitLatency of 0.3 ms, less than a write to a quorum takes.", "senzing"}},
			Sources: []string{"aurora-metrics", "late-points"},
		},
		{
			Metric: "CommitLatency", Unit: "milliseconds", Statistics: meanAndPeak, Side: NoSide, Counts: "time of one commit", Basis: Documented,
			Means:   "Time that the engine and the storage take to finish a commit.",
			Traps:   []string{"Milliseconds, where WriteLatency beside it is in seconds; db.Transactions.commit_latency is in microseconds."},
			Sources: []string{"aurora-metrics", "aurora-commit-latency", "late-points"},
		},
		{
			Metric: "DiskQueueDepth", Unit: "requests", Statistics: meanAndPeak, Side: Physical, Counts: "requests that wait", Basis: Documented,
			Means:   "Reads and writes that wait for the storage.",
			Sources: []string{"aurora-metrics", "late-points"},
		},
		{
			Metric: "BufferCacheHitRatio", Unit: "percent", Statistics: []string{"Average", "Minimum"}, Side: NoSide, Counts: "share of cache hits", Basis: Documented,
			Means:   "Share of page requests that the buffer cache answers.",
			Sources: []string{"aurora-metrics", "late-points"},
		},
		{
			Metric: "StorageNetworkTransmitThroughput", Unit: "bytes per second", Statistics: meanAndPeak, Side: Physical, Counts: "bytes to the storage", Basis: Documented,
			Means:   "Bytes that the instance sends to the Aurora storage each second.",
			Traps:   []string{"All copies are in it, and little else: about six times WriteThroughput."},
			Shown:   []Shown{{"8.28 TB for 1.353 TB of WriteThroughput in one load, 6.1 times; 6.08 at its peak. Read off charts.", "senzing"}},
			Sources: []string{"aurora-metrics", "late-points"},
		},
		{
			Metric: "StorageNetworkReceiveThroughput", Unit: "bytes per second", Statistics: meanAndPeak, Side: Physical, Counts: "bytes from the storage", Basis: Documented,
			Means:   "Bytes that the instance receives from the Aurora storage each second.",
			Sources: []string{"aurora-metrics", "late-points"},
		},
		{
			Metric: "NetworkTransmitThroughput", Unit: "bytes per second", Statistics: meanAndPeak, Side: NoSide, Counts: "bytes to clients", Basis: Documented,
			Means:   "Bytes sent to clients each second; what goes to the storage is not in it.",
			Sources: []string{"aurora-metrics", "late-points"},
		},
		{
			Metric: "TransactionLogsDiskUsage", Unit: "bytes", Statistics: []string{"Maximum"}, Side: NoSide, Counts: "WAL files kept", Basis: Documented,
			Means:   "Size of the WAL files that logical replication or DMS needs.",
			Caveat:  "-1 without logical replication",
			Traps:   []string{"-1 without logical replication: Aurora has WAL records and no WAL files."},
			Sources: []string{"aurora-metrics", "late-points"},
		},
		{
			Metric: "FreeLocalStorage", Unit: "bytes", Statistics: []string{"Minimum"}, Side: NoSide, Counts: "free space", Basis: Documented,
			Only:    Provisioned,
			Means:   "Local storage that is left, for temporary files; not the cluster volume.",
			Sources: []string{"aurora-metrics", "late-points"},
		},
		{
			Metric: "TempStorageIOPS", Unit: "operations per second", Statistics: meanAndPeak, Side: Physical, Counts: "local disk operations", Basis: Documented,
			Only:    Serverless,
			Means:   "Reads and writes of the local disk, which holds temporary files; Serverless v2 only.",
			Sources: []string{"aurora-metrics", "late-points"},
		},
		{
			Metric: "StorageNetworkThroughput", Unit: "bytes per second", Statistics: meanAndPeak, Side: Physical, Counts: "bytes from and to the storage", Basis: Documented,
			Means:   "Bytes between the instance and the Aurora storage each second, both ways together.",
			Traps:   []string{"Copies for several storage nodes may be in it; that is not documented."},
			Sources: []string{"aurora-metrics", "late-points"},
		},
		{
			Metric: "NetworkReceiveThroughput", Unit: "bytes per second", Statistics: meanAndPeak, Side: NoSide, Counts: "bytes from clients", Basis: Documented,
			Means:   "Bytes received from clients each second; traffic with the storage is not in it.",
			Sources: []string{"aurora-metrics", "late-points"},
		},
		{
			Metric: "NetworkThroughput", Unit: "bytes per second", Statistics: meanAndPeak, Side: NoSide, Counts: "bytes from and to clients", Basis: Documented,
			Means:   "Bytes between the instance and its clients each second, both ways together; traffic with the storage is not in it.",
			Sources: []string{"aurora-metrics", "late-points"},
		},
		{
			Metric: "ReplicationSlotDiskUsage", Unit: "bytes", Statistics: []string{"Maximum"}, Side: NoSide, Counts: "WAL kept for replication slots", Basis: Documented,
			Means:   "Space that the files of replication slots take.",
			Sources: []string{"aurora-metrics", "late-points"},
		},
		{
			Metric: "OldestReplicationSlotLag", Unit: "bytes", Statistics: []string{"Maximum"}, Side: NoSide, Counts: "lag of the slowest replication slot", Basis: Documented,
			Means:   "How many bytes of WAL the replica that is farthest behind has yet to receive.",
			Sources: []string{"aurora-metrics", "late-points"},
		},
		{
			Metric: "TempStorageThroughput", Unit: "bytes per second", Statistics: meanAndPeak, Side: Physical, Counts: "bytes from and to the local disk", Basis: Documented,
			Only:    Serverless,
			Means:   "Bytes from and to the local disk each second, which holds temporary files; Serverless v2 only.",
			Sources: []string{"aurora-metrics", "late-points"},
		},
		{
			Metric: "ServerlessDatabaseCapacity", Unit: "capacity units", Statistics: []string{"Average", "Minimum", "Maximum"}, Side: NoSide, Counts: "size of the instance", Basis: Documented,
			Only:    Serverless,
			Means:   "How many capacity units (ACU) a Serverless v2 instance has at the moment.",
			Traps:   []string{"When it changes during a load, that load was run on two machines."},
			Sources: []string{"aurora-metrics", "late-points"},
		},
		{
			Metric: "ACUUtilization", Unit: "percent", Statistics: []string{"Average", "Minimum", "Maximum"}, Side: NoSide, Counts: "size of the largest allowed", Basis: Documented,
			Only:    Serverless,
			Means:   "ServerlessDatabaseCapacity as a share of the most that the cluster may have; near 100 the limit is what bounds the load.",
			Sources: []string{"aurora-metrics", "late-points"},
		},
		{
			Metric: "WriteIOPSEphemeralStorage", Unit: "operations per second", Statistics: meanAndPeak, Side: Physical, Counts: "writes to the local NVMe disk", Basis: Documented,
			Only:    LocalDisk,
			Means:   "Write operations of the local NVMe disk each second: temporary files and the Optimized Reads cache, never the data itself.",
			Traps:   []string{"Classes with a local NVMe disk have it, by the d in their names (db.r6gd)."},
			Sources: []string{"aurora-metrics", "late-points"},
		},
		{
			Metric: "ReadIOPSEphemeralStorage", Unit: "operations per second", Statistics: meanAndPeak, Side: Physical, Counts: "reads from the local NVMe disk", Basis: Documented,
			Only:    LocalDisk,
			Means:   "Read operations of the local NVMe disk each second: temporary files and the Optimized Reads cache.",
			Traps:   []string{"Classes with a local NVMe disk have it, by the d in their names (db.r6gd)."},
			Sources: []string{"aurora-metrics", "late-points"},
		},
		{
			Metric: "WriteThroughputEphemeralStorage", Unit: "bytes per second", Statistics: meanAndPeak, Side: Physical, Counts: "bytes written to the local NVMe disk", Basis: Documented,
			Only:    LocalDisk,
			Means:   "Bytes written to the local NVMe disk each second.",
			Traps:   []string{"Classes with a local NVMe disk have it, by the d in their names (db.r6gd)."},
			Sources: []string{"aurora-metrics", "late-points"},
		},
		{
			Metric: "ReadThroughputEphemeralStorage", Unit: "bytes per second", Statistics: meanAndPeak, Side: Physical, Counts: "bytes read from the local NVMe disk", Basis: Documented,
			Only:    LocalDisk,
			Means:   "Bytes read from the local NVMe disk each second.",
			Traps:   []string{"Classes with a local NVMe disk have it, by the d in their names (db.r6gd)."},
			Sources: []string{"aurora-metrics", "late-points"},
		},
		{
			Metric: "WriteLatencyEphemeralStorage", Unit: "seconds", Statistics: meanAndPeak, Side: NoSide, Counts: "time of one write to the local NVMe disk", Basis: Documented,
			Only:    LocalDisk,
			Means:   "Average time of one write to the local NVMe disk.",
			Traps:   []string{"Classes with a local NVMe disk have it, by the d in their names (db.r6gd)."},
			Sources: []string{"aurora-metrics", "late-points"},
		},
		{
			Metric: "ReadLatencyEphemeralStorage", Unit: "seconds", Statistics: meanAndPeak, Side: NoSide, Counts: "time of one read from the local NVMe disk", Basis: Documented,
			Only:    LocalDisk,
			Means:   "Average time of one read from the local NVMe disk.",
			Traps:   []string{"Classes with a local NVMe disk have it, by the d in their names (db.r6gd)."},
			Sources: []string{"aurora-metrics", "late-points"},
		},
		{
			Metric: "FreeEphemeralStorage", Unit: "bytes", Statistics: []string{"Minimum"}, Side: NoSide, Counts: "space left on the local NVMe disk", Basis: Documented,
			Only:    LocalDisk,
			Means:   "Space left on the local NVMe disk.",
			Traps:   []string{"Classes with a local NVMe disk have it, by the d in their names (db.r6gd)."},
			Sources: []string{"aurora-metrics", "late-points"},
		},
		{
			Metric: "AuroraOptimizedReadsCacheHitRatio", Unit: "percent", Statistics: []string{"Average", "Minimum"}, Side: NoSide, Counts: "share of reads from the Optimized Reads cache", Basis: Documented,
			Only:  LocalDisk,
			Means: "Of the pages that were not in memory, the share that came from the cache on the local NVMe disk and not from the storage.",
			Traps: []string{
				"Classes with a local NVMe disk have it, by the d in their names (db.r6gd).",
				"What it serves is not in VolumeReadIOPs: it is a read that is not billed.",
			},
			Sources: []string{"aurora-metrics", "late-points"},
		},
		{
			Metric: "CPUUtilization", Unit: "percent", Statistics: meanAndPeak, Side: NoSide, Counts: "share of the processors in use", Basis: Documented,
			Means:   "Share of the instance's processors in use.",
			Traps:   []string{"Near 100 the processors bound the load, not the storage."},
			Sources: []string{"aurora-metrics", "late-points"},
		},
		{
			Metric: "DatabaseConnections", Unit: "connections", Statistics: meanAndPeak, Side: NoSide, Counts: "clients connected", Basis: Documented,
			Means:   "Connections of clients over the network; the engine's own sessions are not in it.",
			Traps:   []string{"More than the load's own clients: somebody else is at work."},
			Sources: []string{"aurora-metrics", "late-points"},
		},
		{
			Metric: "CPUCreditBalance", Unit: "credits", Period: FiveMinutes, Statistics: []string{"Minimum"}, Side: NoSide, Counts: "processor credits left", Basis: Documented,
			Only:    Burstable,
			Means:   "Credits that a burstable class has saved; one is a processor's minute. At zero it falls back to its base speed.",
			Traps:   []string{"Every five minutes only, and only of classes whose names begin with db.t."},
			Sources: []string{"aurora-metrics", "late-points"},
		},
		{
			Metric: "CPUSurplusCreditBalance", Unit: "credits", Period: FiveMinutes, Statistics: []string{"Maximum"}, Side: NoSide, Counts: "processor credits borrowed", Basis: Documented,
			Only:    Burstable,
			Means:   "Credits that an unlimited burstable class has spent beyond those it saved; what it does not earn back within a day is billed.",
			Traps:   []string{"Every five minutes only, and only of classes whose names begin with db.t."},
			Sources: []string{"aurora-metrics", "late-points"},
		},
		{
			Metric: "CPUCreditUsage", Unit: "credits", Period: FiveMinutes, Statistics: sums, Side: NoSide, Counts: "processor credits used", Basis: Documented,
			Only:    Burstable,
			Means:   "Credits spent in the period; one is a processor's minute.",
			Traps:   []string{"Every five minutes only, and only of classes whose names begin with db.t."},
			Sources: []string{"aurora-metrics", "late-points"},
		},
	}
}

// auroraCluster is what it shows of the volume that the instances of a cluster share.
func auroraCluster() []Meaning {
	return []Meaning{
		{
			Metric: "VolumeWriteIOPs", Unit: "operations in 5 minutes", Period: FiveMinutes, Steps: Hour, Statistics: sums, Side: Physical, Counts: "writes that are billed", Basis: Documented,
			Means:  "Writes to the cluster volume in five minutes, as they are billed: WAL in units of up to 4 KB, where records that are ready together share one.",
			Caveat: "a count of five minutes: divide by 300",
			Traps: []string{
				"The small s is a plural: a count of five minutes and not a rate. A second is Sum / 300.",
				"It moves in steps of about an hour: the same value is delivered a dozen times over. What is shown of less than an hour is a part of an hour's mean, of whatever ran in it.",
				"With a shorter period there is nothing more to see.",
				"The console shows it on instance pages, though it is of the whole cluster.",
				"It stands under several sets of dimensions: never add those up.",
				"Bytes of PostgreSQL WAL / 4096 is no lower bound: Aurora keeps its WAL denser.",
			},
			Shown: []Shown{
				{"Flat for 76, 52, 56, 67 and 61 minutes of one load, which fell smoothly meanwhile; the first step began some 15 minutes before the load. Read off a chart.", "senzing"},
				{"111.6, 442.7 and 399.9 million in three whole loads: 0.34, 0.33 and 0.30 for 4,096 bytes of WriteThroughput, one for 64 to 71 WAL records. Read off charts, give or take 2 %.", "senzing"},
				{"246,000 in 5 minutes at about 117,000 rows/s, which may be a part of an hour's mean.", "pachot"},
				{"22.17 million in 30 hours of an object-relational mapper's small transactions: one for 3.3 objects, where others have one for 143 rows. Rows do not tell it.", "ord"},
			},
			Sources: []string{"aurora-metrics", "planning-io", "aurora-skill", "late-points"},
		},
		{
			Metric: "VolumeReadIOPs", Unit: "operations in 5 minutes", Period: FiveMinutes, Steps: Hour, Statistics: sums, Side: Physical, Counts: "page reads that are billed", Basis: Documented,
			Means:  "Reads from the cluster volume in five minutes by all instances, one for each page that no cache had.",
			Caveat: "a count of five minutes: divide by 300",
			Traps: []string{
				"A count of five minutes: a second is Sum / 300. AWS works it out as 13,686 -> 45.62/s.",
				"It moves in steps of about an hour, as VolumeWriteIOPs does.",
				"It is not ReadIOPS: of the pages missed, 0.34 to 0.64 were billed in three published loads.",
			},
			Shown: []Shown{
				{"77.1, 784 and 723 million for 119.9, 2,337 and 2,033 million pages missed: 0.64, 0.34 and 0.36. Read off charts.", "senzing"},
			},
			Sources: []string{"aurora-metrics", "aurora-availability", "late-points"},
		},
		{
			Metric: "VolumeBytesUsed", Unit: "bytes", Period: FiveMinutes, Steps: Hour, Statistics: meanAndPeak, Side: NoSide, Counts: "space that is billed", Basis: Documented,
			Means:   "Space of the volume that is billed.",
			Traps:   []string{"What Aurora uses inside and does not bill is left out; a clone shows only what it changed."},
			Sources: []string{"aurora-metrics", "aurora-managing", "late-points"},
		},
		{
			Metric: "AuroraGlobalDBReplicatedWriteIO", Unit: "operations", Period: FiveMinutes, Statistics: sums, Side: Physical, Counts: "replicated writes", Basis: Inferred,
			Unread:  true,
			Means:   "Writes that a global database repeats in the volume of a secondary region; they are billed.",
			Traps:   []string{"Period and statistic are not documented."},
			Sources: []string{"aurora-metrics", "late-points"},
		},
	}
}
