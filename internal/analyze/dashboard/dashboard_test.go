package dashboard_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/realiops/realiops/internal/analyze/dashboard"
)

func TestRead(t *testing.T) {
	const text = `{"panels": [
		{"title": "Disk", "targets": [
			{"expr": "sum by (device) (rate(node_disk_writes_completed_total{device!~\"loop.*\", a=\"b}\"}[5m])) / on(instance) group_left node_boot_time_seconds"},
			{"expr": "topk(5, aws_rds_write_iops_average offset 5m) and up == bool 1"}]},
		{"title": "no query"},
		{"title": "row", "panels": [{"title": "cloud", "targets": [{"namespace": "AWS/RDS", "metricName": "WriteIOPS"},
			{"azureMonitor": {"metricName": "write_iops"}},
			{"timeSeriesList": {"filters": ["metric.type", "=", "cloudsql.googleapis.com/database/disk/write_ops_count"]}}]}]}],
		"rows": [{"panels": [{"title": "old", "targets": [{"expr": "pg_stat_database_blks_read"}]}]}]}`
	want := []dashboard.Panel{
		{"Disk", []string{"node_disk_writes_completed_total", "node_boot_time_seconds",
			"aws_rds_write_iops_average", "up"}},
		{"cloud", []string{"AWS/RDS WriteIOPS", "write_iops", "cloudsql.googleapis.com/database/disk/write_ops_count"}},
		{"old", []string{"pg_stat_database_blks_read"}},
	}
	for _, whole := range []string{text, `{"meta": {}, "dashboard": ` + text + `}`} {
		got, err := dashboard.Read([]byte(whole))
		if diff := cmp.Diff(want, got); err != nil || diff != "" {
			t.Errorf("%v\n%s", err, diff)
		}
	}
}

// TestInfluxDB: queries of InfluxDB name a measurement and its fields, as the query editor stores them, and in InfluxQL
// and Flux. The forms are Grafana's and InfluxData's.
func TestInfluxDB(t *testing.T) {
	const text = `{"panels": [
		{"title": "editor", "targets": [{"measurement": "diskio", "select": [
			[{"type": "field", "params": ["writes"]}, {"type": "mean", "params": []}],
			[{"type": "field", "params": ["write_bytes"]}]]}]},
		{"title": "InfluxQL", "targets": [{"rawQuery": true, "query":
			"SELECT non_negative_derivative(last(\"reads\"), 1s), mean(io_time) FROM \"autogen\".\"diskio\" WHERE \"host\" =~ /^$server$/ GROUP BY time($interval), \"name\""}]},
		{"title": "Flux", "targets": [{"query":
			"from(bucket: v.bucket) |> range(start: v.timeRangeStart) |> filter(fn: (r) => r[\"_measurement\"] == \"diskio\") |> filter(fn: (r) => r._field == \"reads\" or r[\"_field\"] == \"writes\")"}]},
		{"title": "SQL", "targets": [{"query": "SELECT 1"}]}]}`
	want := []dashboard.Panel{
		{"editor", []string{"diskio_writes", "diskio_write_bytes"}},
		{"InfluxQL", []string{"diskio_reads", "diskio_io_time"}},
		{"Flux", []string{"diskio_reads", "diskio_writes"}},
	}
	got, err := dashboard.Read([]byte(text))
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("%v\n%s", err, diff)
	}
}

func TestReadRefuses(t *testing.T) {
	for _, text := range []string{"", "no JSON", "[]", `{"a": 1}`, `{"panels": 7}`,
		strings.Repeat(`{"panels":[`, 100000)} {
		if panels, err := dashboard.Read([]byte(text)); err == nil ||
			!strings.HasPrefix(err.Error(), "not a Grafana dashboard") {
			t.Errorf("%.20s gives %v, %v", text, panels, err)
		}
	}
}

func FuzzRead(f *testing.F) {
	f.Add([]byte(`{"panels": [{"title": "a", "targets": [{"expr": "sum(rate(x{y=\"z\"}[5m]))"}]}]}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		panels, err := dashboard.Read(text)
		for _, p := range panels {
			if err != nil || len(p.Metrics) == 0 {
				t.Errorf("%+v, %v", p, err)
			}
		}
	})
}
