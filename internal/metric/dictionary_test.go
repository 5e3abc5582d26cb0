package metric_test

import (
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/realiops/realiops/internal/metric"
)

// TestDictionaryIsWhole checks that every entry says who shows it, what it counts on which side, how that is known, and
// has a source that can be opened.
func TestDictionaryIsWhole(t *testing.T) {
	sides := []string{metric.Logical, metric.Requested, metric.Physical, metric.EitherSide, metric.ALimit, metric.NoSide}
	seen := map[string]bool{}
	for _, e := range metric.Dictionary() {
		what := e.System + " " + strings.Join(e.Names, ", ")
		switch {
		case e.System == "" || e.Counts == "" || len(e.Names) == 0 || len(e.Sources) == 0:
			t.Errorf("%s: something is missing: %+v", what, e)
		case !slices.Contains(sides, e.Side):
			t.Errorf("%s: side %q", what, e.Side)
		case !slices.Contains([]metric.Basis{metric.Documented, metric.Read, metric.Inferred}, e.Basis):
			t.Errorf("%s: basis %q", what, e.Basis)
		case e.Same != "" && len(metric.All().Of(e.Same)) == 0:
			t.Errorf("%s: there is no metric %s", what, e.Same)
		}
		for _, key := range e.Sources {
			s, known := metric.SourceOf(key)
			if address, err := url.Parse(s.Address); !known || err != nil || address.Scheme != "https" ||
				s.Title == "" || s.State == "" {
				t.Errorf("%s: source %s: %+v", what, key, s)
			}
		}
		for _, name := range e.Names {
			if full := e.System + "\n" + name; seen[full] {
				t.Errorf("%s %s stands there twice", e.System, name)
			} else {
				seen[full] = true
			}
			if !slices.ContainsFunc(metric.EntriesOf(name), func(found metric.Entry) bool {
				return found.System == e.System && found.Counts == e.Counts
			}) {
				t.Errorf("%s does not lead to its entry of %s", name, e.System)
			}
			if !slices.ContainsFunc(metric.EntriesOf(e.System+" "+name), func(found metric.Entry) bool {
				return found.Counts == e.Counts
			}) {
				t.Errorf("%s %s does not lead to its entry", e.System, name)
			}
		}
	}
	names := len(seen)
	for _, m := range metric.All() {
		if m.Derived == nil {
			names++
		}
	}
	if names < 500 {
		t.Errorf("%d names are answered", names)
	}
}

// TestSpellings: a metric is found under its name in consoles, exporters and dashboards.
func TestSpellings(t *testing.T) {
	for typed, want := range map[string]string{
		"WriteIOPS": "cloudwatch/WriteIOPS", "Write IOPS": "cloudwatch/WriteIOPS", "writeiops": "cloudwatch/WriteIOPS",
		"AWS/RDS WriteIOPS": "cloudwatch/WriteIOPS", "aws_rds_write_iops_average": "cloudwatch/WriteIOPS",
		"aws_rds_write_iops_sum":                                              "cloudwatch/WriteIOPS",
		"amazonaws.com/AWS/RDS/WriteIOPS":                                     "cloudwatch/WriteIOPS",
		"amazonaws_com_AWS_RDS_WriteIOPS_sum":                                 "cloudwatch/WriteIOPS",
		"aws_rds_volume_write_iops_sum":                                       "cloudwatch/VolumeWriteIOPs",
		"aws_ebs_volume_write_ops_sum":                                        "cloudwatch/VolumeWriteOps",
		`aws_rds_read_iops_average{dbinstance_identifier="shop"}`:             "cloudwatch/ReadIOPS",
		"aws_rds_ebsiobalance_percent_average":                                "cloudwatch/EBSIOBalance%",
		"DB_PERF_INSIGHTS('RDS','db-X','os.diskIO.rdsdev.writeIOsPS.avg')":    "insights/os.diskIO.rdsdev.writeIOsPS",
		`SUM(db_perf_insights("RDS", "db-X", "db.IO.storage_blks_read.avg"))`: "insights/db.IO.storage_blks_read",
		"DBLoad":                                    "cloudwatch/DBLoad",
		"os.diskIO.rdsdev.writeIOsPS.avg":           "insights/os.diskIO.rdsdev.writeIOsPS",
		"WriteIOPS (Average)":                       "cloudwatch/WriteIOPS",
		"pg_stat_wal.wal_sync":                      "pgstat.wal/wal_sync",
		"aurora_stat_bgwriter.orcache_blks_written": "pgstat.aurora_cache/orcache_blks_written",
	} {
		if found := metric.All().Named(typed); !slices.Contains(found, want) {
			t.Errorf("%s leads to %q, want %s", typed, found, want)
		}
	}
	for typed, want := range map[string]string{
		"w/s": "iostat", "iostat w/s": "iostat", "%util": "iostat", "util": "iostat",
		"node_disk_writes_completed_total":              "node_exporter",
		"rate(node_disk_writes_completed_total[5m])":    "node_exporter",
		`node_disk_reads_completed_total{device="sda"}`: "node_exporter",
		"postgresql.disk_read":                          "Datadog", "datadog aws.rds.write_iops": "Datadog",
		"write_ops_count":                  "Cloud SQL",
		"Azure flexible server write_iops": "Azure flexible server",
		"DB_PERF_INSIGHTS('RDS','db-X','os.cpuUtilization.user.avg')": "Performance Insights",
		"DB_PERF_INSIGHTS":   "metric math",
		"Innodb_data_writes": "MySQL", "sys.host.disk.write.count": "CockroachDB",
		"sys_host_disk_write_count": "CockroachDB", "bo": "vmstat", "svctm": "iostat",
		"rds_write_iops_average": "prometheus-rds-exporter", "kB_wr/s": "pidstat", "wios": "cgroup io.stat",
		"iostat":                          "iostat",
		"aurora_stat_statements(true)":    "Aurora PostgreSQL function",
		"aurora_stat_dml_activity(16401)": "Aurora PostgreSQL function",
		"aurora_stat_bgwriter()":          "Aurora PostgreSQL function",
		"aurora_stat_system_waits":        "Aurora PostgreSQL function",
	} {
		if found := metric.EntriesOf(typed); !slices.ContainsFunc(found, func(e metric.Entry) bool {
			return e.System == want
		}) {
			t.Errorf("%s leads to %+v, want %s", typed, found, want)
		}
	}
	if found := metric.EntriesOf("iostat w/s"); len(found) != 1 || len(found[0].Names) != 1 {
		t.Errorf("iostat w/s leads to %+v", found)
	}
}

