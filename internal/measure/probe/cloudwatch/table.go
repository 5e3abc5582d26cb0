package cloudwatch

import (
	"regexp"
	"strings"

	"github.com/realiops/realiops/internal/runfile"
)

// flavor is a kind of server; one metric's name may mean something else on another.
type flavor string

const (
	aurora flavor = "aurora"
	rds    flavor = "rds"
	ebs    flavor = "ebs" // a volume of a server that its users run themselves, or the machine with all of its volumes
)

// Flavors are the kinds of server that CloudWatch knows, as the catalog names them.
func Flavors() []string { return []string{string(aurora), string(rds), string(ebs)} }

// Metrics are all that it may show of a flavor.
func Metrics(on string) []runfile.Metric {
	var all []runfile.Metric
	for _, r := range rows(flavor(on)) {
		all = append(all, r.series(flavor(on), "").metric)
	}
	return all
}

// level is whose the number is.
type level string

const (
	instance level = "instance"
	cluster  level = "cluster"
	volume   level = "volume"
	machine  level = "machine" // of EC2
)

// dimension is what a metric of that level is asked for by.
func (l level) dimension() string {
	return map[level]string{instance: "DBInstanceIdentifier", cluster: "DBClusterIdentifier", volume: "VolumeId", machine: "InstanceId"}[l]
}

// namespace is where the metrics of that level are.
func (l level) namespace() string {
	switch l {
	case volume:
		return "AWS/EBS"
	case machine:
		return "AWS/EC2"
	default:
		return "AWS/RDS"
	}
}

// source is where their meaning is documented.
func (f flavor) source() string {
	return map[flavor]string{
		aurora: "https://docs.aws.amazon.com/AmazonRDS/latest/AuroraUserGuide/Aurora.AuroraMonitoring.Metrics.html",
		rds:    "https://docs.aws.amazon.com/AmazonRDS/latest/UserGuide/rds-metrics.html",
		ebs:    "https://docs.aws.amazon.com/ebs/latest/userguide/using_cloudwatch_ebs.html",
	}[f]
}

// The statistics that are asked for. The first of a row tells how much there was.
const (
	average = "Average"
	sum     = "Sum"
	maximum = "Maximum"
	minimum = "Minimum"
)

// The periods in which numbers are published, in seconds.
const (
	minute      = 60
	fiveMinutes = 300
)

// row is a metric on one flavor. What it means, with sources and traps, stands in the catalog; a test holds the two
// together.
type row struct {
	name       string
	level      level
	kind       runfile.MetricType
	unit       string  // a base unit: of the number, or for a rate of what there is so much of in a second
	scale      float64 // what CloudWatch's values are multiplied by to be in it; zero: nothing
	period     int
	statistics []string
	counts     string                   // as the catalog says it
	caveat     string                   // where the name misleads
	when       func(runfile.Cloud) bool // which servers have it; nil: all
}

// A rate is given as the mean of its samples, with the highest beside.
func rate(name, unit, counts string) row {
	return row{name: name, level: instance, kind: runfile.Rate, unit: unit, period: minute, statistics: []string{average, maximum}, counts: counts}
}

// A mean says nothing of what is left at the worst moment, so a gauge names its own statistics.
func gauge(name, unit, counts string, statistics ...string) row {
	return row{name: name, level: instance, kind: runfile.Gauge, unit: unit, period: minute, statistics: statistics, counts: counts}
}

func count(name, unit, counts string) row {
	return row{name: name, level: volume, kind: runfile.CountPerPeriod, unit: unit, period: minute, statistics: []string{sum}, counts: counts}
}

func (r row) of(l level) row {
	r.level = l
	return r
}

func (r row) every(seconds int) row {
	r.period = seconds
	return r
}

// The units that are not base units.
const (
	milliseconds = 1e-3
	kibibytes    = 1024
)

// in is for values in another unit than ours.
func (r row) in(scale float64) row {
	r.scale = scale
	return r
}

