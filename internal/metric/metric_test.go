package metric_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/realiops/realiops/internal/metric"
	"github.com/realiops/realiops/internal/runfile"
)

// TestExported: names follow Prometheus' conventions, and no two metrics that are read on a clock share one.
func TestExported(t *testing.T) {
	check := func(name, want string) {
		t.Helper()
		if got := metric.All().Row(name).Exported(); got != want {
			t.Errorf("%s: got %q, want %q", name, got, want)
		}
	}
	check("pgstat.wal/wal_records", "realiops_pgstat_wal_wal_records_total")
	check("block/write_bytes", "realiops_block_write_bytes_total")
	check("block/io_time", "realiops_block_io_time_seconds_total")
	check("block/in_flight", "realiops_block_in_flight")
	check("pgstat.lsn/insert", "realiops_pgstat_lsn_insert_bytes_total")
	check("pgstat.server/started", "realiops_pgstat_server_started_timestamp_seconds")
	check("pgstat.replication/replay_lag_bytes", "realiops_pgstat_replication_replay_lag_bytes")
	names := map[string]string{}
	for _, m := range metric.All() {
		probe, _, _ := strings.Cut(m.Name, "/")
		probe, _, _ = strings.Cut(probe, ".")
		if !slices.Contains([]string{"pgstat", "block", "request"}, probe) {
			continue
		}
		if other := names[m.Exported()]; other != "" && other != m.Name {
			t.Errorf("%s is %s and %s", m.Exported(), other, m.Name)
		}
		names[m.Exported()] = m.Name
	}
}

// TestPrinted: a metric has its name in the view of the version.
func TestPrinted(t *testing.T) {
	check := func(name string, version int, want string) {
		t.Helper()
		if got := metric.Printed(name, version); got != want {
			t.Errorf("%s on %d: got %q, want %q", name, version, got, want)
		}
	}
	check("pgstat.wal/wal_sync", 170011, "pg_stat_wal.wal_sync")
	check("pgstat.wal/wal_sync", 0, "pg_stat_wal.wal_sync")
	check("pgstat.io/wal_fsyncs", 180006, "pg_stat_io.fsyncs (wal)")
	check("pgstat.io/write_bytes", 170011, "pg_stat_io.writes * op_bytes (relation)")
	check("pgstat.io/write_bytes", 180006, "pg_stat_io.write_bytes (relation)")
	check("pgstat.checkpointer/buffers_written", 160015, "pg_stat_bgwriter.buffers_checkpoint")
	check("pgstat.checkpointer/buffers_written", 170011, "pg_stat_checkpointer.buffers_written")
	check("pgstat.checkpointer/checkpoints_timed", 170011, "pg_stat_checkpointer.num_timed")
	check("pgstat.slru/xact_blks_written", 130023, "pg_stat_slru.blks_written (Xact)")
	check("pgstat.lsn/insert", 130023, "pg_current_wal_insert_lsn()")
	check("block/writes", 170011, "/proc/diskstats writes")
	check("block/requests", 170011, "/proc/diskstats writes - flushes")
	check("block.wal/flushes", 0, "/proc/diskstats flushes (pg_wal)")
	check("cloudwatch/WriteIOPS", 0, "CloudWatch WriteIOPS")
	check("cloudwatch.db-2/WriteIOPS", 0, "CloudWatch WriteIOPS (db-2)")
	check("insights/os.diskIO.rdsdev.writeIOsPS", 0, "Performance Insights os.diskIO.rdsdev.writeIOsPS")
	check("pgstat.tables/n_tup_ins", 0, "pg_stat_user_tables.n_tup_ins")
	check("pgstat.tables.shop.orders/n_tup_ins", 0, "pg_stat_user_tables.n_tup_ins (shop.orders)")
	check("pgstat.tables.orders/nothing", 0, "pgstat.tables.orders/nothing")
	check("somebody/elses", 0, "somebody/elses")
}

// TestNamed: what people type leads to the names in a run file.
func TestNamed(t *testing.T) {
	check := func(typed, want string) {
		t.Helper()
		if diff := cmp.Diff(strings.Fields(want), metric.All().Named(typed)); diff != "" &&
			(want != "" || len(metric.All().Named(typed)) > 0) {
			t.Errorf("%s (-want +got):\n%s", typed, diff)
		}
	}
	check("pgstat.wal/wal_sync", "pgstat.wal/wal_sync")
	check("pg_stat_wal.wal_sync", "pgstat.wal/wal_sync")
	check("WAL_SYNC", "pgstat.wal/wal_sync pgstat.waits/wal_sync")
	check("pg_stat_io.fsyncs (wal)", "pgstat.io/wal_fsyncs")
	check("pg_stat_bgwriter.buffers_checkpoint", "pgstat.checkpointer/buffers_written")
	check("/proc/diskstats  writes", "block/writes")
	check("CloudWatch WriteIOPS", "cloudwatch/WriteIOPS")
	check("writeiops", "cloudwatch/WriteIOPS")
	check("Performance Insights db.load", "insights/db.load")
	check("db.load", "insights/db.load")
	check("pg_stat_io.fsyncs",
		"pgstat.io/fsyncs pgstat.io/client_fsyncs pgstat.io/checkpointer_fsyncs pgstat.io/wal_fsyncs "+
			"pgstat.io/wal_client_fsyncs "+
			"pgstat.io/wal_writer_fsyncs")
	check("sync", "")
	check("", "")
	check("nothing", "")
}