// TestOthersNames: names as the vendors' documents, exporters' sources and tools' output have them lead to an entry of
// the right system that says on which side it counts.
func TestOthersNames(t *testing.T) {
	for typed, want := range map[string]string{
		"tps": "pgbench logical", "latency average": "pgbench logical", "pgbench tps": "pgbench logical",
		"pg_stat_io.op_bytes": "pg_stat_io none", "op_bytes": "pg_stat_io none",
		"%iowait": "iostat none", "sar %iowait": "sar none",
		"kB_read/s": "iostat physical", "kB_wrtn/s": "iostat physical", "MB_wrtn/s": "iostat physical",
		"Blk_wrtn/s": "iostat physical", "kB_read": "iostat physical", "kB_wrtn": "iostat physical",
		"virtualDisk.numberReadAveraged.average":             "vCenter physical",
		"virtualdisk.numberwriteaveraged.average":            "vCenter physical",
		"virtualDisk.numberWriteAveraged":                    "vCenter physical",
		"vsphere_vm_virtualDisk_numberWriteAveraged_average": "vCenter physical",
		"vsphere_vm_virtualDisk_read_average":                "vCenter physical",
		"virtualDisk.totalWriteLatency.average":              "vCenter physical",
		"disk.usage.average":                                 "vCenter physical", "disk.maxTotalLatency.latest": "vCenter physical",
		"datastore.numberReadAveraged.average": "vCenter physical",
		"Disk Reads/sec":                       "Windows physical", "Disk Transfers/sec": "Windows physical",
		`\PhysicalDisk(_Total)\Disk Writes/sec`:                 "Windows physical",
		`\\SQL01\LogicalDisk(C:)\Avg. Disk sec/Read`:            "Windows physical",
		`"\PhysicalDisk(0 C:)\Current Disk Queue Length"`:       "Windows physical",
		`perf_counter_en["\PhysicalDisk(0 C:)\Disk Reads/sec"]`: "Windows physical",
		"PhysicalDisk: Disk Write Bytes/sec":                    "Windows physical",
		"LogicalDisk Disk Read Bytes/sec":                       "Windows physical",
		"DiskWritesPersec":                                      "Windows physical",
		"windows_logical_disk_writes_total":                     "windows_exporter physical",
		"rate(windows_physical_disk_read_bytes_total[5m])":      "windows_exporter physical",
		"windows_logical_disk_free_bytes":                       "windows_exporter none",
		"diskio_reads":                                          "Telegraf physical", "diskio_write_bytes": "Telegraf physical",
		"diskio io_time": "Telegraf physical", "diskio_iops_in_progress": "Telegraf physical",
		"DiskReadOps": "EC2 physical", "AWS/EC2 DiskWriteOps": "EC2 physical",
		"aws_ec2_disk_write_bytes_sum": "EC2 physical", "aws.ec2.disk_write_ops": "EC2 physical",
		"postgresql.rows_inserted": "Datadog logical", "postgresql.commits": "Datadog logical",
		"postgresql.temp_bytes":                    "Datadog requested",
		"ccp_stat_database_blks_read":              "pgMonitor requested",
		"ccp_nodemx_disk_activity_sectors_written": "pgMonitor physical",
		"ccp_wal_activity_total_size_bytes":        "pgMonitor none",
		"kubelet_volume_stats_used_bytes":          "kubelet none",
		"db.WAL.archive_failed_count":              "Performance Insights none",
		"Handler_write":                            "MySQL logical",
		"mysql_global_status_innodb_data_writes":   "MySQL requested",
		"blkio.throttle.io_serviced":               "cgroup v1 physical",
		"io_service_bytes":                         "cgroup v1 physical",
		"vfs.dev.write":                            "Zabbix physical", "vfs.dev.write[,ops]": "Zabbix physical",
		"vfs.dev.read[sda,operations]": "Zabbix physical",
		"storage_used":                 "Azure flexible server none", "postgresql.wal_size": "Datadog none", // use of space, no limit
		"provisioned_iops":                    "Compute Engine limit",
		"pg_stat_bgwriter_buffers_checkpoint": "postgres_exporter requested",
		"pg_stat_bgwriter_buffers_backend":    "postgres_exporter requested",
		"DataFileFlush":                       "Wait event requested", "LWLock:WALWrite": "Wait event none",
		"IO:DataFileWrite": "Wait event requested", "IO:WALInitSync": "Wait event physical",
		"esxi.virtualDisk.readLatencyUS.latest":                      "vCenter physical",
		"virtualDisk.writeIOSize.latest":                             "vCenter physical",
		"alloydb.googleapis.com/instance/postgres/transaction_count": "AlloyDB logical",
		"node_filesystem_avail_bytes":                                "node_exporter none",
		"container_fs_usage_bytes":                                   "cAdvisor none",
		"psi":                                                        "PSI none", "/proc/pressure/io": "PSI none",
		"io.pressure": "PSI none", "pressure stall information": "PSI none",
		"rate(container_pressure_io_stalled_seconds_total[1m])": "cAdvisor none",
		"system.disk.operations":                                "OpenTelemetry physical", "system_disk_io_bytes_total": "OpenTelemetry physical",
		"rate(system_disk_operations_total[5m])": "OpenTelemetry physical",
		"postgresql.blocks_read":                 "OpenTelemetry requested", "postgresql_blocks_read_total": "OpenTelemetry requested",
		"postgresql.bgwriter.buffers.writes": "OpenTelemetry requested", "postgresql_commits_total": "OpenTelemetry logical",
		"Buffers: shared read": "EXPLAIN requested", "shared hit": "EXPLAIN logical", "Shared Read Blocks": "EXPLAIN requested",
		"I/O Timings": "EXPLAIN requested", "exec_reads": "pg_stat_kcache physical", "pg_stat_kcache.writes": "pg_stat_kcache requested",
		"diskio_ebs_total_write_ops":                                                      "EC2 physical",
		"database/postgresql/write_ahead_log/written_bytes_count":                         "Cloud SQL physical",
		"cloudsql.googleapis.com/database/postgresql/write_ahead_log/written_bytes_count": "Cloud SQL physical",
		"disk/write_ops_count":                                                            "Cloud SQL physical", "instance/disk/write_ops_count": "Compute Engine physical",
		"database/postgresql/transaction_count":                                                       "Cloud SQL logical",
		"cloudsql_googleapis_com:database_disk_write_ops_count":                                       "Cloud SQL physical",
		"stackdriver_cloudsql_database_cloudsql_googleapis_com_database_postgresql_transaction_count": "Cloud SQL logical",
		"gcp.cloudsql.database.disk.write_ops_count":                                                  "Cloud SQL physical",
	} {
		if found := metric.EntriesOf(typed); !slices.ContainsFunc(found, func(e metric.Entry) bool {
			return e.System+" "+e.Side == want
		}) {
			t.Errorf("%s leads to %+v, want %s", typed, found, want)
		}
	}
	if found := metric.EntriesOf("disk/write_ops_count"); len(found) != 2 {
		t.Errorf("disk/write_ops_count leads to %+v, want Cloud SQL and Compute Engine", found)
	}
	for _, typed := range []string{"sec", "average", "s", ""} {
		if found := metric.EntriesOf(typed); len(found) > 0 {
			t.Errorf("%q leads to %+v", typed, found)
		}
	}
}