func (r row) only(when func(runfile.Cloud) bool) row {
	r.when = when
	return r
}

func (r row) beware(caveat string) row {
	r.caveat = caveat
	return r
}

// rows is the table. What only a secondary region of a global database shows is left out, because no load can run there,
// and so is what tells nothing of work or of limits.
func rows(f flavor) []row {
	switch f {
	case aurora:
		return auroraRows()
	case rds:
		return rdsRows()
	default:
		return ebsRows()
	}
}

func auroraRows() []row {
	return append([]row{
		rate("WriteIOPS", "operations", "log records").beware("on RDS the same name counts disk operations"),
		rate("ReadIOPS", "operations", "page reads from storage"),
		count("VolumeWriteIOPs", "operations", "writes that are billed").of(cluster).every(fiveMinutes).beware("a count of five minutes: divide by 300"),
		count("VolumeReadIOPs", "operations", "page reads that are billed").of(cluster).every(fiveMinutes).beware("a count of five minutes: divide by 300"),
		rate("WriteThroughput", "bytes", "bytes of log"),
		rate("ReadThroughput", "bytes", "bytes of pages read"),
		gauge("WriteLatency", "seconds", "time of one write", average, maximum),
		gauge("ReadLatency", "seconds", "time of one read", average, maximum),
		gauge("DiskQueueDepth", "requests", "requests that wait", average, maximum),
		rate("CommitThroughput", "commits", "commits"),
		gauge("CommitLatency", "seconds", "time of one commit", average, maximum).in(milliseconds),
		rate("StorageNetworkTransmitThroughput", "bytes", "bytes to the storage"),
		rate("StorageNetworkReceiveThroughput", "bytes", "bytes from the storage"),
		rate("StorageNetworkThroughput", "bytes", "bytes from and to the storage"),
		rate("NetworkTransmitThroughput", "bytes", "bytes to clients"),
		rate("NetworkReceiveThroughput", "bytes", "bytes from clients"),
		rate("NetworkThroughput", "bytes", "bytes from and to clients"),
		gauge("BufferCacheHitRatio", "percent", "share of cache hits", average, minimum),
		gauge("VolumeBytesUsed", "bytes", "space that is billed", average, maximum).of(cluster).every(fiveMinutes),
		gauge("TransactionLogsDiskUsage", "bytes", "log files kept", maximum).beware("-1 without logical replication"),
		gauge("ReplicationSlotDiskUsage", "bytes", "log kept for replication slots", maximum),
		gauge("OldestReplicationSlotLag", "bytes", "lag of the slowest replication slot", maximum),
		gauge("FreeLocalStorage", "bytes", "free space", minimum).only(not(serverless)),
		rate("TempStorageIOPS", "operations", "local disk operations").only(serverless),
		rate("TempStorageThroughput", "bytes", "bytes from and to the local disk").only(serverless),
		gauge("ServerlessDatabaseCapacity", "capacity units", "size of the instance", average, minimum, maximum).only(serverless),
		gauge("ACUUtilization", "percent", "size of the largest allowed", average, minimum, maximum).only(serverless),
		rate("WriteIOPSEphemeralStorage", "operations", "writes to the local NVMe disk").only(localDisk),
		rate("ReadIOPSEphemeralStorage", "operations", "reads from the local NVMe disk").only(localDisk),
		rate("WriteThroughputEphemeralStorage", "bytes", "bytes written to the local NVMe disk").only(localDisk),
		rate("ReadThroughputEphemeralStorage", "bytes", "bytes read from the local NVMe disk").only(localDisk),
		gauge("WriteLatencyEphemeralStorage", "seconds", "time of one write to the local NVMe disk", average, maximum).only(localDisk),
		gauge("ReadLatencyEphemeralStorage", "seconds", "time of one read from the local NVMe disk", average, maximum).only(localDisk),
		gauge("FreeEphemeralStorage", "bytes", "space left on the local NVMe disk", minimum).only(localDisk),
		gauge("AuroraOptimizedReadsCacheHitRatio", "percent", "share of reads from the Optimized Reads cache", average, minimum).only(localDisk),
	}, machineRows()...)
}

