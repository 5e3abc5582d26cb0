package cli

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/realiops/realiops/internal/cli/command"
)

// TestDashboard: titles that promise storage I/O are compared with AWS's, the kernel's and PostgreSQL's
// documentation of their metrics.
func TestDashboard(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "board.json")
	write := func(text string) {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write(`{"panels": [
		{"title": "Disk IOPS", "targets": [{"namespace": "AWS/RDS", "metricName": "WriteIOPS"}]},
		{"title": "Disk writes", "targets": [{"expr": "rate(node_disk_writes_completed_total[5m])"}]},
		{"title": "Physical reads", "targets": [{"expr": "rate(pg_stat_database_blks_read[5m])"}]},
		{"title": "Rows", "targets": [{"expr": "rate(pg_stat_database_tup_inserted[5m])"}]},
		{"title": "IOPS \u001b[2J<script>", "targets": [{"expr": "rate(pg_stat_database_tup_inserted[5m])"}]},
		{"title": "Disk IO", "targets": [{"measurement": "diskio", "select": [[{"type": "field", "params": ["writes"]}]]}]},
		{"title": "Windows disk IOPS", "targets": [{"expr": "rate(windows_logical_disk_reads_total{volume!~\"HarddiskVolume.+\"}[5m]) + rate(windows_logical_disk_writes_total[5m])"}]},
		{"title": "Volume usage", "targets": [{"expr": "sum(kubelet_volume_stats_used_bytes) by (persistentvolumeclaim) / sum(kubelet_volume_stats_capacity_bytes) by (persistentvolumeclaim)"}]},
		{"title": "Storage pool", "targets": [{"timeSeriesList": {"filters": ["metric.type", "=", "compute.googleapis.com/storage_pool/provisioned_iops"]}}]},
		{"title": "Uptime", "targets": [{"expr": "up"}]}]}`)
	out, _ := runs(t, command.ExitDone, "explain", "--dashboard", file, "--format", "json")
	var b struct {
		Panels []struct{ Title, Wrong string }
		Others int
	}
	if err := json.Unmarshal([]byte(out), &b); err != nil {
		t.Fatal(err)
	}
	var wrong []string
	for _, p := range b.Panels {
		if p.Wrong != "" {
			wrong = append(wrong, p.Title)
		}
	}
	if want := []string{"Disk IOPS", "Physical reads", "IOPS \x1b[2J<script>"}; len(b.Panels) != 8 || b.Others != 2 ||
		!slices.Equal(wrong, want) {
		t.Errorf("%d panels, %d others, wrong %q, want %q", len(b.Panels), b.Others, wrong, want)
	}
	text, _ := runs(t, command.ExitDone, "explain", "--dashboard", file)
	if strings.Contains(text, "\x1b") || !strings.Contains(text, "WAL records on Aurora") {
		t.Errorf("it says\n%s", text)
	}
	for content, want := range map[string]string{
		"no JSON": "not a Grafana dashboard", `{"a": 1}`: "it has no panels",
		strings.Repeat("x", 40<<20): "is longer than 4 MiB",
	} {
		write(content)
		if _, said := runs(t, command.ExitUsage, "explain", "--dashboard", file); !strings.Contains(said, want) ||
			strings.Count(said, "\n") != 1 {
			t.Errorf("it says %s, want %s", said, want)
		}
	}
	runs(t, command.ExitUsage, "explain", "--dashboard", file, "WriteIOPS")
}

// TestUnknownMetric: an unknown name is answered with up to three similar names, in one spelling each.
func TestUnknownMetric(t *testing.T) {
	t.Parallel()
	out, said := runs(t, command.ExitUsage, "explain", "pg_stat_wal.wal_synk")
	if out != "" || !strings.HasSuffix(said, "did you mean pg_stat_wal.wal_sync or pg_stat_wal.wal_fpi?\n") {
		t.Errorf("it says %s%s", out, said)
	}
	if _, said := runs(t, command.ExitUsage, "explain", "WriteIPOS"); !strings.HasSuffix(said, "did you mean WriteIOPS?\n") {
		t.Errorf("it says the same of two spellings: %s", said)
	}
}

// TestAWordThatEndsMetrics: the answer begins with the consoles' metrics, before a tool's of that name.
func TestAWordThatEndsMetrics(t *testing.T) {
	t.Parallel()
	for word, want := range map[string]string{"IOPS": "WriteIOPS on Aurora: WAL records",
		"iops": "WriteIOPS on Aurora: WAL records", "latency": "WriteLatency on Aurora", "QueueDepth": "DiskQueueDepth"} {
		out, _ := runs(t, command.ExitDone, "explain", word)
		if !strings.HasPrefix(out, want) {
			t.Errorf("%s begins with %.80q, want %s", word, out, want)
		}
	}
	out, _ := runs(t, command.ExitDone, "explain", "IOPS")
	for _, name := range []string{"ReadIOPS on RDS", "VolumeWriteIOPs on Aurora", "VolumeReadIOPs on Aurora", "fio iops"} {
		if !strings.Contains(out, name) {
			t.Errorf("IOPS does not name %s:\n%s", name, out)
		}
	}
	runs(t, command.ExitUsage, "explain", "teIOPS") // not a word of WriteIOPS
}
