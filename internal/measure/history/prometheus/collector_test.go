package prometheus_test

import (
	"math"
	"testing"

	"github.com/realiops/realiops/internal/measure/history/prometheus"
	"github.com/realiops/realiops/internal/metric"
	"github.com/realiops/realiops/internal/test/prometheustest"
)

// collector is a machine under OpenTelemetry's collector, with a disk, its partition and a device on top. Each
// counter grows by a fixed amount a minute.
func collector(database string) (all []prometheustest.Series) {
	add := func(name, labels string, grows float64) {
		all = append(all, prometheustest.Series{Name: name, Labels: `instance="otel:8889"` + labels,
			Samples: minutes(1000, 1000+grows, 1000+2*grows)})
	}
	for direction, grows := range map[string]float64{"read": 30, "write": 70} {
		for _, device := range []string{"nvme0n1", "nvme0n1p1", "dm-0", "loop0"} {
			labels := `,device="` + device + `",direction="` + direction + `"`
			add("system_disk_operations_total", labels, grows)
			add("system_disk_io_bytes_total", labels, grows*8192)
			add("system_disk_operation_time_seconds_total", labels, grows/100)
		}
	}
	for source, grows := range map[string]float64{"bgwriter": 1, "checkpoints": 2, "backend": 3, "backend_fsync": 4} {
		add("postgresql_bgwriter_buffers_writes_total", `,source="`+source+`"`, grows)
	}
	add("postgresql_commits_total", `,`+database+`="app"`, 10)
	add("postgresql_commits_total", `,`+database+`="crm"`, 200)
	// machines of node_exporter, without the server
	for _, host := range []string{"db1", "db2"} {
		all = append(all, prometheustest.Series{Name: "node_disk_writes_completed_total", Labels: `instance="` + host +
			`:9100",device="sda"`, Samples: minutes(1, 9, 99)})
	}
	add("postgresql_operations_total", `,`+database+`="crm",postgresql_table_name="public.a",operation="ins"`, 5)
	return all
}

// TestCollector: OpenTelemetry's metrics map to ours by label, with whole disks only, and all databases together,
// by either label of the receiver.
func TestCollector(t *testing.T) {
	want := map[string]float64{metric.BlockReads: 30, metric.BlockWrites: 70, metric.BlockReadBytes: 30 * 8192,
		metric.BlockWriteBytes: 70 * 8192,
		metric.BlockReadTime:   0.3, metric.BlockWriteTime: 0.7, metric.CommitsOfAll: 210,
		metric.BgwriterBuffersClean:       1,
		metric.CheckpointerBuffersWritten: 2, metric.SessionsWrote: 3, metric.BgwriterBuffersBackendFsync: 4}
	for _, database := range []string{"postgresql_database_name", "db_namespace"} {
		for engine, start := range prometheustest.Engines() {
			t.Run(engine+"/"+database, func(t *testing.T) {
				store, err := prometheus.Open(prometheus.Options{URL: start(t, collector(database)...)})
				if err != nil {
					t.Fatal(err)
				}
				grew(t, store, want)
			})
		}
	}
}

// grew checks each metric's growth from the first minute to the second.
func grew(t *testing.T, store *prometheus.Store, want map[string]float64) {
	t.Helper()
	for name, grows := range want {
		got, err := ask(t, store, prometheus.Query{}, name)
		if err != nil {
			t.Fatal(err)
		}
		if by := got.Values["1m0s"] - got.Values["0s"]; len(got.Values) != 3 || math.Abs(by-grows) > 1e-6 {
			t.Errorf("%s: %v, want %g more a minute", name, got.Values, grows)
		}
		if len(got.Gaps)+len(got.Said) > 0 {
			t.Errorf("%s: %v %v", name, got.Gaps, got.Said)
		}
	}
}
