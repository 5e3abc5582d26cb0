package prometheus

import (
	"slices"
	"strings"

	"github.com/realiops/realiops/internal/metric"
	"github.com/realiops/realiops/internal/runfile"
)

// Row maps a metric of an exporter to one of ours.
type Row struct {
	Exporter string
	Name     string // in the store
	Ours     string // in a run file
	Where    string // label matchers of its series, such as direction="read"; empty: all
	// Sum is the label, or several separated by commas, over which series are added up; empty: there is one series.
	Sum      string
	Versions string  // of PostgreSQL that have it, if not all
	Times    float64 // how many of ours one of theirs is; 0: one
}

// The exporters.
const (
	PostgresExporter = "postgres_exporter"
	CloudNativePG    = "cloudnative-pg"
	PgExporter       = "pg_exporter"
	PgWatch          = "pgwatch"
	NodeExporter     = "node_exporter"
	PostgresReceiver = "postgresql receiver" // of OpenTelemetry's collector
	HostMetrics      = "hostmetrics"         // its receiver for disks
	Realiops         = "realiops"            // observe --listen
)

func exporters() []string {
	return []string{Realiops, PostgresExporter, CloudNativePG, PgExporter, PgWatch, PostgresReceiver,
		NodeExporter, HostMetrics}
}

// identity returns the label that distinguishes an exporter's servers. pgwatch monitors many servers
// from one place, and names them.
func identity(exporter string) string {
	if exporter == PgWatch {
		return "dbname"
	}
	return instanceLabel
}

// ofHost reports whether an exporter is about a machine, not a PostgreSQL server.
func ofHost(exporter string) bool { return exporter == NodeExporter || exporter == HostMetrics }

// adds reports whether series that differ in a label add up.
func (r Row) adds(label string) bool {
	return r.Sum != "" && slices.Contains(strings.Split(r.Sum, ","), label)
}

// deviceLabel names the disk in the series of a machine.
const deviceLabel = "device"

// Mapping returns all metrics known to equal one of ours. If several rows map to one of ours, the first that a store
// has counts. The names are those of postgres_exporter 0.15 and later, CloudNativePG's collector, pg_exporter's
// pg_wal collector, pgwatch 3 and later, node_exporter's diskstats, and the receivers of OpenTelemetry's collector.
// [own] has those of realiops observe --listen.
func Mapping() []Row {
	all := []Row{}
	add := func(exporter, sum, versions string, names ...[2]string) {
		for _, n := range names {
			all = append(all, Row{Exporter: exporter, Name: n[0], Ours: n[1], Sum: sum, Versions: versions})
		}
	}
	add(PostgresExporter, "datname", "", [2]string{"pg_stat_database_xact_commit", metric.CommitsOfAll},
		[2]string{"pg_stat_database_tup_inserted", metric.ClusterTupInserted},
		[2]string{"pg_stat_database_tup_updated", metric.ClusterTupUpdated},
		[2]string{"pg_stat_database_tup_deleted", metric.ClusterTupDeleted},
		[2]string{"pg_stat_database_temp_bytes", metric.ClusterTempBytes})
	add(PostgresExporter, "", "", [2]string{"pg_stat_bgwriter_buffers_clean_total", metric.BgwriterBuffersClean},
		[2]string{"pg_stat_bgwriter_maxwritten_clean_total", metric.BgwriterMaxwrittenClean},
		[2]string{"pg_stat_bgwriter_buffers_alloc_total", metric.BgwriterBuffersAlloc})
	add(PostgresExporter, "", "up to 16",
		[2]string{"pg_stat_bgwriter_buffers_checkpoint_total", metric.CheckpointerBuffersWritten},
		[2]string{"pg_stat_bgwriter_buffers_backend_total", metric.SessionsWrote},
		[2]string{"pg_stat_bgwriter_buffers_backend_fsync_total", metric.BgwriterBuffersBackendFsync})
	add(PostgresExporter, "", "17+, with --collector.stat_checkpointer",
		[2]string{"pg_stat_checkpointer_buffers_written_total", metric.CheckpointerBuffersWritten})
	for _, wal := range []struct {
		exporter, prefix, sum string
	}{{CloudNativePG, "cnpg_collector_wal_", "stats_reset"}, {PgExporter, "pg_wal_", ""}} {
		prefix := wal.prefix
		add(wal.exporter, wal.sum, "14+", [2]string{prefix + "records", metric.StatWALRecords},
			[2]string{prefix + "fpi", metric.StatWALFPI}, [2]string{prefix + "bytes", metric.StatWALBytes},
			[2]string{prefix + "buffers_full", metric.StatWALBuffersFull})
		add(wal.exporter, wal.sum, "14 to 17", [2]string{prefix + "write", metric.StatWALWrite},
			[2]string{prefix + "sync", metric.StatWALSync})
	}
	// pgwatch reports the database that it is connected to. It repeats the server's metrics under each database's
	// name, so one name has all, and several have duplicates.
	add(PgWatch, "", "", [2]string{"pgwatch_db_stats_xact_commit", metric.DatabaseXactCommit},
		[2]string{"pgwatch_db_stats_tup_inserted", metric.DatabaseTupInserted},
		[2]string{"pgwatch_db_stats_tup_updated", metric.DatabaseTupUpdated},
		[2]string{"pgwatch_db_stats_tup_deleted", metric.DatabaseTupDeleted},
		[2]string{"pgwatch_db_stats_temp_bytes", metric.DatabaseTempBytes},
		[2]string{"pgwatch_wal_stats_wal_records", metric.StatWALRecords},
		[2]string{"pgwatch_wal_stats_wal_fpi", metric.StatWALFPI},
		[2]string{"pgwatch_wal_stats_wal_buffers_full", metric.StatWALBuffersFull},
		[2]string{"pgwatch_wal_xlog_location_b", metric.LSNWrite},
		[2]string{"pgwatch_bgwriter_buffers_clean", metric.BgwriterBuffersClean},
		[2]string{"pgwatch_bgwriter_maxwritten_clean", metric.BgwriterMaxwrittenClean},
		[2]string{"pgwatch_bgwriter_buffers_alloc", metric.BgwriterBuffersAlloc})
	all = append(all, Row{Exporter: PgWatch, Name: "pgwatch_wal_stats_wal_bytes_kb", Ours: metric.StatWALBytes,
		Times: 1024})
	add(PgWatch, "", "up to 17", [2]string{"pgwatch_wal_stats_wal_write", metric.StatWALWrite},
		[2]string{"pgwatch_wal_stats_wal_sync", metric.StatWALSync})
	add(PgWatch, "", "up to 16", [2]string{"pgwatch_bgwriter_buffers_checkpoint", metric.CheckpointerBuffersWritten},
		[2]string{"pgwatch_bgwriter_buffers_backend", metric.SessionsWrote},
		[2]string{"pgwatch_bgwriter_buffers_backend_fsync", metric.BgwriterBuffersBackendFsync})
	add(PgWatch, "", "17+", [2]string{"pgwatch_checkpointer_buffers_written", metric.CheckpointerBuffersWritten})
	add(NodeExporter, "", "", [2]string{"node_disk_reads_completed_total", metric.BlockReads},
		[2]string{"node_disk_reads_merged_total", metric.BlockReadsMerged},
		[2]string{"node_disk_read_bytes_total", metric.BlockReadBytes},
		[2]string{"node_disk_read_time_seconds_total", metric.BlockReadTime},
		[2]string{"node_disk_writes_completed_total", metric.BlockWrites},
		[2]string{"node_disk_writes_merged_total", metric.BlockWritesMerged},
		[2]string{"node_disk_written_bytes_total", metric.BlockWriteBytes},
		[2]string{"node_disk_write_time_seconds_total", metric.BlockWriteTime},
		[2]string{"node_disk_io_time_seconds_total", metric.BlockIOTime},
		[2]string{"node_disk_io_time_weighted_seconds_total", metric.BlockWeightedTime},
		[2]string{"node_disk_flush_requests_total", metric.BlockFlushes},
		[2]string{"node_disk_flush_requests_time_seconds_total", metric.BlockFlushTime})
	return append(all, collected()...)
}

