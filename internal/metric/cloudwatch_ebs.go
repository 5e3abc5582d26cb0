package metric

// ebsVolume is what CloudWatch shows of a volume. The highest and lowest are those of samples, of which there is one in a
// minute on machines of the Nitro kind.
func ebsVolume() []Meaning {
	return []Meaning{
		{
			Metric: "VolumeWriteOps", Unit: "operations", Statistics: sums, Side: Physical, Counts: "disk writes", Basis: Documented,
			Means: "Write operations that the volume completed in the period.",
			Traps: []string{
				"A count of the period: a second is Sum / seconds.",
				"SSD volumes count up to 256 KiB as one operation, HDD volumes up to 1 MiB; sequential small ones are merged first.",
			},
			Sources: []string{"ebs-cloudwatch", "ebs-io", "late-points"},
		},
		{
			Metric: "VolumeReadOps", Unit: "operations", Statistics: sums, Side: Physical, Counts: "disk reads", Basis: Documented,
			Means:   "Read operations that the volume completed in the period.",
			Traps:   []string{"A count of the period: a second is Sum / seconds."},
			Sources: []string{"ebs-cloudwatch", "ebs-io", "late-points"},
		},
		{
			Metric: "VolumeWriteBytes", Unit: "bytes", Statistics: sums, Side: Physical, Counts: "bytes written to disk", Basis: Documented,
			Means:   "Bytes written to the volume in the period.",
			Sources: []string{"ebs-cloudwatch", "late-points"},
		},
		{
			Metric: "VolumeTotalWriteTime", Unit: "seconds", Statistics: sums, Side: NoSide, Counts: "time of all writes", Basis: Documented,
			Means:   "Time that all writes of the period took together; divided by VolumeWriteOps the time of one.",
			Sources: []string{"ebs-cloudwatch", "late-points"},
		},
		{
			Metric: "VolumeQueueLength", Unit: "requests", Statistics: []string{"Average"}, Side: Physical, Counts: "requests that wait", Basis: Documented,
			Means:   "Requests that wait for the volume.",
			Traps:   []string{"About one for each 1,000 provisioned operations a second is aimed at."},
			Sources: []string{"ebs-cloudwatch", "ebs-io", "late-points"},
		},
		{
			Metric: "VolumeConsumedReadWriteOps", Unit: "operations", Statistics: sums, Side: Physical, Counts: "provisioned operations used", Basis: Documented,
			Means:   "Reads and writes in units of 256 KiB, as provisioned IOPS are used up: one of 1,024 KiB is four.",
			Traps:   []string{"Only volumes with provisioned IOPS have it."},
			Sources: []string{"ebs-cloudwatch", "late-points"},
		},
		{
			Metric: "BurstBalance", Unit: "percent", Statistics: []string{"Minimum", "Average"}, Side: NoSide, Counts: "credits left", Basis: Documented,
			Means:   "Share of the burst credits of a gp2, st1 or sc1 volume that is left.",
			Sources: []string{"ebs-cloudwatch", "ebs-gp2", "late-points"},
		},
		{
			Metric: "VolumeReadBytes", Unit: "bytes", Statistics: sums, Side: Physical, Counts: "bytes read from disk", Basis: Documented,
			Means:   "Bytes that the volume read in the period.",
			Traps:   []string{"A count of the period: a second is Sum / seconds."},
			Sources: []string{"ebs-cloudwatch", "late-points"},
		},
		{
			Metric: "VolumeTotalReadTime", Unit: "seconds", Statistics: sums, Side: NoSide, Counts: "time of all reads", Basis: Documented,
			Means:   "Time of all reads that ended in the period, added up: more than the period where several went on at once.",
			Sources: []string{"ebs-cloudwatch", "late-points"},
		},
		{
			Metric: "VolumeIdleTime", Unit: "seconds", Statistics: sums, Side: NoSide, Counts: "time without a request", Basis: Documented,
			Means:   "How long in the period no read or write was under way.",
			Sources: []string{"ebs-cloudwatch", "late-points"},
		},
		{
			Metric: "VolumeThroughputPercentage", Unit: "percent", Statistics: []string{"Average", "Minimum"}, Side: NoSide, Counts: "share of the provisioned operations that was delivered", Basis: Documented,
			Means: "Operations delivered as a share of those provisioned.",
			Traps: []string{
				"Only volumes with provisioned IOPS have it.",
				"A minute without a request shows 100.",
			},
			Sources: []string{"ebs-cloudwatch", "late-points"},
		},
		{
			Metric: "VolumeAvgIOPS", Unit: "operations per second", Statistics: meanAndPeak, Side: Physical, Counts: "disk operations", Basis: Documented,
			Means: "Reads and writes of the volume each second.",
			Traps: []string{
				"Only volumes on machines of the Nitro kind have it.",
				"Reads and writes together: VolumeWriteOps tells the writes.",
			},
			Sources: []string{"ebs-cloudwatch", "late-points"},
		},
		{
			Metric: "VolumeAvgThroughput", Unit: "kibibytes per second", Statistics: meanAndPeak, Side: Physical, Counts: "bytes from and to disk", Basis: Documented,
			Means: "What the volume read and wrote each second.",
			Traps: []string{
				"Only volumes on machines of the Nitro kind have it.",
				"In KiB, where all the others are in bytes.",
			},
			Sources: []string{"ebs-cloudwatch", "late-points"},
		},
		{
			Metric: "VolumeAvgWriteLatency", Unit: "milliseconds", Statistics: []string{"Maximum", "Minimum"}, Side: NoSide, Counts: "time of one write", Basis: Documented,
			Means: "Average time of the writes that ended in the minute; zero where none did.",
			Traps: []string{
				"Only volumes on machines of the Nitro kind have it.",
				"In milliseconds, where VolumeTotalWriteTime is in seconds.",
				"Zero is no fast write: it is none.",
			},
			Sources: []string{"ebs-cloudwatch", "late-points"},
		},
		{
			Metric: "VolumeAvgReadLatency", Unit: "milliseconds", Statistics: []string{"Maximum", "Minimum"}, Side: NoSide, Counts: "time of one read", Basis: Documented,
			Means: "Average time of the reads that ended in the minute; zero where none did.",
			Traps: []string{
				"Only volumes on machines of the Nitro kind have it.",
				"In milliseconds, where VolumeTotalReadTime is in seconds.",
				"Zero is no fast read: it is none.",
			},
			Sources: []string{"ebs-cloudwatch", "late-points"},
		},
		{
			Metric: "VolumeIOPSExceededCheck", Unit: "yes or no", Statistics: []string{"Maximum"}, Side: NoSide, Counts: "whether more operations were wanted than the volume gives", Basis: Documented,
			Means:   "1 where more operations were asked for throughout the minute than the volume is provisioned for.",
			Traps:   []string{"Only volumes on machines of the Nitro kind have it."},
			Sources: []string{"ebs-cloudwatch", "late-points"},
		},
		{
			Metric: "VolumeThroughputExceededCheck", Unit: "yes or no", Statistics: []string{"Maximum"}, Side: NoSide, Counts: "whether more bytes were wanted than the volume gives", Basis: Documented,
			Means:   "1 where more bytes were asked for throughout the minute than the volume is provisioned for.",
			Traps:   []string{"Only volumes on machines of the Nitro kind have it."},
			Sources: []string{"ebs-cloudwatch", "late-points"},
		},
		{
			Metric: "VolumeStalledIOCheck", Unit: "yes or no", Statistics: []string{"Maximum"}, Side: NoSide, Counts: "whether the volume stood still", Basis: Documented,
			Means:   "1 where the volume did not complete what it was asked for.",
			Traps:   []string{"Only volumes on machines of the Nitro kind have it."},
			Sources: []string{"ebs-cloudwatch", "late-points"},
		},
	}
}