// TestRowsAreWhole: each metric has all fields of an announcement, a unique name, and a defining document.
func TestRowsAreWhole(t *testing.T) {
	printed := map[string]string{}
	names := map[string]bool{}
	for _, m := range metric.All() {
		if m.Unit == "" || m.Kind == "" || m.Help == "" || m.Derived == nil &&
			!strings.HasPrefix(m.Source, "https://") {
			t.Errorf("%s is not whole: %+v", m.Name, m)
		}
		if key := m.Name + " on " + m.On; names[key] {
			t.Error(key, "stands there twice")
		} else {
			names[key] = true
		}
		for _, version := range []int{130000, 180000} {
			if !m.Versions.Has(version) {
				continue
			}
			text := m.Printed(version)
			if text == m.Name {
				t.Errorf("%s has no name that people know", m.Name)
			}
			// Up to 16 the statistics of checkpoints were in the view of the background writer, including their reset.
			if other := printed[text]; other != "" && other != m.Name && !strings.HasSuffix(text, "stats_reset") {
				t.Errorf("%s and %s are both printed %s", other, m.Name, text)
			}
			printed[text] = m.Name
		}
		if strings.Contains(m.Help, " log ") && !strings.Contains(m.Help, "log volume") {
			t.Errorf("%s says log for the WAL: %s", m.Name, m.Help)
		}
	}
}

// TestVersionsAreNamed: a metric that a version no longer shows names its replacement.
func TestVersionsAreNamed(t *testing.T) {
	n := 0
	for _, m := range metric.All() {
		if (m.Versions.Last != 0) != (len(m.Instead) > 0) {
			t.Errorf("%s is shown up to %d, and then by %q", m.Name, m.Versions.Last, m.Instead)
		}
		for _, name := range m.Instead {
			n++
			if len(metric.All().Of(name)) == 0 {
				t.Errorf("%s is shown by %s, which is none", m.Name, name)
			}
		}
	}
	if n == 0 {
		t.Error("nothing moved")
	}
}

// TestQuantities: each has a unique name, and all but those that clients count have a metric.
func TestQuantities(t *testing.T) {
	for _, q := range metric.Quantities() {
		for _, typed := range []string{string(q), q.Many(), strings.ToUpper(q.One())} {
			if got, known := metric.QuantityNamed(typed); !known || got != q {
				t.Errorf("%s leads to %q", typed, got)
			}
		}
		byClients := slices.Contains([]metric.Quantity{
			metric.RowsWritten, metric.RowsUpdated, metric.RowsDeleted, metric.Entries, metric.RowsReturned,
			metric.Lookups,
			metric.Statements, metric.Commits,
		}, q)
		if made := len(metric.All().Making(q))+len(metric.All().Adding(q)) > 0; made == byClients || q.Help() == "" ||
			q.Unit() == "" {
			t.Errorf("%s: made of a metric %t, %s, %s", q, made, q.Unit(), q.Help())
		}
	}
	var syncs []string
	for _, m := range metric.All().Making(metric.WALSyncs) {
		syncs = append(syncs, m.Name)
	}
	if diff := cmp.Diff([]string{"pgstat.wal/wal_sync", "pgstat.io/wal_fsyncs"}, syncs); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if _, known := metric.QuantityNamed("iops"); known {
		t.Error("iops is a quantity")
	}
}

// TestFactors compares the documented units with base units.
func TestFactors(t *testing.T) {
	check := func(typed, on string, kind runfile.MetricType, unit string, scale float64) {
		t.Helper()
		for _, m := range metric.MeaningsOf(typed) {
			if m.On != on {
				continue
			}
			if gotKind, gotUnit, gotScale := m.InBase(); gotKind != kind || gotUnit != unit || gotScale != scale {
				t.Errorf("%s on %s: %s in %s times %g", typed, on, gotKind, gotUnit, gotScale)
			}
			return
		}
		t.Errorf("%s on %s is not known", typed, on)
	}
	check("WriteIOPS", "aurora", runfile.Rate, "operations", 1)
	check("VolumeWriteIOPs", "aurora", runfile.CountPerPeriod, "operations", 1)
	check("CommitLatency", "aurora", runfile.Gauge, "seconds", 1e-3)
	check("VolumeAvgThroughput", "ebs", runfile.Rate, "bytes", 1024)
	check("db.Transactions.commit_latency", "aurora", runfile.Gauge, "seconds", 1e-6)
	check("db.Temp.temp_files", "rds", runfile.Rate, "files", 1.0/60)
	check("db.Transactions.xact_commit", "rds", runfile.Rate, "transactions", 1)
	check("os.diskIO.rdsdev.writeKbPS", "rds", runfile.Rate, "bytes", 1024)
}

// TestRequestsToTheSystem: writes, growths and fsyncs of pg_stat_io, and the bytes of read and write calls, are
// requests to the operating system by their documents, with or without a quantity.
func TestRequestsToTheSystem(t *testing.T) {
	for _, name := range []string{
		"pgstat.io/writes", "pgstat.io/write_bytes", "pgstat.io/extends", "pgstat.io/extend_bytes", "pgstat.io/fsyncs",
		"pgstat.io/client_fsyncs",
		"pgstat.io/checkpointer_fsyncs", "block.process/rchar", "block.process/syscr", "block.process/wchar",
		"block.process/syscw",
	} {
		row := metric.All().Row(name)
		if asked := row.Asked || row.Makes != "" && row.Makes.Side() == metric.Requested; !asked {
			t.Errorf("%s is not documented to be asked of the operating system", name)
		}
	}
}

// TestPartByVersion: until 17, pg_stat_io counts blocks of op_bytes, and from 18 calls.
func TestPartByVersion(t *testing.T) {
	for version, want := range map[int]metric.Quantity{170011: metric.PagesMissed, 180001: metric.ReadCalls} {
		for _, name := range []string{"pgstat.io/reads", "pgstat.io/bulkread_reads"} {
			if got := metric.All().Part(name, version); got != want {
				t.Errorf("%s, version %d: %s", name, version, got)
			}
		}
	}
}