// databaseOf holds the labels with the database in PostgreSQL's receiver: an attribute of the
// resource, or since 0.156 of the metric.
const databaseOf = "postgresql_database_name,db_namespace"

// collected returns the metrics of OpenTelemetry's collector by their Prometheus names. With a Where, one of theirs
// is several of ours. Its PostgreSQL receiver's metrics of tables are left out, since tables come and go.
func collected() (all []Row) {
	for _, n := range [][2]string{{"postgresql_commits_total", metric.CommitsOfAll},
		{"postgresql_tup_inserted_total", metric.ClusterTupInserted},
		{"postgresql_tup_updated_total", metric.ClusterTupUpdated}, {"postgresql_tup_deleted_total",
			metric.ClusterTupDeleted}, {"postgresql_temp_io_bytes_total", metric.ClusterTempBytes}} {
		all = append(all, Row{Exporter: PostgresReceiver, Name: n[0], Ours: n[1], Sum: databaseOf})
	}
	all = append(all, Row{Exporter: PostgresReceiver, Name: "postgresql_bgwriter_maxwritten_total",
		Ours: metric.BgwriterMaxwrittenClean},
		Row{Exporter: PostgresReceiver, Name: "postgresql_bgwriter_buffers_allocated_total",
			Ours: metric.BgwriterBuffersAlloc})
	for _, n := range [][3]string{{"bgwriter", metric.BgwriterBuffersClean},
		{"checkpoints", metric.CheckpointerBuffersWritten},
		{"backend", metric.SessionsWrote, "up to 16"}, {"backend_fsync", metric.BgwriterBuffersBackendFsync,
			"up to 16"}} {
		all = append(all, Row{Exporter: PostgresReceiver, Name: "postgresql_bgwriter_buffers_writes_total",
			Where: "source=" + quoted(n[0]), Ours: n[1], Versions: n[2]})
	}
	for _, n := range [][3]string{{"operations", metric.BlockReads, metric.BlockWrites},
		{"merged", metric.BlockReadsMerged, metric.BlockWritesMerged},
		{"io_bytes", metric.BlockReadBytes, metric.BlockWriteBytes}, {"operation_time_seconds", metric.BlockReadTime,
			metric.BlockWriteTime}} {
		name := "system_disk_" + n[0] + "_total"
		all = append(all, Row{Exporter: HostMetrics, Name: name, Where: `direction="read"`, Ours: n[1]},
			Row{Exporter: HostMetrics, Name: name, Where: `direction="write"`, Ours: n[2]})
	}
	return append(all, Row{Exporter: HostMetrics, Name: "system_disk_io_time_seconds_total", Ours: metric.BlockIOTime},
		Row{Exporter: HostMetrics, Name: "system_disk_weighted_io_time_seconds_total", Ours: metric.BlockWeightedTime})
}

// own returns the counters of realiops observe --listen, by their names there.
func own() (all []Row) {
	for _, m := range metric.All() {
		if m.Kind == runfile.Counter && m.Derived == nil {
			all = append(all, Row{Exporter: Realiops, Name: m.Exported(), Ours: m.Name})
		}
	}
	return all
}

// rows returns all known rows by priority.
func rows() []Row { return slices.Concat(own(), Mapping()) }