func rdsRows() []row {
	return append([]row{
		rate("WriteIOPS", "operations", "disk writes").beware("on Aurora the same name counts log records"),
		rate("ReadIOPS", "operations", "disk reads"),
		rate("WriteThroughput", "bytes", "bytes written to disk"),
		rate("ReadThroughput", "bytes", "bytes read from disk"),
		gauge("WriteLatency", "seconds", "time of one write", average, maximum),
		gauge("ReadLatency", "seconds", "time of one read", average, maximum),
		gauge("DiskQueueDepth", "requests", "requests that wait", average, maximum),
		gauge("BurstBalance", "percent", "credits left", minimum, average).only(generalPurpose2),
		gauge("EBSIOBalance%", "percent", "credits left", minimum).every(fiveMinutes),
		gauge("EBSByteBalance%", "percent", "credits left", minimum).every(fiveMinutes),
		rate("TransactionLogsGeneration", "bytes", "bytes of log"),
		gauge("TransactionLogsDiskUsage", "bytes", "log files kept", maximum),
		gauge("ReplicationSlotDiskUsage", "bytes", "log kept for replication slots", maximum),
		gauge("OldestReplicationSlotLag", "bytes", "lag of the slowest replication slot", maximum),
		gauge("CheckpointLag", "seconds", "age of the checkpoint", maximum),
		rate("WriteIOPSLogVolume", "operations", "disk writes of the log").only(logVolume),
		rate("ReadIOPSLogVolume", "operations", "disk reads of the log").only(logVolume),
		rate("WriteThroughputLogVolume", "bytes", "bytes written to the log volume").only(logVolume),
		rate("ReadThroughputLogVolume", "bytes", "bytes read from the log volume").only(logVolume),
		gauge("WriteLatencyLogVolume", "seconds", "time of one write to the log volume", average, maximum).only(logVolume),
		gauge("ReadLatencyLogVolume", "seconds", "time of one read from the log volume", average, maximum).only(logVolume),
		gauge("DiskQueueDepthLogVolume", "requests", "requests waiting for the log volume", average, maximum).only(logVolume),
		gauge("FreeStorageSpaceLogVolume", "bytes", "space left on the log volume", minimum).only(logVolume),
		rate("WriteIOPSLocalStorage", "operations", "writes to the local NVMe disk").only(localDisk),
		rate("ReadIOPSLocalStorage", "operations", "reads from the local NVMe disk").only(localDisk),
		rate("WriteThroughputLocalStorage", "bytes", "bytes written to the local NVMe disk").only(localDisk),
		rate("ReadThroughputLocalStorage", "bytes", "bytes read from the local NVMe disk").only(localDisk),
		gauge("WriteLatencyLocalStorage", "seconds", "time of one write to the local NVMe disk", average, maximum).only(localDisk),
		gauge("ReadLatencyLocalStorage", "seconds", "time of one read from the local NVMe disk", average, maximum).only(localDisk),
		gauge("FreeLocalStorage", "bytes", "space left on the local NVMe disk", minimum).only(localDisk),
		gauge("FreeStorageSpace", "bytes", "space left", minimum),
		rate("NetworkTransmitThroughput", "bytes", "bytes to clients, monitoring and replicas"),
		rate("NetworkReceiveThroughput", "bytes", "bytes from clients, monitoring and replicas"),
	}, machineRows()...)
}

// machineRows are of the machine that a database runs on, whichever it is.
func machineRows() []row {
	return []row{
		gauge("CPUUtilization", "percent", "share of the processors in use", average, maximum),
		gauge("DatabaseConnections", "connections", "clients connected", average, maximum),
		gauge("CPUCreditBalance", "credits", "processor credits left", minimum).every(fiveMinutes).only(burstable),
		gauge("CPUSurplusCreditBalance", "credits", "processor credits borrowed", maximum).every(fiveMinutes).only(burstable),
		count("CPUCreditUsage", "credits", "processor credits used").of(instance).every(fiveMinutes).only(burstable),
	}
}