// TestMentioned: text copied from a console is a name with additions, a query, or the source of a graph. Names given
// within a query are no metrics.
func TestMentioned(t *testing.T) {
	for typed, want := range map[string]string{
		"Average WriteIOPS": "WriteIOPS", "shop-1 WriteIOPS": "WriteIOPS",
		"writeiops DBInstanceIdentifier=shop-1":                                                  "writeiops",
		"AWS/RDS · VolumeWriteIOPs · DBClusterIdentifier: shop " + "· Sum":                       "VolumeWriteIOPs",
		`SELECT AVG(WriteIOPS) FROM SCHEMA("AWS/RDS", DBInstanceIdentifier) GROUP BY EngineName`: "WriteIOPS",
		`SEARCH('{AWS/RDS,DBInstanceIdentifier} MetricName="ReadIOPS"', 'Average', 300)`:         "ReadIOPS",
		`{"metrics": [["AWS/RDS", "WriteIOPS", "DBInstanceIdentifier", "s"], [".", "ReadIOPS", "."]]}`: "WriteIOPS " +
			"ReadIOPS",
		`DB_PERF_INSIGHTS('RDS', 'db-X', ['db.IO.blks_read.avg', 'os.diskIO.rdsdev.tps.avg'])`: "db.IO.blks_read.avg " +
			"os.diskIO.rdsdev.tps.avg",
		"aws cloudwatch get-metric-statistics --metric-name BurstBalance --statistics Average": "BurstBalance",
		"SUM(METRICS())": "", "FILL(m1, 0) + m2 / PERIOD(m2)": "", "Average of something": "", "db-X os": "",
	} {
		if got := strings.Join(metric.Mentioned(typed), " "); got != want {
			t.Errorf("%s mentions %q, want %q", typed, got, want)
		}
	}
}