// ebsMachine is what it shows of a machine with all of its volumes, every five minutes: without detailed monitoring of the
// machine there are no others.
func ebsMachine() []Meaning {
	return []Meaning{
		{
			Metric: "EBSWriteOps", Unit: "operations in 5 minutes", Period: FiveMinutes, Statistics: sums, Side: Physical, Counts: "disk writes", Basis: Documented,
			Means: "Write operations that all EBS volumes of the EC2 instance completed in the period.",
			Traps: []string{
				"A count of the period: a second is Sum / seconds.",
				"All volumes of the EC2 instance together, the one of its system among them.",
			},
			Sources: []string{"ebs-cloudwatch", "late-points"},
		},
		{
			Metric: "EBSReadOps", Unit: "operations in 5 minutes", Period: FiveMinutes, Statistics: sums, Side: Physical, Counts: "disk reads", Basis: Documented,
			Means: "Read operations that all EBS volumes of the EC2 instance completed in the period.",
			Traps: []string{
				"A count of the period: a second is Sum / seconds.",
				"All volumes of the EC2 instance together, the one of its system among them.",
			},
			Sources: []string{"ebs-cloudwatch", "late-points"},
		},
		{
			Metric: "EBSWriteBytes", Unit: "bytes in 5 minutes", Period: FiveMinutes, Statistics: sums, Side: Physical, Counts: "bytes written to disk", Basis: Documented,
			Means: "Bytes written to all EBS volumes of the EC2 instance in the period.",
			Traps: []string{
				"A count of the period: a second is Sum / seconds.",
				"All volumes of the EC2 instance together, the one of its system among them.",
			},
			Sources: []string{"ebs-cloudwatch", "late-points"},
		},
		{
			Metric: "EBSReadBytes", Unit: "bytes in 5 minutes", Period: FiveMinutes, Statistics: sums, Side: Physical, Counts: "bytes read from disk", Basis: Documented,
			Means: "Bytes read from all EBS volumes of the EC2 instance in the period.",
			Traps: []string{
				"A count of the period: a second is Sum / seconds.",
				"All volumes of the EC2 instance together, the one of its system among them.",
			},
			Sources: []string{"ebs-cloudwatch", "late-points"},
		},
		{
			Metric: "EBSIOBalance%", Unit: "percent", Period: FiveMinutes, Statistics: []string{"Minimum"}, Side: NoSide, Counts: "credits left", Basis: Documented,
			Means: "Share of the I/O burst credits of the EC2 instance that is left, for all its volumes together.",
			Traps: []string{
				"Every five minutes only, and only of instances that burst 30 minutes a day.",
				"Its Sum means nothing.",
			},
			Sources: []string{"ebs-cloudwatch", "late-points"},
		},
		{
			Metric: "EBSByteBalance%", Unit: "percent", Period: FiveMinutes, Statistics: []string{"Minimum"}, Side: NoSide, Counts: "credits left", Basis: Documented,
			Means: "Share of the throughput burst credits of the EC2 instance that is left, for all its volumes together.",
			Traps: []string{
				"Every five minutes only, and only of instances that burst 30 minutes a day.",
				"Its Sum means nothing.",
			},
			Sources: []string{"ebs-cloudwatch", "late-points"},
		},
		{
			Metric: "InstanceEBSIOPSExceededCheck", Unit: "yes or no", Period: FiveMinutes, Statistics: []string{"Maximum"}, Side: NoSide, Counts: "whether more operations were wanted than the machine gives", Basis: Documented,
			Means:   "1 where more operations were asked of all EBS volumes together than the EC2 instance can pass.",
			Traps:   []string{"An average hides bursts of less than a minute; this check shows them."},
			Sources: []string{"ebs-cloudwatch", "late-points"},
		},
		{
			Metric: "InstanceEBSThroughputExceededCheck", Unit: "yes or no", Period: FiveMinutes, Statistics: []string{"Maximum"}, Side: NoSide, Counts: "whether more bytes were wanted than the machine gives", Basis: Documented,
			Means:   "1 where more throughput was asked of all EBS volumes together than the EC2 instance can pass.",
			Traps:   []string{"An average hides bursts of less than a minute; this check shows them."},
			Sources: []string{"ebs-cloudwatch", "late-points"},
		},
	}
}