// ebsRows are of volumes, and of the machine with all of its volumes. The highest and lowest of a volume are those of
// samples, of which there is one in a minute on machines of the Nitro kind. The machine's are asked for every five minutes:
// without its detailed monitoring there are no others.
func ebsRows() []row {
	return []row{
		count("VolumeWriteOps", "operations", "disk writes"),
		count("VolumeReadOps", "operations", "disk reads"),
		count("VolumeWriteBytes", "bytes", "bytes written to disk"),
		count("VolumeReadBytes", "bytes", "bytes read from disk"),
		count("VolumeTotalWriteTime", "seconds", "time of all writes"),
		count("VolumeTotalReadTime", "seconds", "time of all reads"),
		count("VolumeIdleTime", "seconds", "time without a request"),
		count("VolumeConsumedReadWriteOps", "operations", "provisioned operations used"),
		gauge("VolumeQueueLength", "requests", "requests that wait", average).of(volume),
		gauge("VolumeThroughputPercentage", "percent", "share of the provisioned operations that was delivered", average, minimum).of(volume),
		gauge("BurstBalance", "percent", "credits left", minimum, average).of(volume),
		rate("VolumeAvgIOPS", "operations", "disk operations").of(volume),
		rate("VolumeAvgThroughput", "bytes", "bytes from and to disk").of(volume).in(kibibytes),
		gauge("VolumeAvgWriteLatency", "seconds", "time of one write", maximum, minimum).of(volume).in(milliseconds),
		gauge("VolumeAvgReadLatency", "seconds", "time of one read", maximum, minimum).of(volume).in(milliseconds),
		gauge("VolumeIOPSExceededCheck", "yes or no", "whether more operations were wanted than the volume gives", maximum).of(volume),
		gauge("VolumeThroughputExceededCheck", "yes or no", "whether more bytes were wanted than the volume gives", maximum).of(volume),
		gauge("VolumeStalledIOCheck", "yes or no", "whether the volume stood still", maximum).of(volume),
		count("EBSWriteOps", "operations", "disk writes").of(machine).every(fiveMinutes),
		count("EBSReadOps", "operations", "disk reads").of(machine).every(fiveMinutes),
		count("EBSWriteBytes", "bytes", "bytes written to disk").of(machine).every(fiveMinutes),
		count("EBSReadBytes", "bytes", "bytes read from disk").of(machine).every(fiveMinutes),
		gauge("EBSIOBalance%", "percent", "credits left", minimum).of(machine).every(fiveMinutes),
		gauge("EBSByteBalance%", "percent", "credits left", minimum).of(machine).every(fiveMinutes),
		gauge("InstanceEBSIOPSExceededCheck", "yes or no", "whether more operations were wanted than the machine gives", maximum).of(machine).every(fiveMinutes),
		gauge("InstanceEBSThroughputExceededCheck", "yes or no", "whether more bytes were wanted than the machine gives", maximum).of(machine).every(fiveMinutes),
	}
}

func not(is func(runfile.Cloud) bool) func(runfile.Cloud) bool {
	return func(c runfile.Cloud) bool { return !is(c) }
}

func serverless(c runfile.Cloud) bool      { return c.Class == "db.serverless" }
func burstable(c runfile.Cloud) bool       { return strings.HasPrefix(c.Class, "db.t") }
func logVolume(c runfile.Cloud) bool       { return c.LogVolume }
func generalPurpose2(c runfile.Cloud) bool { return c.Storage == "gp2" }

var withLocalDisk = regexp.MustCompile(`^db\.[a-z]+\d+[a-z]*d[a-z]*\.`)

// localDisk tells the classes that have one by the d in their names: db.r6gd.large.
func localDisk(c runfile.Cloud) bool { return withLocalDisk.MatchString(c.Class) }