// TestConsoleOfAWS: every I/O number of an instance or a statement in AWS's consoles is explained. The names are AWS's:
// USER_PerfInsights.Cloudwatch, USER_PerfInsights_Counters, SQL statistics and wait events of the user guides.
func TestConsoleOfAWS(t *testing.T) {
	names := strings.Fields(
		`DBLoad DBLoadCPU DBLoadNonCPU DBLoadRelativeToNumVCPUs FreeableMemory SwapUsage AuroraReplicaLag MaximumUsedTransactionIDs
		TotalBackupStorageBilled BackupRetentionPeriodStorageUsed SnapshotStorageUsed ReadDPU ReplicaLag AuroraOptimizedReadsCacheHitRatio
		ReadIOPSEphemeralStorage WriteIOPSEphemeralStorage ReadIOPSLocalStorage WriteIOPSLocalStorage FreeEphemeralStorage FreeLocalStoragePercent
		VolumeAvgReadLatency VolumeAvgWriteLatency VolumeStalledIOCheck VolumeIOPSExceededCheck VolumeReadIOPs VolumeWriteIOPs
		AuroraGlobalDBDataTransferBytes AuroraGlobalDBReplicationLag AuroraGlobalDBProgressLag AuroraGlobalDBRPOLag
		db.Cache.blks_hit db.SQL.tup_fetched db.SQL.tup_returned db.SQL.queries_started db.SQL.queries_finished db.SQL.logical_reads
		db.IO.blk_read_time db.IO.read_latency db.IO.storage_blks_read db.IO.orcache_blks_hit db.IO.local_blks_read db.IO.storage_blk_read_time
		db.IO.orcache_blk_read_time db.IO.local_blk_read_time os.diskIO.rdsdev.tps os.diskIO.rdsdev.util os.diskIO.rdstemp.tps
		db.sql_tokenized.stats.avg_latency_per_call aurora_storage_read aurora_orcache_hit
		IO:DataFileRead IO:XactSync IO:WALWrite IO:BufFileRead IO:BufFileWrite IO:DataFileExtend IO:AuroraOptimizedReadsCacheRead
		IO:AuroraOptimizedReadsCacheWrite IO:AuroraOptimizedReadsCacheSegmentTruncate IPC:AuroraOptimizedReadsCacheWriteStop
		IO:AuroraStorageLogAllocate IO:AuroraEnhancedLogicalWALRead LWLock:BufferIO IPC:BufferIO`)
	for statistic := range strings.FieldsSeq(
		`calls rows total_time shared_blks_hit shared_blks_read shared_blks_dirtied shared_blks_written
		local_blks_hit local_blks_read local_blks_dirtied local_blks_written temp_blks_read temp_blks_written blk_read_time blk_write_time`) {
		name := "db.sql_tokenized.stats." + statistic
		names = append(names, name, name+"_per_sec", name+"_per_call")
	}
	// which does not exist
	names = slices.DeleteFunc(names, func(name string) bool { return strings.HasSuffix(name, ".calls_per_call") })
	for _, name := range names {
		for _, typed := range []string{name, name + ".avg"} {
			if len(metric.All().Named(typed)) == 0 && len(metric.EntriesOf(typed)) == 0 {
				t.Errorf("%s is not explained", typed)
			}
		}
	}
}
